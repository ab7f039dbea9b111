"""What stands in the lanes of the Timeline: stored rows to the drawing's facts.

Rules of this file: no query and no place; words, links and axis values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from webapp.draw import layout
from webapp.draw.timeline_model import Bar, Bracket, Lane, Mark
from webapp.storage.items import StoredLane
from webapp.storage.models import RunRow
from webapp.storage.timeline import Drawn
from webapp.views import names
from webapp.views.page import PageContext
from webapp.views.selection import Selection
from webapp.views.timeline_window import Window

BRACKETS = ("step", "span")
KIND = {
    "text": "text",
    "tool": "tool",
    "reasoning": "reason",
    "activity": "activity",
    "step": "step",
    "span": "reason",
}
STATES = {
    "finished": "finished",
    "error": "ended in error",
    "suspended": "suspended",
    "running": "never ended",
}
EXCUSED = ("failed", "cancelled")  # a run that ends like this need not close what is open


def sub(lane: StoredLane, page: PageContext) -> str:
    """The line under a lane's name: `subagent of hotels · finished`."""
    if lane.ord == 0:
        return "the agent itself"
    whose = f" of {page.lane_name(lane.parent)}" if lane.parent else ""
    return f"subagent{whose} · {STATES.get(lane.state, 'never announced')}"


# ── what happens in them ─────────────────────────────────────


@dataclass(slots=True)
class Scene:
    """What turns rows into facts.

    sel: the view that links keep; pieces: axis values of the deltas of each item; chosen: the selected item
    """

    page: PageContext
    window: Window
    sel: Selection
    pieces: Mapping[int, Sequence[float]] = field(default_factory=dict)
    chosen: int | None = None
    runs: dict[int, RunRow] = field(init=False)

    def __post_init__(self) -> None:
        self.runs = {run.ord: run for run in self.page.runs}

    def href(self, seq: int) -> str:
        return self.sel.href(event=seq)

    def end_of(self, run: int | None) -> tuple[int, str]:
        """Last record of a run and how it ended by its own account; without a run, the recording's end."""
        found = None if run is None else self.runs.get(run)
        return (self.page.last, "") if found is None else (found.last, found.claimed or found.outcome)


def never_closed(item: Drawn) -> bool:
    return item.closed is None and item.opened is not None and item.kind != "activity"


def label(item: Drawn) -> str:
    """What a person would call it; a span of reasoning has no number, since its messages have."""
    return "reasoning" if item.kind == "span" else names.item_name(item)


def needed(item: Drawn, scene: Scene) -> tuple[int | None, ...]:
    """Records whose times a bar needs."""
    end = scene.end_of(item.run)[0] if never_closed(item) else None
    return (item.first, item.last, item.closed, item.result, end)


def bar(item: Drawn, scene: Scene) -> Bar | None:
    """None when nothing of it is in the window."""
    times, scale = scene.window.times, scene.window.scale
    end = _last_piece(item)
    x0 = min(times.of(item.first), times.of(end))
    x1 = max(times.of(item.first), times.of(end))
    result = None if item.result is None else max(times.of(item.result), x1)
    ticks = tuple(scene.pieces.get(item.ord, ()))
    late = max(ticks, default=x1) if item.closed is not None else x1
    until, words, fault = None, "never closed", True
    if never_closed(item):
        last, outcome = scene.end_of(item.run)
        until = max(times.of(last), x1)
        if outcome in EXCUSED and item.severity is None:
            words, fault = f"open when the run {'failed' if outcome == 'failed' else 'was cancelled'}", False
    made = Bar(
        key=item.ord,
        kind=KIND[item.kind],
        x0=x0,
        x1=x1,
        label=layout.plain(label(item)),
        title=_title(item, scene, x0, x1, words),
        href=scene.href(item.first),
        result=result,
        until=until,
        open_words=words,
        fault=fault,
        late=late if late > x1 else None,
        ghost=item.opened is None,
        ticks=ticks,
        chosen=item.ord == scene.chosen,
    )
    return made if scale.sees(made.x0, made.end) else None


def _last_piece(item: Drawn) -> int:
    if item.closed is not None:
        return max(item.closed, item.first)
    return item.first if item.last == item.result else item.last


def _late(item: Drawn) -> bool:
    return item.closed is not None and item.last > item.closed and item.last != item.result


def told_by_others(item: Drawn, items: Iterable[Drawn]) -> bool:
    """A span of reasoning in order, with a reasoning message inside: the message's bar says it all."""
    if item.kind != "span" or never_closed(item) or item.severity is not None:
        return False
    return any(
        other.kind == "reasoning" and other.lane == item.lane and item.first <= other.first <= item.last
        for other in items
    )


def bracket(item: Drawn, scene: Scene) -> Bracket | None:
    times = scene.window.times
    opened, left_open = times.of(item.first), never_closed(item)
    last = scene.end_of(item.run)[0] if left_open else _last_piece(item)
    x0, x1 = min(opened, times.of(last)), max(opened, times.of(last))
    if not scene.window.scale.sees(x0, x1):
        return None
    name = f"step: {label(item)}" if item.kind == "step" and item.name else label(item)
    words = _title(item, scene, x0, x1, "never closed")
    return Bracket(KIND[item.kind], x0, x1, layout.plain(name), words, scene.href(item.first), left_open)


def _title(item: Drawn, scene: Scene, x0: float, x1: float, open_words: str) -> str:
    """`call fetch_fares of fares, #871–#902, 750 ms, 31 pieces, 268 characters, never closed`."""
    kind = names.KIND_WORD.get(item.kind, item.kind)
    name = label(item)
    parts = [name if name.startswith(kind) else f"{kind} {name}"]
    if item.lane:
        parts[0] += f" of {scene.page.lane_name(item.lane)}"
    parts.append(layout.numbers(item.first, item.last))
    if scene.window.scale.time and x1 > x0:
        parts.append(layout.duration(x1 - x0))
    if item.pieces:
        parts.append(names.plural(item.pieces, "piece"))
    if item.chars:
        parts.append(names.plural(item.chars, "character"))
    if item.opened is None:
        parts.append("never opened")
    elif never_closed(item):
        parts.append(open_words)
    if _late(item):
        parts.append(f"went on until #{item.last} after its end at #{item.closed}")
    if item.kind == "tool":
        parts.append("no result" if item.result is None else f"result at #{item.result}")
    return layout.plain(", ".join(parts))


def mark(lane: StoredLane, scene: Scene) -> Mark | None:
    """The error that ended a subagent."""
    if lane.state != "error" or lane.ended is None:
        return None
    x = scene.window.times.of(lane.ended)
    if not scene.window.scale.sees(x, x):
        return None
    told = f" “{layout.isolate(layout.plain(names.clip(lane.message, 300)))}”" if lane.message else ""
    whole = f"#{lane.ended} SUBAGENT_ERROR of {scene.page.lane_name(lane.ord)}{told}"
    words = f"SUBAGENT_ERROR{told}"
    return Mark(x, f"#{lane.ended}", words, layout.plain(whole), scene.href(lane.ended), "error")


def run_marks(scene: Scene, at_most: int = 12) -> list[Mark]:
    """Where further runs begin; none when there are too many to tell apart."""
    runs = [r for r in scene.page.runs if r.ord > 0 and scene.window.lo <= r.first <= scene.window.hi]
    if len(runs) > at_most:
        return []
    return [
        Mark(
            scene.window.times.of(run.first),
            f"#{run.first}",
            f"run {run.ord + 1} begins",
            f"#{run.first}: run {run.ord + 1} begins",
            scene.href(run.first),
        )
        for run in runs
    ]


def life(lane: StoredLane, scene: Scene) -> tuple[float, float]:
    """From a lane's first record to its end."""
    times = scene.window.times
    last = lane.last if lane.ended is None else max(lane.ended, lane.last)
    values = (times.of(lane.first), times.of(last))
    return min(values), max(values)


def empty_lane(lane: StoredLane, page: PageContext, depth: Mapping[int, int], drawn: Collection[int]) -> Lane:
    """A lane's head, without anything in it; hung under its parent when that is drawn too."""
    return Lane(
        ord=lane.ord,
        name=layout.plain(page.lane_name(lane.ord)),
        sub=layout.plain(sub(lane, page)),
        depth=depth.get(lane.ord, 0),
        parent=lane.parent if lane.ord and lane.parent in drawn else None,
        tint=names.lane_class(lane.ord),
        bad=lane.state == "error",
    )
