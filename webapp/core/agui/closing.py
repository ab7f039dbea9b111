"""The end of a run, as its open items see it: what must be closed, what is given up.

Rules of this file: the tables decide; here the findings about what is left open are worded. Source: specification
3.1 (closing check), 3.2–3.4; events/lifecycle, events/subagents#termination.
"""

from __future__ import annotations

from collections import Counter

from webapp.core.agui import explain
from webapp.core.agui.mistaken import key_of, meant
from webapp.core.agui.subagents import invocation
from webapp.core.agui.tables import ITEM, SPAN, STEP, SUBAGENT
from webapp.core.agui.world import World, named, quoted, who
from webapp.core.findings import MAX_RELATED, Finding
from webapp.core.records import Item
from webapp.core.words import NOUNS, listed

_FINISH = {
    **{kind: table.columns["finish"] for kind, table in ITEM.items()},
    "span": SPAN.columns["finish"],
    "step": STEP.columns["finish"],
    "subagent": SUBAGENT.columns["finish"],
}
_ABANDON = {
    **{kind: table.columns["abandon"] for kind, table in ITEM.items()},
    "span": SPAN.columns["abandon"],
    "step": STEP.columns["abandon"],
    "subagent": SUBAGENT.columns["abandon"],
}


def check_closed(w: World) -> None:
    """Nothing may be open when a run finishes, whatever its outcome. One finding a kind and lane."""
    left: dict[tuple[str, str | None, str | None], list[Item]] = {}
    still = [(item, _FINISH[item.kind][table_state(item)]) for item in w.open_items()]
    number = Counter(_among(item) for item, cell in still if cell.rule is not None)
    for item, cell in still:
        if cell.rule is not None:
            alone = number[_among(item)] == 1
            too_late = w.late.get((item.kind, key_of(item))) or meant(w, item, alone=alone)
            left.setdefault((cell.rule, item.lane, None if too_late is None else too_late.key), []).append(
                item
            )
        item.state = cell.next
    for (rule, lane, cause), found in left.items():
        why = explain.never_closed(w, found)
        kind = found[0].kind
        owner = f" of {who(lane)}" if lane is not None and kind != "subagent" else ""
        be = "is still" if len(found) == 1 else "are still"
        finding = w.find(
            rule,
            f"the run finishes while {_listed(w, found)}{owner} {be} {'active' if kind == 'subagent' else 'open'}",
            why.text,
            reason=why.reason,
            lane=lane,
            item=(kind, found[0].id),
            related=why.related[:MAX_RELATED],
            cause=why.cause or cause,
            count=len(found),
        )
        if finding is not None:
            _remember(w, kind, found, finding)


def _among(item: Item) -> tuple[str, str | None]:
    """Items that one end could have been meant for."""
    return item.kind, None if item.kind == "subagent" else item.lane


def _remember(w: World, kind: str, found: list[Item], finding: Finding) -> None:
    """An item that was left open: answered too early for the same reason, and its end may still come."""
    for item in found:
        w.left[kind, key_of(item)] = finding
        hasty = w.hasty.get(item.id) if kind == "tool" else None
        if hasty is not None and hasty.cause is None and hasty.count <= len(found):
            w.follows(hasty, finding)


def late(w: World, change: tuple[Item | None, str | None, str | None]) -> None:
    """An event after the run's end: if it goes on with an item that was left open, the run was finished too early.

    That is one fault: the first such item's finding is the root of the others and of the events that came too late.
    """
    item, what, _ = change
    left = None if item is None else w.left.get((item.kind, key_of(item)))
    if item is None or left is None or left.reason not in ("never-closed", "ends-later"):
        return
    root = w.hurried
    if root is None:
        w.hurried = root = left
    if what == "closed":
        again = left.reason == "ends-later"
        why = None if again else f"{left.why} {explain.ends_later(w)}"
        w.ledger.amend(left, reason="ends-later", why=why, place=(w.seq, "later"))
    for finding in (left, w.stray):
        # of a run before, it is merged with what is late now and has its own reason
        if (
            finding is not None
            and finding is not root
            and finding.cause is None
            and finding.event >= w.run_opened
        ):
            w.ledger.amend(finding, cause=root.key)
            if finding is left:  # what a later run leaves open was not finished too early by this one
                w.ledger.complete(left)


def _listed(w: World, found: list[Item]) -> str:
    """The items of one kind that are left, in a sentence; an id that is not on the wire is not named."""
    kind = found[0].kind
    if kind in ("span", "reasoning") and all(item.id in w.trace.retired for item in found):
        return f"a {NOUNS[kind]}" if len(found) == 1 else f"{len(found)} {NOUNS[kind]}s"
    if kind == "subagent":
        return listed([invocation(item) for item in found])
    if kind == "tool" or len(found) == 1:
        return listed([named(kind, item.id, item) for item in found])
    return f"{NOUNS[kind]}s {listed([quoted(item.id) for item in found])}"


def abandon(w: World) -> None:
    """A run that failed, or was run over by another, leaves its open items open for ever."""
    for item in w.open_items():
        item.state = _ABANDON[item.kind][table_state(item)].next


def table_state(item: Item) -> str:
    """The item's state as its table names it."""
    return "active" if item.kind == "subagent" and item.state == "open" else item.state
