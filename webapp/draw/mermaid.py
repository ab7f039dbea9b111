"""A sequence diagram as Mermaid text, for pasting into a ticket or a wiki.

Rules of this file: pure; a `Diagram` in, text out. Mermaid reads `;`, `#` and line breaks as its own, so the
texts of a trace are written with its entity codes and cut to MAX_LABEL characters.
"""

from __future__ import annotations

from webapp.draw import layout
from webapp.draw.sequence_model import Arrow, Diagram, Lifeline, Row

MAX_LABEL = 80
_ARROWS = {"solid": "->>", "derived": "-->>", "lost": "-x"}
_ENTITIES = {"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "%": "#37;", '"': "#quot;"}


def mermaid(diagram: Diagram, note: str = "") -> str:
    """The diagram's window. note: a comment for the first line, such as which rows these are."""
    out = ["sequenceDiagram"]
    if note:
        out.append(f"  %% {comment(note)}")
    out += [f"  participant {_key(n)} as {_who(line)}" for n, line in enumerate(diagram.lifelines)]
    for row in diagram.rows:
        out += _row(row, diagram)
    return "\n".join(out) + "\n"


def text(words: str) -> str:
    """One line that Mermaid takes as words."""
    cut = layout.plain(words)
    if len(cut) > MAX_LABEL:
        cut = cut[: MAX_LABEL - 1] + "…"
    return "".join(_ENTITIES.get(c, c) for c in cut).strip() or "·"


def comment(words: str) -> str:
    """One line that is passed over. Mermaid obeys `%%{…}%%` wherever it stands, in a comment too."""
    return "".join(_ENTITIES[c] if c in "<>%" else c for c in layout.plain(words))


def _row(row: Row, diagram: Diagram) -> list[str]:
    screen = len(diagram.lifelines) - 1
    client = screen - 1
    if row.shape == "stop":
        return [f"  Note over {_key(client)}: {text(row.text)}"]
    pad = "    " if row.shape == "loop" else "  "
    lines: list[str] = []
    number = layout.numbers(row.first, row.last)
    for n, line in enumerate(row.lines):
        for arrow in line.arrows:
            words = _words(arrow) if n or arrow is not line.arrows[0] else f"{number} {_words(arrow)}"
            if row.gone:
                words += " (never reached the application)"
            lines.append(f"{pad}{_key(arrow.a)}{_ARROWS[arrow.style]}{_key(arrow.b)}: {text(words)}")
        if line.pill:
            lines.append(f"{pad}{_key(client)}->>{_key(screen)}: {text(line.pill)}")
    if row.fault and row.lines:
        mark = row.lines[0].arrows[0]
        words = row.fault if row.fault.startswith("refused") else f"{row.severity}: {row.fault}"
        lines.append(f"{pad}Note over {_key(mark.a)},{_key(mark.b)}: {text(words)}")
    return [f"  loop {text(number)}", *lines, "  end"] if row.shape == "loop" else lines


def _words(arrow: Arrow) -> str:
    note = f"({arrow.note})" if arrow.note else ""
    quoted = "" if arrow.quote is None else f"“{arrow.quote}”"
    return " ".join(w for w in (arrow.name, arrow.detail, arrow.extra, quoted, note) if w)


def _key(column: int) -> str:
    return f"P{column}"


def _who(line: Lifeline) -> str:
    return text(f"{line.name} ({line.kind.lower()})" if line.kind and line.role == "lane" else line.name)
