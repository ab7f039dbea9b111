"""The Source panel: the recording as it was received, line by line, and how it was read.

Rules of this file: which lines are shown and what stands beside them. A line is shown as its bytes are; what is no
text is replaced, what a page would obey is a sign. Bounded: LINES lines of at most WIDTH bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup
from sqlalchemy.orm import Session

from webapp.storage import lines as record_lines
from webapp.storage import originals
from webapp.storage.lines import Start
from webapp.storage.models import Trace
from webapp.views import asked, bodies, dates, how_read, names, raw, reading, strays
from webapp.views.page import PageContext
from webapp.views.selection import Selection
from webapp.views.strays import Strays

LINES = 200
AHEAD = 12  # lines above the chosen event's first
WIDTH = 1_200  # bytes of a line that are shown
STARTS = 600  # records whose beginning is looked for in a window
NOTES = 40  # artefacts that are listed


@dataclass(frozen=True, slots=True)
class Row:
    """One line. start: number of the record that begins here; more: how many others begin here too.

    mark: severity of its finding; here: part of the chosen event; stray: not understood; whole: URL of all of it,
    "" = there is none; cut: `1,204 bytes`, "" = it is whole
    """

    number: int
    offset: int
    text: Markup
    start: int | None
    href: str
    more: int
    mark: str
    here: bool
    stray: bool
    cut: str
    whole: str


@dataclass(frozen=True, slots=True)
class Link:
    href: str
    words: str


@dataclass(frozen=True, slots=True)
class Note:
    """An artefact. text: a sentence; line: link to its line, None = it is about the whole."""

    text: str
    line: Link | None


@dataclass(frozen=True, slots=True)
class SourcePanel:
    """rows in order; facts: label and value; asked: what the run was asked; run_input: as uploaded, laid out.

    head: what the recorded response head says, a sentence, "" when there is none; masked: what was done about
    credentials; packed: the rows are no text as it was uploaded (it was compressed, or is binary); strays: link to the
    list of lines not understood; unread: that list, instead of rows; again: URL of the choice of forms, "" where the
    reader may not; repeat: URL of the form that sends the run input again, "" where there is none or the reader may not
    """

    rows: Sequence[Row]
    shown: str
    earlier: Link | None
    later: Link | None
    read_as: str
    head: str
    masked: str
    packed: bool
    binary: bool
    notes: Sequence[Note]
    notes_more: int
    strays: Link | None
    unread: Strays | None
    again: str
    repeat: str
    facts: Sequence[tuple[str, str]]
    asked: Sequence[asked.Asked]
    run_input: Markup | None
    run_input_cut: bool
    original: str
    line: int
    lines: int
    away: Link | None
    empty: str


def build(session: Session, trace: Trace, sel: Selection, page: PageContext) -> SourcePanel:
    chosen = record_lines.line_of(session, trace.pk, page.event)
    first = _first(trace, sel, chosen)
    size, packed = originals.text_size(session, trace.pk)
    unread = strays.build(session, trace, sel, page.event) if sel.only == "strays" else None
    got = [] if unread else originals.lines(session, trace.pk, first, LINES + 1, WIDTH + 8)
    rows = _rows(session, trace, sel, page, got, size)
    last = rows[-1].number if rows else first
    lines = max(trace.lines, last)
    given = _pretty(trace.input)
    told = asked.build(session, trace, page) if trace.protocol != "teams" else []
    return SourcePanel(
        rows=rows,
        shown=unread.shown if unread else _shown(rows, lines),
        earlier=_edge(sel, page, max(1, first - LINES), f"{names.count(first - 1)} lines before")
        if first > 1 and not unread
        else None,
        later=_edge(sel, page, last + 1, f"{names.count(lines - last)} lines after")
        if lines > last and not unread
        else None,
        read_as=how_read.read_as(trace),
        head=how_read.head(trace),
        masked=how_read.masked(trace),
        packed=packed,
        binary=how_read.is_binary(trace),
        notes=[_note(sel, page, each) for each in how_read.told(trace)[:NOTES]],
        notes_more=max(0, len(how_read.told(trace)) - NOTES),
        strays=Link(reading.strays_href(sel), f"{names.plural(trace.not_understood, 'line')} not understood")
        if trace.not_understood
        else None,
        unread=unread,
        again="" if page.shared or trace.redaction else f"{sel.base}/reread",
        repeat=f"/call?trace={trace.id}&event={page.event}"
        if told and not page.shared and not trace.redaction
        else "",
        facts=_facts(trace, page, size, packed),
        asked=told,
        run_input=None if given is None else given.html,
        run_input_cut=given is not None and given.cut,
        original=f"{sel.base}/original",
        line=first,
        lines=lines,
        away=_away(sel, page, chosen, rows),
        empty="" if rows else "There is no such line." if trace.lines else "The recording has no line.",
    )


def _first(trace: Trace, sel: Selection, chosen: int | None) -> int:
    """The window's first line: as asked, else a little above the chosen event; the last window is full."""
    asked = sel.line if sel.line is not None else (chosen or 1) - AHEAD
    return max(1, min(asked, trace.lines if sel.line is not None else trace.lines - LINES + 1))


def _edge(sel: Selection, page: PageContext, line: int, words: str) -> Link:
    return Link(sel.href(event=page.event, line=line, only="", start=None), words)


def _away(sel: Selection, page: PageContext, chosen: int | None, rows: Sequence[Row]) -> Link | None:
    """The way back to the chosen event, when the window does not hold it."""
    if chosen is None or not rows or rows[0].number <= chosen <= rows[-1].number:
        return None
    return Link(sel.href(event=page.event, line=None), f"#{page.event} is on line {names.count(chosen)}")


# ── lines ────────────────────────────────────────────────────


def _rows(
    session: Session,
    trace: Trace,
    sel: Selection,
    page: PageContext,
    got: Sequence[tuple[int, int, bytes]],
    size: int,
) -> list[Row]:
    if not got:
        return []
    shown = got[:LINES]
    found = record_lines.starts(session, trace.pk, trace.records, shown[0][0], shown[-1][0], STARTS)
    at: dict[int, list[Start]] = {}
    for start in found:
        at.setdefault(start.line, []).append(start)
    here = _chosen(page, found, shown)
    strays = set(trace.strays or [])
    owner = next((start.seq for start in reversed(found) if start.line < shown[0][0]), None)
    rows: list[Row] = []
    for index, (number, offset, data) in enumerate(shown):
        begins = at.get(number, [])
        mine = next((start for start in begins if start.seq == page.event), begins[0] if begins else None)
        owner = mine.seq if mine is not None else owner
        end = got[index + 1][1] if index + 1 < len(got) else size
        length = max(0, end - offset - (1 if index + 1 < len(got) else 0))
        cut = len(data) > WIDTH
        worst = min((start.severity for start in begins if start.severity is not None), default=None)
        rows.append(
            Row(
                number=number,
                offset=offset,
                text=bodies.shown(bodies.of_bytes(data, WIDTH)),
                start=mine.seq if mine is not None else None,
                href=sel.href(event=mine.seq, line=sel.line) if mine is not None else "",
                more=max(0, len(begins) - 1),
                mark=names.SEVERITY[worst] if worst is not None else "",
                here=number in here,
                stray=number in strays,
                cut=names.plural(length, "byte") if cut else "",
                whole=f"{sel.base}/record/{owner}" if cut and owner is not None and not page.shared else "",
            )
        )
    return rows


def _chosen(page: PageContext, found: Sequence[Start], shown: Sequence[tuple[int, int, bytes]]) -> set[int]:
    """The lines of the chosen event: from its first to the one before the next record, blank ones left out."""
    place = next((n for n, start in enumerate(found) if start.seq == page.event), None)
    if place is None:
        return set()
    first = found[place].line
    behind = next((start.line for start in found[place + 1 :] if start.line > first), None)
    out = {first}
    for number, _, data in shown:
        if number <= first:
            continue
        if (behind is not None and number >= behind) or not data.strip():
            break
        out.add(number)
    return out


# ── what is told about the whole ─────────────────────────────


def _shown(rows: Sequence[Row], lines: int) -> str:
    if not rows:
        return ""
    if len(rows) >= lines:
        return f"all {names.plural(lines, 'line')} shown"
    first, last = rows[0].number, rows[-1].number
    hidden = names.count(lines - len(rows))
    return f"{names.count(first)}–{names.count(last)} of {names.plural(lines, 'line')}, {hidden} not shown"


def _note(sel: Selection, page: PageContext, artefact: dict[str, object]) -> Note:
    text = f"{names.artefact_words({**artefact, 'line': None})}."
    line = artefact.get("line")
    link = _edge(sel, page, line, f"line {names.count(line)}") if isinstance(line, int) and line > 0 else None
    return Note(text, link)


def _facts(trace: Trace, page: PageContext, size: int, packed: bool) -> list[tuple[str, str]]:
    exact = f"{names.size_words(trace.size)}" + (
        f" ({names.count(trace.size)})" if trace.size >= 1000 else ""
    )
    if how_read.is_binary(trace):
        exact += f", {names.size_words(size)} as text; lines and bytes here are of that text"
    elif packed:
        exact += f" as gzip, {names.size_words(size)} expanded; lines and bytes here are of the expanded text"
    when = dates.exact(trace.created)
    facts = [("size", exact), ("SHA-256", trace.sha256), ("received", when)]
    if trace.source and not page.shared:
        facts.insert(0, ("file", trace.source))
    return [*facts, ("judged by", f"engine {trace.engine}" if trace.engine else "nothing yet")]


def _pretty(given: object) -> raw.Raw | None:
    if given is None:
        return None
    try:
        text = json.dumps(given, ensure_ascii=False)
    except (ValueError, RecursionError):
        return raw.Raw(Markup("It is nested too deeply to be shown."), False)
    return raw.pretty(raw.spelled(text))
