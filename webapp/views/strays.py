"""Lines that were not understood: where they are and what they say, a page at a time.

Rules of this file: a window of the stored line numbers, their text from the original, cut. Bounded: LINES lines of at
most WIDTH bytes. What is no text is replaced, what a page would obey is a sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup
from sqlalchemy.orm import Session

from webapp.storage import originals
from webapp.storage.models import Trace
from webapp.views import bodies, names
from webapp.views.selection import Selection

LINES = 50
WIDTH = 300  # bytes of a line that are shown


@dataclass(frozen=True, slots=True)
class Stray:
    """A line. number: 1-based; offset: of its first byte; href: the line among its neighbours; cut: there is more."""

    number: int
    offset: int
    text: Markup
    cut: bool
    href: str


@dataclass(frozen=True, slots=True)
class Strays:
    """rows in order; shown: which of how many; more: a sentence about those beyond the list, "" for none."""

    rows: Sequence[Stray]
    shown: str
    more: str
    earlier: str
    later: str


def build(session: Session, trace: Trace, sel: Selection, event: int) -> Strays:
    """event: the chosen record, which links keep; `sel.start` is the first line's place in the list."""
    listed = [line for line in trace.strays or [] if isinstance(line, int)]
    first = min(max(sel.start or 0, 0), max(0, len(listed) - 1)) // LINES * LINES
    wanted = listed[first : first + LINES]
    rows = [row for line in wanted for row in _rows(session, trace, sel, event, line)]

    def place(start: int) -> str:
        return sel.href(event=event, start=start or None, line=None)

    return Strays(
        rows=rows,
        shown=_shown(first, len(wanted), trace.not_understood),
        more=_more(len(listed), trace.not_understood),
        earlier=place(max(0, first - LINES)) if first else "",
        later=place(first + LINES) if first + LINES < len(listed) else "",
    )


def _rows(session: Session, trace: Trace, sel: Selection, event: int, line: int) -> list[Stray]:
    found = originals.lines(session, trace.pk, line, 1, WIDTH + 8)
    href = sel.href(event=event, line=line, only="", start=None)
    return [
        Stray(number, offset, bodies.shown(bodies.of_bytes(data, WIDTH)), len(data) > WIDTH, href)
        for number, offset, data in found
    ]


def _shown(first: int, count: int, total: int) -> str:
    if not count:
        return "every line was understood"
    if count == total:
        return f"{names.plural(total, 'line')} not understood, all shown"
    return (
        f"{names.count(first + 1)}–{names.count(first + count)} of {names.count(total)} lines not understood"
    )


def _more(listed: int, total: int) -> str:
    if listed >= total:
        return ""
    return (
        f"The first {names.count(listed)} are listed; {names.count(total - listed)} more were only counted."
    )
