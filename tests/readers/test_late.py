"""A stream behind more text than is looked at first: found, within a bound, and what stood before is told."""

from __future__ import annotations

import json

import pytest

from tests.readers.test_not_a_pass import judged
from tests.readers.wrapping import CLEAN, WRAPS, sse
from tests.readers.wrapping_teams import GOOD, TEAMS_WRAPS
from webapp.check_text import as_text
from webapp.readers.head import HEAD_BYTES
from webapp.readers.late import LATE_BYTES
from webapp.readers.read import read

PROSE = b"Hello all, this is how it came about, told in many words.\n"
LONG = PROSE * (2 * HEAD_BYTES // len(PROSE))
FOUND = (
    "server-sent events", "JSON lines", "JSON array", "Markdown fence", "Python str", "Python log", "curl -i",
    "TYPE: {json}", "console.log",
)  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_it_is_read_in_its_form(name: str) -> None:
    """As it is behind a few lines, and every line before is accounted for."""
    data = WRAPS[name][1](CLEAN)
    [one] = judged(LONG + data)
    assert (one.report.verdict, one.report.events) == ("conformant", 5)
    assert one.detection.form == WRAPS[name][0]
    account = one.account
    assert account.lines == account.records + sum(account.ignored.values()) + account.not_understood


def test_teams_is_found_too() -> None:
    """Exchange lines behind a long mail."""
    [one] = judged(LONG + TEAMS_WRAPS["exchange lines"].make(GOOD))
    assert (one.report.protocol, one.report.verdict, one.report.events) == ("teams", "conformant", 5)


def test_events_behind_other_json_are_found() -> None:
    """Thousands of objects of something else, then a run."""
    other = b'{"a":1}\n' * (HEAD_BYTES // 4)
    [one] = judged(other + WRAPS["JSON lines"][1](CLEAN))
    assert (one.report.protocol, len(one.report.runs)) == ("ag-ui", 1)


@pytest.mark.parametrize("size", [1000, 70_000, 10_000_000])
def test_it_is_the_same_in_pieces(size: int) -> None:
    """Reading on takes what comes, in any pieces, and loses nothing."""
    text = LONG + sse(CLEAN).encode()
    found, records, account = read(text[at : at + size] for at in range(0, len(text), size))
    assert (found.form, found.protocol) == ("sse", "ag-ui")
    assert [json.loads(record.payload) for record in records] == CLEAN
    assert account.not_understood == LONG.count(b"\n")


def test_text_to_the_end_is_plain_text() -> None:
    """All of it was looked at."""
    [one] = judged(LONG)
    assert (one.detection.foreign, one.report.verdict) == ("prose", "unchecked")


def test_beyond_the_bound_it_is_said_what_to_do() -> None:
    """It is not called plain text, since nobody looked."""
    [one] = judged(PROSE * (LATE_BYTES // len(PROSE) + 2) + sse(CLEAN).encode())
    assert (one.detection.foreign, one.report.verdict) == ("long-prose", "unchecked")
    assert "Cut off what stands before the recording" in as_text(one)


def test_other_json_to_the_bound_is_no_stream() -> None:
    """A large file of something else is none with ten thousand faults."""
    [one] = judged(b'{"type":"tick","n":1}\n' * (LATE_BYTES // 15))
    assert (one.detection.foreign, one.report.verdict) == ("other-json", "unchecked")
