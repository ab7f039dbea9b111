"""The life of an item as a strip: opened, grew, closed, and what came when it should not.

Rules of this file: geometry and marks only; pure. Not to scale: the few moments that matter stand at even
distances, in order. A pale bar is the time it was open, a dotted line the time after, a cross the fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from webapp.draw import svg

WIDTH, HEIGHT, AXIS = 362, 76, 38
MOMENTS = 6  # more do not fit their labels


@dataclass(frozen=True, slots=True)
class Moment:
    """One record in the item's life. what: opened | grew | closed | wrong | result | again | other."""

    seq: int
    what: str
    label: str
    href: str
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Life:
    """name: what it is called (`call_p0`); kind: colour class; moments in order of `seq`."""

    name: str
    kind: str
    moments: Sequence[Moment]

    @property
    def sentence(self) -> str:
        told = ", ".join(m.label if m.what == "grew" else f"{m.label} at {m.seq}" for m in self.moments)
        return f"Life of {self.name}: {told}"


def draw(life: Life) -> Markup:
    """The strip, with a sentence for those who do not see it; nothing to draw gives nothing."""
    moments = list(life.moments)[:MOMENTS]
    if not moments:
        return Markup("")
    xs = _places(moments)
    parts: list[Markup] = [
        svg.text(0, 11, Markup("Life of ") + svg.el("tspan", life.name, class_="t-m"), class_="t-2"),
        *_line(life, moments, xs),
    ]
    for moment, x in zip(moments, xs, strict=True):
        parts.extend(_mark(moment, x, life.kind))
    for index, (moment, x) in enumerate(zip(moments, xs, strict=True)):
        if moment.what != "grew":
            parts.extend(_label(moment, x, index == 0, index == len(moments) - 1))
    return svg.svg(
        *parts, width=WIDTH, height=HEIGHT, class_="dia life", role="img", aria_label=life.sentence
    )


def _places(moments: Sequence[Moment]) -> list[float]:
    """Even distances; a growth dot takes half a place, since it bears no label."""
    steps = [0.0]
    for before, after in pairwise(moments):
        steps.append(steps[-1] + (0.5 if "grew" in (before.what, after.what) else 1.0))
    if steps[-1] == 0:
        return [WIDTH / 2]
    left, right = (8, WIDTH - 8)
    return [left + (right - left) * step / steps[-1] for step in steps]


def _line(life: Life, moments: Sequence[Moment], xs: Sequence[float]) -> list[Markup]:
    """The bar while it was open and the dots between what came outside."""
    out: list[Markup] = []
    opened: float | None = None
    for index, (moment, x) in enumerate(zip(moments, xs, strict=True)):
        if moment.what == "opened" and opened is None:
            opened = x
        following = xs[index + 1] if index + 1 < len(xs) else None
        if moment.what == "closed" and opened is not None:
            out.extend(_bar(life.kind, opened, x))
            opened = None
        if following is None:
            if opened is not None:
                out.extend(_bar(life.kind, opened, WIDTH))
        elif opened is None:
            fade = "as-line-2 " if moments[index + 1].gone else ""
            out.append(svg.line(x + 5, AXIS, following - 7, AXIS, class_=f"{fade}{life.kind} wait"))
            if moment.what == "closed" and following - x > 60:
                out.append(svg.text((x + following) / 2, AXIS - 7, "closed", anchor="middle", class_="t-s"))
    return out


def _bar(kind: str, left: float, right: float) -> list[Markup]:
    start = left - 4
    return [
        svg.rect(start, AXIS - 9, right - start, 18, rx=2, class_=f"{kind} bar"),
        svg.rect(start, AXIS - 9, 3, 18, class_=f"{kind} edge"),
    ]


def _mark(moment: Moment, x: float, kind: str) -> list[Markup]:
    at = svg.num
    if moment.what == "grew":
        return [svg.circle(x, AXIS, 3.2, class_=f"{kind} ah")]
    if moment.what == "closed":
        return [svg.path(f"M{at(x)} {AXIS - 11}v22", class_=f"s-k {kind}", stroke_width=3)]
    if moment.what in ("wrong", "again"):
        d = f"M{at(x - 5)} {AXIS - 5}l10 10M{at(x + 5)} {AXIS - 5}l-10 10"
        ground = svg.circle(x, AXIS, 7, class_="f-bg")
        return [ground, svg.path(d, class_="x" if moment.what == "wrong" else "s-ink-3 x")]
    if moment.what == "result":
        edge = "s-ink-3" if moment.gone else f"{kind} s-k"
        d = f"M{at(x)} {AXIS - 6}l6 6-6 6-6-6z"
        return [svg.path(d, class_=f"f-bg {edge}", stroke_width=1.5)]
    if moment.what == "other":
        return [svg.circle(x, AXIS, 3.5, class_="f-bg s-ink-2", stroke_width=1.5)]
    return []


def _label(moment: Moment, x: float, first: bool, last: bool) -> list[Markup]:
    anchor, place = ("start", 0.0) if first else ("end", float(WIDTH)) if last else ("middle", x)
    if first and last:
        anchor, place = "middle", x
    look = "f-fatal t-a" if moment.what == "wrong" else "t-sm" if moment.gone else "t-a"
    number = svg.text(place, 61, f"#{moment.seq}", anchor=anchor, class_=look)
    return [svg.link(moment.href, number), svg.text(place, 74, moment.label, anchor=anchor, class_="t-s")]
