"""A recording comes in whole or not at all, and says the same as the engine."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from tests.streams import finished, message, sse, started
from webapp.errors import BadInput, TooLarge, UserError
from webapp.ingest.upload import Ingested, ingest
from webapp.settings import load_settings
from webapp.storage import events, originals, traces
from webapp.storage.db import Database
from webapp.storage.models import Base, Trace

SAMPLES = Path(__file__).resolve().parents[2] / "webapp" / "samples"
REJECTED = (SAMPLES / "pydantic-parallel.sse").read_bytes()
REQUEST = json.loads((SAMPLES / "pydantic-parallel.input.json").read_text())


def read(database: Database, done: Ingested) -> Trace:
    with database.session() as session:
        trace = traces.get(session, done.id)
    assert trace is not None
    return trace


def rows_in_all(database: Database) -> int:
    with database.session() as session:
        counts = [session.scalar(select(func.count()).select_from(t)) for t in Base.metadata.sorted_tables]
    return sum(count or 0 for count in counts)


def test_the_summary_says_what_happened(database: Database) -> None:
    """Verdict, place, headline, whose side, counts and clock of a recorded fault."""
    before = time.time()
    trace = read(database, ingest(database, [REJECTED], name="parallel", run_input=REQUEST))
    assert (trace.verdict, trace.rejected_at, trace.headline_event, trace.headline_party) == (
        "rejected", 12, 12, "producer",
    )  # fmt: skip
    assert "call_p0" in trace.headline
    assert (trace.records, trace.events, trace.format, trace.protocol) == (40, 40, "sse", "ag-ui")
    assert (trace.messages, trace.messages_seen) == (2, 1)
    assert (trace.clock, trace.clock_source, trace.run_count, trace.lane_count) == ("unix", "event", 1, 1)
    assert trace.started == 1795982659.908
    assert trace.ended is not None
    assert trace.ended >= trace.started
    assert trace.types["TOOL_CALL_START"] == 3
    assert sum(trace.types.values()) == 40
    assert (trace.size, trace.fatals > 0) == (len(REJECTED), True)
    assert before <= trace.created <= time.time()


def test_any_split_of_the_bytes_stores_the_same(database: Database) -> None:
    """Byte by byte or in one piece: the second upload is known already."""
    whole = ingest(database, [REJECTED], name="x", run_input=REQUEST)
    split = ingest(database, (bytes([b]) for b in REJECTED), name="y", run_input=REQUEST)
    assert (split.id, whole.duplicate, split.duplicate) == (whole.id, False, True)


def test_the_same_file_twice_stores_nothing_new(database: Database) -> None:
    """With another run input it is another trace, since it may get another verdict."""
    first = ingest(database, [REJECTED], name="x")
    rows = rows_in_all(database)
    assert ingest(database, [REJECTED], name="again") == Ingested(first.id, duplicate=True)
    assert rows_in_all(database) == rows
    assert ingest(database, [REJECTED], name="x", run_input=REQUEST).duplicate is False


def test_zero_events_are_unchecked(database: Database) -> None:
    """Prose is stored and never shown as a pass."""
    trace = read(database, ingest(database, [b"Hello, here is the log you asked for.\n"], name="mail"))
    assert (trace.verdict, trace.events, trace.records) == ("unchecked", 0, 0)
    assert trace.not_understood == 1


def test_an_empty_recording_is_refused(database: Database) -> None:
    """One sentence, and no row."""
    with pytest.raises(BadInput) as refused:
        ingest(database, [b"", b""], name="nothing")
    assert refused.value.sentence.endswith(".")
    assert rows_in_all(database) == 0


def test_too_large_an_upload_leaves_nothing(database: Database) -> None:
    """The limit is in the sentence; what was read until then is gone."""
    settings = load_settings(max_upload_bytes=1_000_000)
    with pytest.raises(TooLarge) as refused:
        ingest(database, (REJECTED for _ in range(1000)), name="big", settings=settings)
    assert "1 MB" in refused.value.sentence
    assert rows_in_all(database) == 0


def test_a_small_archive_of_a_huge_file_leaves_nothing(database: Database) -> None:
    """Expansion has its own limit."""
    settings = load_settings(max_expanded_bytes=100_000)
    with pytest.raises(TooLarge):
        ingest(database, [gzip.compress(b"data: {}\n\n" * 100_000)], name="bomb", settings=settings)
    assert rows_in_all(database) == 0


def test_a_source_that_breaks_leaves_nothing(database: Database) -> None:
    """The connection ends in the middle: no half a trace."""

    def broken() -> Iterator[bytes]:
        yield REJECTED[:3000]
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        ingest(database, broken(), name="half")
    assert rows_in_all(database) == 0


def test_a_database_that_fails_is_one_sentence(database: Database) -> None:
    """No table to write to: a sentence, not a stack trace."""
    Base.metadata.drop_all(database.engine)
    with pytest.raises(UserError) as refused:
        ingest(database, [REJECTED], name="x")
    assert refused.value.sentence.startswith("The trace could not be stored")
    assert "\n" not in refused.value.sentence


def test_a_run_input_that_is_too_deep_is_refused(database: Database) -> None:
    """Nesting no encoder takes."""
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"x": deep}
    with pytest.raises(BadInput):
        ingest(database, [REJECTED], name="x", run_input=deep)


def test_hostile_text_is_data(database: Database) -> None:
    """Markup, NUL, lone surrogates, bytes that are no text, deep nesting: all stored, all read back."""
    lines = [
        *(sse(event) for event in (started("<script>", "\0"), *message("\ud83d", "a\0b", "\ud800", "<b>"))),
        b'data: {"type":"CUSTOM","name":"\xff\xfe","value":1}\n\n',
        b'data: {"type":"CUSTOM","name":"deep","value":' + b"[" * 5000 + b"]" * 5000 + b"}\n\n",
        b"data: \x00\x01\n\n",
        b'data: {"type":"\\ud83d\\u0000' + b"X" * 200 + b'"}\n\n',
    ]
    body = b"".join(lines)
    trace = read(database, ingest(database, [body], name="nasty \ud800 \0 <i>"))
    assert (trace.name, trace.verdict) == ("nasty \ufffd \u2400 <i>", "rejected")
    with database.session() as session:
        rows = events.window(session, trace.pk)
        assert [row.seq for row in rows] == list(range(trace.records))
        assert b"".join(originals.whole(session, trace.pk)) == body


def test_ids_are_twelve_base32_characters(database: Database) -> None:
    """The name in a URL is random and plain."""
    done = ingest(database, [REJECTED], name="x")
    assert len(done.id) == 12
    assert set(done.id) <= set("abcdefghijklmnopqrstuvwxyz234567")


def test_batches_do_not_show(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written a record at a time or all at once, the rows are the same."""
    from webapp.ingest import analyse

    body = sse(started(), *message("m1", *"abcdef"), finished())
    asked = {"threadId": "t", "runId": "r", "protocolVersion": "1.0", "messages": []}
    whole = read(database, ingest(database, [body], name="x"))
    monkeypatch.setattr(analyse, "BATCH_BYTES", 0)
    monkeypatch.setattr(analyse, "BATCH", 1)
    single = read(database, ingest(database, [body], name="x", run_input=asked))
    with database.session() as session:
        assert events.window(session, whole.pk) == events.window(session, single.pk)
    assert (whole.heads, whole.item_count) == (single.heads, single.item_count)


def test_the_collector_works_again_afterwards(database: Database) -> None:
    """A pass rests it; an error in the middle too leaves it as it was."""
    import gc

    ingest(database, [REJECTED], name="x")
    assert gc.isenabled()
    with pytest.raises(TooLarge):
        ingest(database, [REJECTED + b"\n"], name="x", settings=load_settings(max_upload_bytes=100))
    assert gc.isenabled()


def test_limits_come_from_the_settings(database: Database) -> None:
    """Records past the limit are counted, not judged."""
    body = sse(started(), *message("m1", *"abcdef"), finished())
    settings = load_settings(max_records=4)
    trace = read(database, ingest(database, [body], name="x", settings=settings))
    assert trace.records == 4
