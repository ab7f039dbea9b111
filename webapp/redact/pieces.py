"""Texts that come in pieces: gathered whole first, so that an address which two records share is found.

Rules of this file: gathering and handing out, in the same order twice; what is overwritten is decided in `texts`. What
is beyond the bounds is not looked at but marked whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from webapp.redact.texts import Place, merged, overwritten, places

MAX_TEXT = 4_000_000  # characters of one text that are gathered
MAX_ALL = 64_000_000  # characters of all texts of a trace
NEAR = 8  # texts of a chat that a further one may go on with


class Pieces:
    """Deltas by item. `add` all of them, then `take` them in the same order."""

    def __init__(self, removed: Counter[str], most: int = MAX_TEXT, most_all: int = MAX_ALL) -> None:
        self.made: list[tuple[str, str]] = []  # texts in which something was overwritten: before, after
        self._removed = removed
        self._most, self._left = most, most_all
        self._given: dict[Hashable, list[str]] = {}
        self._size: Counter[Hashable] = Counter()
        self._ready: dict[Hashable, tuple[str, str]] = {}
        self._at: Counter[Hashable] = Counter()

    def add(self, key: Hashable, piece: str) -> None:
        """The next piece of the text `key`."""
        self._size[key] += len(piece)
        if self._size[key] > self._most or len(piece) > self._left:
            self._left += sum(map(len, self._given.pop(key, ())))
            self._size[key] = self._most + 1
            return
        self._left -= len(piece)
        self._given.setdefault(key, []).append(piece)

    def take(self, key: Hashable, piece: str) -> str | None:
        """The piece with its share overwritten; None when the text was not gathered, or not with this piece here."""
        ready = self._ready.get(key)
        if ready is None:
            if (given := self._given.pop(key, None)) is None:
                return None
            text = "".join(given)
            ready = self._ready[key] = (text, overwritten(text, places(text), self._removed))
            if ready[0] != ready[1]:
                self.made.append(ready)
        at = self._at[key]
        self._at[key] = end = at + len(piece)
        return ready[1][at:end] if ready[0].startswith(piece, at) else None


class Growing:
    """Texts of which each repeats the one before and goes on: the places of the longest count for all its beginnings.

    Texts that do not repeat (only the next piece was sent) are looked at side by side as well.
    """

    def __init__(self, removed: Counter[str], most_all: int = MAX_ALL) -> None:
        self._removed = removed
        self._left = most_all
        self._texts: list[str] = []  # the longest of each
        self._found: dict[int, list[Place]] = {}
        self._chats: dict[str, list[int]] = {}
        self._side: dict[str, list[str]] = {}  # texts that began anew, by chat
        self._side_found: dict[str, list[Place]] = {}
        self._side_size: Counter[str] = Counter()
        self._order: list[
            tuple[int, int]
        ] = []  # of each text in turn: which it is, where it stands beside others
        self._at = 0

    def add(self, chat: str, text: str) -> None:
        """The next text of a chat."""
        for which in reversed(self._chats.get(chat, ())[-NEAR:]):
            longest = self._texts[which]
            if text.startswith(longest):
                self._left -= len(text) - len(longest)
                self._texts[which] = text
            elif not longest.startswith(text):
                continue
            self._order.append((which, -1))
            return
        self._left -= 2 * len(text)
        if self._left < 0:
            self._order.append((-1, -1))
            return
        self._chats.setdefault(chat, []).append(len(self._texts))
        self._order.append((len(self._texts), self._side_size[chat]))
        self._texts.append(text)
        self._side.setdefault(chat, []).append(text)
        self._side_size[chat] += len(text)

    def take(self, chat: str, text: str) -> str | None:
        """The text with its places overwritten; None when it was not gathered in this turn."""
        which, beside = self._order[self._at] if self._at < len(self._order) else (-1, -1)
        self._at += 1
        if which < 0 or not self._texts[which].startswith(text):
            return None
        found = self._found.get(which)
        if found is None:
            found = self._found[which] = places(self._texts[which])
        size = len(text)
        share = [p._replace(end=min(p.end, size)) for p in found if p.start < size] + places(text)
        if beside >= 0:
            share += self._shared(chat, beside, size)
        return overwritten(text, merged(share), self._removed)

    def _shared(self, chat: str, at: int, size: int) -> list[Place]:
        found = self._side_found.get(chat)
        if found is None:
            found = self._side_found[chat] = places("".join(self._side.pop(chat, ())))
        inside = [p for p in found if p.start < at + size and p.end > at]
        return [p._replace(start=max(0, p.start - at), end=min(size, p.end - at)) for p in inside]

    @property
    def made(self) -> list[tuple[str, str]]:
        """Texts in which something was overwritten: before, after."""
        uncounted: Counter[str] = Counter()
        return [
            (self._texts[which], overwritten(self._texts[which], found, uncounted))
            for which, found in self._found.items()
            if found
        ]
