"""For every reader: any split of any bytes gives the same records, and every line is accounted for."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.records import FRAMING, Record
from webapp.readers.base import Account
from webapp.readers.detect import FORMS, detect, open_reader, read
from webapp.readers.limits import Limits

PIECES = {
    "sse": [
        b"data: ",
        b"data:",
        b"data",
        b"event: x",
        b"id: 1",
        b"retry: 5",
        b": hi",
        b"\n",
        b"\n\n",
        b"\r\n",
        b"\r",
        b'{"type":"A"}',
        b'data: {"type":"B"}\n\n',
        b'data: {"a":1}\n',
        b'data: {"a":2}\r\n\r\n',
        b"data: [DONE]",
        b"\xef\xbb\xbf",
        b"\xff",
        "é😀".encode(),
        b"prose",
        b"data: " + b"x" * 60,
        b"y" * 300,
        b"",
    ],
    "ndjson": [
        b'{"type":"A"}',
        b"{",
        b"[",
        b"]",
        b"}",
        b"\n",
        b"\r\n",
        b" ",
        b"\t",
        b"prose",
        b"12",
        b'"s"',
        b"null",
        b"NaN",
        b"[DONE]",
        b"\xef\xbb\xbf",
        b"\xff",
        "é😀".encode(),
        b'{"a":"' + b"x" * 60,
        b"y" * 300,
        b"\x0b",
        b"",
    ],
    "array": [
        b"[",
        b"]",
        b"{",
        b"}",
        b",",
        b'"',
        b"\\",
        b'\\"',
        b"\n",
        b" ",
        b'{"type":"A"}',
        b'{"a":{"b":[{"c":[1]}]}}',
        b'[{"a":1},\n',
        b'"s,]"',
        b"12",
        b"null",
        b"prose",
        b"\xef\xbb\xbf",
        b"\xff",
        "é😀".encode(),
        b"\r\n",
        b'{"a":"' + b"x" * 60,
        b"y" * 5000,
        b'{\n  "a": "}"\n}',
        b"",
    ],
}
LIMITS = st.sampled_from(
    [Limits(), Limits(max_record_bytes=30), Limits(max_records=2), Limits(max_record_bytes=40, max_records=3)]
)


def texts(form: str) -> st.SearchStrategy[bytes]:
    return st.lists(st.one_of(st.sampled_from(PIECES[form]), st.binary(max_size=3)), max_size=25).map(
        b"".join
    )


def run(form: str | None, chunks: list[bytes], limits: Limits) -> tuple[list[Record], Account]:
    reader = open_reader(form, limits)
    records = [record for chunk in chunks for record in reader.feed(chunk)]
    records += reader.close()
    return records, reader.account


def split(text: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    return [text[a:b] for a, b in pairwise(edges)]


@pytest.mark.parametrize("form", [*FORMS, None])
@given(data=st.data(), limits=LIMITS, cuts=st.lists(st.integers(0, 10_000), max_size=6))
@settings(max_examples=250, deadline=None)
def test_any_split_gives_the_same_records_and_the_same_account(form, data, limits, cuts):
    """Whole, byte by byte and cut anywhere are one and the same input."""
    text = data.draw(texts(form or data.draw(st.sampled_from([*PIECES]))))
    whole = run(form, [text], limits)
    assert run(form, [bytes([byte]) for byte in text], limits) == whole
    assert run(form, split(text, cuts), limits) == whole


@pytest.mark.parametrize("form", [*FORMS, None])
@given(data=st.data(), limits=LIMITS)
@settings(max_examples=250, deadline=None)
def test_every_line_is_used_ignored_or_not_understood(form, data, limits):
    """The account adds up to the lines there are; records stay within the limits and in order."""
    text = data.draw(texts(form or "array"))
    records, account = run(form, [text], limits)
    assert account.lines == account.records + sum(account.ignored.values()) + account.not_understood
    body = text.removeprefix(b"\xef\xbb\xbf")
    ends = len(body.splitlines()) if form == "sse" else body.count(b"\n") + (body[-1:] not in (b"\n", b""))
    assert account.lines == ends
    assert len(records) <= limits.max_records
    assert [record.line for record in records] == sorted(record.line for record in records)
    for record in records:
        assert len(record.payload) <= limits.max_record_bytes
        assert set(record.framing) <= FRAMING.keys()
        assert 1 <= record.line <= account.lines


@pytest.mark.parametrize("form", [*FORMS])
@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_line_and_offset_name_the_same_place_and_the_payload_is_there(form, data):
    """The bytes at a record's offset begin the line with its number, and hold the payload as received."""
    text = data.draw(texts(form))
    records, _ = run(form, [text], Limits())
    bom = 3 if text.startswith(b"\xef\xbb\xbf") else 0
    body = text[bom:]
    lines = body.splitlines(keepends=True) if form == "sse" else [x + b"\n" for x in body.split(b"\n")]
    for record in records:
        assert record.offset == bom + sum(map(len, lines[: record.line - 1]))
        if "multi" not in record.framing:
            assert record.payload in text[record.offset :]


@given(st.binary(max_size=400), st.booleans())
@settings(max_examples=300, deadline=None)
def test_detection_and_reading_raise_on_no_bytes_at_all(text, complete):
    """Bad input is a verdict, never an exception (a damaged gzip included)."""
    detect(text, complete=complete)
    for source in (text, b"\x1f\x8b\x08" + text):
        found, records, account = read([source])
        assert all(isinstance(record, Record) for record in records)
        assert found.reasons
        assert account.lines == account.records + sum(account.ignored.values()) + account.not_understood
