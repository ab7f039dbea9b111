"""The Exchanges panel of a Teams recording: a window of calls, each with its text, its answer and the time before it.

Rules of this file: which rows are shown and what one says. Where the window begins and ends is as on Events. Bounded:
ROWS rows, and `streams.BUDGET` characters of payloads decoded for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from webapp.core.records import DROPPED, LOST, REFUSED, SENT
from webapp.core.teams.exchanges import Exchange
from webapp.storage import events, findings, streams
from webapp.storage.events import Line
from webapp.storage.models import Trace
from webapp.views import event_rows, filters, names
from webapp.views.event_facts import Said
from webapp.views.page import PageContext
from webapp.views.panels.events import ELEMENTS, ROWS, STEP, fitting, window
from webapp.views.selection import Selection
from webapp.views.teams import calls, words
from webapp.views.teams.growth import Growth, growth, whole

TEXTS = streams.TEXTS


@dataclass(frozen=True, slots=True)
class Row:
    """One exchange as the template writes it.

    answer_cls: yes | no | again | stop | unsaid; gap: since the one before; stop: sentence of the line under it, behind
    `stop_head`
    """

    seq: int
    href: str
    cls: str
    mark: str
    mark_word: str
    stream: str
    stream_cls: str
    kind: str
    text: Growth
    note: str
    note_cls: str
    answer: str
    answer_cls: str
    gap: str
    when: str
    selected: bool
    stop: str = ""
    stop_head: str = ""

    @property
    def cost(self) -> int:
        """Elements the row adds to the page, from above."""
        text = self.text
        optional = (self.mark, self.mark, text.say, text.kept, text.lost, text.new, text.words, self.note)
        return 12 + sum(map(bool, optional)) + (3 if self.stop else 0)


@dataclass(frozen=True, slots=True)
class ExchangesPanel:
    """rows in order; earlier, later: URLs of the neighbouring windows, None at the ends; shown: what is and is not."""

    rows: Sequence[Row]
    earlier: str | None
    later: str | None
    shown: str
    box: str
    timed: bool
    empty: str
    hits_href: str
    clear_href: str
    one_stream: bool


def build(session: Session, trace: Trace, sel: Selection, page: PageContext) -> ExchangesPanel:
    wanted = filters.wanted(sel, page)
    lines = window(session, trace, sel, page, wanted)
    full = len(lines) >= ROWS
    made = _rows(session, trace, sel, page, lines)
    chosen = next((index for index, row in enumerate(made) if row.selected), 0)
    start, end = fitting([row.cost for row in made], ELEMENTS, chosen)
    rows, lines, cut = made[start:end], lines[start:end], end < len(made)
    first = rows[0].seq if rows else 0
    before = events.backwards(session, trace.pk, before=first, limit=STEP, filters=wanted) if first else []
    more = bool(rows) and rows[-1].seq < page.last and (cut or full)
    return ExchangesPanel(
        rows=rows,
        earlier=sel.href(event=page.event, start=before[0].seq) if before else None,
        later=sel.href(event=page.event, start=rows[len(rows) // 2].seq) if more else None,
        shown=_shown(session, trace, wanted, lines),
        box=filters.compose(sel, page.words),
        timed=page.clock.known,
        empty="" if rows else _nothing(trace, sel, page),
        hits_href=sel.href(event=None, hits=not sel.hits, start=None),
        clear_href=sel.href(q="", type="", lane="", item="", hits=False, start=None),
        one_stream=trace.run_count <= 1,
    )


def _rows(
    session: Session, trace: Trace, sel: Selection, page: PageContext, lines: Sequence[Line]
) -> list[Row]:
    seqs = [line.seq for line in lines]
    before = streams.shown_before(session, trace.pk, seqs)
    known = calls.load(session, trace.pk, {*seqs, *before.values()}, page.event)
    earlier = events.some(session, trace.pk, {seq - 1 for seq in seqs if seq} - set(seqs))
    told = {line.seq: line for line in lines} | earlier
    said = _said(session, trace, lines)
    related = {event for row in page.findings for event, _ in row.related}
    out: list[Row] = []
    for line in lines:
        ex = known.get(line.seq)
        old = known.get(before[line.seq]) if line.seq in before else None
        previous = told.get(line.seq - 1)
        here = said.get(line.seq, [])
        first = here[0] if here and line.severity is not None else None
        mark = "" if line.severity is None else names.SEVERITY[line.severity]
        out.append(
            Row(
                seq=line.seq,
                href=sel.href(event=line.seq),
                cls=_cls(line, mark, line.seq in related),
                mark=mark,
                mark_word=names.SEVERITY_WORD.get(mark, ""),
                stream=words.stream_name(line.lane),
                stream_cls=names.lane_class(line.lane),
                kind=words.kind_of(line.type, ex),
                text=_text(line, ex, old, line.seq in before),
                note=first.words if first else "",
                note_cls=f"c-{names.SEVERITY[first.severity]}" if first and first.first else "",
                answer=words.answer_of(ex, line.reached),
                answer_cls=words.answer_cls(line.reached, calls.ends(ex)),
                gap=_gap(page, previous, line),
                when=page.clock.since(page.clock.read(line)),
                selected=line.seq == page.event,
                stop=_stop(trace, line.seq),
                stop_head="Teams would refuse this" if line.reached == SENT else page.words.stop,
            )
        )
    return out


def _said(session: Session, trace: Trace, lines: Sequence[Line]) -> dict[int, list[Said]]:
    """Findings by record, worst first; a merged one is told at its further places too."""
    standing = findings.at_events(
        session, trace.pk, [line.seq for line in lines if line.severity is not None]
    )
    found: dict[int, list[Said]] = {}
    for row in standing:
        found.setdefault(row.event, []).append(event_rows.said(row))
    for row in standing:
        for event in findings.repeats(row):
            if event not in found:
                found[event] = [Said(row.severity, f"the same as #{row.event}", frozenset(), first=False)]
    return found


def _text(line: Line, ex: Exchange | None, old: Exchange | None, follows: bool) -> Growth:
    if line.type is None:
        return Growth("cannot be read:", new=names.clip(line.raw.strip(), 200))
    if ex is None:
        return Growth(f"{names.size_words(line.size)}, {calls.TOO_LONG}")
    if line.type == "delete":
        return Growth("takes the message away")
    if line.type == "typing":
        return Growth("an ordinary typing sign")
    if line.type in TEXTS and follows:
        if old is None:
            return whole(ex.text, "goes on:")
        return growth(old.text, ex.text, edits=line.type == "edit")
    if line.type == "final" and not ex.text and ex.body.get("attachments"):
        return Growth("no text, only attachments")
    return whole(ex.text)


def _gap(page: PageContext, previous: Line | None, line: Line) -> str:
    if previous is None:
        return ""
    begun, now = page.clock.read(previous), page.clock.read(line)
    return "" if begun is None or now is None else names.since(now - begun)


def _cls(line: Line, mark: str, related: bool) -> str:
    classes = [mark] if mark else []
    if mark in ("fatal", "error"):
        classes.insert(0, "hit")
    if line.reached in (REFUSED, DROPPED, LOST):
        classes.append("not-taken")
    if related:
        classes.append("rel")
    return " ".join(classes)


def _stop(trace: Trace, seq: int) -> str:
    """The sentence of the line under the exchange that was refused; after it the recording may well go on."""
    if seq != trace.rejected_at:
        return ""
    after = trace.records - 1 - seq
    return "It was the last exchange." if not after else f"{names.plural(after, 'more exchange')} recorded."


def _shown(session: Session, trace: Trace, wanted: events.Filters, lines: Sequence[Line]) -> str:
    if wanted.narrow:
        matching = events.count_filtered(session, trace.pk, wanted)
        hidden = names.count(trace.records - len(lines))
        return f"{names.count(matching)} of {names.count(trace.records)} match, {hidden} not shown"
    if len(lines) >= trace.records:
        return f"all {names.of_records(trace)} shown"
    hidden = names.count(trace.records - len(lines))
    return f"#{lines[0].seq}–{lines[-1].seq} of {names.count(trace.records)}, {hidden} not shown"


def _nothing(trace: Trace, sel: Selection, page: PageContext) -> str:
    if trace.records == 0:
        return "This recording holds no exchange at all."
    return f"No exchange matches {filters.compose(sel, page.words) or 'the filter'}."
