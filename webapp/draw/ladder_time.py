"""The two measures beside a ladder: the ruler of one call a second, and the clock of two minutes.

Rules of this file: marks from an `Axis` and the ladder's times; nothing is drawn at a height the axis does not give.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor

from markupsafe import Markup

from webapp.core.teams.limits import LIMIT, PACE, STREAMED, too_soon
from webapp.draw import svg
from webapp.draw.ladder_axis import Axis, Segment
from webapp.draw.ladder_model import Clock, Ladder, Rung
from webapp.draw.ladder_place import Places, Spot
from webapp.draw.ladder_text import minutes, share, stamp

HATCH = "ladder-soon"
_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 1800, 3600)
_TICK, _LABEL = 10, 44  # least px between ticks, between labelled ones
_BAR = 14


def pattern() -> Markup:
    """The hatch of "too soon", for the drawing's `defs`."""
    ground = svg.rect(0, 0, 6, 6, class_="f-bg")
    stripe = svg.rect(0, 0, 1.5, 6, class_="f-line-2")
    return svg.el(
        "defs",
        svg.el(
            "pattern",
            ground,
            stripe,
            id=HATCH,
            width=6,
            height=6,
            patternUnits="userSpaceOnUse",
            patternTransform="rotate(45)",
        ),
    )


# ── the ruler ────────────────────────────────────────────────


def ruler(ladder: Ladder, at: Places) -> Markup:
    x = at.xs[0]
    return svg.join([_line(at.axis, x), *_labels(at.axis, x), *_paces(ladder, at)])


def _line(axis: Axis, x: float) -> Markup:
    """The ruler's edge and its ticks, as one path."""
    d = []
    for segment in axis.segments:
        d.append(f"M{svg.num(x)} {svg.num(segment.y0)}V{svg.num(segment.y1)}")
        small, large = _steps(segment)
        for k, t in _within(segment, small):
            length = 10 if _multiple(t, large) else 5
            d.append(f"M{svg.num(x - length)} {svg.num(segment.at(t))}h{length}")
            if k > 400:
                break
    return svg.path("".join(d), class_="ln2") if d else Markup("")


def _labels(axis: Axis, x: float) -> Iterator[Markup]:
    last = -_LABEL / 2.0
    for segment in axis.segments:
        _, large = _steps(segment)
        for _, t in _within(segment, large):
            y = segment.at(t)
            if y - last >= _LABEL / 2:
                last = y
                digits = 0 if float(t).is_integer() else 1
                yield svg.text(x - 14, y + 4, stamp(t, digits), "end", class_="t-sm")


def _steps(segment: Segment) -> tuple[float, float]:
    """Seconds between ticks, and between labelled ones, for the scale of this stretch."""
    scale = (segment.y1 - segment.y0) / (segment.t1 - segment.t0)
    small = next((step for step in _STEPS if step * scale >= _TICK), _STEPS[-1])
    large = next((step for step in _STEPS if step >= max(small, 1) and step * scale >= _LABEL), _STEPS[-1])
    return small, large


def _within(segment: Segment, step: float) -> Iterator[tuple[int, float]]:
    for k in range(ceil(segment.t0 / step - 1e-9), floor(segment.t1 / step + 1e-9) + 1):
        yield k - ceil(segment.t0 / step), k * step


def _multiple(t: float, step: float) -> bool:
    return abs(t / step - round(t / step)) < 1e-6


def _paces(ladder: Ladder, at: Places) -> Iterator[Markup]:
    """Of each streaming call the second in which the next one would come too soon."""
    streamed = [
        (entry, spot)
        for entry, spot in zip(ladder.entries, at.spots, strict=True)
        if isinstance(entry, Rung) and entry.kind in STREAMED and entry.at is not None
    ]
    x = at.xs[0]
    told = False
    for n, (rung, spot) in enumerate(streamed):
        start = _last_call(rung)
        following = streamed[n + 1] if n + 1 < len(streamed) else None
        until = start + PACE
        cut = following is not None and following[1].epoch == spot.epoch and _soon(following[0])
        if cut and following is not None:
            until = min(until, following[0].at or until)
        for y0, y1 in at.axis.spans(start, until, spot.epoch):
            yield svg.rect(x + 8, y0, 12, y1 - y0, class_="s-line-2", fill=f"url(#{HATCH})")
            if not told and y1 - y0 >= 46:
                told = True
                yield svg.text(x + 26, (y0 + y1) / 2, "too soon", class_="t-s aside")
                yield svg.text(x + 26, (y0 + y1) / 2 + 13, "for another", class_="t-s aside")
        end = None if cut else at.axis.y(until, spot.epoch)
        if end is not None and end < at.stop - 1:
            yield svg.path(f"M{svg.num(x + 8)} {svg.num(end)}h12", class_="s-ok sw-2")
            if n == 0 or rung.holds(ladder.selected):
                words = f"next from {stamp(until, 2)}"
                yield svg.text(x + 26, end + 4, words, class_="t-s t-b f-ok halo aside")
        if _soon(rung):
            yield svg.text(x + 26, spot.y + 4, f"too soon: {_gap(rung)}", class_="t-s t-b f-error halo aside")


def _last_call(rung: Rung) -> float:
    """A fold's last call is not known by its own time; its answer is near enough for a mark of one second."""
    at = rung.at or 0.0
    return at if not rung.folded or rung.ended is None else rung.ended


def _soon(rung: Rung) -> bool:
    return rung.apart is not None and too_soon(rung.apart)


def _gap(rung: Rung) -> str:
    apart = rung.apart or 0.0
    return f"{apart * 1000:.0f} ms" if apart < 0.1 else f"{apart:.2f} s"


# ── the clock ────────────────────────────────────────────────


def clock(one: Clock, ladder: Ladder, at: Places) -> Markup:
    """The two minutes of one stream as a bar, with what is used of them at the chosen call."""
    calls = [
        (entry, spot)
        for entry, spot in zip(ladder.entries, at.spots, strict=True)
        if isinstance(entry, Rung) and entry.stream == one.stream and entry.at is not None
    ]
    if not calls:
        return Markup("")
    epoch = calls[0][1].epoch
    x, top, parts = at.xs[4], _top(one, calls, at), list[Markup]()
    last = calls[-1][1].answer
    shut = _y(at.axis, one.ended, epoch, last)
    on = one.open and ladder.ends
    bottom = at.height - 22 if on else max(shut, top + 6)
    parts.append(svg.rect(x - 7, top, _BAR, bottom - top, 2, class_="f-sunk s-line-2"))
    marked = next((rung for rung, _ in calls if rung.holds(ladder.selected)), None)
    now = one.ended if marked is None or marked.at is None else max(marked.at, one.since)
    y = min(_y(at.axis, now, epoch, last), bottom)
    parts.append(svg.rect(x - 7, top, _BAR, y - top, class_="f-accent45"))
    parts.append(svg.path(f"M{svg.num(x - 10)} {svg.num(y)}h20", class_="s-accent sw-2"))
    parts.append(svg.text(x + 14, y + 4, share(now - one.since), class_="t-s t-b f-accent"))
    parts += _limit(one, at, epoch, on, bottom, y, now)
    if not on:
        parts.append(_cap(one, x, bottom, y))
    if one.early:
        parts.append(_zigzag(x, top + 8))
    elif y - top >= 16:
        parts.append(svg.text(x - 13, top + 4, minutes(one.since, 1), "end", class_="t-sm halo"))
    return svg.group(*parts)


def _top(one: Clock, calls: list[tuple[Rung, Spot]], at: Places) -> float:
    first, spot = calls[0]
    if one.early:
        return max(0.0, spot.y - 40)
    return _y(at.axis, one.since, spot.epoch, spot.answer if first.at is not None else spot.y)


def _y(axis: Axis, t: float, epoch: int, instead: float) -> float:
    found = axis.y(t, epoch)
    return instead if found is None else found


def _limit(
    one: Clock, at: Places, epoch: int, on: bool, bottom: float, y: float, now: float
) -> Iterator[Markup]:
    """Where the two minutes are over: on the axis, or after a break at its end."""
    x, due = at.xs[4], one.since + LIMIT
    place = at.axis.y(due, epoch)
    if place is not None and place < bottom:
        yield svg.rect(x - 7, place, _BAR, max(0.0, bottom - place), class_="f-fatal-wash s-fatal")
        yield svg.path(f"M{svg.num(x - 12)} {svg.num(place)}h24", class_="s-fatal sw-2")
        yield svg.text(x + 14, place - 4, "2 min", class_="t-s t-b f-fatal")
    elif on:
        left = LIMIT - (now - one.since)
        yield _zigzag(x, (max(y, at.stop) + bottom) / 2)
        yield svg.path(f"M{svg.num(x - 12)} {svg.num(bottom)}h24", class_="s-ink sw-2")
        yield svg.text(x - 16, bottom + 4, minutes(due, 1), "end", class_="t-sm f-ink halo")
        if left > 0:
            yield svg.text(x - 13, y + 34, f"{share(left)} left,", "end", class_="t-s halo")
            yield svg.text(x - 13, y + 47, "not used", "end", class_="t-s halo")
    if one.over is not None:
        told = at.axis.y(one.over, epoch)
        if told is not None:
            yield svg.path(f"M{svg.num(x - 12)} {svg.num(told)}h24", class_="s-fatal sw-2")
            yield svg.text(x - 13, told - 20, "Teams:", "end", class_="t-s t-b f-fatal halo")
            yield svg.text(x - 13, told - 7, "time is up", "end", class_="t-s t-b f-fatal halo")


def _cap(one: Clock, x: float, bottom: float, y: float) -> Markup:
    """Under a clock that ended, or that goes on below the window."""
    if one.open:
        return svg.text(x, bottom + 14, "runs on", "middle", class_="t-s")
    line = svg.path(f"M{svg.num(x - 7)} {svg.num(bottom)}h14", class_="s-ink sw-2")
    if abs(bottom - y) < 1:
        if one.over is not None:
            return line
        return line + svg.text(x, bottom + 16, "of 2 min", "middle", class_="t-s")
    words = f"{share(one.ended - one.since)} of 2 min"
    return line + svg.text(x, bottom + 14, words, "middle", class_="t-s")


def _zigzag(x: float, y: float) -> Markup:
    d = f"M{svg.num(x - 16)} {svg.num(y)}l8 -6 8 6 8 -6 8 6"
    both = d + f"M{svg.num(x - 16)} {svg.num(y + 6)}l8 -6 8 6 8 -6 8 6"
    return svg.path(both, class_="s-bg f-none sw-6") + svg.path(both, class_="ln2 s-ink-3")
