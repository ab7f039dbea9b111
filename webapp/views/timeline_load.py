"""What the Timeline reads for its window: items, their pieces, findings, and the times of every record drawn.

Rules of this file: queries in a fixed number, each bounded; no wording, no drawing. Times are read last, in
one query, since only then it is known whose.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from webapp.storage import findings, timeline
from webapp.storage.models import Trace
from webapp.storage.timeline import Count, Drawn, Hits
from webapp.views.page import PageContext
from webapp.views.timeline_lanes import Scene, needed
from webapp.views.timeline_mini import SEEN
from webapp.views.timeline_pins import PINS, SHARED, Findings
from webapp.views.timeline_tree import Shown
from webapp.views.timeline_window import Window

BARS = 130  # items drawn one by one; more in view become columns
READ = 2 * BARS  # items looked at before it is known which lanes are drawn
RECORDS = 3000  # of a window whose deltas are ticked one by one
SEGMENTS = 1500  # of folded deltas looked at in a wider one
STATES = 1000  # state events looked at
SLOTS = 92  # columns across the track


@dataclass(frozen=True, slots=True)
class Loaded:
    """items: drawn one by one; far: too many for that, so `counts` has them; states: (record, lane);
    whole: findings of the whole run, for the minimap."""

    items: Sequence[Drawn]
    far: bool
    counts: Sequence[Count]
    states: Sequence[tuple[int, int]]
    found: Findings
    whole: Sequence[Hits]


def first_look(session: Session, trace: Trace, window: Window) -> list[Drawn]:
    """Items of the window on any lane, at most READ + 1: enough to see which lanes are busy."""
    return timeline.items_in(session, trace.pk, window.lo, window.hi, READ + 1)


def load(session: Session, trace: Trace, scene: Scene, shown: Shown, every: Sequence[Drawn]) -> Loaded:
    """Reads into `scene` too: the times of all that is drawn, the pieces of items, the selected one.

    every: the first look
    """
    page, window, pk = scene.page, scene.window, trace.pk
    ords = [lane.ord for lane in shown.lanes]
    items = [item for item in every if item.lane in ords]
    if len(every) > READ:
        items = timeline.items_in(session, pk, window.lo, window.hi, BARS + 1, ords)
    about = _about(session, trace, page)
    chosen = timeline.stamps(session, pk, (page.event,)).get(page.event)
    scene.chosen = about.ord if about else chosen.item if chosen else None
    far = len(items) > BARS
    counts: list[Count] = []
    if far:
        counts = timeline.density(session, pk, trace.records, ords, window.lo, window.hi, SLOTS)
        items = timeline.items_at(session, pk, [] if scene.chosen is None else [scene.chosen])
    hits = timeline.hits(session, pk, window.lo, window.hi, PINS, SHARED)
    whole = timeline.hits(session, pk, 0, page.last, SEEN, SEEN)
    states = timeline.states(session, pk, window.lo, window.hi, STATES)
    single = [hit.first for hit in hits if hit.records == 1]
    stamps = timeline.stamps(
        session, pk, {*_records(scene, shown, items, hits, states), *(h.first for h in whole)}
    )
    window.times.add(stamps)
    scene.pieces = _pieces(session, trace, window, items)
    tied = _tied(session, trace, page, about, items)
    found = Findings(hits, stamps, findings.worst_at(session, pk, single), tied)
    return Loaded(items, far, counts, states, found, whole)


def _records(
    scene: Scene,
    shown: Shown,
    items: Iterable[Drawn],
    hits: Iterable[Hits],
    states: Iterable[tuple[int, int]],
) -> set[int]:
    """Every record whose time is needed."""
    page = scene.page
    wanted: set[int | None] = {
        page.event,
        page.trace.rejected_at,
        page.last,
        scene.window.lo,
        scene.window.hi,
    }
    for item in items:
        wanted.update(needed(item, scene))
    for lane in shown.lanes:
        wanted.update((lane.first, lane.last, lane.ended))
    for hit in hits:
        wanted.update((hit.first, hit.last))
    wanted.update(run.first for run in list(page.runs)[:50])
    if scene.window.times.clock is not None:
        wanted.update(seq for seq, _lane in states)
    return {seq for seq in wanted if seq is not None}


def _pieces(session: Session, trace: Trace, window: Window, items: Sequence[Drawn]) -> dict[int, list[float]]:
    """Axis values of the deltas of each item drawn: one by one in a narrow window, else the folded ones."""
    drawn = {item.ord for item in items}
    out: dict[int, list[float]] = {}
    if not drawn:
        return out
    lo, hi = window.lo, window.hi
    if hi - lo < RECORDS:
        for stamp in timeline.pieces(session, trace.pk, lo, hi, RECORDS):
            if stamp.item in drawn:
                value = window.times.read(stamp)
                out.setdefault(stamp.item, []).append(window.times.of(stamp.seq) if value is None else value)
        return out
    for item, first, last, count in timeline.folded(session, trace.pk, lo, hi, SEGMENTS):
        if item in drawn:
            start, end = window.times.of(first), window.times.of(last)
            steps = min(count, 60)  # spread evenly: closer than that they are one tick
            out.setdefault(item, []).extend(
                start + (end - start) * n / max(steps - 1, 1) for n in range(steps)
            )
    return out


# ── findings and their items ─────────────────────────────────


def _about(session: Session, trace: Trace, page: PageContext) -> Drawn | None:
    """The item that the worst finding at the chosen event is about."""
    row = next((row for row in page.findings if row.item_kind and row.item_id is not None), None)
    if row is None:
        return None
    return timeline.item_named(session, trace.pk, row.item_kind or "", row.item_id or "", row.event)


def _tied(
    session: Session, trace: Trace, page: PageContext, about: Drawn | None, items: Sequence[Drawn]
) -> dict[int, int]:
    """Which item the chosen event's finding, and the headline's, are about."""
    out: dict[int, int] = {}
    if about is not None:
        out[page.event] = about.ord
    head = trace.headline_event
    if head is not None and head not in out:
        row = findings.worst_at(session, trace.pk, [head]).get(head)
        if row is not None and row.item_kind:
            same = [i for i in items if i.id == row.item_id and i.kind == row.item_kind and i.first <= head]
            if same:
                out[head] = same[-1].ord
    return out
