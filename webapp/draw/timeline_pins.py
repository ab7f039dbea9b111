"""What stands over a timeline's bars: lines across a lane, pins for findings, and the ties to what they are
about.

Rules of this file: one function a mark, from its place to SVG; no layout. Severity is a shape and a word as
well as a colour; every link has a name of its own. Nothing here is ever veiled.
"""

from __future__ import annotations

from markupsafe import Markup

from webapp.draw import layout
from webapp.draw.axis import TRACK, Scale, pct
from webapp.draw.svg import el, group, link, num, title
from webapp.draw.timeline_lanes import FONT, PIN, leftward, pin_label_width
from webapp.draw.timeline_model import Bar, Pin, Placed

_SHAPE = {"fatal": "i-fatal", "error": "i-error"}
_RADIUS = {"fatal": PIN, "error": 7.5, "warning": 5.5, "info": 4.5}


def mark(placed: Placed, index: int, scale: Scale) -> Markup:
    one, y = placed.lane.marks[index], placed.marks[index]
    here, px = scale.at(one.x), scale.px(one.x)
    stroke = "s-error" if one.look == "error" else "s-ink-3"
    stand = el(
        "line", x1=here, x2=here, y1=placed.y + 2, y2=placed.y + placed.height - 2, class_=stroke,
        stroke_width=2 if one.look == "error" else 1,
    )  # fmt: skip
    if y is None:
        return link(one.href, title(one.title), stand, aria_label=one.title)
    number = el("tspan", one.number, class_="t-a")
    room = TRACK / 2 - layout.width(one.number, FONT, mono=True) - 14
    words = " " + layout.isolate(layout.plain(layout.clip(one.words, room, FONT)))
    left = leftward(px, layout.width(f"{one.number}{words}", FONT) + 10)
    text = el(
        "text", number, words, x=here, y=y + 15, class_="fs-11_5 f-ink-2 halo",
        text_anchor="end" if left else None, transform=f"translate({-6 if left else 6} 0)",
    )  # fmt: skip
    return link(one.href, title(one.title), stand, text, aria_label=one.title)


def pin(placed: Placed, index: int, scale: Scale) -> Markup:
    """A disc with the severity's shape at its event, with number and words beside it where they fit."""
    one, (y, written) = placed.lane.pins[index], placed.pins[index]
    here, px = scale.at(one.x), scale.px(one.x)
    parts = [title(one.title), disc(one.severity, here, y)]
    if written:
        left = leftward(px, pin_label_width(one))
        radius = _RADIUS.get(one.severity, 5.5)
        number = el("tspan", one.number, class_="t-m") if one.number else Markup()
        words = (" " if one.number else "") + layout.isolate(layout.plain(one.label))
        parts.append(
            el(
                "text",
                number,
                words,
                x=here,
                y=y + 4,
                text_anchor="end" if left else None,
                transform=f"translate({num(-(radius + 5) if left else radius + 5)} 0)",
                class_=f"f-{one.severity} fs-11_5 halo t-b",
            )
        )
    return link(one.href, *parts, class_=one.severity, aria_label=one.title)


def disc(severity: str, here: str, y: float) -> Markup:
    radius = _RADIUS.get(severity, 5.5)
    if severity == "info":
        return el("circle", cx=here, cy=y, r=radius, class_="f-bg s-c", stroke_width=2)
    plate = el("circle", cx=here, cy=y, r=radius, class_="pin")
    shape = _SHAPE.get(severity)
    if shape is None:
        return plate
    size = radius * 1.05
    inner = el(
        "use",
        href=f"#{shape}",
        x=here,
        y=y - size / 2,
        width=size,
        height=size,
        transform=f"translate({num(-size / 2)} 0)",
        class_="onsev",
    )
    return plate + inner


def tie(pin_: Pin, y: float, bar_y: float, one: Bar, scale: Scale) -> Markup:
    """

    Ashed: from the finding's event to the item it is about, round a corner where the item ended before.
    """
    down = bar_y > y
    start = y + (PIN if down else -PIN)
    x = scale.px(pin_.x)
    end = max(scale.px(one.end), scale.px(one.x0) + 5)
    here = pct(x)
    turned = x > end + 2
    stop = bar_y if turned else bar_y - 12 if down else bar_y + 12
    parts = [el("line", x1=here, x2=here, y1=start, y2=stop, class_="pinline")]
    if turned:
        parts.append(el("line", x1=here, x2=pct(end), y1=bar_y, y2=bar_y, class_="pinline"))
    return group(*parts, class_=f"{pin_.severity} tl-tie")
