"""The Timeline of a Teams recording: one swimlane a stream, the one-per-second ruler, the two-minute clock.

Rules of this file: as the Timeline's, of which it is the other half: how much is drawn, and the words that say so.
Bounded by CALLS exchanges drawn one by one and by the lanes of a window; where more is in view, columns count them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.orm import Session

from webapp.draw import minimap
from webapp.draw import timeline as drawing
from webapp.draw.axis import Cursor
from webapp.draw.timeline_model import Lane, Timeline
from webapp.storage import pace as stored
from webapp.storage import timeline
from webapp.storage.models import Trace
from webapp.storage.pace import Told
from webapp.views import names, timeline_mini, timeline_tree
from webapp.views.page import PageContext
from webapp.views.panels.timeline import Fold, Named, TimelinePanel, keep, slices
from webapp.views.selection import Selection
from webapp.views.teams import pace_lanes
from webapp.views.timeline_lanes import Scene
from webapp.views.timeline_tree import LANES
from webapp.views.timeline_window import Times, Window, choose, moves

CALLS = 160  # exchanges drawn one by one; more in view become columns
AROUND = 24  # exchanges to either side of the chosen one when a recording has too many for one view


def build(session: Session, trace: Trace, sel: Selection, page: PageContext) -> TimelinePanel:
    crowded = trace.records > CALLS
    window = choose(session, trace, _around(sel, page) if crowded else sel, page, crowded=crowded)
    if crowded and sel.a is None and sel.b is None:
        window = _near(session, trace, sel, page, window)
    told = stored.window(session, trace.pk, window.lo, window.hi, CALLS + 1)
    far = len(told) > CALLS
    order, depth = timeline_tree.tree(page.lanes.values())
    chosen = timeline.stamps(session, trace.pk, (page.event,)).get(page.event)
    own = None if chosen is None else chosen.lane
    active = None if far else {one.lane for one in told}
    shown = timeline_tree.shown(order, depth, window, sel.start, own, active)
    scene = Scene(page, window, keep(sel, page, window, shown))
    scene.chosen = None if chosen is None else chosen.item
    loaded = pace_lanes.load(session, trace, scene, shown, told, far)
    lanes = loaded.lanes
    at = window.times.of(page.event)
    words = window.scale.words(at, fine=True) if window.scale.time else f"#{page.event}"
    drawn = drawing.draw(
        Timeline(
            scale=window.scale,
            lanes=tuple(lanes),
            summary=f"{names.plural(len(lanes), 'stream')}, {names.plural(len(told), 'exchange')} in view",
            cursor=Cursor(at, words),
            slices=slices(scene) if far else (),
            chosen=own or 0,
        )
    )
    overview = timeline.overview(session, trace.pk)
    mini = minimap.draw(timeline_mini.build(session, scene, order, overview, loaded.whole))
    return TimelinePanel(
        mini=mini,
        ticks=drawn.ticks,
        heads=drawn.heads,
        track=drawn.track,
        moves=moves(sel, page, window),
        by_time=window.scale.time,
        note=_note(window, sel),
        count=_count(trace, lanes, told, far, loaded.hidden),
        total=_total(window, page),
        before=_fold(scene, shown.start - LANES + 1, shown.ahead, "before these"),
        behind=_fold(scene, shown.start + LANES - 1, shown.behind, "more"),
        quiet=f"{names.plural(shown.quiet, 'stream')} with nothing in this window" if shown.quiet else "",
        lanes=[_named(lane) for lane in lanes],
        far=far,
        veiled=False,
        has_open=any(bar.until is not None for lane in lanes for bar in lane.bars),
        has_late=False,
        has_states=False,
        focus_x=round(drawn.focus_x),
        focus_y=round(drawn.focus_y),
        elements=drawn.elements + drawing.count_elements(mini),
        empty="" if trace.records else "This recording holds no exchange, so there is nothing to draw.",
        teams=True,
        stops=any(
            call.look == "stopped" for lane in lanes if lane.pace is not None for call in lane.pace.calls
        ),
    )


# ── the window ───────────────────────────────────────────────


def _around(sel: Selection, page: PageContext) -> Selection:
    """On the number axis the window around the chosen exchange is known at once."""
    if sel.axis != "number" or sel.a is not None or sel.b is not None:
        return sel
    return replace(sel, a=max(page.event - AROUND, 0), b=min(page.event + AROUND, page.last))


def _near(session: Session, trace: Trace, sel: Selection, page: PageContext, window: Window) -> Window:
    """The window of a long recording: the exchanges around the chosen one, in its own times."""
    if not window.scale.time:
        return (
            window
            if sel.axis == "number"
            else choose(session, trace, _numbers(sel, page), page, crowded=True)
        )
    ends = (max(page.event - AROUND, 0), min(page.event + AROUND, page.last))
    times: Times = window.times
    times.add(timeline.stamps(session, trace.pk, ends))
    a, b = sorted((times.of(ends[0]), times.of(ends[1])))
    return choose(session, trace, replace(sel, a=a, b=b), page, crowded=True)


def _numbers(sel: Selection, page: PageContext) -> Selection:
    return replace(sel, a=max(page.event - AROUND, 0), b=min(page.event + AROUND, page.last))


# ── words ────────────────────────────────────────────────────


def _note(window: Window, sel: Selection) -> str:
    if not window.timed:
        return "No request times in this recording: the axis counts exchanges; pace and the two minutes cannot be told."
    return ""


def _count(trace: Trace, lanes: Sequence[Lane], told: Sequence[Told], far: bool, hidden: int) -> str:
    streams = names.plural(sum(lane.ord != 0 for lane in lanes), "stream")
    if far:
        parts = [streams, f"{names.plural(trace.records, 'exchange')} in all, counted in columns"]
    else:
        shown = f"all {names.count(len(told))}" if len(told) == trace.records else names.count(len(told))
        parts = [streams, f"{shown} of {names.plural(trace.records, 'exchange')} in view"]
        if len(told) == trace.records:
            parts[1] = f"all {names.plural(trace.records, 'exchange')} in view"
    if hidden:
        parts.append(f"{names.plural(hidden, 'finding')} on streams not shown")
    return ", ".join(parts)


def _total(window: Window, page: PageContext) -> str:
    told = names.plural(page.trace.records, "exchange")
    return f"{window.run.words(window.run.b, fine=True)}, {told}" if window.scale.time else told


def _fold(scene: Scene, start: int, lanes: int, words: str) -> Fold | None:
    return (
        Fold(scene.sel.href(start=max(0, start)), f"{names.plural(lanes, 'stream')} {words}")
        if lanes
        else None
    )


def _named(lane: Lane) -> Named:
    said = (
        [pin.title for pin in lane.pins] + [bar.title for bar in lane.bars] + [b.title for b in lane.brackets]
    )
    if lane.limit is not None:
        said.append(lane.limit.title)
    if lane.pace is not None:
        said += [stretch.title for stretch in (*lane.pace.bursts, *lane.pace.silences)]
    return Named(f"{lane.name}, {lane.sub}", said, 0)
