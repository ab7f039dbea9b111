"""A ladder as a file: one picture that needs nothing else, or Mermaid text.

Rules of this file: pure; a `Ladder` in, a whole document out. The picture is light on white whatever the page's
scheme, has its own style sheet, and no links.
"""

from __future__ import annotations

from markupsafe import Markup

from webapp.core.records import DROPPED, LOST, REFUSED
from webapp.draw import layout, svg
from webapp.draw.ladder import ground, heads, labels, track
from webapp.draw.ladder_model import Ladder, Rung
from webapp.draw.ladder_place import HEAD, places
from webapp.draw.ladder_time import clock, pattern
from webapp.draw.mermaid import comment, text
from webapp.draw.sequence_file import CSS

# what the ladder has beyond the classes of a sequence diagram
_CSS = """
.f-bg{fill:#fff}.f-none{fill:none}.f-line-2{fill:#c6c6bf}.f-sunk{fill:#f5f5f2}.f-accent{fill:#08646c}
.f-accent45{fill:#96b9bc}.f-ok{fill:#1a6a3a}.f-ink{fill:#191b1d}.f-ink-3{fill:#666c73}.f-fatal-wash{fill:#fcefed}
.ln2{stroke:#c6c6bf;fill:none}.s-line-2{stroke:#c6c6bf}.s-ink{stroke:#191b1d}.s-ok{stroke:#1a6a3a}.s-bg{stroke:#fff}
.s-ink-3{stroke:#666c73}.sw-5{stroke-width:5}.sw-6{stroke-width:6}.ital{font-style:italic}
.as-warning>.ar{stroke:#775700}.as-warning>.ah{fill:#775700}.as-ink-3>.x{stroke:#666c73}
.ring{stroke:#4f545a;stroke-width:1.6}.k-text>.ring{stroke:#2b6cc8}.k-step>.ring{stroke:#5f656b}
.as-fatal>.ring{stroke:#b3231b}.as-ink-3>.ring{stroke:#666c73}.as-warning>.ring{stroke:#775700}
.bub{fill:#fff;stroke:#c6c6bf}.bub.status,.bub.typing{fill:#f5f5f2;stroke:#e5e5e0}
.bub.final,.bub.edit{stroke:#1a6a3a}.bub.user{fill:#e2f0f1;stroke:none}.bub.alarm{stroke:#b3231b}
.lanebar{fill:#7c838a}
"""


def standalone(ladder: Ladder, label: str) -> Markup:
    """The whole as one picture with its own style sheet."""
    at = places(ladder)
    both = list(zip(ladder.entries, at.spots, strict=True))
    body = svg.group(
        ground(ladder, at),
        svg.join(track(entry, spot, at) for entry, spot in both),
        svg.join(clock(one, ladder, at) for one in ladder.clocks),
        svg.join(labels(entry, spot, ladder, at, None) for entry, spot in both if isinstance(entry, Rung)),
        transform=f"translate(0 {HEAD})",
    )
    note = svg.text(12, at.height + HEAD + 14, ladder.untimed, class_="t-s") if ladder.untimed else Markup("")
    height = at.height + HEAD + (24 if ladder.untimed else 0)
    return svg.svg(
        svg.title(label),
        Markup("<style>") + Markup(CSS + _CSS) + Markup("</style>"),
        pattern(),
        svg.rect(0, 0, at.width, height, class_="paper"),
        body,
        heads(ladder, at),
        note,
        width=at.width,
        height=height,
        xmlns="http://www.w3.org/2000/svg",
        class_="dia",
        role="img",
    )


# ── Mermaid ──────────────────────────────────────────────────


def mermaid(ladder: Ladder, note: str = "") -> str:
    """The window as Mermaid text. note: a comment for the first line, such as which exchanges these are."""
    agent = f"Agent ({ladder.agent})" if ladder.agent else "Agent"
    out = ["sequenceDiagram"]
    if note:
        out.append(f"  %% {comment(note)}")
    out += [
        f"  participant A as {text(agent)}",
        "  participant T as Teams service",
        "  participant U as User’s chat",
    ]
    for entry in ladder.entries:
        if isinstance(entry, Rung):
            out += _rung(entry)
        else:
            out.append(f"  Note over A,U: {text(entry.words)}")
    return "\n".join(out) + "\n"


def _rung(one: Rung) -> list[str]:
    number = layout.numbers(one.first, one.last)
    since = "" if one.at is None else f" ({layout.since(one.at)})"
    if one.inbound:
        words = "" if one.shown is None else one.shown.text
        return [f"  U->>A: {text(f'{number} the user writes: {words}')}"]
    arrow = "-x" if one.reached in (REFUSED, LOST) else "->>"
    lines = [f"  A{arrow}T: {text(f'{number} {one.label}{since}')}"]
    if one.reason or (one.note and one.severity):
        lines.append(f"  Note over A,T: {text(one.reason or f'{one.severity}: {one.note}')}")
    if one.answers:
        back = "--x" if one.reached == DROPPED else "-->>"
        lines.append(f"  T{back}A: {text(one.answers[0])}")
    elif one.missing:
        lines.append(f"  Note over A,T: {text(one.missing)}")
    if one.shown is not None:
        shown = f"{one.shown.caption}: {_end(one)}" if one.shown.caption else _end(one)
        lines.append(f"  T->>U: {text(shown)}")
    return lines


def _end(one: Rung) -> str:
    """The part of a bubble's text that a label holds: its beginning, or the end of a growing one."""
    words = "" if one.shown is None else one.shown.text
    if one.kind in ("streaming", "final", "edit") and len(words) > 40:
        return f"…{words[-40:]}"
    return words
