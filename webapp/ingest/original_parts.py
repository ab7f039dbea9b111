"""Keep bytes exactly as they came, in parts that can be expanded one at a time.

Rules of this file: cutting, compressing and counting lines. It knows no form: what a line end is depends on it, so
both counts are kept until the form is known.
"""

from __future__ import annotations

import zlib

from sqlalchemy.orm import Session

from webapp.storage import bulk, originals
from webapp.storage.originals import PART_BYTES

LEVEL = 1  # fastest: event streams shrink tenfold all the same
PARTS_AT_ONCE = 64


class Lines:
    """Counts the lines of a text that comes in parts, both ways: where LF alone ends a line, and where CR and CR LF
    do too, as in an SSE stream."""

    def __init__(self) -> None:
        self._line = 1  # of the next byte
        self._sse_line = 1
        self._held = False  # the newest byte was a CR: it ends the line unless an LF follows

    def add(self, data: bytes) -> tuple[int, int]:
        """The line of the part's first byte, both ways; counts on to the first byte behind it."""
        if self._held and not data.startswith(b"\n"):
            self._sse_line += 1
        line, sse_line = self._line, self._sse_line
        feeds = data.count(b"\n")
        self._line += feeds
        self._sse_line += feeds
        self._held = data.endswith(b"\r")
        if b"\r" in data:
            self._sse_line += data.count(b"\r") - data.count(b"\r\n") - self._held
        return line, sse_line


class PartWriter:
    """Writes one stream as parts 0, 1, 2 … (step 1) or -1, -2, -3 … (step -1)."""

    def __init__(self, session: Session, trace: int, step: int = 1) -> None:
        self.size = 0
        self._session = session
        self._trace = trace
        self._step = step
        self._part = 0 if step > 0 else -1
        self._buffer = bytearray()
        self._rows: list[tuple[int, int, int, int, int, bytes]] = []
        self._lines = Lines()
        self._differing: list[tuple[int, int, int]] = []

    def add(self, chunk: bytes) -> None:
        self._buffer += chunk
        while len(self._buffer) >= PART_BYTES:
            self._cut(bytes(self._buffer[:PART_BYTES]))
            del self._buffer[:PART_BYTES]

    def close(self, form: str) -> None:
        """Write what is left; form: the reader's name, which says what a line end is."""
        if self._buffer:
            self._cut(bytes(self._buffer))
            self._buffer.clear()
        self._write()
        if form == "sse":
            bulk.set_part_lines(self._session, self._differing)

    def _cut(self, data: bytes) -> None:
        line = self._count(data)
        self._rows.append((self._trace, self._part, self.size, line, len(data), zlib.compress(data, LEVEL)))
        self.size += len(data)
        self._part += self._step
        if len(self._rows) >= PARTS_AT_ONCE:
            self._write()

    def _count(self, data: bytes) -> int:
        """The line of the part's first byte."""
        line, sse_line = self._lines.add(data)
        if line != sse_line:
            self._differing.append((sse_line, self._trace, self._part))
        return line

    def _write(self) -> None:
        bulk.add_originals(self._session, self._rows)
        self._rows.clear()


def renumber(session: Session, trace: int, *, sse: bool) -> None:
    """What ends a line depends on the form: the line each part of a stored text begins in, as this one has it."""
    lines, changed = Lines(), []
    for part, data in originals.numbered_parts(session, trace):
        line, sse_line = lines.add(data)
        if line != sse_line:
            changed.append((sse_line if sse else line, trace, part))
    bulk.set_part_lines(session, changed)
