"""The scrubber's track: how far anything was delivered, where the findings are, where the reader stands.

Rules of this file: geometry and marks only; pure. The track is 1000 units wide and stretched by the page, so
nothing in it is text and strokes do not scale. Findings are gathered into TICKS places, the worst severity wins.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from webapp.draw import svg

LEFT, RIGHT, HEIGHT, AXIS = 8.0, 992.0, 28, 14
TICKS = 200
NOTCHES = 60  # up to this many records each has a notch of its own
SEVERITIES = ("fatal", "error", "warning", "info")


def place(number: int, records: int) -> float:
    """Where a record stands on the track."""
    return LEFT if records < 2 else LEFT + (RIGHT - LEFT) * number / (records - 1)


def gathered(hits: Sequence[tuple[int, int]], records: int) -> dict[int, int]:
    """Place 0 … TICKS-1 to the worst severity there; hits: (record, severity 0 … 3)."""
    out: dict[int, int] = {}
    for seq, severity in hits:
        at = min(TICKS - 1, seq * TICKS // max(records, 1)) if records > TICKS else seq
        out[at] = min(severity, out.get(at, severity))
    return out


def draw(records: int, event: int, rejected_at: int | None, hits: Sequence[tuple[int, int]]) -> Markup:
    """records: how many; event: the chosen one; rejected_at: where the client stopped, if it did."""
    still = {"vector_effect": "non-scaling-stroke"}
    stop = place(rejected_at, records) if rejected_at is not None else RIGHT
    parts = [svg.line(LEFT, AXIS, stop, AXIS, class_="s-ink-2", stroke_width=2, **still)]
    if stop < RIGHT:
        parts.append(
            svg.line(
                stop, AXIS, RIGHT, AXIS, class_="s-line-2", stroke_width=2, stroke_dasharray="3 3", **still
            )
        )
    if 1 < records <= NOTCHES:
        d = "".join(f"M{svg.num(place(n, records))} {AXIS - 3}v6" for n in range(records))
        parts.append(svg.path(d, class_="s-ink-3", **still))
    found = gathered(hits, records)
    scale = TICKS if records > TICKS else records
    for number, severity in reversed(list(enumerate(SEVERITIES))):
        d = "".join(f"M{svg.num(place(at, scale))} 2v11" for at, worst in found.items() if worst == number)
        if d:
            parts.append(svg.path(d, class_=f"s-c {severity}", stroke_width=3, **still))
    if records:
        x = svg.num(place(event, records))
        parts.append(svg.path(f"M{x} 12v14", class_="sw-5 cursor", **still))
    label = f"Position {event} of {records}"
    if rejected_at is not None:
        label += f"; the client stops at {rejected_at}"
    return svg.el(
        "svg",
        *parts,
        width="100%",
        height=HEIGHT,
        viewBox=f"0 0 1000 {HEIGHT}",
        preserveAspectRatio="none",
        class_="dia",
        role="img",
        aria_label=label,
    )
