"""The marks on a timeline's track: bars, brackets, ticks, columns.

Rules of this file: one function a mark, from its place to SVG; no layout. Severity is a shape and a word as
well as a colour; every link has a name of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from webapp.draw import layout
from webapp.draw.axis import TRACK, Scale, pct
from webapp.draw.svg import el, group, join, link, num, path, title
from webapp.draw.timeline_lanes import (
    Label,
    bar_width,
    label,
)
from webapp.draw.timeline_model import Bar, Placed

_DENSEST = 1.4  # px between two ticks; closer ones would be one


def definitions(open_kinds: Iterable[str]) -> Markup:
    """The result's diamond, and a hatching for each kind of item that was never closed."""
    diamond = path("M0-5.5l5.5 5.5-5.5 5.5-5.5-5.5z", id="tl-diamond", class_="f-bg s-k", stroke_width=1.5)
    return el("defs", diamond, *(hatching(kind) for kind in sorted(set(open_kinds))))


def hatching(kind: str) -> Markup:
    return group(
        el(
            "pattern",
            el("rect", width=7, height=7, class_="f-bg"),
            el("rect", width=2.4, height=7, class_="f-k45"),
            id=f"tl-hatch-{kind}",
            width=7,
            height=7,
            patternUnits="userSpaceOnUse",
            patternTransform="rotate(45)",
        ),
        class_=f"k-{kind}",
    )


# ── bars ─────────────────────────────────────────────────────


def bar(placed: Placed, index: int, scale: Scale) -> Markup:
    one, y = placed.lane.bars[index], placed.bars[index]
    if y is None:
        return Markup()
    left, wide, tall = scale.px(one.x0), bar_width(one, scale), placed.bar
    parts = [title(one.title)]
    if one.until is not None:
        parts.append(_open(one, y, tall, scale))
    x, look = pct(left), "s-none bar" if one.until is not None else "bar ghost" if one.ghost else "bar"
    parts.append(el("rect", x=x, y=y, width=pct(wide), height=tall, rx=1.5, class_=look))
    if left >= 0 and not one.ghost:
        parts.append(el("rect", x=x, y=y, width=3, height=tall, class_="edge"))
    if one.late is not None:
        middle = y + tall / 2 + (4 if one.result is not None else 0)
        ends = {"x1": pct(left + wide), "x2": scale.at(one.late)}
        parts.append(el("line", x1=ends["x1"], x2=ends["x2"], y1=middle, y2=middle, class_="late"))
    if one.result is not None:
        parts.append(_wait(one, left + wide, y + tall / 2, scale))
    parts.append(_label(one, label(one, scale), y, tall))
    return link(one.href, *parts, class_=f"k-{one.kind}", aria_label=one.title)


def _open(one: Bar, y: float, tall: float, scale: Scale) -> Markup:
    left = scale.px(one.x0)
    wide = max(scale.px(one.end) - left, bar_width(one, scale))
    return el(
        "rect",
        x=pct(left),
        y=y,
        width=pct(wide),
        height=tall,
        fill=f"url(#tl-hatch-{one.kind})",
        class_="s-fatal" if one.fault else "s-k",
        stroke_width=1.2,
    )


def _wait(one: Bar, start: float, middle: float, scale: Scale) -> Markup:
    """Dots while the call waits, a diamond where its result came."""
    assert one.result is not None
    here = scale.px(one.result)
    dots = el("line", x1=pct(start), x2=pct(here), y1=middle, y2=middle, class_="wait")
    if not scale.sees(one.result, one.result):
        return dots
    return dots + el("use", href="#tl-diamond", x=pct(here), y=middle)


def _label(one: Bar, found: Label | None, y: float, tall: float) -> Markup:
    if found is None:
        return Markup()
    base = y + (13 if tall > 20 else tall - 3.2)
    shown = layout.isolate(layout.plain(found.text))
    if found.where == "inside":
        return el("text", shown, x=pct(found.left), y=base, class_="fs-11_5")
    if found.where == "wait":
        return el("text", shown, x=pct(found.left), y=base - (4.5 if tall > 20 else 2), class_="fs-11_5 halo")
    words = el(
        "text",
        shown,
        x=pct(found.left),
        y=y + tall / 2 + 4,
        transform="translate(5 0)",
        class_="fs-11_5 f-fatal t-b halo" if one.fault else "fs-11_5 f-ink-2 halo",
    )
    if found.where == "outside":
        return words
    plate = el(
        "rect", x=pct(found.left), y=y + tall / 2 - 7.5, width=found.wide, height=15, rx=2, class_="f-bg"
    )
    return (plate if tall > 14 else Markup()) + words


def chosen(placed: Placed, scale: Scale) -> Markup:
    """The frame round the selected bar; drawn over the veil."""
    found = [(b, y) for b, y in zip(placed.lane.bars, placed.bars, strict=True) if b.chosen and y is not None]
    return join(_frame(one, y, placed.bar, scale) for one, y in found)


def _frame(one: Bar, y: float, tall: float, scale: Scale) -> Markup:
    left = scale.px(one.x0)
    right = max(scale.px(one.end) + (6 if one.result is not None else 0), left + bar_width(one, scale))
    return el(
        "rect",
        x=pct(left - 3),
        y=y - 3,
        width=pct(right - left + 6),
        height=tall + 6,
        rx=3,
        class_="s-accent f-none tl-thru",
        stroke_width=2,
    )


def pieces(placed: Placed, scale: Scale) -> Markup:
    """The rug under the bars: one tick a delta, in one path a kind. Drawn in the layer that stretches."""
    paths: dict[str, list[str]] = {}
    if placed.bar < 20:
        return Markup()  # slim bars have no room for it
    for one, y in zip(placed.lane.bars, placed.bars, strict=True):
        if y is None:
            continue
        last = -10.0
        for value in sorted(one.ticks):
            px = scale.px(value)
            if not 0 <= px <= TRACK or px - last < _DENSEST:
                continue
            last = px
            paths.setdefault(one.kind, []).append(f"M{num(px)} {num(y + placed.bar - 4.5)}v3.5")
    return join(path("".join(d), class_=f"rug ns k-{kind}") for kind, d in paths.items())


def columns(placed: Placed, scale: Scale) -> Markup:
    """Density: columns on one base line a kind. Drawn in the layer that stretches."""
    paths: dict[str, list[str]] = {}
    for one in placed.lane.columns:
        left, right = max(scale.px(one.x0), 0), min(scale.px(one.x1), TRACK)
        base = placed.columns.get(one.kind)
        if base is None or right <= left:
            continue
        tall = max(2.0, 16 * min(1.0, one.share))
        wide = max(right - left - 0.8, 1)
        paths.setdefault(one.kind, []).append(
            f"M{num(left)} {num(base)}v{num(-tall)}h{num(wide)}v{num(tall)}z"
        )
    return join(path("".join(d), class_=f"f-k k-{kind}") for kind, d in paths.items())


# ── brackets and ticks ───────────────────────────────────────


def bracket(placed: Placed, index: int, scale: Scale) -> Markup:
    one, y = placed.lane.brackets[index], placed.brackets[index]
    if y is None:
        return Markup()
    left, right = scale.px(one.x0), max(scale.px(one.x1), scale.px(one.x0) + 4)
    top, foot = y + 15, y + 20
    dash = " dash" if one.open else ""
    across = el("line", x1=pct(left), x2=pct(right), y1=top, y2=top, class_=f"ar{dash}")
    ends = [el("line", x1=pct(left), x2=pct(left), y1=top, y2=foot, class_="ar")]
    if not one.open:
        ends.append(el("line", x1=pct(right), x2=pct(right), y1=top, y2=foot, class_="ar"))
    room = max(right - max(left, 0), 90) - 6
    words = layout.isolate(
        layout.plain(layout.clip(one.label + (", never closed" if one.open else ""), room, 11))
    )
    text = el("text", words, x=pct(max(left, 0)), y=y + 11, class_="t-s t-2", transform="translate(5 0)")
    return link(one.href, title(one.title), across, *ends, text, class_=f"k-{one.kind}", aria_label=one.title)


def states(placed: Placed, scale: Scale) -> Markup:
    """State events that are links, and the word that names their row."""
    if placed.states is None:
        return Markup()
    y = placed.states
    parts: list[Markup] = []
    for tick in placed.lane.states:
        if tick.href is not None:
            here = scale.at(tick.x)
            mark = el("line", x1=here, x2=here, y1=y, y2=y + 12, class_="s-k", stroke_width=2.5)
            parts.append(link(tick.href, title(tick.title), mark, aria_label=tick.title))
    first = scale.px(placed.lane.states[0].x)
    at, anchor = (first - 6, "end") if first > 40 else (first + 8, "start")
    words = el("text", "state", x=pct(at), y=y + 10, text_anchor=anchor, class_="t-s halo")
    return group(*parts, words, class_="k-state")


def many_states(placed: Placed, scale: Scale) -> Markup:
    """State events too many to be links. Drawn in the layer that stretches."""
    if placed.states is None:
        return Markup()
    y, last, d = placed.states, -10.0, []
    for px in sorted(scale.px(tick.x) for tick in placed.lane.states if tick.href is None):
        if 0 <= px <= TRACK and px - last >= _DENSEST:
            last = px
            d.append(f"M{num(px)} {num(y)}v12")
    return path("".join(d), class_="s-k k-state ns") if d else Markup()
