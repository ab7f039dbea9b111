"""A sequence diagram as SVG: heads, label part and track.

Rules of this file: pure; a `Diagram` in, a `Drawing` out. Heads and labels are SVGs of their own, since they
stay in view while the track scrolls. Looks are classes of `static/app.css`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from webapp.draw import layout, svg
from webapp.draw.sequence_arrows import arrow, fault, number, pill, severity_mark
from webapp.draw.sequence_model import Diagram, Lifeline, Row
from webapp.draw.sequence_place import BOX, HEAD, NUMBER_X, Places, places

Href = Callable[[Row], str]
_CUT = "xMinYMin slice"  # on a narrow screen the label part loses its times, not its scale


@dataclass(frozen=True, slots=True)
class Drawing:
    """Four SVGs, to be put beside and under each other, and where the selected row is in the track (px)."""

    head_left: Markup
    head_right: Markup
    left: Markup
    right: Markup
    focus_x: int
    focus_y: int

    @property
    def elements(self) -> int:
        return sum(count(part) for part in (self.head_left, self.head_right, self.left, self.right))


def count(markup: Markup) -> int:
    """How many elements a piece of SVG has."""
    return markup.count("<") - markup.count("</")


def draw(diagram: Diagram, href: Href, unfold: Href, label: str) -> Drawing:
    """The diagram for a page. href: of a row's event; unfold: of a burst; label: the picture in words."""
    at = places(diagram)
    track = at.width - at.left
    focus = next((n for n, row in enumerate(diagram.rows) if row.holds(diagram.selected)), None)
    x, y = (0, 0) if focus is None else (_start(diagram.rows[focus], at), at.tops[focus])
    box, height = f"{at.left} 0 {track}", at.height
    rows = (_linked(diagram, n, at, href, unfold) for n in range(len(diagram.rows)))
    return Drawing(
        svg.svg(
            head_labels(at, diagram),
            width=at.left,
            height=HEAD,
            class_="dia tl-l",
            preserveAspectRatio=_CUT,
            aria_hidden="true",
        ),
        svg.svg(
            heads(diagram, at),
            width=track,
            height=HEAD,
            view_box=f"{box} {HEAD}",
            class_="dia tl-t",
            role="img",
            aria_label="Lifelines: " + ", ".join(lifeline.name for lifeline in diagram.lifelines),
        ),
        svg.svg(
            _selected(diagram, at),
            svg.join(labels(diagram, n, at, href) for n in range(len(diagram.rows))),
            width=at.left,
            height=height,
            class_="dia tl-l",
            preserveAspectRatio=_CUT,
            role="group",
            aria_label="Rows of the diagram",
        ),
        svg.svg(
            ground(diagram, at),
            svg.join(rows),
            width=track,
            height=height,
            view_box=f"{box} {height}",
            class_="dia tl-t",
            role="img",
            aria_label=label,
        ),
        x - at.left,
        y,
    )


def cost(row: Row) -> int:
    """About how many elements a row takes in label part and track; never less than it does."""
    if row.shape == "stop":
        return 2
    arrows = sum(len(line.arrows) for line in row.lines)
    return 10 + 7 * arrows + 5 * sum(bool(line.pill) for line in row.lines) + 3 * (row.shape == "loop")


# ── heads ────────────────────────────────────────────────────


def heads(diagram: Diagram, at: Places) -> Markup:
    return svg.join(
        _head(line, x, at.box if line.role in ("lane", "more") else BOX)
        for line, x in zip(diagram.lifelines, at.xs, strict=True)
    )


def _head(lifeline: Lifeline, x: float, box: int) -> Markup:
    derived = lifeline.role in ("expansion", "more")
    left = x - box / 2
    parts = [svg.rect(left, 5, box, 36, 3, class_="act dashes" if derived else "act")]
    if lifeline.full and lifeline.full != lifeline.name:
        parts.insert(0, svg.title(lifeline.full))
    if lifeline.role == "lane":
        parts.append(svg.rect(left, 5, 3, 36, 1, class_="lanebar"))
    name = layout.isolate(layout.clip(lifeline.name, box - 14, 12.5))
    if lifeline.kind:
        parts.append(svg.text(x, 20, lifeline.kind, "middle", class_="t-s"))
    parts.append(svg.text(x, 34 if lifeline.kind else 27, name, "middle", class_="t-b"))
    return svg.group(*parts, class_=f"l{lifeline.tint}" if lifeline.role == "lane" else None)


def head_labels(at: Places, diagram: Diagram) -> Markup:
    first = svg.text(NUMBER_X, 28, "#", class_="t-s")
    if all(row.seconds is None for row in diagram.rows):
        return first
    return first + svg.text(at.left - 10, 28, "since #0", "end", class_="t-s")


# ── ground: tints, selection, lifelines ──────────────────────


def ground(diagram: Diagram, at: Places) -> Markup:
    tints, lines = [], []
    stop = _stop(diagram, at)
    for lifeline, x in zip(diagram.lifelines, at.xs, strict=True):
        if lifeline.role in ("lane", "more"):
            begin, end = _alive(lifeline, diagram, at)
            if lifeline.begins is not None and end > begin:
                tint = svg.rect(x - at.box / 2, begin, at.box, end - begin, class_="lane")
                tints.append(svg.group(tint, class_=f"l{lifeline.tint}"))
        else:
            begin, end = 0, at.height if stop is None else stop
        lines.append(_life(x, begin, end))
        lines += [_life(x, 0, begin, dotted=True)] if begin > 0 else []
        resume = end + 24 if stop == end and end > 0 else end
        lines += [_life(x, resume, at.height, dotted=True)] if resume < at.height else []
        if lifeline.role == "client" and stop:
            lines.append(svg.path(f"M{svg.num(x - 7)} {svg.num(stop)}h14", class_="s-fatal sw-2"))
    return svg.join(tints) + _selected(diagram, at) + svg.join(lines)


def _life(x: float, y1: float, y2: float, dotted: bool = False) -> Markup:
    if y2 <= y1:
        return Markup("")
    d = f"M{svg.num(x)} {svg.num(y1)}V{svg.num(y2)}"
    return svg.path(d, class_="life dots" if dotted else "life")


def _stop(diagram: Diagram, at: Places) -> int | None:
    """y where the client stops: inside the window, 0 when before it, None when it never does."""
    for n, row in enumerate(diagram.rows):
        if row.shape == "stop":
            return at.tops[n] + 4
    seqs = [row.first for row in diagram.rows]
    if diagram.rejected_at is not None and seqs and seqs[0] > diagram.rejected_at:
        return 0
    return None


def _alive(lifeline: Lifeline, diagram: Diagram, at: Places) -> tuple[int, int]:
    """From and to which y a lane is at work."""
    begin = 0 if lifeline.begins is None else _y_of(lifeline.begins, diagram, at)
    end = at.height if lifeline.ends is None else _y_of(lifeline.ends, diagram, at)
    return begin, max(begin, end)


def _y_of(event: int, diagram: Diagram, at: Places) -> int:
    """The height of a record: of its row's arrow, 0 before the window, the whole height after it."""
    if not diagram.rows or event < diagram.rows[0].first:
        return 0
    for n, row in enumerate(diagram.rows):
        if row.holds(event):
            return at.baseline(n, row)
    return at.height


def _selected(diagram: Diagram, at: Places) -> Markup:
    for n, row in enumerate(diagram.rows):
        if row.holds(diagram.selected):
            top, tall = at.tops[n], at.heights[n]
            tone = "selrow" if row.severity == "fatal" else "selrow calm"
            line = f"M0 {top}.5H{at.width}M0 {top + tall - 1}.5H{at.width}"
            edge = svg.path(f"M1.5 {top}v{tall}", class_="s-accent sw-3")
            back = svg.rect(0, top, at.width, tall, class_=tone)
            return back + svg.path(line, class_="selline") + edge
    return Markup("")


# ── rows ─────────────────────────────────────────────────────


def labels(diagram: Diagram, n: int, at: Places, href: Href | None) -> Markup:
    row = diagram.rows[n]
    if row.shape == "stop":
        return Markup("")
    y = at.middle(n, row)
    chosen = row.holds(diagram.selected)
    parts = [number(row, NUMBER_X, y, chosen)]
    if row.severity:
        parts.append(severity_mark(row.severity, 8, y))
    if diagram.times[n]:
        ink = "t-sm f-ink-2" if chosen else "t-sm"
        parts.append(svg.text(at.left - 10, y + 4, diagram.times[n], "end", class_=ink))
    if href is None:
        return svg.join(parts)
    current = "true" if chosen else None
    to = href(row)
    return svg.link(to, *parts, class_="n", hx_get=to, aria_label=row.sentence, aria_current=current)


def _linked(diagram: Diagram, n: int, at: Places, href: Href, unfold: Href) -> Markup:
    """The row in the track, wholly a link for the pointer; its label is the link for everyone else.

    `hx-get` says again where links lead, since htmx boosts only links of HTML.
    """
    row = diagram.rows[n]
    marks = track_row(diagram, n, at)
    if row.shape == "stop":
        return marks
    hit = svg.rect(at.left, at.tops[n], at.width - at.left, at.heights[n], class_="hit")
    words = "Unfold this burst" if row.shape == "loop" else row.sentence
    target = unfold(row) if row.shape == "loop" else href(row)
    tone = None if not row.holds(diagram.selected) else "sel fatal" if row.severity == "fatal" else "sel"
    return svg.link(target, svg.title(words), hit, marks, class_=tone, hx_get=target, tabindex="-1")


def track_row(diagram: Diagram, n: int, at: Places) -> Markup:
    """Arrows, pills and words of one row."""
    row, roles = diagram.rows[n], [lifeline.role for lifeline in diagram.lifelines]
    client, screen = at.xs[roles.index("client")], at.xs[roles.index("screen")]
    if row.shape == "stop":
        return svg.text(client, at.tops[n] + 21, row.text, "middle", class_="t-2 halo")
    out: list[Markup] = []
    if row.shape == "loop":
        out.append(_frame(row, n, at))
    for place, line in enumerate(row.lines):
        y = at.baseline(n, row, place)
        out += [arrow(m, at.xs[m.a], at.xs[m.b], y, row.severity, row.gone) for m in line.arrows]
        if line.pill:
            out.append(pill(line, client, screen, y))
    if row.fault:
        last = at.baseline(n, row, len(row.lines) - 1)
        out.append(fault(row, _start(row, at), client, last))
    return svg.join(out)


def _frame(row: Row, n: int, at: Places) -> Markup:
    left, top = _start(row, at) - 30, at.tops[n] + 3
    d = f"M{svg.num(left)} {top}h46v12l-6 6h-40z"
    return (
        svg.rect(left, top, at.width - 4 - left, at.heights[n] - 6, class_="frame")
        + svg.path(d, class_="frametab")
        + svg.text(left + 8, top + 13, "loop", class_="fs-11 t-b")
    )


def _start(row: Row, at: Places) -> int:
    """x where the row's first arrow begins."""
    return round(min((min(at.xs[a.a], at.xs[a.b]) for line in row.lines for a in line.arrows), default=0))
