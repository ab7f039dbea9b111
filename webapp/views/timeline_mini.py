"""The minimap of the Timeline: the whole run in a strip, whatever its size.

Rules of this file: a trace of few items is drawn item by item, a large one from its density; findings always.
Axis values as in `timeline_window`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sqlalchemy.orm import Session

from webapp.draw import layout
from webapp.draw.axis import Scale
from webapp.draw.minimap import Gap, Minimap, Piece, Strip
from webapp.draw.timeline_model import KINDS, Slice
from webapp.storage import timeline
from webapp.storage.items import StoredLane
from webapp.storage.models import Trace
from webapp.storage.timeline import PARTS, Count, Drawn, Hits
from webapp.views import names
from webapp.views.page import PageContext
from webapp.views.selection import Selection
from webapp.views.timeline_lanes import BRACKETS, KIND, Scene, never_closed
from webapp.views.timeline_window import Window, fit, link

ITEMS = 120  # drawn one by one
STRIPS = 8  # lanes with a strip of their own; more share one
SLOTS = 128
SLICES = 16
SILENCE = 0.18  # part of the run that a silence must fill to be told
SEEN = 48  # marks of findings


def build(
    session: Session,
    scene: Scene,
    lanes: Sequence[StoredLane],
    overview: Sequence[Count],
    hits: Sequence[Hits],
) -> Minimap:
    """lanes: in the order of the tree; overview: counts of all of them together; hits: of the whole run."""
    page, window = scene.page, scene.window
    trace = page.trace
    if sum(c.number for c in overview) <= ITEMS:
        everything = timeline.items_in(session, trace.pk, 0, page.last, ITEMS)
        strips = _by_item(lanes, everything, page, window)
    elif len(lanes) <= STRIPS:
        strips = _by_density(session, trace, lanes, window)
    else:
        strips = _by_kind(overview, page, window)
    times, run = window.times, window.run
    events = names.plural(trace.records, "event")
    return Minimap(
        scale=run,
        a=window.scale.a,
        b=window.scale.b,
        strips=tuple(strips),
        summary=f"Whole run, {events}; in view {run.words(window.scale.a)} to {run.words(window.scale.b)}",
        hits=tuple(
            (times.of(hit.first), names.SEVERITY[hit.severity])
            for hit in sorted(hits, key=lambda h: -h.severity)
        ),
        cursor=times.of(page.event),
        rejected=None if trace.rejected_at is None else times.of(trace.rejected_at),
        gap=_silence(window),
        slices=() if window.whole else _slices(scene.sel, window),
    )


def _by_item(
    lanes: Sequence[StoredLane], items: Sequence[Drawn], page: PageContext, window: Window
) -> list[Strip]:
    times, runs = window.times, {run.ord: run.last for run in page.runs}
    pieces: dict[int, list[Piece]] = {}
    for item in items:
        if item.kind in BRACKETS:
            continue
        x0, x1 = times.since(item.t0), times.since(item.t1)
        if times.clock is None or x0 is None or x1 is None:
            x0, x1 = times.of(item.first), times.of(item.last if item.closed is None else item.closed)
        left_open = never_closed(item)
        if left_open:
            x1 = max(x1, times.of(page.last if item.run is None else runs.get(item.run, page.last)))
        pieces.setdefault(item.lane, []).append(Piece(KIND[item.kind], x0, x1, left_open))
    if len(lanes) > STRIPS * 2:
        return [Strip("l0", *window.run.whole, tuple(p for each in pieces.values() for p in each))]
    return [
        Strip(
            names.lane_class(lane.ord),
            times.of(lane.first),
            times.of(lane.last),
            tuple(pieces.get(lane.ord, ())),
        )
        for lane in lanes
    ]


def _by_density(session: Session, trace: Trace, lanes: Sequence[StoredLane], window: Window) -> list[Strip]:
    """Per lane and part the kind that begins most often; parts side by side of one kind are one piece."""
    wanted = [lane.ord for lane in lanes]
    last = max(trace.records - 1, 0)
    most: dict[int, dict[int, tuple[int, str]]] = {}
    for count in timeline.density(session, trace.pk, trace.records, wanted, 0, last, SLOTS):
        if count.kind not in BRACKETS:
            parts = most.setdefault(count.lane, {})
            parts[count.slot] = max(parts.get(count.slot, (0, "")), (count.number, KIND[count.kind]))
    bounds = _bounds(window, last, SLOTS)
    strips = []
    for ord_ in wanted:
        pieces: list[Piece] = []
        for slot, (_number, kind) in sorted(most.get(ord_, {}).items()):
            x0, x1 = bounds[slot], bounds[min(slot + 1, SLOTS)]
            if pieces and pieces[-1].kind == kind and pieces[-1].x1 >= x0:
                pieces[-1] = Piece(kind, pieces[-1].x0, x1)
            else:
                pieces.append(Piece(kind, x0, x1))
        row = next(lane for lane in lanes if lane.ord == ord_)
        life = (window.times.of(row.first), window.times.of(row.last))
        strips.append(Strip(names.lane_class(ord_), *life, tuple(pieces)))
    return strips


def _bounds(window: Window, last: int, parts: int) -> list[float]:
    """Axis values where the parts of the run begin and end; never going back."""
    out: list[float] = []
    for n in range(parts + 1):
        value = window.times.of(min(last, round(n * (last + 1) / parts)))
        out.append(max(value, out[-1]) if out else value)
    return out


def _by_kind(counts: Sequence[Count], page: PageContext, window: Window) -> list[Strip]:
    """All lanes summed up, a strip of columns a kind."""
    bounds = _bounds(window, page.last, PARTS)
    highest = max((c.number for c in counts if c.kind not in BRACKETS), default=1)
    pieces: dict[str, list[Piece]] = {}
    for c in counts:
        if c.kind not in BRACKETS and 0 <= c.slot < PARTS:
            piece = Piece(KIND[c.kind], bounds[c.slot], bounds[c.slot + 1], share=c.number / highest)
            pieces.setdefault(KIND[c.kind], []).append(piece)
    tall = 40 / max(len(pieces), 1) - 4
    return [Strip("l0", *window.run.whole, tuple(pieces[kind]), tall) for kind in KINDS if kind in pieces]


def _silence(window: Window) -> Gap | None:
    """The longest time without a record, if it is much of the run. Only where the clock can tell."""
    times, (start, end) = window.times, window.run.whole
    if times.clock is None or times.clock.source != "arrival":
        return None
    values = [times.known[seq] for seq in times.order]
    gaps = [(b - a, a, b) for a, b in pairwise(values)]
    longest = max(gaps, default=(0.0, 0.0, 0.0))
    if longest[0] < (end - start) * SILENCE or longest[0] < 1:
        return None
    return Gap(longest[1], longest[2], f"nothing for {layout.duration(longest[0])}")


def _slices(sel: Selection, window: Window) -> tuple[Slice, ...]:
    """Links that move the window, as wide as it is, along the run."""
    run: Scale = window.run
    step = run.span / SLICES
    out = []
    for n in range(SLICES):
        x0, x1 = run.a + n * step, run.a + (n + 1) * step
        middle, half = (x0 + x1) / 2, window.scale.span / 2
        a, b = fit(middle - half, middle + half, run.whole, window.times)
        href = link(sel, run.time, a, b)
        out.append(Slice(x0, x1, f"Show {run.words(a)} to {run.words(b)}", href))
    return tuple(out)
