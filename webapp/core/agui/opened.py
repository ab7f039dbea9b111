"""The items that explicit events have opened, by what is asked of them.

Rules of this file: an index and nothing else. It notes openers and forgets an item when a look-up finds it no longer
open, so that no look-up goes through all items of a run; nothing is done for an end.
"""

from __future__ import annotations

from heapq import heappop, heappush

from webapp.core.records import Item


class Opened:
    """Of the run at hand; an item opened again is noted again."""

    def __init__(self) -> None:
        self._new: list[Item] = []  # not sorted in yet: mostly nobody asks
        self._found: dict[tuple[str, str | None], list[tuple[int, Item]]] = {}

    def clear(self) -> None:
        self._new.clear()
        self._found.clear()

    def add(self, item: Item) -> None:
        self._new.append(item)

    def in_lane(self, kind: str, lane: str | None) -> Item | None:
        """Of the open items of a lane, all but steps, the one first heard of."""
        return self._first((kind, lane))

    def step(self, name: str) -> Item | None:
        """Of the open steps of a name, whoever runs them, the one first heard of."""
        return self._first(("step", name))

    def _first(self, key: tuple[str, str | None]) -> Item | None:
        for item in self._new:
            own = ("step", item.id) if item.kind == "step" else (item.kind, item.lane)
            heappush(self._found.setdefault(own, []), (item.ord, item))
        self._new.clear()
        heap = self._found.get(key)
        while heap:
            item = heap[0][1]
            if item.state == "open" and item.via == "explicit":
                return item
            heappop(heap)
        return None
