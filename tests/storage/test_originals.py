"""The upload comes back byte for byte, whole or some lines of it."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable

import pytest
from sqlalchemy import event as hook
from sqlalchemy.orm import Session

from tests.streams import finished, message, sse, started
from webapp.storage import originals
from webapp.storage.db import Database
from webapp.storage.models import Trace
from webapp.storage.originals import PART_BYTES

LINES = [f'data: {{"type":"CUSTOM","name":"n{n}","value":"{"v" * (n % 300)}"}}' for n in range(6000)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_of_a_stream_come_back(session: Session, store: Callable[..., Trace], end: str) -> None:
    """Any window of lines equals the text's own, whatever ends a line, over the borders of parts too."""
    body = "".join(f"{line}{end}{end}" for line in LINES).encode()
    assert len(body) > 3 * PART_BYTES
    trace = store(body)
    assert trace.format == "sse"
    expected = [part for line in LINES for part in (line.encode(), b"")]
    starts = [0]
    for line in expected:
        starts.append(starts[-1] + len(line) + len(end))
    choose = random.Random(7)
    for first in [1, 2, len(expected), *(choose.randrange(1, len(expected)) for _ in range(40))]:
        got = originals.lines(session, trace.pk, first, 5)
        numbers = range(first, min(first + 5, len(expected) + 1))
        assert got == [(n, starts[n - 1], expected[n - 1]) for n in numbers]
    assert originals.lines(session, trace.pk, len(expected) + 1, 5) == []
    assert b"".join(originals.whole(session, trace.pk)) == body


def test_a_records_line_and_offset_lead_to_it(session: Session, store: Callable[..., Trace]) -> None:
    """What a row says about where it came from is where its text is."""
    from webapp.storage import events

    trace = store("".join(f"{line}\n\n" for line in LINES).encode())
    for row in events.window(session, trace.pk, start=4990, limit=20):
        number, offset, data = originals.lines(session, trace.pk, row.line, 1)[0]
        assert (number, offset, data) == (row.line, row.offset, f"data: {row.raw}".encode())


def test_in_json_lines_a_carriage_return_is_no_line(session: Session, store: Callable[..., Trace]) -> None:
    """Only LF ends a line there; CR is white space."""
    body = b'{"type":"CUSTOM","name":"a",\r"value":1}\r\n{"type":"CUSTOM","name":"b","value":2}\n'
    trace = store(body)
    assert trace.format == "ndjson"
    assert [data for _, _, data in originals.lines(session, trace.pk, 1, 9)] == [
        b'{"type":"CUSTOM","name":"a",\r"value":1}\r',
        b'{"type":"CUSTOM","name":"b","value":2}',
    ]


def test_a_compressed_upload_keeps_both(session: Session, store: Callable[..., Trace]) -> None:
    """The download has the bytes as they came; lines are those of the text inside."""
    plain = "".join(f"{line}\n\n" for line in LINES).encode()
    packed = gzip.compress(plain)
    trace = store(packed, name="x.sse.gz")
    assert b"".join(originals.whole(session, trace.pk)) == packed
    assert b"".join(originals.text(session, trace.pk)) == plain
    assert originals.lines(session, trace.pk, 9001, 1)[0][2] == LINES[4500].encode()
    assert (trace.size, trace.records) == (len(packed), len(LINES))
    assert trace.artefacts[0]["kind"] == "gzip"


def test_a_line_is_kept_to_a_width(session: Session, store: Callable[..., Trace]) -> None:
    """A line of two megabytes is shown in part, and the next one has its number."""
    trace = store(sse(started(), *message("m1", "x" * 2_000_000, "short"), finished()))
    got = originals.lines(session, trace.pk, 5, 3, width=50)
    assert [(number, len(data)) for number, _, data in got] == [(5, 50), (6, 0), (7, 50)]
    assert originals.lines(session, trace.pk, 0, 3) == []


def test_only_the_needed_parts_are_read(database: Database, store: Callable[..., Trace]) -> None:
    """Two lines at the end do not fetch the parts before them."""
    trace = store("".join(f"{line}\n\n" for line in LINES).encode())
    fetched: list[str] = []
    hook.listen(
        database.engine, "before_cursor_execute", lambda c, cu, statement, *rest: fetched.append(statement)
    )
    with database.session() as session:
        originals.lines(session, trace.pk, 11_000, 2)
    assert sum("originals.data" in statement for statement in fetched) <= 2
