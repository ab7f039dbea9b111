"""Texts that grow: what is streamed in pieces, joined only when somebody reads it.

Rules of this file: deltas are joined verbatim, in arrival order. A text that grows, ends and grows again, run after
run, is not gone through from its beginning each time: its size is known without joining it.
"""

from __future__ import annotations

import msgspec

BLOCK = 256  # deltas kept apart before they are joined; bounds both memory and copying


def _paired(text: str) -> str:
    """The text with surrogate pairs that were split across deltas joined; single ones stay."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return text


class Text(msgspec.Struct, gc=False, eq=False):
    """A growing string. pieces: its newest deltas, not joined yet; `blocks` and `start` stand before them.

    folded: characters of the blocks, a pair split between two of them counted once; joined: `start` is as read
    No work for the collector, since it holds text alone.
    """

    start: str = ""
    pieces: list[str] = msgspec.field(default_factory=list)
    blocks: list[str] | None = None
    folded: int = 0
    joined: bool = False

    def add(self, piece: str) -> None:
        pieces = self.pieces
        pieces.append(piece)
        if len(pieces) >= BLOCK:
            self.fold()

    def fold(self) -> None:
        """The pieces become a block; due when there are BLOCK of them."""
        block = _paired("".join(self.pieces))
        self.pieces.clear()
        if not block:
            return
        before = self.blocks[-1] if self.blocks else self.start
        split = "\ud800" <= before[-1:] <= "\udbff" and "\udc00" <= block[0] <= "\udfff"
        self.folded += len(block) - split
        if self.blocks is None:
            self.blocks = []
        self.blocks.append(block)

    def size(self) -> int:
        """The number of characters of the whole text."""
        if self.pieces:
            self.fold()
        return len(self.start) + self.folded

    def whole(self) -> str:
        if self.pieces or self.blocks or not self.joined:
            self.start = _paired("".join([self.start, *(self.blocks or ()), *self.pieces]))
            self.blocks, self.folded, self.joined = None, 0, True
            self.pieces.clear()
        return self.start
