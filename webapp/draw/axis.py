"""The horizontal axis of the timeline: where a value stands, which ticks are round, how they are written.

Rules of this file: pure. A place on the track is a percentage of its width, so that the drawing fills any
screen without being laid out again; widths in px are those of the narrowest track (`TRACK`), on which labels
must fit. A time axis counts seconds since the trace's first record, a number axis counts record numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from markupsafe import Markup

from webapp.draw.layout import width
from webapp.draw.svg import el, num, path

TRACK = 736  # px, narrowest track
PAD_LEFT, PAD_RIGHT = 7, 21  # px at TRACK kept free at both ends, so that pins are not cut
HEAD = 26  # px, height of the strip of ticks
_BEYOND = 0.5  # px past the edge at which a clipped bar ends, so that its end is not drawn


@dataclass(frozen=True, slots=True)
class Scale:
    """From axis units to places. a < b: ends of the window; whole: ends of the run; time: unit is seconds."""

    a: float
    b: float
    whole: tuple[float, float]
    time: bool = False

    @property
    def span(self) -> float:
        return max(self.b - self.a, 1e-9)

    def px(self, value: float) -> float:
        """Place on the narrowest track, clipped just past its edges."""
        inner = TRACK - PAD_LEFT - PAD_RIGHT
        return max(-_BEYOND, min(TRACK + _BEYOND, PAD_LEFT + inner * (value - self.a) / self.span))

    def at(self, value: float) -> str:
        return pct(self.px(value))

    def value(self, px: float) -> float:
        """The axis value at a place; the inverse of `px` inside the window."""
        return self.a + (px - PAD_LEFT) / (TRACK - PAD_LEFT - PAD_RIGHT) * self.span

    def sees(self, first: float, last: float) -> bool:
        return first <= self.b and last >= self.a

    def words(self, value: float, fine: bool = False) -> str:
        """`31.8 s` or `#1304`; fine: as exact as the window deserves."""
        if not self.time:
            return f"#{round(value)}"
        return seconds(value, self.span / 20 if fine else self.span / 10)


def pct(px: float) -> str:
    """A length in px of the narrowest track as a percentage of any track."""
    text = f"{px / TRACK * 100:.3f}".rstrip("0").rstrip(".")
    return ("0" if text in ("", "-0") else text) + "%"


def seconds(value: float, step: float) -> str:
    """A time no more exact than `step` seconds needs: `17 s`, `16.6 s`, `4 ms`, `2 min 05 s`,
    `2 min 05.3 s`, `1:25:10`."""
    sign, size = ("−", -value) if value < 0 else ("", value)
    if step < 0.1 and size < 1:
        return f"{sign}{size * 1000:.{_digits(step * 1000)}f} ms"
    digits = _digits(step)
    size = round(size, digits) if step < 1 else size
    if size < 60:
        return f"{sign}{size:,.{digits}f} s"
    if size < 3600 and digits:
        return f"{sign}{int(size // 60)} min {size % 60:0{3 + digits}.{digits}f} s"
    if size < 3600:
        return f"{sign}{int(size // 60)} min {int(size % 60):02d} s"
    if step < 60:
        return f"{sign}{int(size // 3600):,}:{int(size % 3600 // 60):02d}:{int(size % 60):02d}"
    return f"{sign}{int(size // 3600):,} h {int(size % 3600 // 60):02d} min"


def _digits(step: float) -> int:
    return max(0, min(6, math.ceil(-math.log10(step) - 1e-9))) if step > 0 else 0


def ticks(scale: Scale, at_most: int = 9) -> tuple[list[float], float]:
    """Round values in the window and the step between them; a number axis never gets steps below one."""
    rough = scale.span / max(at_most, 1)
    power: float = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
    step = next((m * power for m in (1, 2, 5) if m * power >= rough - 1e-12), 10 * power)
    if scale.time and step > 10:
        step = next((s for s in (15, 30, 60, 120, 300, 600, 1800, 3600, 7200) if s >= rough), step)
    if not scale.time:
        step = max(1.0, step)
    first = math.ceil(scale.a / step - 1e-9)
    found: list[float] = []
    while first * step <= scale.b + 1e-9 and len(found) <= at_most + 1:
        found.append(first * step)
        first += 1
    return found, step


def grid(scale: Scale, height: float) -> Markup:
    """Hairlines under the bars, to be put into a layer that stretches (`view_box` 0 0 TRACK height)."""
    found, _step = ticks(scale)
    return (
        path("".join(f"M{num(scale.px(v))} 0V{num(height)}" for v in found), class_="ln ns")
        if found
        else Markup()
    )


@dataclass(frozen=True, slots=True)
class Cursor:
    """The selected event on the axis. words: `31.55 s`."""

    at: float
    words: str


def head(scale: Scale, cursor: Cursor | None, rejected: float | None) -> Markup:
    """The strip of ticks above the lanes: values, the line of what was delivered, the cursor's badge."""
    found, step = ticks(scale)
    taken = _badge_range(scale, cursor)
    marks = [el("line", x1=scale.at(v), x2=scale.at(v), y1=20, y2=HEAD, class_="ln2") for v in found]
    marks += [
        el("text", _tick_words(scale, v, step), x=scale.at(v), y=15, text_anchor="middle", class_="t-s")
        for v in found
        if _fits(scale.px(v), _tick_words(scale, v, step)) and not taken[0] < scale.px(v) < taken[1]
    ]
    if rejected is not None and rejected < scale.b:
        at = max(scale.px(rejected), 0)
        marks.append(el("line", x1=pct(at), x2="100%", y1=HEAD - 1, y2=HEAD - 1, class_="never"))
    if cursor is not None and scale.sees(cursor.at, cursor.at):
        marks.append(_badge(scale, cursor))
    return el("svg", *marks, class_="dia tl-t", height=HEAD, aria_hidden="true")


def _fits(px: float, words: str) -> bool:
    """Whether a tick's words, centred at its place, are whole on the track."""
    half = width(words, 11) / 2
    return half <= px <= TRACK - half


def _tick_words(scale: Scale, value: float, step: float) -> str:
    return seconds(value, step) if scale.time else f"#{round(value)}"


def _badge_width(cursor: Cursor) -> float:
    return len(cursor.words) * 7.1 + 12


def _badge_range(scale: Scale, cursor: Cursor | None) -> tuple[float, float]:
    if cursor is None or not scale.sees(cursor.at, cursor.at):
        return (-1.0, -1.0)
    half = _badge_width(cursor) / 2 + 24
    return (scale.px(cursor.at) - half, scale.px(cursor.at) + half)


def _badge(scale: Scale, cursor: Cursor) -> Markup:
    wide = _badge_width(cursor)
    px = scale.px(cursor.at)
    shift = -wide / 2 if wide / 2 < px < TRACK - wide / 2 else (0 if px < TRACK / 2 else -wide)
    here = scale.at(cursor.at)
    return el(
        "g",
        el("line", x1=here, x2=here, y1=16, y2=HEAD, class_="cursor"),
        el(
            "rect",
            x=here,
            y=1,
            width=wide,
            height=17,
            rx=3,
            class_="f-accent",
            transform=f"translate({num(shift)} 0)",
        ),
        el(
            "text",
            cursor.words,
            x=here,
            y=13.5,
            text_anchor="middle",
            class_="f-on-accent fs-11 t-m",
            transform=f"translate({num(shift + wide / 2)} 0)",
        ),
        data_here="x",
    )
