"""The SSE reader: the event-stream grammar, and the ways recordings bend it."""

from __future__ import annotations

import pytest

from webapp.core.evidence import OVERSIZE
from webapp.core.records import Record
from webapp.readers.limits import Limits
from webapp.readers.plain.sse import LOST_AFTER, SseReader

A, B, C = b'{"type":"A"}', b'{"type":"B"}', b'{"type":"C"}'


def read(text: bytes, limits: Limits | None = None) -> tuple[list[Record], SseReader]:
    reader = SseReader(limits)
    return [*reader.feed(text), *reader.close()], reader


def seen(text: bytes) -> list[tuple[bytes, tuple[str, ...]]]:
    return [(record.payload, record.framing[1:]) for record in read(text)[0]]


def test_blocks_become_records_with_line_and_offset():
    """One block, one record, placed at its data line."""
    records, reader = read(b"data: " + A + b"\n\n: hi\nevent: x\ndata:" + B + b"\n\n")
    assert records == [Record(A, 1, 0, None, ("sse",)), Record(B, 5, 34, None, ("sse",))]
    assert reader.account.records == 2
    assert reader.account.ignored == {"blank line": 2, "comment": 1, "event field": 1}
    assert reader.account.lines == 6


def test_every_record_says_that_it_came_out_of_sse():
    """The engine may blame the stream for what an SSE payload is."""
    records, _ = read(b"data: a\n\ndata:\n\ndata: b")
    assert [record.framing[0] for record in records] == ["sse"] * 3


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_cr_line_ends_are_taken_and_noted(end):
    """CR and CRLF frame like LF, with the note `crlf`."""
    text = end.join([b"data: " + A, b"", b"data: " + B, b"", b""])
    assert seen(text) == [(A, ("crlf",)), (B, ("crlf",))]


def test_cr_is_noted_only_on_the_block_that_has_it():
    """A block with clean line ends stays clean after one without."""
    assert seen(b"data: a\n\r\ndata: b\n\n: x\r\ndata: c\n\n") == [
        (b"a", ("crlf",)),
        (b"b", ()),
        (b"c", ("crlf",)),
    ]


def test_a_crlf_cut_in_two_is_one_line_end():
    """A chunk may end between CR and LF."""
    reader = SseReader()
    records = [*reader.feed(b"data: a\r"), *reader.feed(b"\n\r"), *reader.feed(b"\n"), *reader.close()]
    assert records == [Record(b"a", 1, 0, None, ("sse", "crlf"))]
    assert reader.account.lines == 2


def test_one_space_only_is_dropped_after_the_colon():
    """`data:x`, `data: x` and `data:  x` differ as the grammar says."""
    assert seen(b"data:x\n\ndata: x\n\ndata:  x\n\n") == [(b"x", ()), (b"x", ()), (b" x", ())]


@pytest.mark.parametrize("block", [b"data", b"data:", b"data: "])
def test_a_data_field_without_data_is_a_record(block):
    """An empty payload was sent, so it has a number."""
    assert seen(block + b"\n\n") == [(b"", ("empty-data",))]


def test_a_block_without_data_is_no_record():
    """Comments and other fields alone dispatch nothing and are counted by reason."""
    records, reader = read(b": ping\n\nid: 7\nretry: 10\nevent\n\n")
    assert records == []
    assert reader.account.ignored == {
        "comment": 1,
        "blank line": 2,
        "id field": 1,
        "retry field": 1,
        "event field": 1,
    }


def test_several_data_lines_are_joined_with_lf():
    """A pretty-printed event is one record."""
    assert seen(b'data: {"a":\ndata: 1}\n\n') == [(b'{"a":\n1}', ("multi",))]


def test_lost_blank_lines_give_one_record_a_line():
    """Form A3: each line alone is an object: one artefact, and no framing fault."""
    records, reader = read(b"data: " + A + b"\ndata: " + B + b"\n\ndata: " + B + b"\ndata: " + C + b"\n\n")
    assert [(r.payload, r.line, r.offset) for r in records] == [(A, 1, 0), (B, 2, 19), (B, 4, 39), (C, 5, 58)]
    assert {record.framing for record in records} == {("sse",)}
    assert [(artefact.kind, artefact.line) for artefact in reader.account.artefacts] == [
        ("lost-blank-lines", 2)
    ]


@pytest.mark.parametrize("second", [b"[1]", b"1", b"{broken", b'{"a":NaN}', b"", b"[DONE]"])
def test_a_block_with_one_line_that_is_no_object_stays_one_record(second):
    """Two documents in one block are the producer's fault unless every line is an event."""
    assert seen(b"data: " + A + b"\ndata: " + second + b"\n\n") == [(A + b"\n" + second, ("multi",))]


def test_the_end_mark_may_stand_last_where_blank_lines_were_lost():
    """`[DONE]` behind several events does not hide them."""
    assert [p for p, _ in seen(b"data: " + A + b"\ndata: " + B + b"\ndata: [DONE]\n\n")] == [A, B, b"[DONE]"]


def test_a_recording_without_any_blank_line_may_be_cut_in_its_last_event():
    """Only the cut line is incomplete."""
    assert seen(b"data: " + A + b"\ndata: " + B + b'\ndata: {"ty') == [
        (A, ()),
        (B, ()),
        (b'{"ty', ("incomplete",)),
    ]


def test_lost_blank_lines_are_known_before_the_input_ends():
    """A long recording without blank lines is not held in memory as one block."""
    reader = SseReader()
    records = reader.feed((b"data: " + A + b"\n") * (LOST_AFTER + 5))
    assert len(records) == LOST_AFTER + 5
    assert [record.payload for record in reader.feed(b"data: " + B + b"\n")] == [B]
    assert reader.close() == []


def test_the_last_block_without_its_blank_line_is_offered():
    """It may be whole or cut: the engine looks."""
    assert seen(b"data: " + A + b"\n") == [(A, ("incomplete",))]
    assert seen(b"data: " + A) == [(A, ("incomplete",))]


def test_done_is_an_ordinary_record():
    """Whether a sentinel is allowed is not for the reader to say."""
    assert seen(b"data: [DONE]\n\n") == [(b"[DONE]", ())]


def test_a_byte_order_mark_is_dropped_also_in_pieces():
    """The first line is a field, not text with a mark."""
    reader = SseReader()
    records = [record for byte in b"\xef\xbb\xbfdata: a\n\n" for record in reader.feed(bytes([byte]))]
    assert records == [Record(b"a", 1, 3, None, ("sse",))]


def test_wrong_utf8_is_noted_and_kept():
    """The payload stays as received; a sequence cut by a chunk is no fault."""
    assert seen(b"data: \xff\n\ndata: ok\n\n") == [(b"\xff", ("invalid-utf8",)), (b"ok", ())]
    reader = SseReader()
    records = [*reader.feed(b"data: \xc3"), *reader.feed(b"\xa9\n\n")]
    assert records == [Record("é".encode(), 1, 0, None, ("sse",))]


def test_text_that_is_no_field_is_not_understood():
    """Prose and response heads are kept as strays, with their place."""
    _, reader = read(b"< HTTP/1.1 200 OK\ndata: a\n\n data: b\n")
    strays = [(stray.line, stray.offset, stray.text) for stray in reader.account.strays]
    assert strays == [(1, 0, "< HTTP/1.1 200 OK"), (4, 27, " data: b")]
    assert reader.account.not_understood == 2


def test_only_the_first_strays_are_kept_and_all_are_counted():
    """Memory stays bounded on a huge text."""
    _, reader = read(b"prose\n" * 1000 + b"x" * 1000)
    assert reader.account.not_understood == 1001
    assert len(reader.account.strays) == 200
    assert max(len(stray.text) for stray in reader.account.strays) <= 200


def test_a_record_over_the_limit_is_cut_and_the_next_one_is_whole():
    """Too long is said on the record and once for the trace."""
    limits = Limits(max_record_bytes=20)
    records, reader = read(b"data: " + b"x" * 21 + b"\n\ndata: " + b"y" * 20 + b"\n\n", limits)
    assert [(r.payload, r.framing[1:]) for r in records] == [(b"x" * 20, ("too-long",)), (b"y" * 20, ())]
    assert [artefact.kind for artefact in reader.account.artefacts] == ["too-long-record"]


def test_a_block_of_many_lines_over_the_limit_is_cut():
    """The joined payload counts, not the line."""
    records, _ = read(b"data: abc\n" * 10 + b"\ndata: a\n\n", Limits(max_record_bytes=20))
    assert [(r.payload, r.framing[1:]) for r in records] == [
        (b"abc\n" * 5, ("multi", "too-long")),
        (b"a", ()),
    ]


def test_a_huge_line_is_not_held_in_memory():
    """Of a line over the limit only the beginning stays while its end has not come."""
    reader = SseReader(Limits(max_record_bytes=100_000))
    for _ in range(100):
        assert reader.feed(b"data: " + b"x" * 50_000) == []
    assert len(reader._cutter._pending) < 10_000
    [record] = reader.feed(b"\n\n")
    assert len(record.payload) == 4096
    assert record.framing == ("sse", "too-long")


def test_a_cut_payload_ends_with_a_whole_character():
    """Cutting must not look like bad UTF-8."""
    [record] = read("data: €€€\n\n".encode(), Limits(max_record_bytes=7))[0]
    assert record.payload == "€€".encode()
    assert "invalid-utf8" not in record.framing


def test_records_over_the_limit_are_counted_and_not_offered():
    """Reading stops at the limit with an artefact; the lines stay accounted for."""
    records, reader = read((b"data: " + A + b"\n\n") * 5, Limits(max_records=3))
    assert len(records) == 3
    assert [(a.kind, a.line) for a in reader.account.artefacts] == [("too-many-records", 7)]
    assert reader.account.lines == 10
    assert reader.account.ignored["past the record limit"] == 3


def test_the_record_limit_holds_where_blank_lines_were_lost():
    """One block may give many records."""
    records, reader = read(b"data: {}\n" * 10 + b"\n" + b"data: {}\n\n" * 3, Limits(max_records=5))
    assert len(records) == 5
    assert reader.account.records == 5
    assert reader.account.lines == 17
    assert reader.account.ignored == {"blank line": 1, "past the record limit": 11}


def test_a_stray_line_longer_than_memory_allows_shows_the_same_text_however_it_came():
    """What is kept of a long line does not depend on where the chunks ended."""
    whole = read(b"prose " * 50 + b"\n", Limits(max_record_bytes=10))[1].account
    reader = SseReader(Limits(max_record_bytes=10))
    for chunk in (b"prose " * 15, b"prose " * 35 + b"\n"):
        assert reader.feed(chunk) == []
    assert reader.account == whole


def test_a_block_larger_than_the_reference_client_takes_is_noted() -> None:
    """More than 10 MiB of data, whole or in pieces; one byte less is not."""
    for size, noted in ((OVERSIZE, False), (OVERSIZE + 1, True)):
        text = b"data: {}\n\ndata: " + b"x" * size + b"\n\ndata: {}\n\n"
        for chunks in ([text], [text[at : at + 1_000_000] for at in range(0, len(text), 1_000_000)]):
            reader = SseReader()
            records = [record for chunk in chunks for record in reader.feed(chunk)]
            assert ["oversize" in record.framing for record in records] == [False, noted, False]
