"""Ids that look alike: the same letters in another case, with other white space or separators.

Rules of this file: an index and nothing else; it judges nothing.
"""

from __future__ import annotations

from webapp.core.records import Item

MAX_COMPARED = 200  # items that look the same, of which the one that was opened is sought


class Lookalikes:
    """Items of one kind and run by their id without case, white space and separators.

    Each item is folded once, when one is sought for the first time after it came: a trace full of orphans costs no
    more than it is long.
    """

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._folded = 0  # items of the list that are in the index
        self._index: dict[str, list[Item]] = {}

    def add(self, item: Item) -> None:
        """An item that was mentioned for the first time."""
        self._items.append(item)

    def find(self, id_: str) -> Item | None:
        """The newest opened item whose id is another one but looks the same."""
        for item in self._items[self._folded :]:
            self._index.setdefault(_fold(item.id), []).append(item)
        self._folded = len(self._items)
        same = self._index.get(_fold(id_), ())[-MAX_COMPARED:]
        return next((item for item in reversed(same) if item.id != id_ and item.opened is not None), None)


def _fold(text: str) -> str:
    return "".join(text.split()).replace("-", "").replace("_", "").casefold()
