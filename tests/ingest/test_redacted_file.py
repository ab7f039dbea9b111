"""Redacted files of every rule's example: nothing said in them, and the same verdict and findings when read again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.redact.canaries import LETTERS, agui_cases, teams_cases
from tests.slices import WHOLE, every
from tests.streams import finished, message, sse, started
from webapp.core import seal
from webapp.errors import BadInput, UserError
from webapp.ingest.redacted_file import redacted_file
from webapp.ingest.reread import SEALED, rejudge_all, reread
from webapp.ingest.upload import ingest
from webapp.redact import joined
from webapp.settings import load_settings
from webapp.storage import findings, items, texts, traces
from webapp.storage.db import Database
from webapp.storage.models import EventRow, Trace

CASES = Path(__file__).parents[1] / "cases"
MOST = 16_000_000
SETTINGS = load_settings()
SIZE = re.compile(rb'"size":\d+')  # of the record that was redacted
SAME = (
    "verdict",
    "rejected_at",
    "events",
    "records",
    "run_count",
    "version_used",
    "engine",
    "fatals",
    "errors",
)


def examples() -> Iterator[tuple[str, bytes, dict[str, Any] | None]]:
    """(name, recording, run input) of the first example of every rule, its texts turned into canaries."""
    seen: set[str] = set()
    for name, case, lines in agui_cases(CASES):
        if name not in seen and lines:
            given = json.loads(case["input"]) if "input" in case else None
            yield name, b"".join(line + b"\n" for line in lines), given
        seen.add(name)
    for name, lines in teams_cases(CASES):
        if name not in seen and lines:
            yield name, b"".join(line + b"\n" for line in lines), None
        seen.add(name)


def file_of(database: Database, public: str, level: str = "structure") -> bytes:
    with database.session() as session:
        trace = traces.get(session, public)
        assert trace is not None
        return b"".join(redacted_file(session, trace, level, MOST))


def told(database: Database, public: str) -> tuple[dict[str, Any], list[str], list[tuple[Any, ...]]]:
    """What a trace shows of its verdict, its findings' keys, and how far each record came."""
    with database.session() as session:
        trace = traces.get(session, public)
        assert trace is not None
        rows = session.query(EventRow).filter(EventRow.trace == trace.pk).order_by(EventRow.seq)
        reached = [(row.seq, row.reached, row.at, row.severity) for row in rows]
        keys = [row.key for row in findings.all_of(session, trace.pk)]
        return {name: getattr(trace, name) for name in SAME}, keys, reached


def stored(database: Database, data: bytes, **more: Any) -> str:
    return ingest(database, [data], name="trace", settings=SETTINGS, **more).id


def test_every_example_says_nothing_and_keeps_its_verdict(database: Database) -> None:
    """Of each rule: no canary in the file, and read again the verdict, the findings and how far records came."""
    leaks, differ = {}, {}
    count = 0
    for name, data, given in every(examples(), 3, 0):
        try:
            public = stored(
                database, data, run_input=given, protocol="teams" if name.startswith("TEAMS") else "ag-ui"
            )
        except UserError:
            continue  # an example of what cannot be stored at all
        try:
            made = file_of(database, public)
        except BadInput:
            continue  # nothing of it was understood
        count += 1
        if (found := LETTERS.search(made.decode())) is not None:
            leaks[name] = made.decode()[max(0, found.start() - 100) : found.end() + 40]
        before, after = told(database, public), told(database, stored(database, made))
        if before != after:
            differ[name] = (before, after)
    assert leaks == {}
    assert differ == {}
    assert count > (200 if WHOLE else 70)


def example() -> bytes:
    """A stream that a client rejects: text after its end, in a message of some length."""
    late = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "too late"}
    return sse(started(), *message("m", "Hello ", "there, ", "Mia"), late, late, finished())


def test_lengths_are_the_true_ones(database: Database) -> None:
    """A marker says how long the text was, and that is what items count; pieces become one marker with their sum."""
    public = stored(database, example())
    again = stored(database, file_of(database, public))
    with database.session() as session:
        one, other = traces.get(session, public), traces.get(session, again)
        assert one is not None
        assert other is not None
        rows = [items.by_id(session, trace.pk, "m")[0] for trace in (one, other)]
        assert [(row.kind, row.chars, row.chars_seen) for row in rows] == [("text", 32, 16)] * 2
        text = "".join(texts.stream(session, other.pk, rows[1].ord, other.records))
    assert joined(text) == "«redacted: 32 chars»"


def test_the_rules_that_need_texts_are_told_as_not_judged(database: Database) -> None:
    """With the reason; those that fired stay findings."""
    again = stored(database, file_of(database, stored(database, example())))
    with database.session() as session:
        trace = traces.get(session, again)
        assert trace is not None
        told = {each["rule"]: each["reason"] for each in trace.skipped_rules}
    assert told["AGUI-STA-04"] == "Texts were taken out (structure only)."
    assert "AGUI-TXT-08" not in told


def test_what_is_redacted_is_judged_and_read_no_more(database: Database) -> None:
    """Neither as another form nor by a newer engine; the sentence says why."""
    again = stored(database, file_of(database, stored(database, example())))
    with pytest.raises(BadInput, match="from before texts were taken out"):
        reread(database, again, form="ndjson")
    assert SEALED.endswith("it stays as it is.")
    assert again not in [each.id for each in rejudge_all(database, every=True)]


def test_redacting_what_is_redacted_changes_nothing(database: Database) -> None:
    """The second file is the first, whatever level is asked for: texts that are out do not come back."""
    made = file_of(database, stored(database, example()))
    again = stored(database, made)
    for level in ("structure", "personal"):
        assert SIZE.sub(b"", file_of(database, again, level)) == SIZE.sub(b"", made)


def test_a_file_that_was_changed_is_refused(database: Database) -> None:
    """One sentence each: a later version, a line less, records in another order, a rule nobody knows, no record."""
    made = file_of(database, stored(database, example()))
    lines = made.splitlines(keepends=True)
    changed = {
        b'"version":2': made.replace(b'"version":1', b'"version":2', 1),
        b"is not whole": b"".join(lines[:-1]),
        b"should hold record #2 and holds #3": b"".join([*lines[:3], *lines[4:]]),
        b"does not know": made.replace(b"AGUI-TXT", b"AGUI-TXZ"),
        b"cannot be read": b"".join([lines[0], b"{}\n", *lines[2:]]),
        b"does not know, so": b"".join(
            [lines[0], lines[1].replace(b',"record"', b',"reached":"lost","record"'), *lines[2:]]
        ),
        b"Line 2 of this redacted file cannot be read": made.replace(b'{"seq":0,', b'{"seq":0,"at":1e300,'),
        b"holds no record": b"".join([lines[0], b'{"seq":0}\n', *lines[2:]]),
        b"first line cannot be read": lines[0][:200] + b"\n" + b"".join(lines[1:]),
    }
    wrong = {}
    for part, data in changed.items():
        with pytest.raises(BadInput) as caught:
            stored(database, data)
        if part != b'"version":2' and part.decode() not in caught.value.sentence:
            wrong[part] = caught.value.sentence
    assert wrong == {}
    with database.session() as session:
        assert traces.count(session) == 1


def test_a_seal_cannot_name_what_pages_do_not_know(database: Database) -> None:
    """Forged values are refused whole; whatever the line is, there is a sentence and no other error."""
    good = seal.read(file_of(database, stored(database, example())).split(b"\n", 1)[0])
    line = seal.written(good)
    for old, new in (
        (b'"severity":"fatal"', b'"severity":"worst"'), (b'"party":"producer"', b'"party":"nobody"'),
        (b'"verdict":"rejected"', b'"verdict":"fine"'), (b'"event":6', b'"event":600'),
        (b'"outcome":"rejected"', b'"outcome":"odd"'), (b'"rejected_at":6', b'"rejected_at":null'),
        (b'"level":"structure"', b'"level":"none"'), (b'"records":9', b'"records":-1'),
    ):  # fmt: skip
        assert old in line, old
        with pytest.raises(seal.Unsealed):
            seal.read(line.replace(old, new))
    for odd in (b"", b"{", b"[" * 100_000, b'{"lanescope":"redacted"}', b"\xff\xfe", line[:-2]):
        with pytest.raises(seal.Unsealed):
            seal.read(odd)


def test_a_trace_that_is_still_recorded_cannot_be_redacted(database: Database) -> None:
    public = stored(database, example())
    with database.session() as session:
        session.query(Trace).update({"status": "live"})
    with pytest.raises(BadInput, match="still being recorded"):
        file_of(database, public)
