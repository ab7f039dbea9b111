"""Marks of a sequence diagram: arrows with their labels, pills, severity signs.

Rules of this file: one mark a function, from places to SVG; texts are cut to the room they have.
"""

from __future__ import annotations

from markupsafe import Markup

from webapp.draw import layout, svg
from webapp.draw.sequence_model import Arrow, Line, Row
from webapp.draw.sequence_place import PILL

_MONO, _SANS, _SMALL = 11.5, 12, 11
_LEAST = 34  # px under which a cut text says nothing
_GOOD = 90  # px of text worth more than the family's name


def shaft(x1: float, x2: float, y: float, derived: bool = False) -> Markup:
    """A line with a filled head at x2."""
    step = 8 if x2 > x1 else -8
    d = f"M{svg.num(x1)} {svg.num(y)}H{svg.num(x2 - step * 7 / 8)}"
    head = f"M{svg.num(x2)} {svg.num(y)}l{-step} -4v8z"
    return svg.path(d, class_="ar dash" if derived else "ar") + svg.path(head, class_="ah")


def lost(x1: float, x2: float, y: float) -> Markup:
    """A message that never arrives: it ends in ✖ before x2."""
    step = 5 if x2 > x1 else -5
    cross = x2 - step * 2
    d = f"M{svg.num(cross - 5)} {svg.num(y - 5)}l10 10M{svg.num(cross + 5)} {svg.num(y - 5)}l-10 10"
    line = f"M{svg.num(x1)} {svg.num(y)}H{svg.num(cross - step)}"
    return svg.path(line, class_="lost") + svg.path(d, class_="x")


def arrow(mark: Arrow, x1: float, x2: float, y: float, severity: str | None, gone: bool) -> Markup:
    """One arrow with its label above and its consequence below."""
    room = abs(x2 - x1) - 14
    refused = mark.style == "lost"
    line = lost(x1, x2, y) if refused else shaft(x1, x2, y, mark.style == "derived")
    words = fit(mark, room)
    parts = [line]
    if words != ("", ""):
        middle = abs(x2 - x1) <= 140
        x = (x1 + x2) / 2 - (2 if x2 > x1 else -2) if middle else x1 + 10 if x2 > x1 else x1 - 10
        anchor = "middle" if middle else None if x2 > x1 else "end"
        ink = "halo t-b f-fatal" if refused and severity else "halo"
        parts.append(_label(words, x, y - 5, anchor, ink))
    if mark.note:
        ink = "halo fs-11 f-fatal" if mark.alarm else "halo t-s"
        note = layout.clip(mark.note, max(room, PILL), _SMALL)
        parts.append(svg.text(x1 + 10, y + 13, note, class_=ink))
    return svg.group(*parts, class_=f"k-{mark.kind}" + (" gone" if gone else ""))


def fit(mark: Arrow, room: float) -> tuple[str, str]:
    """The label's name and words, as much of both as the room takes; the family goes before the words do."""
    if mark.extra and _wide(mark.name, f"{mark.detail} {mark.extra}") <= room:
        return mark.name, f"{mark.detail} {mark.extra}"
    for name, least in ((mark.name, _GOOD), (mark.short, _LEAST)):
        rest = room - _wide(name, mark.detail)
        if mark.quote is None and rest >= 0:
            return name, mark.detail
        if mark.quote is not None:
            rest -= 7 if name or mark.detail else 0
            whole = layout.quote(mark.quote, float("inf"), _SANS)
            if rest >= min(least, layout.width(whole, _SANS)):
                return name, f"{mark.detail} {layout.quote(mark.quote, rest, _SANS)}".strip()
    if _wide(mark.short, mark.detail) <= room:
        return mark.short, mark.detail
    rest = room - _wide(mark.short, " ")
    if mark.detail and rest >= _LEAST:
        return mark.short, layout.clip(mark.detail, rest, _SANS)
    return layout.clip(mark.short or mark.name, room, _MONO, mono=True), ""


def _wide(name: str, detail: str) -> float:
    gap = 7 if name and detail else 0
    return layout.width(name, _MONO, mono=True) + gap + layout.width(detail, _SANS)


def _label(words: tuple[str, str], x: float, y: float, anchor: str | None, ink: str) -> Markup:
    name, detail = words
    if not detail:
        return svg.text(x, y, name, anchor, class_=f"{ink} t-m")
    if not name:
        return svg.text(x, y, detail, anchor, class_=ink)
    spans = svg.el("tspan", name, class_="t-m") + svg.el("tspan", detail, dx=6)
    return svg.text(x, y, spans, anchor, class_=ink)


def pill(line: Line, client: float, screen: float, y: float) -> Markup:
    """What the user saw, at the screen's lifeline, with the arrow that leads there."""
    edge = screen - PILL / 2
    room = PILL - 4
    words = line.pill if layout.width(line.pill, _SMALL) <= room else line.pill.removeprefix("message ")
    words = layout.clip(words, room, _SMALL)
    box, ink, around = ("scr bad", "fs-11 f-fatal", "as-fatal") if line.bad else ("scr", "fs-11", "as-ink-3")
    return svg.group(
        shaft(client, edge, y),
        svg.rect(edge, y - 10, PILL, 20, 3, class_=box),
        svg.text(screen, y + 4, words, "middle", class_=ink),
        class_=around,
    )


def fault(row: Row, x1: float, x2: float, y: float) -> Markup:
    """What is wrong with the row's event, under its arrow."""
    words = layout.clip(row.fault, x2 - x1 - 20, _SMALL)
    return svg.text(x1 + 10, y + 14, words, class_=f"halo fs-11 f-{row.severity or 'ink-2'}")


def severity_mark(severity: str, x: float, y: float) -> Markup:
    """The sign of a severity around x, y: ✖, ▲, ● or ○; 9 px."""
    at = f"{svg.num(x)} {svg.num(y)}"
    if severity == "fatal":
        return svg.path(f"M{at}m-3.5 -3.5l7 7m0 -7l-7 7", class_="x slim")
    if severity == "error":
        return svg.path(f"M{at}m0 -4.5l4.8 8.6h-9.6z", class_="f-error")
    if severity == "warning":
        return svg.circle(x, y, 4, class_="f-warning")
    return svg.circle(x, y, 3.4, class_="ring-info")


def number(row: Row, x: float, y: float, selected: bool) -> Markup:
    """The row's records as a name; long ranges stand on two lines so that the column keeps its width."""
    ink = "t-a" if selected else "t-sm" if row.gone else "t-sm f-ink-2"
    if row.severity == "fatal" and not row.gone:
        ink += " f-fatal"
    words = layout.numbers(row.first, row.last)
    if len(words) <= 8 or row.last <= row.first:
        return svg.text(x, y + 4, words, class_=ink)
    spans = svg.el("tspan", f"#{row.first}", x=x) + svg.el("tspan", f"–{row.last}", x=x, dy=12)
    up = 2 if row.shape == "loop" else 5  # beside an arrow, which stands low in its row
    return svg.text(x, y - up, spans, class_=ink)
