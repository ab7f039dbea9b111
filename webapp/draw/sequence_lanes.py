"""Which lifelines a window of a sequence diagram has, and where each lane stands.

Rules of this file: pure; the parent comes first, a subagent right after its parent's earlier children (nested
order). Beyond MAX_LANES the lanes that say nothing in the window share one column: "+N lanes".
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from webapp.draw import layout
from webapp.draw.sequence_model import MAX_LANES, Columns, LaneFact, Lifeline


def nested(lanes: Sequence[LaneFact]) -> list[LaneFact]:
    """The lanes depth first, children in order of first mention; one whose parent is lost is the agent's."""
    known = {lane.ord for lane in lanes}
    children: dict[int, list[LaneFact]] = {}
    for lane in sorted(lanes, key=lambda lane: lane.ord):
        if lane.ord != 0:
            parent = lane.parent if lane.parent in known and lane.parent != lane.ord else 0
            children.setdefault(parent or 0, []).append(lane)
    out = [lane for lane in lanes if lane.ord == 0][:1] or [LaneFact(0, "")]
    stack = list(reversed(children.pop(0, [])))
    while stack:
        lane = stack.pop()
        out.append(lane)
        stack += reversed(children.pop(lane.ord, []))
    seen = {lane.ord for lane in out}
    return out + [lane for lane in lanes if lane.ord not in seen]  # parents in a ring: still shown


def lifelines(
    lanes: Sequence[LaneFact], speaking: Collection[int], expansion: bool, total: int = 0
) -> tuple[list[Lifeline], Columns]:
    """Columns for a window. speaking: lanes (ord) with a row in it; expansion: the trace has chunks; total: lanes
    of the whole trace, where `lanes` are only some of them."""
    order = nested(lanes)
    shown = order
    if len(order) > MAX_LANES:
        wanted = [lane for lane in order if lane.ord == 0 or lane.ord in speaking][:MAX_LANES]
        keep = {lane.ord for lane in wanted}
        shown = [lane for lane in order if lane.ord in keep]
    out = [_head(lane) for lane in shown]
    places = {lane.ord: at for at, lane in enumerate(shown)}
    hidden = max(total, len(order)) - len(shown)
    more = None
    if hidden:
        more = len(out)
        names = ", ".join(lane.name or lane.tag or "" for lane in order if lane.ord not in places)
        counted = f"+{hidden:,} {'lane' if hidden == 1 else 'lanes'}"
        out.append(Lifeline("more", counted, "Subagents", layout.plain(names[:300])))
    stage = None
    if expansion:
        stage = len(out)
        out.append(
            Lifeline("expansion", "chunk expansion", "Derived", "Where a client turns chunks into events")
        )
    out.append(Lifeline("client", "Client", "", "The AG-UI client in the application"))
    out.append(Lifeline("screen", "User’s screen", "", "What the user saw"))
    return out, Columns(len(out) - 2, len(out) - 1, stage, more, places)


def _head(lane: LaneFact) -> Lifeline:
    if lane.ord == 0:
        return Lifeline("lane", layout.plain(lane.name) or "parent", "Agent", "The agent that was called")
    name = layout.plain(lane.name) or layout.short_id(lane.tag or "", 16)
    begins = lane.started if lane.started is not None else lane.first
    full = " ".join(p for p in (layout.plain(lane.name), layout.plain(lane.tag or "")) if p)
    return Lifeline("lane", name, "Subagent", full, 1 + (lane.ord - 1) % 4, begins, lane.ended)
