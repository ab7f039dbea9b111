"""Server-sent events to records: the WHATWG event-stream grammar, told tolerantly.

Rules of this file: framing only, never whether a payload is an event (the engine judges that). The one look
into the payload is for form A3, a recording whose blank lines were lost: then every data line alone is a JSON
object. Everything is decided line by line, so any split of the bytes gives the same records. Whole chunks
take a short cut that must agree with `_line`; tests compare the two.

Grammar: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
"""

from __future__ import annotations

import re

from webapp.core.evidence import OVERSIZE
from webapp.core.records import Record
from webapp.readers.limits import Limits
from webapp.readers.lines import LineCutter, Long
from webapp.readers.tally import BLANK, PAST, Tally, is_object, is_tail, is_utf8

LOST_AFTER = (
    64  # so many JSON objects in one block are sure to be a recording without blank lines: wait no longer
)
DONE = b"[DONE]"
_FURTHER = re.compile(rb"data: ?(?=\{)")
SSE = ("sse",)
# What is there besides data: legal, and of no use to AG-UI (TRN-06)
FOREIGN = {b"event": "event field", b"id": "id field", b"retry": "retry field"}


def lines_are_events(values: list[bytes], *, ended: bool) -> bool:
    """Whether the data lines of a block are each a JSON object: blank lines between them were lost.

    The last one may be `[DONE]`, or cut off when the input ends inside it (ended=False).
    """
    if len(values) < 2 or not all(is_object(value) for value in values[:-1]):
        return False
    last = values[-1].strip()
    return is_object(last) or (not ended and last.startswith(b"{")) or (len(values) > 2 and last == DONE)


def frames(value: bytes) -> list[bytes]:
    """The payloads of a data field in which further `data:` stand, where each is an object; else none."""
    if b"data:" not in value or is_object(value):
        return []
    found = [_bare(piece) for piece in _FURTHER.split(value)]
    return found if len(found) > 1 and all(is_object(piece) for piece in found) else []


def _bare(piece: bytes) -> bytes:
    """A payload without the line ends behind it, also those that were written out as `\\n`."""
    for _ in range(8):
        piece = piece.rstrip()
        if not piece.endswith((b"\\n", b"\\r")):
            break
        piece = piece[:-2]
    return piece


class SseReader(Tally):
    """Records carry framing `sse`; line and offset are those of the block's first data line."""

    name = "sse"

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self._cutter = LineCutter(self.limits.max_record_bytes, cr=True)
        self._line_number = 1  # of the next line
        self._offset = -1  # of the next line; -1 before the first
        self._new_block()

    def feed(self, chunk: bytes) -> list[Record]:
        """Take the next bytes; the records whose blocks are whole."""
        out: list[Record] = []
        self._take(self._cutter.feed(chunk), out)
        return out

    def close(self) -> list[Record]:
        """The input ended: the last block, when its blank line never came."""
        out: list[Record] = []
        self._take(self._cutter.close(), out)
        self._dispatch(out, whole=False)
        return out

    # -- the block being read

    def _new_block(self) -> None:
        self._data: list[tuple[bytes, int, int]] = []  # value, line, offset
        self._size = 0  # bytes of the values joined
        self._data_lines = 0  # data lines, also those of a block too long to keep
        self._crlf = False
        self._too_long = False
        self._lost = False  # form A3: each further data line is a record
        self._ended = True  # the last data line had its line end

    # -- many lines at once

    def _take(self, parts: list[bytes | Long], out: list[Record]) -> None:
        if parts and self._offset < 0:
            self._offset = self._cutter.bom
        for part in parts:
            if isinstance(part, Long):
                self._line(part.head, part.length, part.end, out)
            elif self.full or b"\r" in part:
                self._lines(part, out)
            else:
                self._region(part, out)

    def _region(self, text: bytes, out: list[Record]) -> None:
        """Whole lines without CR: finish the open block, then go block by block, then open the next."""
        start = 0
        if self._data_lines or self._crlf:
            blank = 0 if text.startswith(b"\n") else text.find(b"\n\n") + 1
            start = blank + 1 if blank or text.startswith(b"\n") else len(text)
            self._lines(text[:start], out)
        last = text.rfind(b"\n\n", start)
        if last >= 0:
            self._blocks(text[start:last], out)
            start = last + 2
        self._lines(text[start:], out)

    def _blocks(self, text: bytes, out: list[Record]) -> None:
        """Whole blocks, the last blank line left off. The short cut for blocks of one data line."""
        blocks = text.split(b"\n\n")
        if (
            self.count + text.count(b"\n") >= self.limits.max_records  # never more records than lines
            or len(max(blocks, key=len)) > min(self.limits.max_record_bytes, OVERSIZE)
            or not is_utf8(text)
        ):
            self._lines(text + b"\n\n", out)
            return
        line, offset, taken = self._line_number, self._offset, 0
        append = out.append
        for block in blocks:
            if (
                block.startswith(b"data: ")
                and b"\n" not in block
                and len(block) > 6
                and block.find(b"data:", 6) < 0
            ):
                append(Record(block[6:], line, offset, None, SSE))
                taken += 1
                line += 2
                offset += len(block) + 2
            else:
                self._line_number, self._offset = line, offset
                self._lines(block + b"\n\n", out)
                line, offset = self._line_number, self._offset
        self._line_number, self._offset = line, offset
        self.count += taken
        self.account.lines += 2 * taken
        self.account.records += taken
        self.ignore(BLANK, taken)

    def _lines(self, text: bytes, out: list[Record]) -> None:
        if self.full:
            self._count_only(text)
            return
        for raw in text.splitlines(keepends=True):
            line = raw.rstrip(b"\r\n")
            self._line(line, len(line), raw[len(line) :], out)

    def _count_only(self, text: bytes) -> None:
        lines = text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")
        lines += not text.endswith((b"\r", b"\n")) and bool(text)
        self.account.lines += lines
        self.ignore(PAST, lines)

    # -- one line

    def _line(self, text: bytes, length: int, end: bytes, out: list[Record]) -> None:
        """text: the line, or the beginning of a long one; length: its bytes; end: its line end."""
        line, offset = self._line_number, self._offset
        self._line_number += 1
        self._offset += length + len(end)
        self.account.lines += 1
        if self.full:
            self.ignore(PAST)
            return
        if end not in (b"\n", b""):
            self._crlf = True
        if not length:
            self.ignore(BLANK)
            self._dispatch(out)
        elif text.startswith(b"data:") or text == b"data":
            prefix = 6 if text.startswith(b"data: ") else 5
            self._ended = bool(end)
            self._add(text[prefix:], max(length - prefix, 0), line, offset, out)
        elif text.startswith(b":"):
            self.ignore("comment")
        elif (name := text[:8].partition(b":")[0]) in FOREIGN:
            self.ignore(FOREIGN[name])
        else:
            if line == 1 and is_tail(text):
                self.begins_late(line)
            self.stray(line, offset, text)

    def _add(self, value: bytes, length: int, line: int, offset: int, out: list[Record]) -> None:
        limit = self.limits.max_record_bytes
        self._size += length + bool(self._data_lines)
        self._data_lines += 1
        if length <= limit and (self._lost or not self._data) and (found := frames(value)):
            self._joined(found, line, offset, out)
            return
        if self._lost:
            self._one(value, length > limit, line, offset, out)
            return
        if self._too_long:
            return
        self._data.append((value, line, offset))
        fits = length <= limit
        if (len(self._data) == LOST_AFTER or self._size > limit) and fits and self._lost_blank_lines():
            self._release(out)
        elif self._size > limit:
            self._too_long = True
            head = b"\n".join(value for value, _, _ in self._data)[: self.limits.cut_bytes]
            self._data = [(head, *self._data[0][1:])]

    def _lost_blank_lines(self) -> bool:
        return lines_are_events([value for value, _, _ in self._data], ended=self._ended)

    def _release(self, out: list[Record]) -> None:
        """The block is form A3: offer its lines one by one, and those that follow as they come."""
        self._lost = True
        self.artefact(
            "lost-blank-lines",
            "The blank lines between the events were lost; each data line was read as one event.",
            self._data[1][1],
        )
        held, self._data, ended = self._data, [], self._ended
        for place, (value, line, offset) in enumerate(held, 1):
            self._ended = ended or place < len(held)
            self._one(value, False, line, offset, out)

    def _joined(self, found: list[bytes], line: int, offset: int, out: list[Record]) -> None:
        """Frames without a line end between them: one event each, as are the data lines that follow."""
        self._lost = True
        self.artefact("joined-frames", "Several frames stood on one line; each was read as one event.", line)
        for place, payload in enumerate(found):
            self._offer(payload, line, offset, not place, False, False, False, out)

    def _one(self, value: bytes, too_long: bool, line: int, offset: int, out: list[Record]) -> None:
        self._offer(value, line, offset, 1, not self._ended, too_long, False, out)

    # -- out

    def _dispatch(self, out: list[Record], whole: bool = True) -> None:
        """A blank line, or the end of the input (whole=False)."""
        if self._data:
            if self._data_lines > 1 and not self._too_long and self._lost_blank_lines():
                self._release(out)
            else:
                payload = b"\n".join(value for value, _, _ in self._data)
                _, line, offset = self._data[0]
                multi = self._data_lines > 1
                self._offer(payload, line, offset, self._data_lines, not whole, self._too_long, multi, out)
        if self._data_lines or self._crlf:
            self._new_block()

    def _offer(
        self,
        payload: bytes,
        line: int,
        offset: int,
        lines: int,
        incomplete: bool,
        too_long: bool,
        multi: bool,
        out: list[Record],
    ) -> None:
        if self.full or not self.room(line):
            self.ignore(PAST, lines)
            return
        if too_long:
            payload = self.cut(payload, line)
        notes = {
            "crlf": self._crlf,
            "empty-data": not payload,
            "multi": multi,
            "incomplete": incomplete,
            "invalid-utf8": not is_utf8(payload),
            "too-long": too_long,
            "oversize": self._size > OVERSIZE and not self._lost,
        }
        self.account.records += lines
        framing = SSE + tuple(note for note, holds in notes.items() if holds)
        out.append(Record(payload, line, offset, None, framing))
