"""The array reader: elements told apart by brackets and strings, in a stream."""

from __future__ import annotations

import json

import pytest

from webapp.core.records import Record
from webapp.readers.limits import Limits
from webapp.readers.plain.array import ArrayReader


def read(text: bytes, limits: Limits | None = None) -> tuple[list[Record], ArrayReader]:
    reader = ArrayReader(limits)
    return [*reader.feed(text), *reader.close()], reader


def payloads(text: bytes) -> list[bytes]:
    return [record.payload for record in read(text)[0]]


def test_elements_are_records_with_their_exact_bytes():
    """White space inside an element is its own; around it nobody's."""
    assert payloads(b'[ {"a": 1 },{"b":[{}]}\n]') == [b'{"a": 1 }', b'{"b":[{}]}']


def test_a_pretty_array_places_elements_at_their_first_line():
    """Lines of elements are records, lines of brackets alone are not."""
    events = [{"type": "A", "list": [1, 2]}, {"type": "B", "x": "é"}]
    text = json.dumps(events, indent=2, ensure_ascii=False).encode()
    records, reader = read(text)
    assert [json.loads(record.payload) for record in records] == events
    assert [(r.line, r.offset) for r in records] == [(2, 2), (9, text.index(b'  {\n    "type": "B"'))]
    assert reader.account.ignored == {"brackets and commas": 2}
    assert reader.account.records == reader.account.lines - 2


@pytest.mark.parametrize(
    "element",
    [
        rb'{"a":"]}[{"}',
        rb'{"a":"\"}"}',
        rb'{"a":"\\"}',
        rb'{"a\\\"":{"b":["\\",{}]}}',
        b"[" * 40 + b"]" * 40,
        b'{"a":{"b":{"c":{"d":{"e":{"f":["}"]}}}}}}',
    ],
)
def test_strings_escapes_and_depth_do_not_end_an_element(element):
    """Only its own closing bracket does."""
    text = b"[" + element + b"," + element + b"]"
    assert payloads(text) == [element, element]
    reader = ArrayReader()  # a chunk may end between a backslash and what it escapes
    in_bytes = [record.payload for byte in text for record in reader.feed(bytes([byte]))]
    assert in_bytes == [element, element]


def test_elements_that_are_no_objects_are_records_too():
    """The engine says what they are."""
    elements = [b"1", b'"a,]"', b"null", b"[2]", b"foo", b"-1.5"]
    assert payloads(b"[" + b" , ".join(elements) + b"\n]") == elements


def test_a_cut_array_ends_in_an_incomplete_element():
    """What is there of it is offered, and the missing bracket is the recording's fault."""
    records, reader = read(b'[{"a":1},\n{"b":"x')
    assert [(r.payload, r.line, r.framing) for r in records] == [
        (b'{"a":1}', 1, ()),
        (b'{"b":"x', 2, ("incomplete",)),
    ]
    assert [(a.kind, a.line) for a in reader.account.artefacts] == [("unclosed-array", 2)]


def test_an_array_cut_between_elements_is_said_to_be_open():
    """All its elements are whole."""
    records, reader = read(b'[{"a":1},\n')
    assert [record.framing for record in records] == [()]
    assert [(a.kind, a.line) for a in reader.account.artefacts] == [("unclosed-array", 1)]


def test_a_closed_array_has_no_artefact():
    """The near case of the one above."""
    assert read(b'[{"a":1}]\n')[1].account.artefacts == []


def test_text_behind_the_array_is_not_understood():
    """Even an object: the array is over."""
    records, reader = read(b'[{"a":1}] tail {"b":2}\n\n{"c":3}\n')
    assert len(records) == 1
    assert [(s.line, s.offset, s.text) for s in reader.account.strays] == [
        (1, 0, 'tail {"b":2}'),
        (3, 24, '{"c":3}'),
    ]
    assert reader.account.not_understood == 2
    assert reader.account.ignored == {"blank line": 1}


def test_one_pretty_object_alone_is_one_record():
    """Form A7 without an array."""
    text = b'{\n  "type": "A"\n}\n'
    assert payloads(text) == [text.strip()]


@pytest.mark.parametrize("between", [b"", b"\n", b" ", b",\n", b"\n\n"])
def test_objects_in_a_row_are_records(between):
    """With or without anything between them."""
    assert payloads(between.join([b'{\n"a":1}', b'{"b":2}'])) == [b'{\n"a":1}', b'{"b":2}']


def test_a_lone_object_cut_off_is_incomplete_without_an_artefact_of_arrays():
    """There is no array to close."""
    records, reader = read(b'{\n "a": {')
    assert [record.framing for record in records] == [("incomplete",)]
    assert reader.account.artefacts == []


def test_text_before_the_array_is_not_understood():
    """A heading or a fence does not hide the array."""
    records, reader = read(b"```json\n[\n{}\n]\n```\n")
    assert [(r.payload, r.line, r.offset) for r in records] == [(b"{}", 3, 10)]
    assert [stray.text for stray in reader.account.strays] == ["```json", "```"]


def test_wrong_utf8_is_noted_on_the_element_that_has_it():
    """Its neighbour is fine."""
    records, _ = read(b'[{"a":"\xff"},{"a":"\xc3\xa9"}]')
    assert [record.framing for record in records] == [("invalid-utf8",), ()]


def test_an_element_over_the_limit_is_cut_and_the_next_is_found():
    """It is never held whole, and its bracket is still seen."""
    reader = ArrayReader(Limits(max_record_bytes=10_000))
    records = list(reader.feed(b'[{"a":"'))
    for _ in range(50):
        records += reader.feed(b"x" * 1000)
    assert len(reader._kept) <= 10_000
    records += reader.feed(b'}"},{"b":2}]')
    assert [(len(r.payload), r.framing) for r in records] == [(4096, ("too-long",)), (7, ())]
    assert [artefact.kind for artefact in reader.account.artefacts] == ["too-long-record"]


def test_records_over_the_limit_are_counted_and_not_offered():
    """The lines behind the limit are one reason; exactly the limit is no fault."""
    records, reader = read(b"[{},\n{},\n{},\n{}\n]\n", Limits(max_records=2))
    assert len(records) == 2
    assert reader.account.ignored == {"past the record limit": 3}
    assert [(a.kind, a.line) for a in reader.account.artefacts] == [("too-many-records", 3)]
    assert read(b"[{},\n{}\n]\n", Limits(max_records=2))[1].account.artefacts == []


def test_an_element_is_offered_as_soon_as_it_is_whole():
    """Reading an array does not wait for its end."""
    reader = ArrayReader()
    assert [record.payload for record in reader.feed(b'[{"a":1},{"b"')] == [b'{"a":1}']
    assert [record.payload for record in reader.feed(b":2}")] == [b'{"b":2}']


def test_a_byte_order_mark_is_dropped():
    """Offsets stay those of the original."""
    assert read(b'\xef\xbb\xbf[{"a":1}]')[0] == [Record(b'{"a":1}', 1, 3)]
