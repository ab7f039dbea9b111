"""The whole run in a strip: what the timeline's window is a part of.

Rules of this file: pure. Across, everything is a percentage of the strip, which is never scrolled; it has no
text below its ends, so it may be narrow. Density and bars look alike here: a run of items of one kind.
"""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from webapp.draw.axis import TRACK, Scale, pct
from webapp.draw.svg import el, group, join, link, num, path, title
from webapp.draw.timeline_model import Slice

HEIGHT = 58
_TOP, _FOOT = 6, 52


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one kind; open: never closed, outlined; share: of the strip's height."""

    kind: str
    x0: float
    x1: float
    open: bool = False
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Strip:
    """One lane, or one kind in all of them. tint: class `l0` …; x0, x1: its life; tall: px at most."""

    tint: str
    x0: float
    x1: float
    pieces: tuple[Piece, ...] = ()
    tall: float = 4.0


@dataclass(frozen=True, slots=True)
class Gap:
    """The longest silence. words: `nothing for 14.3 s`."""

    x0: float
    x1: float
    words: str


@dataclass(frozen=True, slots=True)
class Minimap:
    """scale: over the whole run; a, b: the window; hits: (place, severity), worst last; slices: links."""

    scale: Scale
    a: float
    b: float
    strips: tuple[Strip, ...]
    summary: str
    hits: tuple[tuple[float, str], ...] = ()
    cursor: float | None = None
    rejected: float | None = None
    gap: Gap | None = None
    slices: tuple[Slice, ...] = ()


def draw(mini: Minimap) -> Markup:
    """One SVG element, HEIGHT px tall and as wide as it is given room."""
    scale = mini.scale
    parts = [
        _layer(*(_strip(mini, row) for row in range(len(mini.strips)))),
        _after(mini),
        _window(mini),
        _gap(mini),
        join(_hit(scale, at, severity) for at, severity in mini.hits),
        _cursor(mini),
        join(_slice(scale, part) for part in mini.slices),
    ]
    return el("svg", *parts, class_="dia tl-mini", height=HEIGHT, role="group", aria_label=mini.summary)


def _layer(*parts: Markup) -> Markup:
    return el(
        "svg",
        *parts,
        viewBox=f"0 0 {TRACK} {HEIGHT}",
        preserveAspectRatio="none",
        width="100%",
        height=HEIGHT,
        class_="tl-flat",
        aria_hidden="true",
    )


def _strip(mini: Minimap, row: int) -> Markup:
    one, scale = mini.strips[row], mini.scale
    step = min(one.tall + 4, (_FOOT - _TOP - 4) / max(len(mini.strips), 1))
    y = _TOP + one.tall + row * step
    tall = max(1.5, min(one.tall, step - 2))
    life = path(f"M{num(scale.px(one.x0))} {num(y)}H{num(scale.px(one.x1))}", class_="s-l45 ns")
    boxes: dict[str, list[str]] = {}
    for piece in one.pieces:
        left = scale.px(piece.x0)
        wide = max(scale.px(piece.x1) - left, 1.5)
        look = f"tl-open k-{piece.kind}" if piece.open else f"f-k k-{piece.kind}"
        high = max(1.5, tall * piece.share)
        boxes.setdefault(look, []).append(_box(left, y + tall / 2 - high, wide, high))
    return group(life, *(path("".join(d), class_=look) for look, d in boxes.items()), class_=one.tint)


def _box(x: float, y: float, wide: float, tall: float) -> str:
    return f"M{num(x)} {num(y)}h{num(wide)}v{num(tall)}h{num(-wide)}z"


def _gap(mini: Minimap) -> Markup:
    if mini.gap is None:
        return Markup()
    left, right = mini.scale.px(mini.gap.x0), mini.scale.px(mini.gap.x1)
    middle = pct((left + right) / 2)
    dots = el(
        "line", x1=pct(left + 3), x2=pct(right - 3), y1=_FOOT - 8, y2=_FOOT - 8, class_="wait as-line-2"
    )
    words = el(
        "text", mini.gap.words, x=middle, y=_FOOT - 12, text_anchor="middle", class_="t-s t-2 tl-wide halo"
    )
    return dots + words


def _after(mini: Minimap) -> Markup:
    if mini.rejected is None:
        return Markup()
    left = mini.scale.px(mini.rejected)
    return el("rect", x=pct(left), y=0, width=pct(TRACK - left), height=HEIGHT, class_="outwin")


def _window(mini: Minimap) -> Markup:
    left, right = mini.scale.px(mini.a), mini.scale.px(mini.b)
    parts = []
    if left > 8:
        parts.append(el("rect", x=0, y=1, width=pct(left), height=HEIGHT - 2, class_="outwin"))
    if right < TRACK - 22:
        parts.append(
            el("rect", x=pct(right), y=1, width=pct(TRACK - right), height=HEIGHT - 2, class_="outwin")
        )
    wide = max(right - left, 4)
    parts.append(el("rect", x=pct(left), y=3, width=pct(wide), height=HEIGHT - 7, rx=2, class_="window"))
    parts += [_handle(at) for at in (left, left + wide)]
    return join(parts)


def _handle(px: float) -> Markup:
    shift = "translate(-3 0)"
    return el("rect", x=pct(px), y=20, width=6, height=18, rx=2, class_="f-accent", transform=shift)


def _hit(scale: Scale, at: float, severity: str) -> Markup:
    tall = {"fatal": (5, _FOOT), "error": (5, 30)}.get(severity, (5, 14))
    here = scale.at(at)
    width = 2 if severity == "fatal" else 2.5
    stroke = el("line", x1=here, x2=here, y1=tall[0], y2=tall[1], class_="s-c", stroke_width=width)
    return group(stroke, class_=severity)


def _cursor(mini: Minimap) -> Markup:
    if mini.cursor is None:
        return Markup()
    here = mini.scale.at(mini.cursor)
    return el("line", x1=here, x2=here, y1=_FOOT - 6, y2=HEIGHT, class_="cursor", stroke_width=4)


def _slice(scale: Scale, part: Slice) -> Markup:
    left, right = scale.px(part.x0), scale.px(part.x1)
    box = el("rect", x=pct(left), y=0, width=pct(right - left), height=HEIGHT, class_="tl-hit")
    return link(part.href, title(part.title), box, aria_label=part.title, tabindex=-1)
