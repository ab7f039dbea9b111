"""Bytes on their way to the database: whole lines and events, times, credentials, gaps."""

from __future__ import annotations

from random import Random

import pytest

from webapp.core.masking.masker import masked
from webapp.ingest.live.arrivals import Arrivals
from webapp.ingest.live.lines import MAX_EVENT, MAX_LINE, MAX_LINES, Lines

KEY = b"sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz"


def taken(lines: Lines, last: bool = False) -> bytes:
    piece = lines.take(last)
    return b"" if piece is None else piece.data


def test_a_line_without_its_end_waits() -> None:
    """Nothing of it is handed on until the end comes, or the recording ends."""
    lines = Lines(True)
    lines.feed(b'{"a":1}\n{"b"', 1.0)
    assert taken(lines) == b'{"a":1}\n'
    lines.feed(b":2}", 2.0)
    assert (taken(lines), lines.waiting) == (b"", 7)
    assert taken(lines, last=True) == b'{"b":2}'


def test_an_event_of_several_lines_stays_together() -> None:
    """A credential may begin in one line and end in the next."""
    lines = Lines(True)
    lines.feed(b"data: {}\n\nevent: x\ndata: {\n", 1.0)
    assert taken(lines) == b"data: {}\n\n"
    lines.feed(b"data: }\r\n\r\n", 2.0)
    assert taken(lines) == b"event: x\ndata: {\ndata: }\r\n\r\n"


def test_where_blank_lines_are_lost_nothing_waits_for_them() -> None:
    """After as many lines as the reader waits for."""
    lines = Lines(True)
    lines.feed(b"data: {}\n" * (MAX_LINES - 1), 1.0)
    assert taken(lines) == b""
    lines.feed(b"data: {}\n", 2.0)
    assert len(taken(lines)) == 9 * MAX_LINES
    long = b"data: " + b"x" * MAX_EVENT + b"\n"
    lines.feed(long, 3.0)
    assert taken(lines) == long


def test_a_line_too_long_to_wait_for_goes_ahead() -> None:
    """Memory stays bounded, and a credential at its end is found all the same."""
    text = b'{"t":"' + b"x" * (3 * MAX_LINE) + b'","api_key":"' + KEY + b'"}\n{"b":2}\n'
    lines, out, most = Lines(True), b"", 0
    for at in range(0, len(text), 100_000):
        lines.feed(text[at : at + 100_000], 1.0)
        out += taken(lines)
        most = max(most, lines.waiting)
    out += taken(lines, last=True)
    assert most <= MAX_LINE + 100_000
    assert (out, lines.count) == (masked(text)[0], 1)
    assert KEY not in out


@pytest.mark.parametrize("seed", range(5))
def test_a_credential_split_over_chunks_is_overwritten(seed: int) -> None:
    """Wherever the chunks end and whenever they are stored."""
    random = Random(seed)
    text = b"".join(b'data: {"authorization":"Bearer %s","n":%d}\n\n' % (KEY, n) for n in range(20))
    lines, out, at = Lines(True), b"", 0
    while at < len(text):
        size = random.randint(1, 40)
        lines.feed(text[at : at + size], 1.0)
        at += size
        out += taken(lines) if random.random() < 0.5 else b""
    out += taken(lines, last=True)
    assert (out, lines.count) == (masked(text)[0], 20)


def test_every_byte_keeps_the_time_it_came() -> None:
    """A record arrived when its first byte did, though its line was stored later."""
    lines = Lines(True)
    stored = b""
    for at, chunk in enumerate((b'{"a"', b':1}\n{"b":', b"2}\n", b"{")):
        lines.feed(chunk, float(at))
        piece = lines.take(last=at == 3)
        stored += b"" if piece is None else piece.arrivals
    arrivals = Arrivals(stored)
    assert [arrivals.at(offset) for offset in (0, 3, 4, 8, 13, 16, 17)] == [
        0.0,
        0.0,
        1.0,
        1.0,
        2.0,
        3.0,
        None,
    ]


@pytest.mark.parametrize("form", ["ndjson", "sse"])
def test_a_gap_tears_no_line(form: str) -> None:
    """What is left are whole lines, and what was lost is counted, the torn lines included."""
    one, end = (b'{"n":%d}', b"\n") if form == "ndjson" else (b'data: {"n":%d}', b"\n\n")
    text = b"".join(one % n + end for n in range(100, 140))
    kept, lost, again = text[:205], text[205:333], text[333:]
    lines = Lines(True)
    lines.feed(kept, 1.0)
    lines.gap(len(lost), 1.5)
    lines.feed(again, 2.0)
    out = taken(lines, last=True)
    records = [line for line in out.split(b"\n") if line]
    assert set(records) < {one % n for n in range(100, 140)}
    assert records[0] == one % 100
    assert records[-1] == one % 139
    assert len(text) - sum(len(line) + len(end) for line in records) in range(
        lines.missing - 2, lines.missing + 3
    )
    assert lines.size == lines.received == len(out)


def test_a_gap_before_anything_and_one_in_a_long_line() -> None:
    """Neither leaves half a line that looks whole."""
    lines = Lines(False)
    lines.gap(50, 0.5)
    lines.feed(b'rest"}\n{"a":1}\n', 1.0)
    assert taken(lines) == b'{"a":1}\n'
    lines.feed(b'{"t":"' + b"x" * MAX_LINE, 2.0)
    ahead = taken(lines)
    lines.gap(10, 2.5)
    lines.feed(b'more"}\n{"b":2}\n', 3.0)
    assert taken(lines, last=True).endswith(b'\n{"b":2}\n')
    assert len(ahead) == MAX_LINE + 6


def test_arrivals_stay_in_order_over_a_gap() -> None:
    """Offsets grow, and every stored byte has a time."""
    lines, stored = Lines(True), b""
    for at, step in enumerate((b"{}\n{", 7, b"x\n{}\n", 3, 4, b"\n", b"{}\n{}")):
        lines.gap(step, float(at)) if isinstance(step, int) else lines.feed(step, float(at))
        piece = lines.take(last=at == 6)
        stored += b"" if piece is None else piece.arrivals
    arrivals = Arrivals(stored)
    times = [arrivals.at(offset) for offset in range(lines.size)]
    assert times == sorted(time for time in times if time is not None)
    assert arrivals.end == lines.size
