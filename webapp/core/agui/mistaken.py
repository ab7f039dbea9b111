"""Pieces and ends that went out under a wrong id: the item they were meant for stays open, and that is no second fault.

Rules of this file: memory and look-up. `items.py` and `subagents.py` say what was found under the wrong id; the end of
the run asks. Only a look-alike id, or the one loose end of a lane with the one open item of its kind, is taken for it.
"""

from __future__ import annotations

from typing import Any

from webapp.core.agui import explain
from webapp.core.agui.world import World
from webapp.core.findings import Finding
from webapp.core.records import Item


def key_of(item: Item) -> Any:
    """Where the item stands in the world's tables."""
    return (item.lane, item.id) if item.kind == "step" else item.id


def noted(
    w: World, kind: str, lane: str | None, why: explain.Why, finding: Finding | None, *, ends: bool
) -> None:
    """`finding` is about a piece or an end (`ends`) for an id that nothing has opened."""
    if finding is None:
        return
    if why.twin is not None:
        if why.twin.state == "open":
            w.facts.mistaken.setdefault((kind, key_of(why.twin)), finding)
    elif why.reason == "never-opened" and ends:
        w.facts.loose.setdefault((kind, lane), []).append(finding)


def meant(w: World, item: Item, alone: bool) -> Finding | None:
    """What was found about pieces or an end that were meant for this open item.

    alone: no other item of its kind is open.
    """
    opened = explain.last_opening(item) or 0
    found = w.facts.mistaken.get((item.kind, key_of(item)))
    if found is not None:
        later = found.event > opened or any(
            again.event > opened for again in found.related if again.role == "again"
        )
        return found if later else None
    overlapped = w.facts.overlapped.get(item.kind)
    if overlapped is not None and item.id in w.trace.retired and overlapped.event > opened:
        return overlapped  # a client remembers one id, so one bracket of two is never closed
    loose = w.facts.loose.get((item.kind, None if item.kind == "subagent" else item.lane), [])
    if alone and len(loose) == 1 and loose[0].event > opened and loose[0].reason == "never-opened":
        return loose[0]
    return None
