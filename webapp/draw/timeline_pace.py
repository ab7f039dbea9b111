"""The pace of a Teams stream on the timeline: its requests on the one-per-second ruler, and its two-minute clock.

Rules of this file: one function a row, from its place to SVG; no layout. What a look means is a shape as well as a
colour; every linked request has a name of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from webapp.draw import layout
from webapp.draw.axis import TRACK, Scale, pct
from webapp.draw.svg import el, join, link, title
from webapp.draw.timeline_model import Call, Limit, Pace, Placed, Stretch

RULER, TALL = 14, 18  # px: height of the hatched band, of a request's stroke
CLOCK = 9
FONT = 11
_LEAST_HATCH = 2.5  # px: below that a second is no more than a stroke


def definitions(placed: Iterable[Placed]) -> Markup:
    """The hatching of "too soon", when it is needed."""
    if not any(p.lane.pace is not None for p in placed):
        return Markup()
    stripe = el("path", d="M-1 1l2-2M0 5l5-5M4 6l2-2", class_="pc-stripe")
    return el("defs", el("pattern", stripe, id="tl-soon", width=5, height=5, patternUnits="userSpaceOnUse"))


def ruler(placed: Placed, scale: Scale) -> Markup:
    """The requests of one stream, the second after each hatched, bursts shaded, silences told."""
    one, foot = placed.lane.pace, placed.pace
    if one is None or foot is None:
        return Markup()
    return join(
        [
            el("line", x1="0", x2="100%", y1=foot, y2=foot, class_="pc-foot"),
            *(_burst(stretch, scale, foot) for stretch in one.bursts),
            *_soon(one, scale, foot),
            *(_silence(stretch, scale, foot) for stretch in one.silences),
            *(_call(call, scale, foot) for call in one.calls if scale.sees(call.x, call.x)),
        ]
    )


def _soon(one: Pace, scale: Scale, foot: float) -> list[Markup]:
    out = []
    for x0, x1 in one.soon:
        left, right = scale.px(x0), scale.px(x1)
        if scale.sees(x0, x1) and right - left >= _LEAST_HATCH:
            wide = pct(right - left)
            box = el(
                "rect",
                x=pct(left),
                y=foot - RULER,
                width=wide,
                height=RULER,
                fill="url(#tl-soon)",
                class_="pc-soon",
            )
            out.append(box)
    return out


def _burst(stretch: Stretch, scale: Scale, foot: float) -> Markup:
    if not scale.sees(stretch.x0, stretch.x1):
        return Markup()
    left, right = scale.px(stretch.x0), max(scale.px(stretch.x1), scale.px(stretch.x0) + 3)
    place = {"x": pct(max(left - 3, 0)), "width": pct(right - left + 6)}
    return el(
        "rect", title(stretch.title), **place, y=foot - TALL - 6, height=TALL + 9, rx=2, class_="pc-burst"
    )


def _silence(stretch: Stretch, scale: Scale, foot: float) -> Markup:
    if not scale.sees(stretch.x0, stretch.x1):
        return Markup()
    left, right = max(scale.px(stretch.x0), 0), min(scale.px(stretch.x1), TRACK)
    middle, room = pct((left + right) / 2), right - left - 16
    dots = el(
        "line",
        title(stretch.title),
        x1=pct(left + 4),
        x2=pct(right - 4),
        y1=foot - 8,
        y2=foot - 8,
        class_="wait pc-quiet",
    )
    if layout.width(stretch.words, FONT) > room:
        return dots
    return dots + el(
        "text", stretch.words, x=middle, y=foot - 13, text_anchor="middle", class_="t-s t-2 halo"
    )


def _call(call: Call, scale: Scale, foot: float) -> Markup:
    here = scale.at(call.x)
    parts = [el("line", x1=here, x2=here, y1=foot - TALL, y2=foot, class_=f"pc-call pc-{call.look}")]
    if call.look in ("refused", "stopped"):
        parts.append(_cross(here, foot - TALL - 3, call.look))
    elif call.look in ("lost", "dropped"):
        parts.append(el("circle", cx=here, cy=foot - TALL - 2, r=2.8, class_=f"pc-head pc-{call.look}"))
    if call.href is None:
        return join(parts)
    target = el(
        "rect",
        x=here,
        y=foot - TALL - 8,
        width=9,
        height=TALL + 10,
        class_="tl-hit",
        transform="translate(-4.5 0)",
    )
    return link(call.href, title(call.title), *parts, target, aria_label=call.title)


def _cross(here: str, y: float, look: str) -> Markup:
    """A Stop by the user is nobody's fault: it has the shape of a refusal, not its colour."""
    ink = "pc-x pc-calm" if look == "stopped" else "f-fatal pc-x"
    return el(
        "use", href="#i-fatal", x=here, y=y - 4, width=8, height=8, transform="translate(-4 0)", class_=ink
    )


def limit(placed: Placed, scale: Scale) -> Markup:
    """The two-minute clock: what was used, what was left, the end where it is in view."""
    one, y = placed.lane.limit, placed.limit
    if one is None or y is None or not scale.sees(one.x0, max(one.end, one.x1)):
        return Markup()
    left, used, end = max(scale.px(one.x0), 0), scale.px(one.x1), scale.px(one.end)
    parts = [title(one.title)]
    parts.append(el("rect", x=pct(left), y=y, width=pct(max(end - left, 1)), height=CLOCK, class_="pc-clock"))
    parts.append(
        el("rect", x=pct(left), y=y, width=pct(max(min(used, end) - left, 1)), height=CLOCK, class_="pc-used")
    )
    if one.over:
        parts.append(
            el("rect", x=pct(end), y=y, width=pct(max(used - end, 2)), height=CLOCK, class_="pc-over")
        )
    if end <= TRACK:
        here = pct(end)
        parts.append(el("line", x1=here, x2=here, y1=y - 4, y2=y + CLOCK + 3, class_="pc-end"))
    parts.append(_words(one, left, used, y))
    return el("g", *parts)


def _words(one: Limit, left: float, used: float, y: float) -> Markup:
    """Under the bar, ending where the used part does if there is room before it, else beginning with the bar."""
    wide = layout.width(one.words, FONT)
    end = min(used, TRACK - 4)
    foot = y + CLOCK + 11
    look = "t-s f-error" if one.over else "t-s t-2"
    if end - wide >= 0:
        return el("text", one.words, x=pct(end), y=foot, text_anchor="end", class_=look)
    return el("text", one.words, x=pct(max(left, 2)), y=foot, class_=look)
