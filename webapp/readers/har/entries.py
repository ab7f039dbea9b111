"""Cuts the entries out of a HAR file (`log.entries`), in bounded memory.

Rules of this file: brackets and strings only; nothing is parsed and nothing refused. Every position the scan stops at
is one it can go on from, so any split of the bytes gives the same entries. Lines end in LF; each is counted once.
"""

from __future__ import annotations

import re

from webapp.readers.brackets import TO_BRACKET, TO_QUOTE, Nesting
from webapp.readers.limits import CUT_BYTES, Limits
from webapp.readers.lines import BOM
from webapp.readers.tally import Tally

MAX_TOKENS = 200_000  # names, values and brackets around the entries: a HAR file has some hundred
KEY_BYTES = 16  # of a name: enough to tell `log` and `entries` from others

# Where the scan stands
FRAME = 0  # around the entries
KEY = 1  # in a string there
ENTRIES = 2  # between entries
NESTED = 3  # in an entry
WORD = 4  # in an entry that is a number or a literal
AFTER = 5  # behind the closing brace, or in text that is no HAR file
FULL = 6  # past the limit


_TO_WORD_END = re.compile(rb'[^\s",\[\]{}]*+')
_TO_TOKEN_END = re.compile(rb'[^\s",:\[\]{}]*+')
_GAP = re.compile(rb"[ \t\r\n]*+")


class EntryCutter(Tally):
    """Calls `_entry` for each; `close` has to be followed by the account of lines.

    lines that belong to entries are counted by whoever takes them: `own` is how many lines an entry is the first to
    touch, `shared` says that its first line was touched by an entry before it
    """

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self.entries = 0
        self.begun_at = 0  # the first byte of the newest entry
        self.cut_off = False  # the closing brackets are missing
        self.past = 0  # lines behind the limit
        self.blank = 0
        self._mode = FRAME
        self._level = 0  # brackets open around the entries
        self._log = False  # the object at level 2 is `log`
        self._key: bytes | None = None  # the newest string there
        self._tokens = 0
        self._nesting = Nesting()  # inside an entry
        self._rest = b""
        self._fresh = True
        self._offset = 0  # of the first byte of the chunk in hand
        self._line = 1
        self._line_offset = 0
        self._used = False  # the line has something besides white space
        self._covered = 0  # last line an entry touched
        self._loose = bytearray()  # the beginning of a line nobody can use
        self._begin()

    def _entry(
        self, payload: bytes, line: int, offset: int, own: int, shared: bool, last: int, whole: bool
    ) -> None:
        """payload: at most max_record_bytes and one; last: line it ends on; whole: it was closed."""
        raise NotImplementedError

    def cut_chunk(self, chunk: bytes) -> None:
        """Take the next bytes."""
        buf = self._rest + chunk if self._rest else chunk
        self._rest = b""
        start = 0
        if self._fresh:
            if len(buf) < len(BOM) and BOM.startswith(buf):
                self._rest = buf
                return
            self._fresh = False
            if buf.startswith(BOM):
                start = self._line_offset = len(BOM)
        done = self._scan(buf, start)
        self._rest = buf[done:]
        self._offset += done

    def end(self) -> int:
        """The input ended; how many lines there were."""
        rest, self._rest = self._rest, b""
        if self._fresh and rest:
            self._fresh = False
            self._offset += self._scan(rest, 0)
            rest = b""
        self.cut_off = self._mode not in (AFTER, FULL) and self._level > 0
        if self._mode in (NESTED, WORD):
            self._finish(rest, 0, len(rest), whole=False)
        elif rest:
            self._pass(rest, 0, len(rest))
        self._offset += len(rest)
        if self._offset <= self._line_offset:
            return self._line - 1
        if self._mode == AFTER:
            self._end_loose()
        elif not self._used:
            if self._mode == FULL:
                self.past += 1
            else:
                self.blank += 1
        return self._line

    # -- the scan

    def _scan(self, buf: bytes, pos: int) -> int:
        """Scan buf from pos; how far it got (all, or all but a last backslash)."""
        end = len(buf)
        first = pos  # of the entry in this buffer
        while pos < end:
            mode = self._mode
            if mode == NESTED:
                pos, closed = self._nesting.scan(buf, pos)
                if not closed:
                    break
                self._finish(buf, first, pos)
            elif mode == WORD:
                pos = _TO_WORD_END.match(buf, pos).end()  # type: ignore[union-attr]
                if pos < end:
                    self._finish(buf, first, pos)
            elif mode == ENTRIES:
                pos = first = self._gap(buf, pos)
                if pos < end:
                    pos = self._open(buf, pos)
            elif mode == KEY:
                stop = TO_QUOTE.match(buf, pos).end()  # type: ignore[union-attr]
                self._key = ((self._key or b"") + buf[pos : min(stop, pos + KEY_BYTES)])[:KEY_BYTES]
                self._pass(buf, pos, stop)
                pos = stop
                if pos == end or buf[pos] == 0x5C:
                    break
                pos += 1
                self._used = True
                self._mode = FRAME
            elif mode == FRAME:
                pos = self._frame(buf, pos, end)
            else:
                pos = self._beyond(buf, pos, end)
        if self._mode in (NESTED, WORD):
            self._keep(buf, first, pos)
        return pos

    def _frame(self, buf: bytes, pos: int, end: int) -> int:
        """One step around the entries."""
        if self._level > 2:  # deep inside something else
            stop = TO_BRACKET.match(buf, pos).end()  # type: ignore[union-attr]
            self._pass(buf, pos, stop)
            pos = stop
        else:
            pos = self._gap(buf, pos)
        if pos == end:
            return pos
        byte = buf[pos]
        self._tokens += self._level < 3
        if self._tokens > MAX_TOKENS or (not self._level and byte != 0x7B):
            self._mode = AFTER  # no HAR file
            return pos
        self._used = True
        if byte == 0x22:
            self._mode, self._key = KEY, b""
        elif byte in b"{[":
            self._level += 1
            if self._level == 2:
                self._log = byte == 0x7B and self._key == b"log"
            elif self._level == 3 and self._log and byte == 0x5B and self._key == b"entries":
                self._mode = ENTRIES
            self._key = None
        elif byte in b"}]":
            self._level -= 1
            self._key = None
            if not self._level:
                self._mode = AFTER
        elif byte == 0x2C:
            self._key = None
        elif byte != 0x3A:
            stop = _TO_TOKEN_END.match(buf, pos).end()  # type: ignore[union-attr]
            return max(stop, pos + 1)
        return pos + 1

    def _open(self, buf: bytes, pos: int) -> int:
        """The byte behind a gap between entries; the position to go on from."""
        byte = buf[pos]
        self._used = True
        if byte in b"]}":
            self._mode = FRAME
            self._level -= 1
            return pos + 1 if byte == 0x5D else pos
        if byte == 0x2C:
            return pos + 1
        if self.entries >= self.limits.max_records:
            self.full = True
            self._mode = FULL
            return pos
        self.entries += 1
        self.begun_at = self._offset + pos
        self._begin()
        self._mode = NESTED if self._nesting.begin(byte) else WORD
        return pos + 1

    def _beyond(self, buf: bytes, pos: int, end: int) -> int:
        """Text behind the file's end, or behind the limit: up to the next line's beginning."""
        stop = buf.find(b"\n", pos)
        stop = end if stop < 0 else stop
        if self._mode == AFTER and not self._used:
            self._loose += buf[pos : min(stop, pos + CUT_BYTES)]
            del self._loose[CUT_BYTES:]
        if stop == end:
            return end
        if self._mode == AFTER:
            self._end_loose()
        elif not self._used:
            self.past += 1
        self._line += 1
        self._line_offset = self._offset + stop + 1
        self._used = False
        return stop + 1

    def _end_loose(self) -> None:
        text = bytes(self._loose).strip()
        self._loose.clear()
        if self._used:
            return
        if text:
            self.stray(self._line, self._line_offset, text)
        else:
            self.blank += 1

    # -- entries and lines

    def _begin(self) -> None:
        self._kept = bytearray()
        self._size = 0
        self._place = (self._line, self._line_offset)

    def _keep(self, buf: bytes, first: int, pos: int) -> None:
        """Part of an entry, until the next chunk; of too much only the beginning."""
        self._size += pos - first
        room = max(0, self.limits.max_record_bytes + 1 - len(self._kept))
        self._kept += buf[first : min(pos, first + room)]
        self._pass(buf, first, pos)

    def _finish(self, buf: bytes, first: int, pos: int, *, whole: bool = True) -> None:
        self._keep(buf, first, pos)
        line, offset = self._place
        last = max(line, self._line - (not whole and not self._used))
        own = max(0, last - max(line - 1, self._covered))
        shared = line <= self._covered
        self._covered = max(self._covered, last)
        self._mode = ENTRIES
        kept, self._kept = bytes(self._kept), bytearray()
        self._entry(kept, line, offset, own, shared, last, whole)

    def _pass(self, buf: bytes, start: int, stop: int) -> None:
        """Something that is no gap was passed."""
        newlines = buf.count(b"\n", start, stop)
        if newlines:
            self._line += newlines
            self._line_offset = self._offset + buf.rfind(b"\n", start, stop) + 1
            self._used = self._line_offset < self._offset + stop
        elif stop > start:
            self._used = True

    def _gap(self, buf: bytes, pos: int) -> int:
        """Pass white space; lines of nothing else are blank."""
        stop = _GAP.match(buf, pos).end()  # type: ignore[union-attr]
        newlines = buf.count(b"\n", pos, stop)
        if newlines:
            self.blank += newlines - self._used
            self._line += newlines
            self._line_offset = self._offset + buf.rfind(b"\n", pos, stop) + 1
            self._used = False
        return stop
