"""A JSON array, one pretty object, or objects in a row, to records, in bounded memory.

Rules of this file: elements are told apart by brackets and strings only; nothing is parsed and nothing
refused, so a broken element is one broken record and the next is found again. Compiled expressions jump from
bracket to bracket; every position they stop at is a point where the scan can go on with the next chunk, so
any split gives the same records.

Outside the array: an object is a record, `[` opens the array, any other text is not understood up to its
line's end. After the closing bracket everything is not understood. Lines end in LF.
"""

from __future__ import annotations

import re

from webapp.core.records import Record
from webapp.readers.brackets import Nesting
from webapp.readers.limits import CUT_BYTES, Limits
from webapp.readers.lines import BOM
from webapp.readers.tally import BLANK, PAST, Tally, is_utf8

# What a line was used for; of several uses the highest counts. Plain integers: the scan asks all the time.
NOTHING, PUNCTUATION, BEYOND, RECORD, STRAY = range(5)

# Where the scan stands
OUTSIDE = 0  # before, or without, an array
LIST = 1  # inside the array, between elements
AFTER = 2  # behind the closing bracket
NESTED = 3  # in an object or inner array
WORD = 4  # in a number, literal or anything else without brackets
QUOTED = 5  # in a string that is an element itself
LOOSE = 6  # in text nobody can use
FULL = 7  # the record limit is reached


def _rx(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern, re.DOTALL)


# Each stops at the byte that changes the mode, or at the end of what is there
_TO_QUOTE_IN_LINE = _rx(rb'[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+')
_TO_WORD_END = _rx(rb'[^",\[\]{}\n]*+')
_TO_LINE_END = _rx(rb"[^\n]*+")
_GAP = _rx(rb"[ \t\r\n,]*+")
_GAP_AFTER = _rx(rb"[ \t\r\n]*+")


class ArrayReader(Tally):
    """payload: an element's exact bytes; line and offset: those of the line it begins in."""

    name = "array"

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self._mode = OUTSIDE
        self._back = OUTSIDE  # where to go on after an element or stray text
        self._nesting = Nesting()
        self._rest = (
            b""  # not scanned yet: a byte order mark's beginning, or a backslash without its second byte
        )
        self._fresh = True
        self._offset = 0  # of the first byte of the chunk in hand
        self._line_offset = 0  # of the line the scan is in
        self._use = NOTHING  # of that line so far
        self._begin()

    def _begin(self) -> None:
        self._kept = bytearray()  # of the element, from earlier chunks
        self._size = 0  # all its bytes from earlier chunks, kept or not
        self._place = (self.account.lines + 1, self._line_offset)

    def feed(self, chunk: bytes) -> list[Record]:
        """Take the next bytes; the records that are whole."""
        buf = self._rest + chunk if self._rest else chunk
        self._rest = b""
        start = 0
        if self._fresh:
            if len(buf) < len(BOM) and BOM.startswith(buf):
                self._rest = buf
                return []
            self._fresh = False
            if buf.startswith(BOM):
                start = self._line_offset = len(BOM)
        out: list[Record] = []
        done = self._scan(buf, start, out)
        self._rest = buf[done:]
        self._offset += done
        return out

    def close(self) -> list[Record]:
        """The input ended: an element that was not closed, and the last line."""
        out: list[Record] = []
        rest, self._rest = self._rest, b""
        if self._fresh and rest:
            self._fresh = False
            self._offset += self._scan(rest, 0, out)
            rest = b""
        if self._mode in (NESTED, WORD, QUOTED):
            self._element(rest, 0, len(rest), out, whole=False)
        elif self._mode == LOOSE:
            self._end_stray()
        self._offset += len(rest)
        if self._offset > self._line_offset:
            self._end_line(self._use)
        if self._mode == LIST:
            self.artefact(
                "unclosed-array",
                "The array has no closing bracket: the end of the recording is missing.",
                self.account.lines,
            )
        self._line_offset = self._offset
        self._use = NOTHING
        self._mode = AFTER
        return out

    # -- the scan

    def _scan(self, buf: bytes, pos: int, out: list[Record]) -> int:
        """Scan buf from pos; how far it got (all, or all but a last backslash)."""
        end = len(buf)
        first = pos  # of the element or stray text in this buffer
        while pos < end:
            mode = self._mode
            if mode == NESTED:
                pos, closed = self._nesting.scan(buf, pos)
                if not closed:
                    break
                self._element(buf, first, pos, out)
            elif mode <= AFTER:
                pos = self._gap(buf, pos)
                first = pos
                if pos < end:
                    pos = self._open(buf[pos], pos)
            elif mode == WORD:
                pos = _TO_WORD_END.match(buf, pos).end()  # type: ignore[union-attr]
                if pos < end:
                    # a brace that opens nothing would otherwise be an element without bytes, again and again
                    pos += pos == first and not self._size
                    self._element(buf, first, pos, out)
            elif mode == QUOTED:
                pos = _TO_QUOTE_IN_LINE.match(buf, pos).end()  # type: ignore[union-attr]
                if pos == end or (buf[pos] == 0x5C and pos + 1 == end):
                    break
                pos += buf[pos] != 0x0A
                self._element(buf, first, pos, out)
            elif mode == LOOSE:
                pos = _TO_LINE_END.match(buf, pos).end()  # type: ignore[union-attr]
                if pos < end:
                    self._keep(buf, first, pos)
                    self._end_stray()
            else:
                self._took(buf, pos, end, BEYOND)
                return end
        if self._mode > AFTER and self._mode != FULL:
            self._keep(buf, first, pos)
        return pos

    def _open(self, byte: int, pos: int) -> int:
        """The byte behind a gap says what begins; the position to go on from."""
        outside = self._mode != LIST
        if self._mode == AFTER or (outside and byte not in b"{["):
            self._start(LOOSE)
        elif outside and byte == 0x5B:
            self._mode = LIST
            self._use = max(self._use, PUNCTUATION)
            return pos + 1
        elif byte == 0x5D:
            self._mode = AFTER
            self._use = max(self._use, PUNCTUATION)
            return pos + 1
        elif not self.room(self.account.lines + 1):
            self._mode = FULL
        elif byte in b"{[":
            self._nesting.begin(byte)
            self._start(NESTED)
            return pos + 1
        elif byte == 0x22:
            self._start(QUOTED)
            return pos + 1
        else:
            self._start(WORD)
        return pos

    def _start(self, mode: int) -> None:
        self._back = self._mode
        self._mode = mode
        self._begin()

    # -- what was found

    def _keep(self, buf: bytes, first: int, pos: int) -> None:
        """Part of an element or of stray text, until the next chunk; of too much only the beginning."""
        stray = self._mode == LOOSE
        self._size += pos - first
        room = CUT_BYTES if stray or self._size > self.limits.max_record_bytes else self._size
        self._kept += buf[first : min(pos, first + room)]
        del self._kept[room:]
        self._took(buf, first, pos, NOTHING if stray else RECORD)

    def _element(self, buf: bytes, first: int, pos: int, out: list[Record], *, whole: bool = True) -> None:
        payload = bytes(self._kept) + buf[first:pos] if self._size else buf[first:pos]
        line, offset = self._place
        too_long = self._size + pos - first > self.limits.max_record_bytes
        self._took(buf, first, pos, RECORD)
        payload = self.cut(payload, line) if too_long else payload.rstrip(b" \t\r")
        framing: tuple[str, ...] = ()
        if not whole:
            framing += ("incomplete",)
        if not (payload.isascii() or is_utf8(payload)):
            framing += ("invalid-utf8",)
        if too_long:
            framing += ("too-long",)
        out.append(Record(payload, line, offset, None, framing))
        self._mode = self._back

    def _end_stray(self) -> None:
        line, offset = self._place
        self._use = STRAY
        self.stray(line, offset, bytes(self._kept).strip())
        self._mode = self._back

    # -- the account

    def _gap(self, buf: bytes, pos: int) -> int:
        """Pass white space and commas."""
        stop = (_GAP_AFTER if self._mode == AFTER else _GAP).match(buf, pos).end()  # type: ignore[union-attr]
        if stop > pos:
            first, *others = buf[pos:stop].split(b"\n")
            if self._use < PUNCTUATION and b"," in first:
                self._use = PUNCTUATION
            at = self._offset + pos + len(first)
            for piece in others:
                self._end_line(self._use)
                self._line_offset = at + 1
                self._use = PUNCTUATION if b"," in piece else NOTHING
                at += 1 + len(piece)
        return stop

    def _took(self, buf: bytes, start: int, stop: int, use: int) -> None:
        """buf[start:stop] was used for one thing, over all lines it touches."""
        if stop == start:
            return
        if use > self._use:
            self._use = use
        newlines = buf.count(b"\n", start, stop)
        if newlines:
            self._end_line(self._use)
            for _ in range(newlines - 1):
                self._end_line(use)
            last = buf.rfind(b"\n", start, stop)
            self._line_offset = self._offset + last + 1
            self._use = use if last + 1 < stop else NOTHING

    def _end_line(self, use: int) -> None:
        account = self.account
        account.lines += 1
        if use == RECORD:
            account.records += 1
        elif use == PUNCTUATION:
            self.ignore("brackets and commas")
        elif use == NOTHING:
            self.ignore(BLANK)
        elif use == BEYOND:
            self.ignore(PAST)
        # a stray line was counted when its text ended
