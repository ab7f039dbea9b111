"""Teams recordings come in: judged as such, HAR files without what nobody meant to hand over."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.exchanges import STREAM, activity, broken, entry, good, har, lines, other
from webapp.errors import BadInput
from webapp.ingest.upload import ingest
from webapp.storage import originals, traces
from webapp.storage.db import Database
from webapp.storage.exchange_lines import WINDOW, exchange_lines
from webapp.storage.models import FindingRow, Trace

HAR = har(other(), *map(entry, good()), other())


def read(database: Database, id_: str) -> Trace:
    with database.session() as session:
        trace = traces.get(session, id_)
    assert trace is not None
    return trace


def export(database: Database, trace: Trace) -> bytes:
    with database.session() as session:
        return b"".join(exchange_lines(session, trace.pk))


def told(database: Database, trace: Trace) -> list[tuple[str, str, int, str]]:
    """Every finding, as a person meets it."""
    with database.session() as session:
        rows = session.query(FindingRow).filter_by(trace=trace.pk).order_by(FindingRow.ord)
        return [(row.key, row.title, row.severity, row.why) for row in rows]


def on_disk(database: Database) -> bytes:
    """Every byte of the database, parts expanded too."""
    file = database.engine.url.database
    assert file is not None
    with database.session() as session:
        session.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
        kept = [b"".join(originals.whole(session, t.pk)) for t in session.query(Trace)]
    names = Path(file).parent.glob(Path(file).name + "*")
    return b"".join(path.read_bytes() for path in names) + b"".join(kept)


@pytest.mark.parametrize(
    ("body", "form", "records"),
    [
        (lines(good()), "ndjson", 5),
        (json.dumps(good()).encode(), "array", 5),
        (json.dumps(activity("Hi", 1, None), indent=1).encode(), "array", 1),
        (gzip.compress(lines(good())), "ndjson", 5),
        (HAR, "har", 5),
        (gzip.compress(HAR), "har", 5),
    ],
)
def test_a_teams_recording_is_judged_as_one(database: Database, body: bytes, form: str, records: int) -> None:
    """In every form, with its request times."""
    trace = read(database, ingest(database, [body], name="x").id)
    assert (trace.protocol, trace.format, trace.records, trace.events) == ("teams", form, records, records)
    assert trace.verdict != "unchecked"
    assert trace.run_count == 1


def test_no_byte_of_the_other_calls_is_stored(database: Database) -> None:
    """Credentials, cookies, query strings and other calls: not in the database file, however they came in."""
    for n, body in enumerate((HAR, gzip.compress(HAR), b"\xef\xbb\xbf" + HAR, har(*[other()] * 400))):
        pieces = (body[at : at + 7000] for at in range(0, len(body), 7000))
        ingest(database, pieces, name=f"x{n}", source="x.har.gz")
        ingest(database, [body + b" " * 9], name=f"whole{n}")
    stored = on_disk(database)
    assert STREAM.encode() in stored
    assert b"zzSECRET" not in stored
    assert b"zzProxy" not in stored


def test_what_was_left_out_is_told(database: Database) -> None:
    """The kept file is readable as it stands, its lines are those of the records, its size is its own."""
    trace = read(database, ingest(database, [gzip.compress(HAR)], name="x", source="calls.har.gz").id)
    messages = [artefact["message"] for artefact in trace.artefacts]
    assert messages[1].startswith("5 of 7 calls belong to a streamed reply; the other 2 were not stored.")
    with database.session() as session:
        kept = b"".join(originals.whole(session, trace.pk))
        shown = originals.lines(session, trace.pk, 2, 1)
    assert len(json.loads(kept)["log"]["entries"]) == 5
    assert (trace.size, trace.lines, trace.source) == (len(kept), 7, "calls.har")
    assert shown[0][2].startswith(b'{"startedDateTime":"2026-09-01T08:00:00.000Z"')


def test_a_har_file_without_a_streamed_reply_is_unchecked(database: Database) -> None:
    """Nothing of it is stored, and the sentence says what to save instead."""
    trace = read(database, ingest(database, [har(*[other()] * 300)], name="x").id)
    assert (trace.verdict, trace.format, trace.records) == ("unchecked", "", 0)
    assert "save the response body" in (trace.read_because or [""])[0]
    assert trace.artefacts[0]["message"].startswith("None of the 300 calls in this HAR file belongs")
    assert trace.size < 200


def test_the_same_har_file_twice_is_known(database: Database) -> None:
    """By the bytes that were sent, not by those that were kept."""
    first = ingest(database, [HAR], name="x")
    assert ingest(database, (bytes([b]) for b in HAR), name="y") == type(first)(first.id, duplicate=True)
    assert ingest(database, [har(*map(entry, good()))], name="z").duplicate is False


def test_a_run_input_beside_a_teams_recording_is_refused(database: Database) -> None:
    """It belongs to AG-UI; nothing is stored."""
    with pytest.raises(BadInput, match="run input belongs to AG-UI only"):
        ingest(database, [lines(good())], name="x", run_input={"threadId": "t"})
    with database.session() as session:
        assert traces.count(session) == 0


def test_the_protocol_can_be_chosen(database: Database) -> None:
    """Where the content does not say, and against what it says; the same bytes are then another trace."""
    vague = b'{"type":"message","text":"Hi"}\n'
    by_itself = read(database, ingest(database, [vague], name="x").id)
    chosen = read(database, ingest(database, [vague], name="x", protocol="teams").id)
    assert (by_itself.protocol, chosen.protocol) == ("ag-ui", "teams")
    assert ingest(database, [vague], name="x", protocol="teams").id == chosen.id


@pytest.mark.parametrize(
    "body",
    [
        lines(good()),
        lines(broken()),
        lines(broken())[:-30],
        json.dumps(broken(), indent=3).encode(),
        json.dumps([activity("A", 1, None), activity("B", 2)], indent=1).encode(),
        har(*map(entry, broken()), other()),
        b'[{"at":1,"method":"POST","url":"/v3/conversations/c/activities","request":{"text":"a\nb"}},\n{}]',
        lines(good() * WINDOW),
    ],
)
def test_exported_lines_say_the_same_when_read_again(database: Database, body: bytes) -> None:
    """Verdict, findings and the export itself, whatever form the recording had."""
    first = read(database, ingest(database, [body], name="x").id)
    written = export(database, first)
    other_bytes = b"\n" + written  # or it would be known already
    again = read(database, ingest(database, [other_bytes], name="y", protocol="teams").id)
    assert again.id != first.id
    assert (again.verdict, again.records, again.rejected_at) == (
        first.verdict,
        first.records,
        first.rejected_at,
    )
    assert told(database, again) == told(database, first)
    assert export(database, again) == written
    assert written.count(b"\n") + (not written.endswith(b"\n")) == first.records
