"""The Timeline panel: swimlanes of a window of the run, the whole run above them, and the links that move it.

Rules of this file: how much is drawn, and the words that say so. Bounded: LANES lanes, BARS bars, PINS pins
and a few hundred other marks, whatever the trace's size; where more is in view, columns count it. Queries are
in `views.timeline_load`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup
from sqlalchemy.orm import Session

from webapp.draw import minimap
from webapp.draw import timeline as drawing
from webapp.draw.axis import Cursor
from webapp.draw.timeline_model import Bar, Bracket, Column, Lane, Slice, Tick, Timeline
from webapp.storage import timeline
from webapp.storage.models import Trace
from webapp.storage.timeline import Count
from webapp.views import names, timeline_lanes, timeline_mini, timeline_tree
from webapp.views.page import PageContext
from webapp.views.selection import Selection
from webapp.views.timeline_lanes import BRACKETS, KIND, Scene
from webapp.views.timeline_load import BARS, READ, SLOTS, Loaded, first_look, load
from webapp.views.timeline_pins import pins
from webapp.views.timeline_tree import LANES, Shown
from webapp.views.timeline_window import Moves, Window, choose, link, moves

STATE_LINKS = 40  # state events that are links; more are only drawn
SLICES = 24  # links under the columns, each closer in
LISTED = 120  # items named in the list for screen readers


@dataclass(frozen=True, slots=True)
class Fold:
    """A link to lanes that are not drawn."""

    href: str
    words: str


@dataclass(frozen=True, slots=True)
class Named:
    """A lane and what is in it, in words; more: how many items are not named."""

    name: str
    items: Sequence[str]
    more: int


@dataclass(frozen=True, slots=True)
class TimelinePanel:
    """Four SVGs (mini, ticks, heads, track) and what stands around them.

    count: what is in view and what is not; total: the run in a few words; by_time: the axis is time;
    quiet: which lanes are left out because nothing happens in them; far: columns stand for bars;
    veiled: part of the view never reached the user; has_…: whether the legend needs that sign;
    focus_x, focus_y: where the chosen event is, px from the corner of the narrowest track;
    teams: lanes are streams, with their pace and their clock; stops: some call got the user's Stop
    """

    mini: Markup
    ticks: Markup
    heads: Markup
    track: Markup
    moves: Moves
    by_time: bool
    note: str
    count: str
    total: str
    before: Fold | None
    behind: Fold | None
    quiet: str
    lanes: Sequence[Named]
    far: bool
    veiled: bool
    has_open: bool
    has_late: bool
    has_states: bool
    focus_x: int
    focus_y: int
    elements: int
    empty: str
    teams: bool = False
    stops: bool = False


def build(session: Session, trace: Trace, sel: Selection, page: PageContext) -> TimelinePanel:
    overview = timeline.overview(session, trace.pk)
    window = choose(session, trace, sel, page, crowded=sum(c.number for c in overview) > BARS)
    chosen = timeline.stamps(session, trace.pk, (page.event,)).get(page.event)
    every = first_look(session, trace, window)
    active = {item.lane for item in every} if len(every) <= READ else None
    order, depth = timeline_tree.tree(page.lanes.values())
    own = None if chosen is None else chosen.lane
    shown = timeline_tree.shown(order, depth, window, sel.start, own, active)
    scene = Scene(page, window, keep(sel, page, window, shown))
    loaded = load(session, trace, scene, shown, every)
    lanes, hidden = _lanes(scene, shown, loaded)
    drawn = drawing.draw(_timeline(scene, lanes, loaded.far, own or 0))
    mini = minimap.draw(timeline_mini.build(session, scene, order, overview, loaded.whole))
    return TimelinePanel(
        mini=mini,
        ticks=drawn.ticks,
        heads=drawn.heads,
        track=drawn.track,
        moves=moves(sel, page, window),
        by_time=window.scale.time,
        note=window.note if sel.axis != "number" or not window.timed else "",
        count=_count(overview, trace, lanes, drawn.left_out, hidden, loaded.far),
        total=_total(window, page),
        before=_fold(scene, shown.start - LANES + 1, shown.ahead, "before these"),
        behind=_fold(scene, shown.start + LANES - 1, shown.behind, "more"),
        quiet=_quiet(shown, trace.lane_count - len(page.lanes), page.event),
        lanes=_named(lanes),
        far=loaded.far,
        veiled=trace.rejected_at is not None and trace.rejected_at < window.hi,
        has_open=any(bar.until is not None for lane in lanes for bar in lane.bars),
        has_late=any(bar.late is not None for lane in lanes for bar in lane.bars),
        has_states=any(lane.states for lane in lanes),
        focus_x=round(drawn.focus_x),
        focus_y=round(drawn.focus_y),
        elements=drawn.elements + drawing.count_elements(mini),
        empty="" if trace.records else "This recording holds no record, so there is nothing to draw.",
    )


def keep(sel: Selection, page: PageContext, window: Window, shown: Shown) -> Selection:
    """What links keep: a window that was chosen for the reader stays when something in it is clicked."""
    here = replace(sel, event=page.event)
    scale = window.scale
    if window.fixed and scale.time:
        here = replace(here, a=round(scale.a, 6), b=round(scale.b, 6))
    elif window.fixed:
        here = replace(here, a=int(scale.a), b=int(scale.b))
    return replace(here, start=shown.start) if shown.ahead or shown.behind else here


# ── lanes ────────────────────────────────────────────────────


def _lanes(scene: Scene, shown: Shown, loaded: Loaded) -> tuple[list[Lane], int]:
    """The swimlanes with all that is in them, and how many findings lie on lanes not drawn."""
    ords = [lane.ord for lane in shown.lanes]
    bars: dict[int, list[Bar]] = {}
    brackets: dict[int, list[Bracket]] = {}
    for item in loaded.items:
        if item.kind in BRACKETS:
            if timeline_lanes.told_by_others(item, loaded.items):
                continue
            bracket = timeline_lanes.bracket(item, scene)
            if bracket is not None:
                brackets.setdefault(item.lane, []).append(bracket)
        else:
            bar = timeline_lanes.bar(item, scene)
            if bar is not None:
                bars.setdefault(item.lane, []).append(bar)
    states = _states(scene, loaded.states)
    columns = _columns(scene, loaded)
    hung, hidden = pins(loaded.found, scene, ords) if ords else ({}, 0)
    lanes = []
    for row in shown.lanes:
        x0, x1 = timeline_lanes.life(row, scene)
        mark = timeline_lanes.mark(row, scene)
        marks = ([mark] if mark else []) + (timeline_lanes.run_marks(scene) if row.ord == 0 else [])
        lanes.append(
            replace(
                timeline_lanes.empty_lane(row, scene.page, shown.depth, ords),
                x0=x0,
                x1=x1,
                bars=tuple(bars.get(row.ord, ())),
                brackets=tuple(brackets.get(row.ord, ())),
                states=tuple(states.get(row.ord, ())),
                pins=tuple(hung.get(row.ord, ())),
                marks=tuple(marks),
                columns=tuple(columns.get(row.ord, ())),
            )
        )
    return lanes, hidden


def _states(scene: Scene, states: Sequence[tuple[int, int]]) -> dict[int, list[Tick]]:
    times, scale = scene.window.times, scene.window.scale
    linked = len(states) <= STATE_LINKS
    out: dict[int, list[Tick]] = {}
    for seq, lane in states:
        x = times.of(seq)
        if scale.sees(x, x):
            tick = Tick(x, f"state event #{seq}", scene.href(seq)) if linked else Tick(x)
            out.setdefault(lane, []).append(tick)
    return out


def _columns(scene: Scene, loaded: Loaded) -> dict[int, list[Column]]:
    """Density by lane. Parts of the window are parts of its records; on a time axis as wide as they took."""
    window = scene.window
    wide, times = window.hi - window.lo + 1, window.times
    bounds = [times.of(min(window.hi, window.lo + n * wide // SLOTS)) for n in range(SLOTS + 1)]
    highest = max((c.number for c in loaded.counts if c.kind not in BRACKETS), default=1)
    out: dict[int, list[Column]] = {}
    for c in loaded.counts:
        if c.kind in BRACKETS or not 0 <= c.slot < SLOTS:
            continue
        x0, x1 = bounds[c.slot], max(bounds[c.slot + 1], bounds[c.slot])
        x1 = max(x1, x0 + window.scale.span / 300)
        out.setdefault(c.lane, []).append(Column(KIND[c.kind], x0, x1, c.number / highest))
    return out


def _timeline(scene: Scene, lanes: Sequence[Lane], far: bool, chosen: int) -> Timeline:
    window, page = scene.window, scene.page
    scale, at = window.scale, window.times.of(page.event)
    words = scale.words(at, fine=True) if scale.time else f"#{page.event}"
    rejected = page.trace.rejected_at
    bars = sum(len(lane.bars) for lane in lanes)
    summary = f"{names.plural(len(lanes), 'lane')}, {scale.words(scale.a)} to {scale.words(scale.b)}"
    return Timeline(
        scale=scale,
        lanes=tuple(lanes),
        summary=f"{summary}, {'columns of many items' if far else names.plural(bars, 'bar')}",
        cursor=Cursor(at, words),
        rejected=None if rejected is None else window.times.of(rejected),
        slices=slices(scene) if far else (),
        chosen=chosen,
    )


def slices(scene: Scene) -> tuple[Slice, ...]:
    scale = scene.window.scale
    step = scale.span / SLICES
    out = []
    for n in range(SLICES):
        x0, x1 = scale.a + n * step, scale.a + (n + 1) * step
        words = f"Closer: {scale.words(x0, fine=True)} to {scale.words(x1, fine=True)}"
        out.append(Slice(x0, x1, words, link(scene.sel, scale.time, x0, x1)))
    return tuple(out)


# ── words ────────────────────────────────────────────────────


def _quiet(shown: Shown, unknown: int, event: int) -> str:
    """Which lanes are left out. unknown: those too far from the chosen event to be known by name."""
    told = [f"{names.plural(shown.quiet, 'lane')} with nothing in this window"] if shown.quiet else []
    if unknown > 0:
        told.append(f"{names.plural(unknown, 'lane')} further from #{event} not listed")
    return "; ".join(told)


def _count(
    overview: Sequence[Count], trace: Trace, lanes: Sequence[Lane], left_out: int, hidden: int, far: bool
) -> str:
    """`all 5 lanes, 14 of 16 bars`: what is shown, and what is not."""
    total = sum(c.number for c in overview if c.kind not in BRACKETS)
    drawn = sum(len(lane.bars) for lane in lanes) - left_out
    every = max(trace.lane_count, len(lanes))
    several = f"all {every} lanes" if len(lanes) == every else f"{len(lanes)} of {names.count(every)} lanes"
    parts = ["1 lane" if every == 1 else several]
    if far:
        parts.append(f"{names.plural(total, 'bar')} in all, counted in columns")
    elif drawn >= total:
        parts.append(f"all {names.plural(total, 'bar')} in view" if total != 1 else "1 bar in view")
    else:
        parts.append(f"{names.count(drawn)} of {names.plural(total, 'bar')}")
    if left_out:
        parts.append(f"{names.count(left_out)} more had no room: zoom in")
    if hidden:
        parts.append(f"{names.plural(hidden, 'finding')} on lanes not shown")
    return ", ".join(parts)


def _total(window: Window, page: PageContext) -> str:
    events = names.plural(page.trace.records, "event")
    if not window.scale.time:
        return events
    return f"{window.run.words(window.run.b, fine=True)}, {events}"


def _fold(scene: Scene, start: int, lanes: int, words: str) -> Fold | None:
    """The way to lanes folded away; the window stays as it is."""
    if not lanes:
        return None
    return Fold(scene.sel.href(start=max(0, start)), f"{names.plural(lanes, 'lane')} {words}")


def _named(lanes: Sequence[Lane]) -> list[Named]:
    left, out = LISTED, []
    for lane in lanes:
        said = [pin.title for pin in lane.pins] + [mark.title for mark in lane.marks]
        said += [bracket.title for bracket in lane.brackets] + [bar.title for bar in lane.bars]
        kept = said[: max(left, 0)]
        left -= len(kept)
        out.append(Named(f"{lane.name}, {lane.sub}", kept, len(said) - len(kept)))
    return out
