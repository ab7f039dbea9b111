"""The base of readers that decide line by line.

Rules of this file: cutting lines and writing the account; what a line is, the reader says in `line`. Lines end in LF;
a CR before it is dropped.
"""

from __future__ import annotations

from webapp.core.records import Record
from webapp.readers.limits import Limits
from webapp.readers.lines import HEAD, SLACK, LineCutter, Long
from webapp.readers.tally import BLANK, PAST, Tally, is_utf8


class LineReader(Tally):
    """Subclasses write `line`, which calls `offer`, `ignore` or `stray` exactly once for the line it is given."""

    name = ""

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self._cutter = LineCutter(self.limits.max_record_bytes, cr=False)
        self._most = self.limits.max_record_bytes + SLACK
        self._number = 1
        self._offset = -1
        self._records: list[Record] = []
        self.long = False  # the line at hand is longer than may be kept: `line` gets its beginning

    def line(self, text: bytes, number: int, offset: int, ended: bool) -> None:
        """One line that is not blank, without its end. ended: it had a line end (the last may lack one)."""
        raise NotImplementedError

    def ending(self) -> None:
        """The input ended, after its last line: offer what was held back."""

    def feed(self, chunk: bytes) -> list[Record]:
        """Take the next bytes; the records that are whole."""
        self._take(self._cutter.feed(chunk))
        return self._taken()

    def close(self) -> list[Record]:
        """The input ended."""
        self._take(self._cutter.close())
        self.ending()
        return self._taken()

    def offer(
        self,
        payload: bytes,
        number: int,
        offset: int,
        *,
        lines: int = 1,
        at: float | None = None,
        prefix_at: float | None = None,
        framing: tuple[str, ...] = (),
    ) -> None:
        """One record made of `lines` lines; at: arrival, prefix_at: the log line's own time, seconds."""
        if not self.room(number):
            self.ignore(PAST, lines)
            return
        notes = framing
        if self.long or len(payload) > self.limits.max_record_bytes:
            payload = self.cut(payload, number)
            notes += ("too-long",)
        if not is_utf8(payload):
            notes += ("invalid-utf8",)
        self.account.records += lines
        self._records.append(Record(payload, number, offset, at, notes, prefix_at))

    def _take(self, parts: list[bytes | Long]) -> None:
        if parts and self._offset < 0:
            self._offset = self._cutter.bom
        for part in parts:
            if isinstance(part, Long):
                self._too_long(part.head, part.length + len(part.end), bool(part.end))
                continue
            lines = part.split(b"\n")
            last = lines.pop()  # without a line end: only the very last line of the input
            for raw in lines:
                self._cut(raw, 1)
            if last:
                self._cut(last, 0)

    def _cut(self, raw: bytes, end: int) -> None:
        if len(raw) > self._most:  # as when it comes in pieces
            self._too_long(raw[:HEAD], len(raw) + end, bool(end))
        else:
            self._one(raw, len(raw) + end, bool(end))

    def _too_long(self, text: bytes, length: int, ended: bool) -> None:
        self.long = True
        self._one(text, length, ended)
        self.long = False

    def _one(self, text: bytes, length: int, ended: bool) -> None:
        number, offset = self._number, self._offset
        self._number += 1
        self._offset += length
        self.account.lines += 1
        text = text.removesuffix(b"\r")
        if self.full:
            self.ignore(PAST)
        elif not text.strip():
            self.ignore(BLANK)
        else:
            self.line(text, number, offset, ended)

    def _taken(self) -> list[Record]:
        out, self._records = self._records, []
        return out
