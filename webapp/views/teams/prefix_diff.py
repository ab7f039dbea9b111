"""Where a chunk stops extending the text on screen, character by character.

Rules of this file: which two texts are compared, and the words that say it. Counted in UTF-16 code units, as Teams
counts; how texts are compared is `core.teams.compare`, how a character looks `prefix_cells`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from webapp.core.teams.compare import Difference, difference, from_unit, unit_at
from webapp.core.teams.exchanges import Exchange
from webapp.redact import marked
from webapp.storage.models import Trace
from webapp.views import names
from webapp.views.content import showable
from webapp.views.page import PageContext
from webapp.views.selection import Selection
from webapp.views.teams.ladder_facts import Window, on_screen
from webapp.views.teams.prefix_cells import Cell, in_words, legend, rest, same
from webapp.views.teams.words import the_kind

_QUOTED = 30
_RULE = "TEAMS-020"
KINDS = {
    "delta": "Only the next piece was sent, not the whole text so far.",
    "normalised": "The words are the same; the text was trimmed or re-formatted after it had been shown.",
    "stale": "An older, shorter state of the text was sent.",
    "moved": "All of the text on screen stands further on in what was sent.",
    "rewritten": "A citation mark was rewritten after its beginning had been shown.",
    "changed": "The text was rewritten.",
}


@dataclass(frozen=True, slots=True)
class Side:
    """One text: `on screen`, `chunk 1`, its record, its cells, how many units are left out at its end, and the text
    from the first difference on in words."""

    title: str
    which: str
    href: str
    event: int
    cells: Sequence[Cell]
    more: str
    spoken: str


@dataclass(frozen=True, slots=True)
class PrefixDiff:
    """title: `Where chunk 2 stops extending chunk 1`; told: the first difference in words; kind: what was done."""

    title: str
    told: str
    kind: str
    old: Side
    new: Side
    signs: Sequence[tuple[str, str]]


def build(
    session: Session, trace: Trace, sel: Selection, page: PageContext, window: Window
) -> PrefixDiff | None:
    """Of the chosen call if it broke the prefix, else of the first finding about that in its stream's window."""
    chosen = next((g for g in window.groups if g.first.seq <= page.event <= g.last.seq), None)
    if chosen is not None and chosen.count == 1:
        found = _at(session, trace, sel, page.event, chosen.first.lane, chosen.one)
        if found is not None:
            return found
    lane = 0 if chosen is None else chosen.first.lane
    for row in window.found:
        if row.rule != _RULE or row.event == page.event:
            continue
        group = next((g for g in window.groups if g.first.seq == row.event), None)
        if group is not None and lane in (0, group.first.lane):
            return _at(session, trace, sel, row.event, group.first.lane, group.one)
    return None


def _at(
    session: Session, trace: Trace, sel: Selection, seq: int, lane: int, call: Exchange | None
) -> PrefixDiff | None:
    if call is None or call.kind not in ("streaming", "final") or call.text is None or not lane:
        return None
    shown = on_screen(session, trace, lane, seq - 1)
    if shown is None or shown[1].kind != "streaming" or shown[1].text is None:
        return None
    event, before = shown
    text = before.text or ""
    if marked(text) is not None or marked(call.text) is not None:
        return None  # texts that were taken out are not compared
    found = difference(text, call.text)
    if found.kind is None:
        return None
    return compare(
        found, text, call.text, the_kind(before.kind, before), the_kind(call.kind, call),
        (event, sel.href(event=event)), (seq, sel.href(event=seq)),
    )  # fmt: skip


def compare(
    found: Difference,
    old: str,
    new: str,
    old_name: str,
    new_name: str,
    old_at: tuple[int, str],
    new_at: tuple[int, str],
) -> PrefixDiff:
    """The two texts, their cells and words. old_at, new_at: record number and its URL."""
    agreed = list(same(old, found.agree))
    sides = []
    for title, which, at, text, look in (
        ("on screen", old_name, old_at, old, "del"),
        ("sent", new_name, new_at, new, "add"),
    ):
        parted, more = rest(text, found.agree, look)
        left = f"and {names.plural(more, 'more character')}" if more else ""
        spoken = showable(from_unit(text, found.agree)[: _QUOTED * 2]) or "nothing"
        sides.append(Side(title, which, at[1], at[0], [*agreed, *parted], left, spoken))
    return PrefixDiff(
        f"Where {new_name} stops extending {old_name}",
        _told(found, old, new),
        KINDS.get(found.kind or "", ""),
        sides[0],
        sides[1],
        legend(cell for side in sides for cell in side.cells),
    )


# ── words ────────────────────────────────────────────────────


def _told(found: Difference, old: str, new: str) -> str:
    place = f"first difference at character {found.at + 1:,}"
    agree = f"{found.agree:,} of {names.plural(found.old_units, 'character')} agree."
    was, now = unit_at(old, found.at), unit_at(new, found.at)
    if not new:
        return f"Nothing was sent; {names.plural(found.old_units, 'character')} are on screen."
    if not now:
        ends = names.plural(found.new_units, "character")
        return f"What was sent ends after {ends}; {found.old_units:,} are on screen."
    return f"{place}: {in_words(was)} is on screen, {in_words(now)} was sent. {agree}"
