"""Marks of a ladder: arrows, discs, bubbles, breaks.

Rules of this file: one mark a function, from places to SVG; texts are cut to the room they have.
"""

from __future__ import annotations

from markupsafe import Markup

from webapp.core.records import DROPPED, LOST, REFUSED, SENT
from webapp.draw import layout, svg
from webapp.draw.ladder_axis import Break
from webapp.draw.ladder_model import End, Head, Rung
from webapp.draw.ladder_place import BUBBLE, FONT, PAD, TEXT_LINE, WORDS, Places, Spot, bubble_height
from webapp.draw.ladder_place import bubble_lines as lines_of
from webapp.draw.ladder_text import fitting, head, tail
from webapp.draw.sequence_arrows import severity_mark

_MONO, _SMALL = 11.5, 11
_SLOPE = 4  # px that a request's arrow falls


def rung(one: Rung, spot: Spot, at: Places) -> Markup:
    """Everything of one exchange but its links."""
    if one.inbound:
        return _inbound(one, spot, at)
    parts = [_frame(one, spot, at)] if one.folded else []
    parts.append(_request(one, spot, at))
    parts.append(_answer(one, spot, at))
    if one.reason:
        parts.append(_reason(one, spot, at))
    elif one.note:
        parts.append(_note(one, spot, at))
    if one.shown is not None:
        parts.append(_appears(one, spot, at))
    parts.append(_disc(one, spot, at))
    return svg.join(parts)


def tone(one: Rung) -> str:
    """The colour's name of a call's arrows: of its kind, or of what became of it."""
    if one.reached == REFUSED:
        return "as-ink-3" if one.calm else "as-fatal"
    if one.reached == DROPPED:
        return "as-warning"
    if one.reached == LOST:
        return "as-ink-3"
    return {"informative": "k-step", "typing": "k-step", "delete": "k-step", "other": "k-step"}.get(
        one.kind, "k-text"
    )


def _ink(one: Rung) -> str:
    if one.reached == REFUSED:
        return "f-ink-2" if one.calm else "f-fatal"
    return {DROPPED: "f-warning", LOST: "f-ink-3"}.get(one.reached, "f-ink-2")


# ── arrows ───────────────────────────────────────────────────


def _request(one: Rung, spot: Spot, at: Places) -> Markup:
    _, agent, service, _, _ = at.xs
    x1, x2, y = agent + _radius(one), service, spot.y
    slope = 0 if one.folded else _SLOPE
    if one.reached in (REFUSED, LOST):
        end = x2 - (5 if one.reached == REFUSED else 46)
        line = svg.path(f"M{svg.num(x1)} {svg.num(y)}L{svg.num(end - 5)} {svg.num(y + slope)}", class_="ar")
        cross = f"M{svg.num(end)} {svg.num(y + slope - 5)}l10 10M{svg.num(end + 10)} {svg.num(y + slope - 5)}l-10 10"
        shaft = line + svg.path(cross, class_="x")
    else:
        shaft = svg.path(f"M{svg.num(x1)} {svg.num(y)}L{svg.num(x2 - 7)} {svg.num(y + slope)}", class_="ar")
        shaft += svg.path(f"M{svg.num(x2)} {svg.num(y + slope + 0.2)}l-8 -4.2 0 8z", class_="ah")
    strong = " t-b f-fatal" if one.reached == REFUSED and not one.calm else ""
    room = x2 - x1 - 18
    words = layout.clip(one.label, room, _MONO, mono=True)
    middle = (agent + service) / 2
    label = svg.text(middle, y - 5, words, "middle", class_=f"halo t-m{strong}")
    return svg.group(shaft, label, class_=tone(one))


def _answer(one: Rung, spot: Spot, at: Places) -> Markup:
    _, agent, service, _, _ = at.xs
    middle, room = (agent + service) / 2, service - agent - 14
    if one.missing and not one.answers:
        return svg.text(middle, spot.y + 17, one.missing, "middle", class_="halo t-s")
    if not one.answers:
        return Markup("")
    y = spot.answer
    x2 = agent + (_radius(one) if abs(y - spot.y) < _radius(one) - 1 else 0)
    d = f"M{svg.num(service)} {svg.num(y)}H{svg.num(x2 + 7)}"
    arrow = svg.path(d, class_="ar dash") + svg.path(f"M{svg.num(x2)} {svg.num(y)}l8 -4v8z", class_="ah")
    told = [f"#{one.first}: {words}" for words in one.answers] if spot.late else one.answers
    words = fitting(told, room, _MONO, mono=True)
    label = svg.text(middle, y + 15, words, "middle", class_=f"halo t-m {_ink(one)}")
    around = tone(one) if one.reached in (REFUSED, DROPPED) else "k-run"
    return svg.group(arrow, label, class_=around)


def _radius(one: Rung) -> float:
    """Half the width of the disc on the agent's line."""
    if one.number:
        return max(10.0, 4 + layout.width(one.number, FONT) / 2)
    return 10.0 if one.kind == "final" else 6.0


def _disc(one: Rung, spot: Spot, at: Places) -> Markup:
    x, y, r = at.xs[1], spot.y, _radius(one)
    parts = [svg.rect(x - r, y - min(r, 10), 2 * r, 2 * min(r, 10), min(r, 10), class_="f-bg ring")]
    if one.number:
        ink = " f-fatal" if one.reached == REFUSED and not one.calm else ""
        parts.append(svg.text(x, y + 4, one.number, "middle", class_=f"t-b{ink}"))
    elif one.kind == "final":
        parts.append(svg.circle(x, y, 5, class_="ah"))
    return svg.group(*parts, class_=tone(one))


def _frame(one: Rung, spot: Spot, at: Places) -> Markup:
    left, right = at.xs[1] - 26, at.xs[2] + 12
    top, bottom = spot.y - 26, spot.answer + 22
    return svg.rect(left, top, right - left, bottom - top, 3, class_="frame")


# ── words beside ─────────────────────────────────────────────


def _reason(one: Rung, spot: Spot, at: Places) -> Markup:
    x = at.xs[2] + 16
    rows = head(one.reason, WORDS, 2, FONT)
    y = spot.y + _SLOPE + (4 if len(rows) == 1 else -3)
    out = [svg.text(x, y + TEXT_LINE * n, row, class_=f"halo t-b {_ink(one)}") for n, row in enumerate(rows)]
    return svg.join(out)


def _note(one: Rung, spot: Spot, at: Places) -> Markup:
    """A finding of a call that was taken, under its answer."""
    x = at.xs[1] + 14
    y = spot.answer + (32 if one.folded else 29) if one.answers else spot.y + (31 if one.missing else 19)
    words = layout.clip(one.note, at.xs[3] - BUBBLE / 2 - x - 28, _SMALL)
    mark = severity_mark(one.severity or "info", x + 5, y - 4)
    return mark + svg.text(x + 15, y, words, class_=f"halo fs-11 f-{one.severity or 'info'}")


# ── the user's chat ──────────────────────────────────────────


def _appears(one: Rung, spot: Spot, at: Places) -> Markup:
    shown = one.shown
    assert shown is not None
    y = (spot.answer if one.answers else spot.y + _SLOPE) - (4 if one.answers else 0)
    left = at.xs[3] - BUBBLE / 2
    dashed = " dash" if one.reached == SENT else ""
    d = f"M{svg.num(at.xs[2])} {svg.num(y)}H{svg.num(left - 7)}"
    arrow = svg.path(d, class_=f"ar{dashed}") + svg.path(
        f"M{svg.num(left)} {svg.num(y)}l-8 -4.2v8z", class_="ah"
    )
    box = bubble(lines_of(one), shown.caption, shown.style, shown.alarm, at.xs[3], y - 18)
    return svg.group(arrow, class_="as-ink-3") + box


def bubble(lines: list[str], caption: str, style: str, alarm: bool, middle: float, top: float) -> Markup:
    """What the chat holds, as a box of short lines."""
    left, height = middle - BUBBLE / 2, bubble_height(len(lines), bool(caption))
    look = "bub alarm" if alarm else f"bub {style}"
    parts = [svg.rect(left, top, BUBBLE, height, 8, class_=look)]
    y = top + 16
    for line in lines:
        ink = "f-ink-2 ital" if style in ("status", "typing") else ""
        parts.append(svg.text(left + PAD, y, line, class_=ink or None))
        y += TEXT_LINE
    if caption:
        ink = {"final": "f-ok t-b", "edit": "f-ok t-b"}.get(style, "f-fatal" if alarm else "t-s")
        parts.append(
            svg.text(left + PAD, y, layout.clip(caption, BUBBLE - 2 * PAD, _SMALL), class_=f"fs-11 {ink}")
        )
    return svg.group(*parts)


def _inbound(one: Rung, spot: Spot, at: Places) -> Markup:
    """The user's own message, from the chat to the agent."""
    _, agent, _, chat, _ = at.xs
    left, y = chat - BUBBLE / 2, spot.y
    arrow = svg.path(f"M{svg.num(left)} {svg.num(y)}H{svg.num(agent + 7)}", class_="ar")
    arrow += svg.path(f"M{svg.num(agent)} {svg.num(y)}l8 -4v8z", class_="ah")
    label = svg.text((agent + at.xs[2]) / 2, y - 5, one.label, "middle", class_="halo t-m")
    shown = one.shown
    box = Markup("") if shown is None else bubble(lines_of(one), shown.caption, "user", False, chat, y - 18)
    return svg.group(arrow, label, class_="k-run") + box


# ── between rungs ────────────────────────────────────────────


def heading(one: Head, spot: Spot, at: Places) -> Markup:
    """A line across, where another stream begins."""
    y = spot.y + 8
    left, right = at.edges
    line = svg.path(f"M{svg.num(left)} {svg.num(spot.y)}H{svg.num(right)}", class_="ln2")
    words = layout.clip(one.words, right - left - 12, FONT)
    mark = svg.rect(left, y - 2, 3, 14, 1, class_="lanebar")
    return svg.group(line, mark, svg.text(left + 9, y + 9, words, class_="t-b halo"), class_=f"l{one.tint}")


def ending(one: End, spot: Spot, at: Places) -> Markup:
    """What is to be said after a stream's last call, and what its bubble holds then."""
    y, left = spot.y, at.edges[0]
    line = svg.path(
        f"M{svg.num(left)} {svg.num(y)}H{svg.num(at.xs[2] + 60)}", class_="ln2", stroke_dasharray="3 3"
    )
    words = head(one.words, at.xs[2] + 70 - left, 2, FONT)
    parts = [line]
    parts += [svg.text(left, y + 17 + TEXT_LINE * n, row, class_="t-2 halo") for n, row in enumerate(words)]
    if one.bubble is not None:
        shown = one.bubble
        lines = tail(shown.text, BUBBLE - 2 * PAD, 2, FONT) if shown.text else []
        parts.append(bubble(lines, shown.caption, shown.style, shown.alarm, at.xs[3], y - 6))
        if one.then:
            under = y + 8 + bubble_height(len(lines), bool(shown.caption))
            parts.append(svg.text(at.xs[3], under, one.then, "middle", class_="t-s halo"))
    return svg.join(parts)


def gap(one: Break, at: Places) -> Markup:
    """A cut in time, across the lifelines and the ruler."""
    y, left, right = one.y, at.xs[1] - 24, at.xs[3] + 24
    ruler = at.xs[0]
    zig = "".join(f"M{svg.num(ruler - 10)} {svg.num(y + d)}l5 -4 5 4 5 -4 5 4" for d in (-1, 4))
    marks = svg.path(zig, class_="s-bg f-none sw-5") + svg.path(zig, class_="ln2 s-ink-3")
    if not one.words:
        return marks
    band = svg.rect(left, y - 10, right - left, 20, class_="f-bg")
    edge = f"M{svg.num(left)} {svg.num(y - 10)}H{svg.num(right)}M{svg.num(left)} {svg.num(y + 10)}H{svg.num(right)}"
    lines = svg.path(edge, class_="ln2", stroke_dasharray="2 4")
    return band + lines + svg.text(at.xs[2], y + 4, one.words, "middle", class_="t-s f-ink-2") + marks
