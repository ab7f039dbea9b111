"""A ladder as SVG: heads, numbers and track.

Rules of this file: pure; a `Ladder` in, a `Drawing` out. Heads and numbers are SVGs of their own, since they stay in
view while the track scrolls. Looks are classes of `static/app.css`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from markupsafe import Markup

from webapp.core.records import REFUSED
from webapp.core.teams.limits import STREAMED, too_soon
from webapp.draw import layout, svg
from webapp.draw.ladder_marks import ending, gap, heading, rung
from webapp.draw.ladder_model import End, Head, Ladder, Rung
from webapp.draw.ladder_place import HEAD, Places, Spot, places
from webapp.draw.ladder_time import clock, pattern, ruler
from webapp.draw.sequence import Drawing
from webapp.draw.sequence_arrows import severity_mark

Href = Callable[[Rung], str]
_CUT = "xMinYMin slice"
_FREE = 44  # px between two calls in which there is room to say how far they are apart


def draw(ladder: Ladder, href: Href, unfold: Href, label: str) -> Drawing:
    """The ladder for a page. href: of a rung's record; unfold: of a folded one; label: the picture in words."""
    at = places(ladder)
    focus = next((spot for entry, spot in _both(ladder, at) if _chosen(entry, ladder)), None)
    box = f"{at.left} 0 {at.width - at.left}"
    shared = {"class_": "dia tl-t"}
    return Drawing(
        svg.svg(
            svg.text(12, 28, "#", class_="t-s"),
            width=at.left,
            height=HEAD,
            class_="dia tl-l",
            preserveAspectRatio=_CUT,
            aria_hidden="true",
        ),
        svg.svg(
            heads(ladder, at),
            width=at.width - at.left,
            height=HEAD,
            view_box=f"{box} {HEAD}",
            role="img",
            aria_label="Lifelines: the agent, the Teams service, the user’s chat",
            **shared,
        ),
        svg.svg(
            _selected(ladder, at),
            svg.join(labels(entry, spot, ladder, at, href) for entry, spot in _rungs(ladder, at)),
            width=at.left,
            height=at.height,
            class_="dia tl-l",
            preserveAspectRatio=_CUT,
            role="group",
            aria_label="Exchanges of the ladder",
        ),
        svg.svg(
            pattern(),
            ground(ladder, at),
            svg.join(_linked(entry, spot, ladder, at, href, unfold) for entry, spot in _both(ladder, at)),
            svg.join(clock(one, ladder, at) for one in ladder.clocks),
            width=at.width - at.left,
            height=at.height,
            view_box=f"{box} {at.height}",
            role="img",
            aria_label=label,
            **shared,
        ),
        round(at.xs[1] - at.left - 18),
        0 if focus is None else round(focus.top),
    )


def _both(ladder: Ladder, at: Places) -> Iterator[tuple[Rung | Head | End, Spot]]:
    return zip(ladder.entries, at.spots, strict=True)


def _rungs(ladder: Ladder, at: Places) -> Iterator[tuple[Rung, Spot]]:
    return ((entry, spot) for entry, spot in _both(ladder, at) if isinstance(entry, Rung))


def _chosen(entry: Rung | Head | End, ladder: Ladder) -> bool:
    return isinstance(entry, Rung) and entry.holds(ladder.selected)


# ── heads ────────────────────────────────────────────────────


def heads(ladder: Ladder, at: Places) -> Markup:
    rule, agent, service, chat, time = at.xs
    parts = [
        _head(agent, 118, "Agent", ladder.agent),
        _head(service, 130, "Teams service", "connector"),
        _head(chat, 172, "User’s chat", ladder.chat),
    ]
    if not ladder.untimed:
        parts += [_measure(rule - 4, "Ruler", "1 per second"), _measure(time + 4, "Clock", "2 minutes")]
    return svg.join(parts)


def _head(x: float, box: int, kind: str, name: str) -> Markup:
    parts = [svg.rect(x - box / 2, 5, box, 36, 3, class_="act")]
    if not name:
        return svg.group(*parts, svg.text(x, 27, kind, "middle", class_="t-b"))
    shown = layout.isolate(layout.clip(layout.plain(name), box - 12, 12))
    if shown != name:
        parts.insert(0, svg.title(name))
    return svg.group(
        *parts, svg.text(x, 20, kind, "middle", class_="t-s"), svg.text(x, 34, shown, "middle", class_="t-b")
    )


def _measure(x: float, kind: str, name: str) -> Markup:
    return svg.text(x, 20, kind, "middle", class_="t-s") + svg.text(x, 34, name, "middle", class_="t-b")


# ── ground: selection, lifelines, measures, breaks ───────────


def ground(ladder: Ladder, at: Places) -> Markup:
    lines = []
    for x in at.xs[1:4]:
        end = at.stop if ladder.ends and x < at.xs[3] else at.height
        lines.append(svg.path(f"M{svg.num(x)} 0V{svg.num(end)}", class_="life"))
        if end < at.height - 8:
            d = f"M{svg.num(x)} {svg.num(end + 2)}V{svg.num(at.height - 8)}"
            lines.append(svg.path(d, class_="life dots"))
    drawn = [_selected(ladder, at), *lines, svg.join(gap(one, at) for one in at.axis.breaks)]
    if not ladder.untimed:
        drawn.append(ruler(ladder, at))
    return svg.join([*drawn, *_apart(ladder, at)])


def _selected(ladder: Ladder, at: Places) -> Markup:
    for entry, spot in _rungs(ladder, at):
        if entry.holds(ladder.selected):
            bad = entry.reached == REFUSED and not entry.calm
            left, right = at.edges
            look = "selrow" if bad else "selrow calm"
            parts = []
            for top, bottom in _shaded(spot):
                parts.append(svg.rect(left, top, right - left, bottom - top, class_=look))
                edge = "".join(f"M{svg.num(left)} {svg.num(y)}H{svg.num(right)}" for y in (top, bottom))
                parts.append(svg.path(edge, class_="selline"))
                parts.append(svg.path(f"M1.5 {svg.num(top)}V{svg.num(bottom)}", class_="s-accent sw-3"))
            return svg.join(parts)
    return Markup("")


def _shaded(spot: Spot) -> list[tuple[float, float]]:
    """From where to where a chosen rung is shaded; what another call has between its two arrows is left out."""
    if not spot.late:
        return [(spot.top, spot.bottom)]
    return [(spot.top, spot.y + 30), (spot.answer - 8, spot.bottom)]


def _apart(ladder: Ladder, at: Places) -> Iterator[Markup]:
    """How far calls are apart, where there is room to say so; the first one says that this is right."""
    if ladder.untimed:
        return
    before: Spot | None = None
    told = False
    cut = [one.y for one in at.axis.breaks]
    for entry, spot in _both(ladder, at):
        if not isinstance(entry, Rung):
            before = None
            continue
        fine = entry.apart is not None and entry.kind in STREAMED and not too_soon(entry.apart)
        if before is not None and fine and spot.top - before.bottom >= _FREE:
            y0, y1 = before.bottom, spot.top
            if not any(y0 - 20 <= y <= y1 + 20 for y in cut):
                words = f"{entry.apart:.2f} s apart" + ("" if told else ": pace is fine")
                told = True
                yield svg.text(at.xs[1] + 14, (y0 + y1) / 2 + 4, words, class_="t-s")
        before = spot


# ── entries ──────────────────────────────────────────────────


def labels(one: Rung, spot: Spot, ladder: Ladder, at: Places, href: Href | None) -> Markup:
    """Number and mark of a rung, in the part that stays."""
    y, chosen = spot.y, one.holds(ladder.selected)
    bad = one.reached == REFUSED and not one.calm
    ink = "t-a" if chosen else "t-sm f-fatal" if bad else "t-sm f-ink-2"
    if one.folded:
        spans = svg.el("tspan", f"#{one.first}", x=17) + svg.el("tspan", f"–{one.last}", x=17, dy=12)
        parts = [svg.text(17, y - 2, spans, class_=ink)]
    else:
        parts = [svg.text(17, y + 4, f"#{one.first}", class_=ink)]
    if one.severity:
        parts.append(severity_mark(one.severity, 9, y))
    if href is None:
        return svg.join(parts)
    to = href(one)
    current = "true" if chosen else None
    return svg.link(to, *parts, class_="n", hx_get=to, aria_label=one.sentence, aria_current=current)


def _linked(
    entry: Rung | Head | End, spot: Spot, ladder: Ladder, at: Places, href: Href, unfold: Href
) -> Markup:
    """An entry in the track; a rung is wholly a link for the pointer, its number is the link for everyone else."""
    marks = track(entry, spot, at)
    if not isinstance(entry, Rung):
        return marks
    left, right = at.edges
    bottom = min(spot.bottom, max(spot.answer + 24, spot.y + 34))
    hit = svg.rect(left, spot.top, right - left, bottom - spot.top, class_="hit")
    words = "Unfold these calls" if entry.folded else entry.sentence
    to = unfold(entry) if entry.folded else href(entry)
    bad = entry.reached == REFUSED and not entry.calm
    look = None if not entry.holds(ladder.selected) else "sel fatal" if bad else "sel"
    return svg.link(to, svg.title(words), hit, marks, class_=look, hx_get=to, tabindex="-1")


def track(entry: Rung | Head | End, spot: Spot, at: Places) -> Markup:
    if isinstance(entry, Head):
        return heading(entry, spot, at)
    if isinstance(entry, End):
        return ending(entry, spot, at)
    return rung(entry, spot, at)
