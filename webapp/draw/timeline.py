"""The timeline as SVG: lane heads in one drawing, the track in another, so that heads stay while it scrolls.

Rules of this file: pure; places come from `timeline_lanes`, marks from `timeline_marks`. Across, everything
is a percentage (see `axis`); down, it is px. Paths cannot hold percentages, so they live in two layers that
stretch with the track, one under the bars and one over them. Order of painting: grid, lanes, bars, pieces and
density, the veil over what was never delivered, then marks, pins and the cursor, which no veil may hide.
"""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from webapp.draw import axis, layout
from webapp.draw import timeline_marks as marks
from webapp.draw import timeline_pace as pace
from webapp.draw import timeline_pins as pins
from webapp.draw.axis import TRACK
from webapp.draw.svg import el, group, join, link, num, path, title
from webapp.draw.timeline_lanes import place
from webapp.draw.timeline_model import Bar, Placed, Slice, Timeline

HEADS = 184  # px, width of the lane heads
INDENT, DEEPEST = 16, 4  # px a level; deeper lanes do not move further in


@dataclass(frozen=True, slots=True)
class Drawing:
    """heads, track, ticks: three SVG elements; left_out: bars in view for which a lane had no row left.

    focus_x, focus_y: where the chosen event's lane and moment are, px from the corner of the narrowest track
    """

    heads: Markup
    track: Markup
    ticks: Markup
    height: float
    left_out: int
    elements: int
    focus_x: float = 0
    focus_y: float = 0


def draw(timeline: Timeline) -> Drawing:
    """Lay out and draw.

    The number of elements follows from what is given: whoever gives it keeps the budget.
    """
    placed, height = place(timeline.lanes, timeline.scale)
    heads = _heads(placed, height)
    track = _track(timeline, placed, height)
    ticks = axis.head(timeline.scale, timeline.cursor, timeline.rejected)
    return Drawing(
        heads=heads,
        track=track,
        ticks=ticks,
        height=height,
        left_out=sum(p.left_out for p in placed),
        elements=sum(count_elements(part) for part in (heads, track, ticks)),
        focus_x=max(timeline.scale.px(timeline.cursor.at), 0) if timeline.cursor is not None else 0,
        focus_y=next((p.y for p in placed if p.lane.ord == timeline.chosen), 0),
    )


def count_elements(markup: Markup) -> int:
    """How many elements a drawing has: every tag that opens."""
    return markup.count("<") - markup.count("</")


# ── lane heads ───────────────────────────────────────────────


def _indent(placed: Placed) -> float:
    return INDENT * min(placed.lane.depth, DEEPEST)


def _heads(placed: list[Placed], height: float) -> Markup:
    by_ord = {p.lane.ord: p for p in placed}
    parts: list[Markup] = []
    elbows: list[str] = []
    rules: list[str] = []
    for p in placed:
        parts.append(_head(p))
        above = by_ord.get(p.lane.parent) if p.lane.parent is not None else None
        if above is not None and above is not p and above.y < p.y:
            x = 9.5 + _indent(above)
            reach = max(8 + _indent(p) - x - 1, 0)
            elbows.append(f"M{num(x)} {num(above.y + above.height - 4)}V{num(p.y + 14)}h{num(reach)}")
        rules.append(f"M0 {num(p.y + p.height + 2.5)}H{HEADS}")
    lines = [path("".join(d), class_=look) for d, look in ((rules, "ln"), (elbows, "ln2")) if d]
    return el("svg", *lines, *parts, class_="dia tl-l", width=HEADS, height=height, aria_hidden="true")


def _head(p: Placed) -> Markup:
    lane = p.lane
    x = 8 + _indent(p)
    sub_class = "tl-sub f-error" if lane.bad else "tl-sub"
    words = el(
        "div",
        el("b", layout.plain(lane.name), dir="auto"),
        el("span", layout.plain(lane.sub), class_=sub_class),
        class_="tl-words",
    )
    depth = min(lane.depth, DEEPEST)
    return group(
        title(layout.plain(f"{lane.name}, {lane.sub}")),
        el("rect", x=x, y=p.y + 2, width=3, height=p.height - 4, rx=1, class_="lanebar"),
        el(
            "foreignObject",
            words,
            x=x + 10,
            y=p.y + 5,
            width=HEADS - x - 14,
            height=46,
            class_=f"tl-d{depth}",
        ),
        class_=lane.tint,
    )


# ── the track ────────────────────────────────────────────────


def _track(timeline: Timeline, placed: list[Placed], height: float) -> Markup:
    scale = timeline.scale
    parts = [
        marks.definitions({bar.kind for p in placed for bar in p.lane.bars if bar.until is not None}),
        pace.definitions(placed),
        _stretched(height, axis.grid(scale, height), _rules(placed)),
        join(_tint(p, timeline) for p in placed),
        join(_slice(timeline, part, height) for part in timeline.slices),
        join(marks.bracket(p, i, scale) for p in placed for i in range(len(p.lane.brackets))),
        join(marks.bar(p, i, scale) for p in placed for i in range(len(p.lane.bars))),
        _stretched(height, *(_dense(p, scale) for p in placed)),
        join(marks.states(p, scale) for p in placed),
        join(pace.limit(p, scale) for p in placed),
        join(pace.ruler(p, scale) for p in placed),
        _veil(timeline, height),
        join(marks.chosen(p, scale) for p in placed),
        _cursor(timeline, placed, height),
        join(pins.mark(p, i, scale) for p in placed for i in range(len(p.lane.marks))),
        join(_ties(timeline, placed)),
        join(pins.pin(p, i, scale) for p in placed for i in range(len(p.lane.pins))),
    ]
    return el("svg", *parts, class_="dia tl-t", height=height, role="group", aria_label=timeline.summary)


def _stretched(height: float, *parts: Markup) -> Markup:
    """A layer whose paths are drawn on the narrowest track and stretch with it."""
    return el(
        "svg",
        *parts,
        viewBox=f"0 0 {TRACK} {num(height)}",
        preserveAspectRatio="none",
        width="100%",
        height=height,
        class_="tl-flat",
        aria_hidden="true",
    )


def _dense(p: Placed, scale: axis.Scale) -> Markup:
    return marks.pieces(p, scale) + marks.columns(p, scale) + marks.many_states(p, scale)


def _rules(placed: list[Placed]) -> Markup:
    d = "".join(f"M0 {num(p.y + p.height + 2.5)}H{TRACK}" for p in placed)
    return path(d, class_="ln ns") if d else Markup()


def _tint(p: Placed, timeline: Timeline) -> Markup:
    lane, scale = p.lane, timeline.scale
    if lane.x0 is None or lane.x1 is None or not scale.sees(lane.x0, lane.x1):
        return Markup()
    left = scale.px(lane.x0)
    width = max(scale.px(lane.x1) - left, 3)
    return group(
        el("rect", x=axis.pct(left), y=p.y, width=axis.pct(width), height=p.height, class_="lane"),
        class_=lane.tint,
    )


def _slice(timeline: Timeline, part: Slice, height: float) -> Markup:
    left, right = timeline.scale.px(part.x0), timeline.scale.px(part.x1)
    box = el("rect", x=axis.pct(left), y=0, width=axis.pct(right - left), height=height, class_="tl-hit")
    return link(part.href, title(part.title), box, aria_label=part.title)


def _veil(timeline: Timeline, height: float) -> Markup:
    """What came after the client had stopped never reached the user: faded, and a line where it stopped."""
    at = timeline.rejected
    if at is None or at >= timeline.scale.b:
        return Markup()
    left = max(timeline.scale.px(at), 0)
    veil = el("rect", x=axis.pct(left), y=0, width=axis.pct(TRACK - left), height=height, class_="tl-veil")
    if at < timeline.scale.a:
        return veil
    here = axis.pct(left)
    return veil + el("line", x1=here, x2=here, y1=0, y2=height, class_="tl-stop")


def _bars(placed: list[Placed]) -> dict[int, tuple[float, Bar]]:
    """Every bar that is drawn, by key, with the middle of its row."""
    return {
        bar.key: (y + p.bar / 2, bar)
        for p in placed
        for bar, y in zip(p.lane.bars, p.bars, strict=True)
        if y is not None
    }


def _ties(timeline: Timeline, placed: list[Placed]) -> list[Markup]:
    """Dashed lines from a pin down or up to the bar it is about."""
    bars = _bars(placed)
    return [
        pins.tie(pin, y, *bars[pin.item], timeline.scale)
        for p in placed
        for pin, (y, _written) in zip(p.lane.pins, p.pins, strict=True)
        if pin.item is not None and pin.item in bars
    ]


def _cursor(timeline: Timeline, placed: list[Placed], height: float) -> Markup:
    """The selected event's line; where a tie runs down from its pin, only above and below that tie."""
    cursor, scale = timeline.cursor, timeline.scale
    if cursor is None or not scale.sees(cursor.at, cursor.at):
        return Markup()
    here, gaps = scale.at(cursor.at), [(0.0, 0.0), (height, height)]
    bars = _bars(placed)
    for p in placed:
        for pin, (y, _written) in zip(p.lane.pins, p.pins, strict=True):
            if abs(scale.px(pin.x) - scale.px(cursor.at)) < 1:
                other = bars[pin.item][0] if pin.item is not None and pin.item in bars else y
                gaps.append((min(y, other), max(y, other)))
    gaps.sort()
    parts: list[Markup] = []
    top = 0.0
    for start, end in gaps:
        if start > top:
            parts.append(el("line", x1=here, x2=here, y1=top, y2=start, class_="cursor tl-thin"))
        top = max(top, end)
    return join(parts)
