"""Which part of a run the Timeline shows, on which axis, and the links that move it.

Rules of this file: a window in axis units and the records it may hold. Records are never sorted by a clock: a
time window becomes a range of records that surely holds it, since event clocks run backwards now and then.
Axis values count seconds since the trace's first time, or record numbers.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field, replace

from sqlalchemy.orm import Session

from webapp.draw.axis import Scale
from webapp.storage import timeline
from webapp.storage.models import Trace
from webapp.storage.timeline import Stamp
from webapp.views import names
from webapp.views.page import Clock, PageContext
from webapp.views.selection import Selection

LEAST_RECORDS = 8  # narrowest window on the number axis
AROUND = 30  # items to either side of the chosen event when a trace has too many for one view


@dataclass(slots=True)
class Times:
    """Axis values of records. On the time axis a record without a time holds the newest one before it."""

    clock: Clock | None  # None: the axis counts records
    known: dict[int, float] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)  # record numbers of samples, ascending

    def add(self, stamps: dict[int, Stamp]) -> None:
        for seq, stamp in stamps.items():
            value = self.read(stamp)
            if value is not None:
                self.known[seq] = value

    def read(self, stamp: Stamp) -> float | None:
        if self.clock is None:
            return float(stamp.seq)
        seconds = self.clock.read(stamp)
        return None if seconds is None else seconds - (self.clock.started or 0.0)

    def since(self, seconds: float | None) -> float | None:
        """A stored time as an axis value."""
        if seconds is None or self.clock is None:
            return None
        return seconds - (self.clock.started or 0.0)

    def of(self, seq: int) -> float:
        if self.clock is None:
            return float(seq)
        if seq in self.known:
            return self.known[seq]
        at = bisect_right(self.order, seq) - 1
        return self.known[self.order[at]] if at >= 0 else 0.0


@dataclass(frozen=True, slots=True)
class Window:
    """scale: what is shown; lo, hi: first and last record that may be in it; whole: all of the run is shown.

    fixed: the window must be in links, or the next page would choose another; note: why there is no time axis
    """

    scale: Scale
    lo: int
    hi: int
    times: Times
    whole: bool
    fixed: bool
    timed: bool
    note: str = ""

    @property
    def run(self) -> Scale:
        """The scale of the minimap: the whole run."""
        return Scale(*self.scale.whole, self.scale.whole, self.scale.time)

    def records_of(self, a: float, b: float) -> tuple[int, int]:
        """A range of records that holds every one between two axis values."""
        return _records(self.times, a, b)


def choose(session: Session, trace: Trace, sel: Selection, page: PageContext, crowded: bool) -> Window:
    """The window asked for; else the whole run, or in a `crowded` trace what surrounds the chosen event."""
    clock = page.clock
    span = (trace.ended or 0.0) - (trace.started or 0.0)
    timed = clock.known and trace.started is not None and span > 0
    note = "" if timed else _no_time(clock)
    times = Times(clock if timed and sel.axis != "number" else None)
    whole = (0.0, float(max(page.last, 1)))
    if times.clock is not None:
        whole = (0.0, span)
        _sample(session, trace, times)
    a, b = _asked(session, trace, sel, page, times, whole, crowded)
    covers = a <= whole[0] and b >= whole[1]
    lo, hi = (0, page.last) if covers else _records(times, a, b)
    scale = Scale(a, b, whole, times.clock is not None)
    fixed = sel.a is not None or sel.b is not None or crowded
    return Window(scale, lo, min(hi, page.last), times, covers, fixed, timed, note)


def _no_time(clock: Clock) -> str:
    if clock.known:
        return "Every event carries the same time, so the axis counts events."
    return "No timing in this recording, so the axis counts events."


def _sample(session: Session, trace: Trace, times: Times) -> None:
    stamps = timeline.samples(session, trace.pk, trace.records)
    times.add({stamp.seq: stamp for stamp in stamps})
    times.order = sorted(times.known)


def _asked(
    session: Session,
    trace: Trace,
    sel: Selection,
    page: PageContext,
    times: Times,
    whole: tuple[float, float],
    crowded: bool,
) -> tuple[float, float]:
    if sel.a is None and sel.b is None:
        if not crowded:
            return whole
        lo, hi = timeline.around(session, trace.pk, page.event, AROUND)
        lo, hi = max(min(lo, page.event) - 2, 0), min(max(hi, page.event) + 2, page.last)
        if times.clock is not None:
            times.add(timeline.stamps(session, trace.pk, (lo, hi)))
        return fit(min(times.of(lo), times.of(hi)), max(times.of(lo), times.of(hi)), whole, times)
    a = whole[0] if sel.a is None or not math.isfinite(sel.a) else sel.a
    b = whole[1] if sel.b is None or not math.isfinite(sel.b) else sel.b
    return fit(min(a, b), max(a, b), whole, times)


def fit(a: float, b: float, whole: tuple[float, float], times: Times) -> tuple[float, float]:
    """A window inside the run, not narrower than makes sense; moved rather than cut."""
    total = whole[1] - whole[0]
    least = min(total, max(total / 20_000, 0.001) if times.clock is not None else LEAST_RECORDS)
    span = min(max(b - a, least), total)
    middle = (a + b) / 2
    a = min(max(middle - span / 2, whole[0]), whole[1] - span)
    return a, a + span


def _records(times: Times, a: float, b: float) -> tuple[int, int]:
    if times.clock is None:
        return max(0, math.floor(a)), max(0, math.ceil(b))
    inside = [i for i, seq in enumerate(times.order) if a <= times.known[seq] <= b]
    order = times.order
    if not order:
        return 0, 0
    if not inside:  # between two samples: the last one before, the first one after
        before = [i for i, seq in enumerate(order) if times.known[seq] < a]
        at = before[-1] if before else 0
        return order[at], order[min(at + 1, len(order) - 1)]
    return order[max(inside[0] - 1, 0)], order[min(inside[-1] + 1, len(order) - 1)]


# ── links ────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Moves:
    """URLs of other windows, None where there is nothing further. words: what is shown now."""

    zoom_in: str | None
    zoom_out: str | None
    earlier: str | None
    later: str | None
    everything: str | None
    by_time: str | None
    by_number: str
    words: str


def moves(sel: Selection, page: PageContext, window: Window) -> Moves:
    scale, whole = window.scale, window.scale.whole
    span, times = scale.span, window.times
    cursor = times.of(page.event)
    pivot = cursor if scale.a < cursor < scale.b else (scale.a + scale.b) / 2
    here = replace(sel, event=page.event)

    def to(a: float, b: float) -> str | None:
        a, b = fit(a, b, whole, times)
        same = abs(a - scale.a) < span * 1e-6 and abs(b - scale.b) < span * 1e-6
        return None if same else link(here, scale.time, a, b)

    def zoomed(factor: float) -> str | None:
        return to(pivot - (pivot - scale.a) * factor, pivot + (scale.b - pivot) * factor)

    return Moves(
        zoom_in=zoomed(0.5),
        zoom_out=None if window.whole else zoomed(2),
        earlier=None if scale.a <= whole[0] else to(scale.a - span * 0.6, scale.b - span * 0.6),
        later=None if scale.b >= whole[1] else to(scale.a + span * 0.6, scale.b + span * 0.6),
        everything=None if window.whole else link(here, scale.time, *whole),
        by_time=here.href(axis="", a=None, b=None) if window.timed else None,
        by_number=here.href(axis="number", a=None, b=None),
        words=_words(window, page),
    )


def link(sel: Selection, time: bool, a: float, b: float) -> str:
    """The URL of a window, its ends written no finer than can be seen."""
    if not time:
        return sel.href(a=math.floor(a + 1e-6), b=math.ceil(b - 1e-6))
    digits = max(0, min(9, 4 - math.floor(math.log10(max(b - a, 1e-9)))))
    return sel.href(a=round(a, digits), b=round(b, digits))


def _words(window: Window, page: PageContext) -> str:
    """`16.6–31.8 s of 31.8 s, by arrival`; `#12–#79 of 80 events`."""
    scale = window.scale
    if not scale.time:
        events = names.plural(page.trace.records, "event")
        return f"all {events}" if window.whole else f"#{round(scale.a)}–#{round(scale.b)} of {events}"
    clock = page.clock.brief
    total = window.run.words(scale.whole[1], fine=True)
    if window.whole:
        return f"all {total}, {clock}"
    first, last = scale.words(scale.a, fine=True), scale.words(scale.b, fine=True)
    unit = first.rpartition(" ")[2]
    if last.endswith(f" {unit}") and " " not in first.removesuffix(f" {unit}"):
        first = first.removesuffix(f" {unit}")
    return f"{first}–{last} of {total}, {clock}"
