"""Lines that whatever wrote a file cut at one length: known by all the longest lines ending in the middle of JSON.

Rules of this file: lengths and ends of lines, no form's grammar. A false note is worse than none: several lines of the
very same greatest length, each unfinished, one of them inside a string, which a forgotten bracket never gives.
What is concluded does not depend on the pieces in which the bytes came.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

CUT_LINES = "cut-lines"  # what a note of them is called
SHORTEST = 60  # of a length that is a limit; nobody cuts lines shorter
LEAST = 3  # lines that make it one
_OPENS = re.compile(rb'\{\s*"')
# one that is not closed goes to the end: no place is looked at twice
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+("|\\?\Z)', re.DOTALL)


class _Longest:
    """The lines of the greatest length so far: how many are unfinished, the first of them, whether one is whole."""

    def __init__(self) -> None:
        self.size = SHORTEST - 1
        self.whole = True
        self.inside = False
        self.count = self.line = 0

    def add(self, size: int, how: str, number: int) -> None:
        if size > self.size:
            self.size, self.whole, self.inside, self.count, self.line = size, False, False, 0, number
        if size < self.size:
            return
        self.whole = self.whole or not how
        self.inside = self.inside or how == "string"
        self.count += 1

    @property
    def floor(self) -> int:
        """A line that is shorter changes nothing, nor does one of the same length when another of it is whole."""
        return self.size + self.whole

    @property
    def cut(self) -> bool:
        return not self.whole and self.inside and self.count >= LEAST


class CutLines:
    """Takes the lines of a text, each without its end; a last line that has none is left out by the caller."""

    def __init__(self) -> None:
        self._bytes, self._characters = _Longest(), _Longest()

    def many(self, text: bytes, lines: Sequence[bytes], longest: int, number: int) -> None:
        """Lines from `number` on, and the text they are of. longest: bytes of the longest; rarely more is looked at."""
        if longest < self._characters.floor:
            return
        if longest < self._bytes.floor and not text.isascii():
            wide = max(map(len, text.decode("utf-8", "replace").split("\n")))
            if wide < self._characters.floor:
                return
        for at, line in enumerate(lines, number):
            if len(line) >= self._characters.floor:
                self.add(line, at)

    def add(self, text: bytes, number: int) -> None:
        size = len(text)
        if size < self._characters.floor:  # a character has one byte or more
            return
        wide = size if text.isascii() else len(text.decode("utf-8", "replace"))
        if wide < self._characters.floor and size < self._bytes.floor:
            return
        how = ends_inside(text)
        self._bytes.add(size, how, number)
        self._characters.add(wide, how, number)

    def long(self, size: int) -> None:
        """A line so long that only its beginning is there."""
        for longest in (self._bytes, self._characters):
            longest.add(size, "", 0)

    def found(self) -> tuple[str, int, int] | None:
        """(`200 characters`, how many lines, the first of them); None when nothing shows such a limit."""
        for longest, unit in ((self._characters, "characters"), (self._bytes, "bytes")):
            if longest.cut:
                return f"{longest.size:,} {unit}", longest.count, longest.line
        return None


def cut_words(size: str, count: int) -> str:
    """What is said of lines that were cut; see `found`."""
    return (
        f"The lines seem to be cut at {size} by whatever wrote them: {count:,} end there in the middle of JSON. "
        "Raise that limit, or capture the response itself."
    )


def ends_inside(text: bytes) -> str:
    """Where JSON that begins in a line ends unfinished: inside a `string`, else `open`; "" when it does not."""
    begins = _OPENS.search(text)
    if begins is None:
        return ""
    start, depth, at = begins.start(), 0, begins.start()
    for found in _STRING.finditer(text, start):
        depth += _brackets(text[at : found.start()])
        at = found.end()
        if found[1] != b'"':
            return "string"
    return "open" if depth + _brackets(text[at:]) > 0 else ""


def _brackets(text: bytes) -> int:
    return text.count(b"{") + text.count(b"[") - text.count(b"}") - text.count(b"]")
