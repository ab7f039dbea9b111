"""Bytes in any pieces to whole lines, in bounded memory.

Rules of this file: it knows line ends and the byte order mark, nothing else. The pieces handed on are as
large as possible (all lines of a chunk at once), since readers are fast on many lines and slow on one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from webapp.readers.limits import CUT_BYTES

BOM = b"\xef\xbb\xbf"
SLACK = 64  # longer than any field name: a line over `most + SLACK` holds a value over `most`
HEAD = CUT_BYTES + SLACK
_CR_OR_LF = re.compile(rb"\r\n?|\n")
_LF = re.compile(rb"\n")


class Long(NamedTuple):
    """A line too long to keep. head: its beginning; length: bytes without the line end; end: the line end."""

    head: bytes
    length: int
    end: bytes


class LineCutter:
    """Cuts at LF, and with cr=True at CR and CRLF too.

    most: bytes of a line to keep in memory while its end has not come (plus SLACK); of a longer one HEAD
        bytes are kept
    bom:  3 once a leading byte order mark was dropped, else 0: the offset of the first line
    """

    def __init__(self, most: int, *, cr: bool) -> None:
        self.bom = 0
        self._most = most + SLACK
        self._cr = cr
        self._ends = _CR_OR_LF if cr else _LF
        self._start: bytes | None = b""  # the first bytes, until it is clear whether they are the mark
        self._held = False  # a CR ended the last chunk: an LF may follow
        self._pending = bytearray()  # the line whose end has not come
        self._length = 0  # its length; more than len(_pending) once it is too long
        self._long = False

    def feed(self, chunk: bytes) -> list[bytes | Long]:
        """Whole lines with their ends, in order: texts of one or many lines, or single long lines."""
        if self._start is not None:
            chunk = self._start + chunk
            if len(chunk) < len(BOM) and BOM.startswith(chunk):
                self._start = chunk
                return []
            self._start = None
            if chunk.startswith(BOM):
                self.bom = len(BOM)
                chunk = chunk[len(BOM) :]
        if self._cr:
            if self._held and chunk:
                chunk = b"\r" + chunk
                self._held = False
            if chunk.endswith(b"\r"):
                chunk = chunk[:-1]
                self._held = True
        return self._cut(chunk)

    def close(self) -> list[bytes | Long]:
        """The last line, if it has no line end, or one that was a lone CR."""
        parts: list[bytes | Long] = []
        if self._start:
            start, self._start = self._start, None
            parts += self._cut(start)
        end = b"\r" if self._held else b""
        self._held = False
        if self._long:
            parts.append(Long(bytes(self._pending), self._length, end))
        elif self._pending or end:
            parts.append(bytes(self._pending) + end)
        self._forget()
        return parts

    def _cut(self, chunk: bytes) -> list[bytes | Long]:
        last = chunk.rfind(b"\n")
        if self._cr:
            last = max(last, chunk.rfind(b"\r"))
        if last < 0:
            self._keep(chunk)
            return []
        parts: list[bytes | Long] = []
        start = 0
        if self._long:
            end = self._ends.search(chunk)
            assert end is not None  # there is one at `last`
            self._keep(chunk[: end.start()])
            parts.append(Long(bytes(self._pending), self._length, end.group()))
            start = end.end()
            self._forget()
        if start <= last:
            body = chunk[start : last + 1]
            parts.append(bytes(self._pending) + body if self._pending else body)
            self._forget()
        self._keep(chunk[last + 1 :])
        return parts

    def _keep(self, piece: bytes) -> None:
        self._length += len(piece)
        if not self._long:
            self._pending += piece
            self._long = self._length > self._most
        elif len(self._pending) < HEAD:
            self._pending += piece
        if self._long:
            del self._pending[HEAD:]

    def _forget(self) -> None:
        self._pending = bytearray()
        self._length = 0
        self._long = False
