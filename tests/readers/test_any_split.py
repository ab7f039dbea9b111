"""For every reader: any split of any bytes gives the same records, and every line is accounted for."""

from __future__ import annotations

import base64
import json
from itertools import accumulate, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.frames import frame
from tests.readers.pieces import BEGINNINGS, EXPORTS
from tests.readers.pieces_dumps import DUMP_PIECES
from tests.readers.pieces_texts import TEXT_BEGINNINGS, TEXT_PIECES
from tests.readers.wrapping import CLEAN
from tests.readers.wrapping_redacted import REDACTED_BEGINNINGS, REDACTED_PIECES
from tests.slices import examples
from webapp.core.records import FRAMING, Record
from webapp.readers.base import Account
from webapp.readers.detect import detect, open_reader
from webapp.readers.limits import Limits
from webapp.readers.read import read
from webapp.readers.registry import FORMS


def har_call(at: str, text: str, **more: object) -> bytes:
    """An entry: a connector call, in one of many looks."""
    request = {"method": "POST", "url": "https://x/v3/conversations/c/activities", "postData": {"text": text}}
    response = {"status": 202, "content": {"text": "{}"}}
    return json.dumps(
        {"startedDateTime": at, "time": 5, "request": request, "response": response, **more}
    ).encode()


CHUNK = '{"type":"typing","entities":[{"type":"streaminfo","streamSequence":1}]}'
HAR_HEAD = b'{"log": {"version": "1.2",\n "pages": [{"a":["]"]}],\n "entries": ['
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
    "har": [
        HAR_HEAD,
        b"]}}",
        b"]",
        b"{",
        b"}",
        b",",
        b",\n",
        b"\n",
        b" \n\n ",
        b'"',
        b"\\",
        b'"log"',
        b'"entries"',
        b":",
        b"12",
        b"null",
        b"prose",
        b"\xef\xbb\xbf",
        b"\xff",
        b'{"a":{"b":[{"c":[1]}]}}\n',
        b'{\n  "a": "}"\n}',
        har_call("2026-09-01T08:00:00.250Z", CHUNK),
        har_call("2026-09-01T08:00:00.100Z", CHUNK).replace(b", ", b",\n"),
        har_call("?", "{cut").replace(b'"c"', b'"d"'),
        har_call("2026-09-01T08:00:01Z", "Hi\ud83d", response={"status": 0, "_error": "reset"}),
        b'{"a":"' + b"x" * 60,
        b"y" * 300,
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
# text of frames; frames as they are stand in test_protobuf
PIECES["protobuf"] = [
    *(base64.b64encode(frame(event)) for event in CLEAN),
    *(frame(event).hex().encode() for event in CLEAN[:2]),
    b"\n", b"\r\n", b"\r", b" ", b"AAAA", b"AAAAAA==", b"00000000", b"=", b"prose", b"\xff", b"\xef\xbb\xbf", b"{", b"",
]  # fmt: skip
PIECES |= EXPORTS | TEXT_PIECES | DUMP_PIECES | {"redacted": REDACTED_PIECES}
BEGINNINGS |= TEXT_BEGINNINGS | {"redacted": REDACTED_BEGINNINGS} | {"protobuf": [b"A", b"00", b" ", b"+"]}
# forms that read the text inside as the form it has: in an event stream a CR alone ends a line, too
EITHER = {"debug-events", "python-dump", "python-activities"}
# forms whose records are not in the order of the file, and those whose payloads were escaped in it or made anew
REORDERED = {"har", "copilotkit"}
REWRITTEN = {
    "debug-events",
    "har",
    "har-stream",
    "agui-inspector",
    "copilotkit",
    "log",
    "typed",
    "console",
    "http",
    "markdown",
    "protobuf",
    "python-dump",
    "redacted",
    *DUMP_PIECES,
}
LIMITS = st.sampled_from(
    [Limits(), Limits(max_record_bytes=30), Limits(max_records=2), Limits(max_record_bytes=40, max_records=3)]
)


def texts(form: str) -> st.SearchStrategy[bytes]:
    if form == "har":
        calls = st.lists(st.sampled_from(PIECES["har"]), max_size=12).map(b"".join)
        return st.tuples(st.sampled_from([HAR_HEAD, HAR_HEAD + b"\n", b""]), calls).map(b"".join)
    if form in BEGINNINGS:
        rest = st.lists(st.sampled_from(PIECES[form]), max_size=12).map(b"".join)
        return st.tuples(st.sampled_from(BEGINNINGS[form]), rest).map(b"".join)
    return st.lists(st.one_of(st.sampled_from(PIECES[form]), st.binary(max_size=3)), max_size=25).map(
        b"".join
    )


def cuts_of(form: str | None, body: bytes) -> list[list[bytes]]:
    """The lines of a text with their ends, in each way that the form may cut it."""
    at_lf = [line + b"\n" for line in body.split(b"\n")]
    at_lf = [*at_lf[:-1], *([at_lf[-1][:-1]] if at_lf[-1] != b"\n" else [])]
    at_cr = body.splitlines(keepends=True)
    return [at_cr] if form == "sse" else [at_lf, at_cr] if form in EITHER else [at_lf]


def run(form: str | None, chunks: list[bytes], limits: Limits) -> tuple[list[Record], Account]:
    reader = open_reader(form, limits)
    records = [record for chunk in chunks for record in reader.feed(chunk)]
    records += reader.close()
    return records, reader.account


def split(text: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    return [text[a:b] for a, b in pairwise(edges)]


def test_every_form_has_pieces():
    """A form that is added to the registry is fed anything, too."""
    assert set(PIECES) == set(FORMS)


@pytest.mark.parametrize("form", [*PIECES, None])
@given(data=st.data(), limits=LIMITS, cuts=st.lists(st.integers(0, 10_000), max_size=6))
@settings(max_examples=examples(60), deadline=None)
def test_any_split_gives_the_same_records_and_the_same_account(form, data, limits, cuts):
    """Whole, byte by byte and cut anywhere are one and the same input."""
    text = data.draw(texts(form or data.draw(st.sampled_from([*PIECES]))))
    whole = run(form, [text], limits)
    assert run(form, [bytes([byte]) for byte in text], limits) == whole
    assert run(form, split(text, cuts), limits) == whole


@pytest.mark.parametrize("form", [*PIECES, None])
@given(data=st.data(), limits=LIMITS)
@settings(max_examples=examples(60), deadline=None)
def test_every_line_is_used_ignored_or_not_understood(form, data, limits):
    """The account adds up to the lines there are; records stay within the limits and in order."""
    text = data.draw(texts(form or "array"))
    records, account = run(form, [text], limits)
    assert account.lines == account.records + sum(account.ignored.values()) + account.not_understood
    body = text.removeprefix(b"\xef\xbb\xbf")
    assert account.lines in [len(lines) for lines in cuts_of(form, body)]
    assert len(records) <= limits.max_records
    if form not in REORDERED:
        assert [record.line for record in records] == sorted(record.line for record in records)
    for record in records:
        assert len(record.payload) <= limits.max_record_bytes
        assert {note.split()[0] for note in record.framing} <= FRAMING.keys()
        assert 1 <= record.line <= account.lines


@pytest.mark.parametrize("form", [*PIECES])
@given(data=st.data())
@settings(max_examples=examples(60), deadline=None)
def test_line_and_offset_name_the_same_place_and_the_payload_is_there(form, data):
    """The bytes at a record's offset begin the line with its number, and hold the payload as received."""
    text = data.draw(texts(form))
    records, _ = run(form, [text], Limits())
    bom = 3 if text.startswith(b"\xef\xbb\xbf") else 0
    body = text[bom:]
    starts = [[bom, *accumulate(map(len, lines), initial=bom)] for lines in cuts_of(form, body)]
    for record in records:
        assert record.offset in [places[record.line] for places in starts if record.line < len(places)]
        if "multi" not in record.framing and form not in REWRITTEN:
            assert record.payload in text[record.offset :]


@given(st.binary(max_size=400), st.booleans())
@settings(max_examples=examples(150), deadline=None)
def test_detection_and_reading_raise_on_no_bytes_at_all(text, complete):
    """Bad input is a verdict, never an exception (a damaged gzip included)."""
    detect(text, complete=complete)
    for source in (text, b"\x1f\x8b\x08" + text):
        found, records, account = read([source])
        assert all(isinstance(record, Record) for record in records)
        assert found.reasons
        assert account.lines == account.records + sum(account.ignored.values()) + account.not_understood
