"""The NDJSON reader: what is a record, and what is only text."""

from __future__ import annotations

import pytest

from webapp.core.records import Record
from webapp.readers.limits import Limits
from webapp.readers.plain.ndjson import NdjsonReader


def read(text: bytes, limits: Limits | None = None) -> tuple[list[Record], NdjsonReader]:
    reader = NdjsonReader(limits)
    return [*reader.feed(text), *reader.close()], reader


def test_each_line_is_a_record_without_the_space_around_it():
    """Line end and white space are no part of the payload; blank lines get no number."""
    records, reader = read(b'{"a":1}\n\n \t{"b":2} \r\n{"c":3}')
    assert records == [Record(b'{"a":1}', 1, 0), Record(b'{"b":2}', 3, 9), Record(b'{"c":3}', 4, 21)]
    assert reader.account.ignored == {"blank line": 1}
    assert reader.account.lines == 4


@pytest.mark.parametrize("line", [b"{broken", b"[1]", b"[DONE]", b"12", b'"text"', b"null", b"-1.5e3"])
def test_a_line_that_is_json_or_starts_like_it_is_a_record(line):
    """What it is worth is for the engine to say."""
    assert [record.payload for record in read(line + b"\n")[0]] == [line]


@pytest.mark.parametrize(
    "line", [b"prose", b"NaN", b"Infinity", b"2026-09-01 log", b"data: {}", b'"cut', b"}"]
)
def test_any_other_line_is_not_understood(line):
    """It is kept as a stray, with its place, and gets no number."""
    records, reader = read(b"{}\n" + line + b"\n{}\n")
    assert [record.line for record in records] == [1, 3]
    assert reader.account.not_understood == 1
    assert [(s.line, s.offset, s.text) for s in reader.account.strays] == [(2, 3, line.decode())]


def test_a_last_line_cut_in_the_middle_is_incomplete():
    """Broken and without a line end: the recording was cut."""
    assert [record.framing for record in read(b'{"a":1}\n{"b":')[0]] == [(), ("incomplete",)]


@pytest.mark.parametrize("text", [b'{"a":1}', b'{"a":\n', b"[DONE]", b"12"])
def test_a_last_line_that_is_whole_or_ended_is_not_incomplete(text):
    """A line end says the line is all there, however broken; so does whole JSON."""
    assert [record.framing for record in read(text)[0]] == [()]


def test_wrong_utf8_is_noted_on_the_record_that_has_it():
    """Payload bytes stay as received."""
    records, _ = read(b'{"a":"\xff"}\n{"a":"\xc3\xa9"}\n')
    assert [record.framing for record in records] == [("invalid-utf8",), ()]
    assert records[0].payload == b'{"a":"\xff"}'


def test_a_byte_order_mark_is_dropped():
    """The first line is JSON, not text with a mark."""
    assert read(b"\xef\xbb\xbf{}\n")[0] == [Record(b"{}", 1, 3)]


def test_a_line_over_the_limit_is_cut_and_reading_goes_on():
    """Also when its end comes chunks later."""
    reader = NdjsonReader(Limits(max_record_bytes=5000))
    records = [*reader.feed(b'{"a":"' + b"x" * 6000), *reader.feed(b"y" * 6000), *reader.feed(b'"}\n{}\n')]
    assert [(len(r.payload), r.line, r.offset, r.framing) for r in records] == [
        (4096, 1, 0, ("too-long",)),
        (2, 2, 12009, ()),
    ]
    assert [artefact.kind for artefact in reader.account.artefacts] == ["too-long-record"]


def test_records_over_the_limit_are_counted_and_not_offered():
    """The rest of the lines is one reason."""
    records, reader = read(b"{}\n" * 5, Limits(max_records=2))
    assert len(records) == 2
    assert reader.account.ignored == {"past the record limit": 3}
    assert [(a.kind, a.line) for a in reader.account.artefacts] == [("too-many-records", 3)]


def test_nesting_without_end_on_a_last_line_is_only_broken_json():
    """The look at the last line survives what the parser does not."""
    assert [record.framing for record in read(b"[" * 100_000)[0]] == [("incomplete",)]
