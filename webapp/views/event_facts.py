"""What the rows of the event list are made from, and the lives of items beside them.

Rules of this file: data already loaded, and its translation to the rail's positions; no database, no wording.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.records import AFTER
from webapp.draw import rail
from webapp.storage.events import Line
from webapp.storage.models import ItemRow, Segment, Trace
from webapp.views import content, names
from webapp.views.page import PageContext
from webapp.views.selection import Selection

RAIL_KINDS = ("text", "tool", "reasoning", "span", "step")


@dataclass(frozen=True, slots=True)
class Said:
    """A finding as a row tells it: severity 0 … 3, a few words, and the records it is about."""

    severity: int
    words: str
    related: frozenset[int]
    first: bool = True  # False where a merged finding happened again


@dataclass(frozen=True, slots=True)
class Facts:
    """What rows need: items by ord, folded bursts by first record, findings by record, records after the stop."""

    trace: Trace
    page: PageContext
    sel: Selection
    items: dict[int, ItemRow]
    bursts: dict[int, list[Segment]]
    burst_ends: dict[int, Line]
    said: dict[int, list[Said]]
    after: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A row to be: its line, the derived event it stands for, its place on the rail."""

    line: Line
    derived: content.Derived | None
    pos: float


def spans(facts: Facts, entries: Sequence[Entry]) -> list[rail.Span]:
    """The lives of the known items; a derived START or END moves the boundary to its own row."""
    moved: dict[tuple[int, str], float] = {}
    for entry in entries:
        if entry.derived is not None:
            moved.setdefault((entry.derived.item, entry.derived.change), entry.pos)
    last = float(facts.page.last) + 1
    lives: list[rail.Span] = []
    for item in facts.items.values():
        if item.kind not in RAIL_KINDS:
            continue
        opened = item.opened is not None
        start = moved.get((item.ord, "opened"), float(item.first))
        end = float(max(item.last, item.result or 0, item.closed or 0))
        if item.closed is not None:
            shut: float | None = float(item.closed)
        else:
            shut = last if opened else None
            end = max(end, last) if opened and item.state == "open" else end
        closing = moved.get((item.ord, "closed"))
        if closing is not None and shut is not None and start < closing < shut:
            # what came after a derived END came for a closed item, even where the engine went on with it
            end = closing if shut - closing < 1 and end == shut else end
            shut = closing
        lives.append(rail.Span(item.ord, names.KIND_CLASS[item.kind], start, shut, end))
    return lives


def subject(entry: Entry, facts: Facts) -> ItemRow | None:
    """The item a row is about; a result's row is about the call it answers."""
    ord_ = entry.line.item if entry.derived is None else entry.derived.item
    item = None if ord_ is None else facts.items.get(ord_)
    if item is None or item.kind != "result" or item.parent is None:
        return item
    calls = [i for i in facts.items.values() if i.kind == "tool" and i.id == item.parent]
    before = [call for call in calls if call.first <= entry.line.seq]
    return max(before, key=lambda call: call.first, default=item)


def beat(entry: Entry, facts: Facts) -> rail.Beat:
    line = entry.line
    gone = line.reached == AFTER
    if entry.derived is not None:
        return rail.Beat(entry.pos, entry.derived.item, entry.derived.change, gone)
    parts = facts.bursts.get(line.seq)
    if parts:
        return rail.Beat(entry.pos, line.item, "grew", gone, to=float(parts[0].burst_last))
    mark: str | None = line.change
    item = subject(entry, facts)
    if line.severity == 0:
        mark = "wrong"
    elif item is not None and item.kind == "tool" and line.type == "TOOL_CALL_RESULT":
        mark = "result"
    elif line.synth and mark == "opened":
        mark = "grew"  # its derived START stands on the row above
    on_rail = item is not None and item.kind in RAIL_KINDS
    return rail.Beat(entry.pos, item.ord if item is not None and on_rail else None, mark or "point", gone)
