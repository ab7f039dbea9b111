"""The Source panel: lines as received, where records begin, how it was read."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

from tests.readers.frames import frame
from tests.streams import finished, message, sse, started

Show = Callable[..., Any]
Keep = Callable[..., str]


def ndjson(*events: Any) -> bytes:
    return b"".join((e if isinstance(e, bytes) else json.dumps(e).encode()) + b"\n" for e in events)


def plain(row: Any) -> str:
    return unescape(re.sub(r"<[^>]+>", "", str(row.text)))


def long_stream(pieces: int = 600) -> bytes:
    return sse(started(), *message("m", *(f"w{n}" for n in range(pieces))), finished())


def test_every_line_of_a_small_file_with_its_bytes_and_records(keep: Keep, show: Show) -> None:
    """Numbers and offsets are those of the file; a record's link stands where it begins."""
    body = sse(started(), *message("m", "hi"), finished())
    panel = show("source", keep(body), event=2)
    lines = body.split(b"\n")[:-1]
    assert [plain(row) for row in panel.rows] == [line.decode() for line in lines]
    assert [row.offset for row in panel.rows] == [
        sum(len(x) + 1 for x in lines[:n]) for n in range(len(lines))
    ]
    assert [(row.number, row.start) for row in panel.rows if row.start is not None] == [
        (1, 0), (3, 1), (5, 2), (7, 3), (9, 4),
    ]  # fmt: skip
    assert [row.number for row in panel.rows if row.here] == [5]
    assert panel.shown == "all 10 lines shown"
    assert (panel.earlier, panel.later, panel.away) == (None, None, None)


def test_it_says_how_it_was_read_and_which_lines_were_not(keep: Keep, show: Show) -> None:
    """The form, its reason, each line nobody understood marked, and a link to the list of them."""
    body = ndjson(b"some prose", started(), *message("m", "hi"), b"more prose", finished())
    panel = show("source", keep(body))
    assert panel.read_as.startswith("Read as one JSON object a line, because ")
    assert panel.strays.words == "2 lines not understood"
    assert "only=strays" in panel.strays.href
    assert [row.number for row in panel.rows if row.stray] == [1, 6]


def test_what_could_not_be_read_is_shown_all_the_same(keep: Keep, show: Show) -> None:
    """No record, but the lines are there."""
    panel = show("source", keep(b"just prose\n\xff\xfe\nend"))
    assert panel.read_as.startswith("It could not be read: this is ")
    assert [plain(row) for row in panel.rows] == ["just prose", "\ufffd\ufffd", "end"]


def test_a_long_file_is_windowed_around_the_chosen_event(keep: Keep, show: Show) -> None:
    """Two hundred lines, the event a little below the top, and links both ways."""
    id_ = keep(long_stream())
    panel = show("source", id_, event=300)
    assert len(panel.rows) == 200
    assert panel.rows[0].number == 601 - 12
    assert [(row.number, row.start) for row in panel.rows if row.here] == [(601, 300)]
    assert panel.shown == "589–788 of 1,208 lines, 1,008 not shown"
    assert "line=389" in panel.earlier.href
    assert "line=789" in panel.later.href
    end = show("source", id_, event=603)
    assert (end.rows[-1].number, len(end.rows), end.later) == (1208, 200, None)


def test_a_line_can_be_gone_to_and_the_event_found_again(keep: Keep, show: Show) -> None:
    """The window begins at the line asked for, or at the last there is."""
    id_ = keep(long_stream())
    panel = show("source", id_, event=300, line=7)
    assert panel.rows[0].number == 7
    assert panel.away.words == "#300 is on line 601"
    assert "line=" not in panel.away.href
    assert show("source", id_, event=300, line=99_999).rows[-1].number == 1208
    assert show("source", id_, event=300, line=0).rows[0].number == 1


def test_a_long_line_is_cut_and_says_how_long_it_is(keep: Keep, show: Show) -> None:
    """The beginning is shown, whole characters only; the rest is one link away, or none on a shared page."""
    text = "안녕 " * 400_000
    body = sse(started(), *message("m", text), finished())
    id_ = keep(body)
    row = next(r for r in show("source", id_, event=2).rows if r.cut)
    line = max(body.split(b"\n"), key=len)
    assert row.cut == f"{len(line):,} bytes"
    assert row.whole == f"/traces/{id_}/record/2"
    assert "\ufffd" not in plain(row)
    assert line.decode().startswith(plain(row))
    assert next(r for r in show("source", id_, shared=True, event=2).rows if r.cut).whole == ""


def test_a_compressed_upload_is_shown_expanded(keep: Keep, show: Show) -> None:
    """Lines and offsets are of the text inside, and the facts say so."""
    body = long_stream(300)
    panel = show("source", keep(gzip.compress(body)), event=299)
    row = next(row for row in panel.rows if row.start == 299)
    assert body[row.offset :].startswith(plain(row).encode())
    assert panel.packed
    size = dict(panel.facts)["size"]
    assert size.startswith(f"{len(gzip.compress(body)) / 1000:.1f} kB")
    assert "expanded" in size


def test_several_records_in_one_line_are_counted(keep: Keep, show: Show) -> None:
    """An array in one line: the chosen record is the one named."""
    events = [started(), *message("m", "hi"), finished()]
    rows = show("source", keep(json.dumps(events).encode()), event=3).rows
    assert [(row.start, row.more, row.here) for row in rows] == [(3, 4, True)]


def test_facts_and_run_input(keep: Keep, show: Show, write: Show) -> None:
    """Size, hash, arrival and engine; the request laid out, half a character as it was sent; no name when shared."""
    given = {"threadId": "t", "runId": "r", "messages": [], "note": "\ud83d <b>"}
    id_ = keep([started(), finished()], run_input=given, source="secret-name.sse")
    panel = show("source", id_)
    facts = dict(panel.facts)
    assert facts["file"] == "secret-name.sse"
    assert re.fullmatch(r"[0-9a-f]{64}", facts["SHA-256"])
    assert facts["judged by"].startswith("engine ")
    assert "\\ud83d &lt;b&gt;" in str(panel.run_input)
    assert panel.original == f"/traces/{id_}/original"
    assert "secret-name" not in write("source", id_, shared=True)
    assert show("source", keep([started(), *message("m", "x"), finished()])).run_input is None


def test_hostile_lines_are_data(keep: Keep, write: Show) -> None:
    """Markup, NUL and direction marks in the file break nothing."""
    html = write("source", keep(b"<script>alert(1)</script>\x00\xe2\x80\xae\n" + sse(started(), finished())))
    assert "<script>alert" not in html
    assert "U+0000 U+202E" in html
    html.encode()


def test_the_recorded_response_head_is_told(keep: Keep, show: Show, write: Show) -> None:
    """Status, content type and the names of the other headers stand above the lines, once."""
    head = b"HTTP/1.1 200 OK\nContent-Type: text/event-stream\nServer: x\nSet-Cookie: s=1\n\n"
    id_ = keep(head + sse(started(), finished()))
    panel = show("source", id_)
    assert panel.head == (
        "The recorded response has status 200, content type text/event-stream, further headers server, set-cookie."
    )
    assert not any("status 200" in note.text for note in panel.notes)
    assert write("source", id_).count("The recorded response has") == 1
    assert show("source", keep(sse(started(), finished()))).head == ""


def test_a_binary_recording_is_shown_as_text(keep: Keep, show: Show, write: Show) -> None:
    """One frame a line, in hexadecimal, each with its record; the file's size is that of the bytes."""
    frames = [frame(event) for event in (started(), *message("m", "hi"), finished())]
    id_ = keep(b"".join(frames))
    panel = show("source", id_, event=2)
    assert panel.read_as.startswith("Read as binary frames of AG-UI events, because ")
    assert [plain(row) for row in panel.rows] == [one.hex(" ") for one in frames]
    assert [row.start for row in panel.rows] == list(range(len(frames)))
    assert [row.number for row in panel.rows if row.here] == [3]
    assert "lines and bytes here are of that text" in dict(panel.facts)["size"]
    assert "The file, which is binary" in write("source", id_)
    packed = keep(gzip.compress(b"\n".join(one.hex().encode() for one in frames)))
    assert "The file, which was compressed" in write("source", packed)
