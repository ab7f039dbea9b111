"""The reader for input of no known form: every line is accounted for, none is a record.

Rules of this file: it must take any bytes at all.
"""

from __future__ import annotations

from webapp.core.records import Record
from webapp.readers.cut import CutLines
from webapp.readers.limits import CUT_BYTES, Limits
from webapp.readers.lines import LineCutter, Long
from webapp.readers.tally import BLANK, Tally


class UnreadReader(Tally):
    """Lines that are not blank are not understood; the first ones are kept as strays."""

    name = "none"

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self._cutter = LineCutter(CUT_BYTES, cr=False)
        self._offset = -1
        self._lengths = CutLines()

    def feed(self, chunk: bytes) -> list[Record]:
        """Take the next bytes; never a record."""
        return self._take(self._cutter.feed(chunk))

    def close(self) -> list[Record]:
        """Count the last line."""
        out = self._take(self._cutter.close())
        self.cut_lines(self._lengths)
        return out

    def _take(self, parts: list[bytes | Long]) -> list[Record]:
        if parts and self._offset < 0:
            self._offset = self._cutter.bom
        for part in parts:
            if isinstance(part, Long):
                self._line(part.head, part.length + len(part.end))
            else:
                for line in part.splitlines(keepends=True) if b"\r" not in part else _at_lf(part):
                    self._line(line, len(line))
        return []

    def _line(self, text: bytes, length: int) -> None:
        self.account.lines += 1
        if length > CUT_BYTES:
            self._lengths.long(length)
        elif text.endswith(b"\n"):
            self._lengths.add(text.rstrip(b"\r\n"), self.account.lines)
        if text[:CUT_BYTES].strip() or length > CUT_BYTES:
            self.stray(self.account.lines, self._offset, text[:CUT_BYTES].strip())
        else:
            self.ignore(BLANK)
        self._offset += length


def _at_lf(text: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in text.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]
