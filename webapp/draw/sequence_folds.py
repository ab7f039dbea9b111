"""What may fold in a sequence diagram, and the row that says where the client stops.

Rules of this file: pure functions over facts. Nothing with a finding folds, nor what a finding blames.
"""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.records import REFUSED
from webapp.draw.sequence_model import Burst, Entry, Fact, Part, Row
from webapp.draw.sequence_words import FAMILY


def joined(entries: Sequence[Entry]) -> list[Entry]:
    """Long bursts are cut where they are stored; those that touch and tell of the same items join again."""
    out: list[Entry] = []
    for entry in entries:
        before = out[-1] if out else None
        if isinstance(entry, Burst) and isinstance(before, Burst) and _same(before, entry):
            out[-1] = _one(before, entry)
        else:
            out.append(entry)
    return out


def _same(one: Burst, two: Burst) -> bool:
    def key(burst: Burst) -> set[tuple[int, int, int]]:
        return {(p.item.ord, p.lane, p.reached) for p in burst.parts}

    return one.last + 1 == two.first and key(one) == key(two)


def _one(one: Burst, two: Burst) -> Burst:
    later = {(p.item.ord, p.lane): p for p in two.parts}
    parts = []
    for part in one.parts:
        other = later[part.item.ord, part.lane]
        took = None if part.seconds is None or other.seconds is None else part.seconds + other.seconds
        count, size = part.count + other.count, part.size + other.size
        parts.append(Part(part.item, part.lane, count, size, took, part.reached))
    return Burst(one.first, two.last, tuple(parts), one.seconds)


def whole_item(entries: Sequence[Entry], at: int) -> int:
    """How many entries from `at` are one explicit item from START to END with nothing between; 0 if not."""
    start = entries[at]
    if not isinstance(start, Fact) or start.item is None or start.change != "opened" or not _calm(start):
        return 0
    if start.item.kind not in FAMILY or start.type is None or not start.type.endswith("_START"):
        return 0
    for n, entry in enumerate(entries[at + 1 :], 2):
        if isinstance(entry, Burst):
            if any(p.item.ord != start.item.ord or p.reached != start.reached for p in entry.parts):
                return 0
            continue
        same = entry.item is not None and entry.item.ord == start.item.ord and entry.reached == start.reached
        if not same or not _calm(entry):
            return 0
        if entry.change == "closed":
            return n
        if entry.change != "grew":
            return 0
    return 0


def _calm(fact: Fact) -> bool:
    """Nothing to point at: may fold."""
    return fact.severity is None and not fact.synth and not fact.culprit and fact.reached != REFUSED


def stop_row(seq: int, never: int) -> Row:
    """The words after the refused record. never: how many records came after it."""
    tail = {0: "Nothing came after it.", 1: "1 more event never reached it."}
    words = tail.get(never, f"{never:,} more events never reached it.")
    return Row(seq, seq, shape="stop", text=f"The client stops. {words}")
