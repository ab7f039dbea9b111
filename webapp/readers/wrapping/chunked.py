"""A body in chunks of HTTP's transfer coding, line by line, put together again.

Rules of this file: the sizes are only a hint, since a paste changes line ends and masks secrets; what counts is where a
size can stand: alone on its line, behind the line end that closes the chunk before it. So the line before a size is
either empty, and then no line of the body, or goes on behind the size.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

SIZE, BEHIND, REST = "size of a chunk", "end of a chunk", "rest of a line that a chunk had cut"
SIZE_LINE = re.compile(rb"([0-9a-fA-F]{1,8})(?:[ \t]*;[^\r\n]{0,200})?[ \t]*")


@dataclass(slots=True)
class _Line:
    text: bytearray
    number: int
    offset: int


class Chunks:
    """give(text, number, offset, ended): a whole line of the body; ignore(reason): a line that is none."""

    def __init__(
        self, give: Callable[[bytes, int, int, bool], None], ignore: Callable[[str], None], most: int
    ) -> None:
        self._give = give
        self._ignore = ignore
        self._most = most
        self._last: _Line | None = None
        self._goes_on = False  # a size stood behind `_last`, so the next line belongs to it
        self._size = -1  # of the chunk at hand; -1 before the first, 0 after the last
        self._got = self._lines = 0  # bytes and lines of it so far

    def line(self, text: bytes, number: int, offset: int) -> None:
        if self._size == 0:
            self._give(text, number, offset, True)
            return
        size = SIZE_LINE.fullmatch(text)
        if size is not None and self._is_over(text):
            self._cut(int(size[1], 16))
            return
        self._lines += 1
        self._got += len(text) + 1
        last = self._last
        if last is not None and self._goes_on and len(last.text) < self._most:
            self._goes_on = False
            last.text += text
            self._ignore(REST)
            return
        self.flush()
        self._last = _Line(bytearray(text), number, offset)

    def flush(self, *, ended: bool = True) -> None:
        """Hand on the line that was held back."""
        last, self._last, self._goes_on = self._last, None, False
        if last is not None:
            self._give(bytes(last.text), last.number, last.offset, ended)

    def _is_over(self, text: bytes) -> bool:
        """Whether the chunk is over, so that `text` is a size and no piece of the body that looks like one."""
        if self._size < 0:
            return True
        if not self._lines or self._got + len(text) == self._size:  # it begins the chunk, or just fills it
            return False
        blank = self._last is not None and not self._last.text
        return blank or self._got >= self._size - self._lines

    def _cut(self, size: int) -> None:
        """A size: the chunk before it is over."""
        self._ignore(SIZE)
        self._size, self._got, self._lines = size, 0, 0
        if self._last is None:
            return
        if not self._last.text:
            self._last = None
            self._ignore(BEHIND)
        elif size:
            self._goes_on = True
        else:  # the body is over
            self.flush(ended=False)
