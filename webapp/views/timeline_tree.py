"""Which lanes the Timeline draws: their tree, and the fold when there are many.

Rules of this file: pure, from lane rows to an order; no query, no words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from webapp.storage.items import StoredLane
from webapp.views.timeline_window import Window

LANES = 12  # swimlanes drawn at once


@dataclass(frozen=True, slots=True)
class Shown:
    """Lanes drawn, in the order of the tree.

    start: place of the first one below the parent; ahead, behind: how many are folded away on either side;
    quiet: lanes with nothing in the window
    """

    lanes: tuple[StoredLane, ...]
    depth: Mapping[int, int]
    start: int = 0
    ahead: int = 0
    behind: int = 0
    quiet: int = 0


def shown(
    order: Sequence[StoredLane],
    depth: Mapping[int, int],
    window: Window,
    start: int | None,
    chosen: int | None,
    active: Collection[int] | None,
) -> Shown:
    """All lanes when they are few; else the parent and a page of those with something in the window.

    order, depth: of the tree; start: place of the first lane below the parent, None: the page with the `chosen` lane;
    active: lanes with an item in the window, None when there are too many items to tell
    """
    if len(order) <= LANES:
        return Shown(tuple(order), depth)
    busy = [lane for lane in order[1:] if lane.ord == chosen or _busy(lane, window, active)]
    size = LANES - 1
    if start is None:
        at = next((i for i, lane in enumerate(busy) if lane.ord == chosen), 0)
        start = at // size * size
    start = max(0, min(start, (len(busy) - 1) // size * size)) if busy else 0
    part = busy[start : start + size]
    behind = len(busy) - start - len(part)
    return Shown((order[0], *part), depth, start, start, behind, len(order) - 1 - len(busy))


def _busy(lane: StoredLane, window: Window, active: Collection[int] | None) -> bool:
    if active is not None:
        return lane.ord in active or any(
            seq is not None and window.lo <= seq <= window.hi for seq in (lane.started, lane.ended)
        )
    return lane.first <= window.hi and lane.last >= window.lo


def tree(rows: Iterable[StoredLane]) -> tuple[list[StoredLane], dict[int, int]]:
    """Lanes with each subagent under who started it, and how deep each one is; loops are cut open."""
    lanes = sorted(rows, key=lambda lane: lane.ord)
    known = {lane.ord for lane in lanes}
    children: dict[int | None, list[StoredLane]] = {}
    for lane in lanes:
        above = lane.parent if lane.parent in known and lane.parent != lane.ord else None
        children.setdefault(None if lane.ord == 0 else above, []).append(lane)
    order: list[StoredLane] = []
    depth: dict[int, int] = {}
    for root in [*children.get(None, ()), *lanes]:  # lanes of a loop hang under nobody
        pending = [(root, 0 if root.ord == 0 else 1)]
        while pending:
            lane, level = pending.pop()
            if lane.ord in depth:
                continue
            depth[lane.ord] = level
            order.append(lane)
            pending += [(child, level + 1) for child in reversed(children.get(lane.ord, ()))]
    return order, depth
