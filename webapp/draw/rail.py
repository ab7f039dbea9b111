"""The rail: which items are open beside each row of the event list.

Rules of this file: geometry and marks only; pure. One column an item; a square opens it, dots grow it, a bar
closes it, a diamond is its result; the line is solid while it is open and dotted afterwards, as long as
something still speaks of it. A cross on a dotted line explains most faults: something came for a closed item.

Positions are floats in record numbers. A derived row stands between two records, so it has a fraction.
Equal marks of one row are merged into one path: the list stays under its node limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from webapp.draw import svg

WIDTH, HEIGHT, MIDDLE = 58, 24, 12
COLUMNS = 6  # more would be a barcode; the rest is counted


@dataclass(frozen=True, slots=True)
class Span:
    """An item's life on the rail. kind: its colour class (`k-tool`); start, shut, end: positions.

    shut: where the solid line ends (None: never opened, dotted throughout); end: last thing said about it.
    """

    item: int
    kind: str
    start: float
    shut: float | None
    end: float


@dataclass(frozen=True, slots=True)
class Beat:
    """One row. mark: opened | grew | closed | result | wrong | point | None; to: where a folded row ends."""

    pos: float
    item: int | None = None
    mark: str | None = None
    gone: bool = False
    to: float | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """Where an item's line stands: index 0 … COLUMNS-1, or COLUMNS and more when it is only counted."""

    span: Span
    index: int


def columns(spans: Sequence[Span]) -> list[Column]:
    """Each span in the leftmost column that is free when it starts; its end frees the column again."""
    placed: list[Column] = []
    free_from: list[float] = []
    for span in sorted(spans, key=lambda s: (s.start, s.item)):
        index = next((i for i, end in enumerate(free_from) if end < span.start), len(free_from))
        if index == len(free_from):
            free_from.append(span.end)
        else:
            free_from[index] = span.end
        placed.append(Column(span, index))
    return placed


def _x(index: int, used: int) -> float:
    """Centre of a column: wide steps while there is room, narrow ones for up to six."""
    if used <= 3:
        return 10 + 15 * index
    return 7 + 8.8 * index if used <= COLUMNS else 5 + 6.6 * index


def draw(spans: Sequence[Span], beats: Sequence[Beat]) -> list[Markup]:
    """One SVG a row, in the order of the rows."""
    placed = columns(spans)
    used = max((c.index for c in placed), default=0) + 1
    return [_row(beat, placed, used) for beat in beats]


def _row(beat: Beat, placed: Sequence[Column], used: int) -> Markup:
    last = beat.pos if beat.to is None else beat.to
    lines: dict[str, list[str]] = {}
    hidden = 0
    own: Column | None = None
    shown: list[Column] = []
    for column in placed:
        span = column.span
        if span.start > last or span.end < beat.pos:
            continue
        if column.index >= COLUMNS:
            hidden += 1
            continue
        shown.append(column)
        if span.item == beat.item:
            own = column
        x = svg.num(_x(column.index, used))
        fade = "as-line-2 " if beat.gone else ""
        for upper, there in ((True, span.start < beat.pos), (False, span.end > last)):
            if not there:
                continue
            before = span.shut is not None and (beat.pos <= span.shut if upper else last < span.shut)
            style = f"{fade}{span.kind} {'ar' if before else 'wait'}"
            lines.setdefault(style, []).append(f"M{x} {'0V12' if upper else '12V24'}")
    marks = [svg.path("".join(d), class_=style) for style, d in lines.items()]
    if own is not None:
        marks.extend(_mark(beat, _x(own.index, used), own.span.kind, small=used > 3))
    elif beat.mark and beat.item is None and not any(c.index == 0 for c in shown):
        marks.append(
            svg.circle(10, MIDDLE, 3.2, class_="f-none s-ink-2" if not beat.gone else "f-none s-ink-3")
        )
    if hidden:
        marks.append(svg.text(WIDTH, 16, f"+{hidden}", anchor="end", class_="t-s"))
    return svg.svg(*marks, width=WIDTH, height=HEIGHT, class_="dia", aria_hidden="true")


def _mark(beat: Beat, x: float, kind: str, small: bool) -> list[Markup]:
    """The row's own mark on its item's line."""
    r = 3 if small else 4
    at = svg.num
    solid = f"{'as-ink-3 ' if beat.gone else ''}{kind} ah"
    if beat.mark == "opened":
        return [svg.path(f"M{at(x - r)} 9h{2 * r}v6h-{2 * r}z", class_=solid)]
    if beat.mark == "closed":
        bar = "s-ink-3" if beat.gone else f"s-k {kind}"
        return [svg.path(f"M{at(x - r - 1)} 12h{2 * r + 2}", class_=bar, stroke_width=3)]
    if beat.mark == "result":
        d = f"M{at(x)} {MIDDLE - r - 1}l{r + 1} {r + 1}-{r + 1} {r + 1}-{r + 1}-{r + 1}z"
        edge = "s-ink-3" if beat.gone else "s-k"
        return [svg.path(d, class_=f"{solid} f-bg {edge}", stroke_width=1.5)]
    if beat.mark == "wrong":
        d = f"M{at(x - 3.5)} 8.5l7 7M{at(x + 3.5)} 8.5l-7 7"
        ground = svg.circle(x, MIDDLE, 6.5, class_="f-bg" if beat.gone else "f-fatal-wash")
        return [ground, svg.path(d, class_="s-ink-3 x" if beat.gone else "x")]
    if beat.mark == "grew":
        return [svg.circle(x, MIDDLE, r - 1 if small else 3, class_=solid)]
    return [
        svg.circle(
            x, MIDDLE, 2.4, class_=f"f-bg {'s-ink-3' if beat.gone else 's-k'} {kind}", stroke_width=1.5
        )
    ]
