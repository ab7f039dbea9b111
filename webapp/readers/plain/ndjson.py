"""One JSON text a line to records.

Rules of this file: a line is a record when it starts like a JSON object or array, or is JSON; nothing that
starts like one is parsed here (the engine does, once). Lines end in LF; a CR before it is JSON's own white
space.
"""

from __future__ import annotations

from webapp.core.records import Record
from webapp.readers.cut import CutLines
from webapp.readers.limits import Limits
from webapp.readers.lines import LineCutter, Long
from webapp.readers.tally import BLANK, PAST, Tally, is_json, is_tail, is_utf8

SPACE = b" \t\r"
OPENERS = (b"{", b"[")
SENTINEL = b"[DONE]"  # whole as it stands, though it is no JSON


class NdjsonReader(Tally):
    """payload: the line without its end and the white space around it; any other line is not understood."""

    name = "ndjson"

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self._cutter = LineCutter(self.limits.max_record_bytes, cr=False)
        self._line_number = 1  # of the next line
        self._offset = -1  # of the next line; -1 before the first
        self._lengths = CutLines()

    def feed(self, chunk: bytes) -> list[Record]:
        """Take the next bytes; the records whose lines are whole."""
        return self._take(self._cutter.feed(chunk))

    def close(self) -> list[Record]:
        """The input ended: the last line, when it has no line end."""
        out = self._take(self._cutter.close())
        self.cut_lines(self._lengths)
        return out

    def _take(self, parts: list[bytes | Long]) -> list[Record]:
        if parts and self._offset < 0:
            self._offset = self._cutter.bom
        out: list[Record] = []
        for part in parts:
            if isinstance(part, Long):
                self._lengths.long(part.length)
                self._line(part.head, part.length, len(part.end), True, out)
            elif self.full:
                self._count_only(part)
            else:
                self._region(part, out)
        return out

    def _count_only(self, text: bytes) -> None:
        lines = text.count(b"\n") + (not text.endswith(b"\n"))
        self.account.lines += lines
        self.ignore(PAST, lines)

    def _region(self, text: bytes, out: list[Record]) -> None:
        """One or many lines, each with its LF; only the very last line of the input may be without."""
        lines = text.split(b"\n")
        last = lines.pop()
        if lines:
            longest = max(map(len, lines))
            self._lengths.many(text, lines, longest, self._line_number)
            careful = (
                self.count + len(lines) > self.limits.max_records
                or longest > self.limits.max_record_bytes
                or not is_utf8(text)
            )
            if careful:
                for line in lines:
                    self._line(line, len(line), 1, False, out)
            else:
                self._many(lines, out)
        if last:
            self._line(last, len(last), 0, False, out)

    def _many(self, lines: list[bytes], out: list[Record]) -> None:
        """The short cut for lines of good bytes within every limit; must agree with `_line`."""
        number, offset, taken = self._line_number, self._offset, 0
        append = out.append
        for line in lines:
            payload = line.strip(SPACE)
            if payload.startswith(OPENERS):
                append(Record(payload, number, offset, None, ()))
                taken += 1
                number += 1
                offset += len(line) + 1
            else:
                self._line_number, self._offset = number, offset
                self._line(line, len(line), 1, False, out)
                number, offset = self._line_number, self._offset
        self._line_number, self._offset = number, offset
        self.count += taken
        self.account.lines += taken
        self.account.records += taken

    def _line(self, text: bytes, length: int, end: int, long: bool, out: list[Record]) -> None:
        """text: the line, or the beginning of a long one; length: without its end; end: bytes of that."""
        number, offset = self._line_number, self._offset
        self._line_number += 1
        self._offset += length + end
        self.account.lines += 1
        if self.full:
            self.ignore(PAST)
            return
        too_long = long or length > self.limits.max_record_bytes
        if too_long:
            text = text[: self.limits.cut_bytes]  # before looking at it, so that both ways see the same
        payload = text.strip(SPACE)
        if not payload:
            self.ignore(BLANK)
        elif not payload.startswith(OPENERS) and (too_long or not is_json(payload)):
            if number == 1 and is_tail(payload):
                self.begins_late(number)
            self.stray(number, offset, payload)
        elif not self.room(number):
            self.ignore(PAST)
        else:
            notes = []
            if too_long:
                payload = self.cut(payload, number)
                notes.append("too-long")
            if not end and payload != SENTINEL and not is_json(payload):
                notes.append("incomplete")
            if not is_utf8(payload):
                notes.append("invalid-utf8")
            self.account.records += 1
            out.append(Record(payload, number, offset, None, tuple(notes)))
