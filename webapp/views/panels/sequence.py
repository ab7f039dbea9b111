"""The Sequence panel: a window of the trace as lifelines and arrows, and the same as a picture or Mermaid.

Rules of this file: which rows are shown and what is said of the rest. Facts come from `views.sequence_facts`,
the drawing from `draw.sequence`. Bounded: ROWS rows and ELEMENTS marks whatever the trace's size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup
from sqlalchemy.orm import Session

from webapp.draw import layout
from webapp.draw.sequence import cost, draw
from webapp.draw.sequence_lanes import lifelines
from webapp.draw.sequence_model import Burst, Diagram, Entry, Fact, LaneFact, Lifeline, Row
from webapp.draw.sequence_rows import Composer
from webapp.storage import events
from webapp.storage.events import Filters
from webapp.storage.models import Trace
from webapp.views import names, sequence_facts
from webapp.views.page import PageContext
from webapp.views.selection import Selection

ROWS = 60
AHEAD = 22  # rows above the chosen one when the window is laid around it
READ = 150  # rows read for a window: neighbours fold into one, so more are read than shown
ELEMENTS = 1300  # marks of the track and labels; heads come on top


@dataclass(frozen=True, slots=True)
class Step:
    """A neighbouring window. words: `#0–#211, 212 more events`."""

    href: str
    words: str


@dataclass(frozen=True, slots=True)
class SequencePanel:
    """The diagram's four SVGs and what stands around them.

    focus_x, focus_y: where the chosen row is, px from the track's corner
    away: link to the chosen event when the window does not hold it
    chunks, stops: whether the legend needs those signs
    svg, text: download URLs
    """

    head_left: Markup
    head_right: Markup
    left: Markup
    right: Markup
    focus_x: int
    focus_y: int
    earlier: Step | None
    later: Step | None
    away: Step | None
    fold_href: str
    folded: bool
    chunks: bool
    stops: bool
    svg: str
    text: str
    summary: str
    empty: str


def build(session: Session, trace: Trace, sel: Selection, page: PageContext) -> SequencePanel:
    diagram, part = window(session, trace, sel, page, ROWS, READ)
    rows = diagram.rows
    first = rows[0].first if rows else 0
    last = rows[-1].last if rows else page.last
    summary = sentence(diagram, trace)

    def href(row: Row) -> str:
        return sel.href(event=row.first, start=first if part else None)

    def unfold(row: Row) -> str:
        return sel.href(event=row.first, start=row.first, fold=False)

    drawn = draw(diagram, href, unfold, summary)
    base = f"{sel.base}/sequence"
    query = sel.href(event=page.event).partition("?")[2]
    return SequencePanel(
        head_left=drawn.head_left,
        head_right=drawn.head_right,
        left=drawn.left,
        right=drawn.right,
        focus_x=drawn.focus_x,
        focus_y=drawn.focus_y,
        earlier=_earlier(session, trace, sel, page, first),
        later=_later(sel, page, last),
        away=_away(sel, page, diagram),
        fold_href=sel.href(event=page.event, fold=not sel.fold, start=None),
        folded=sel.fold,
        chunks=sequence_facts.has_chunks(trace),
        stops=trace.rejected_at is not None,
        svg=f"{base}.svg?{query}",
        text=f"{base}.mmd?{query}",
        summary=summary,
        empty="" if rows else "This recording holds no record, so there is nothing to draw.",
    )


# ── the window ───────────────────────────────────────────────


def window(
    session: Session,
    trace: Trace,
    sel: Selection,
    page: PageContext,
    limit: int,
    read: int,
    marks: int = ELEMENTS,
) -> tuple[Diagram, bool]:
    """The diagram of at most `limit` rows, `read` looked at; and whether it is not the whole trace."""
    entries = sequence_facts.load(session, trace, sel, page, before=min(AHEAD * 2, read // 3), limit=read)
    lanes, chunks = sequence_facts.lanes(page), sequence_facts.has_chunks(trace)
    heads, rows = _compose(lanes, chunks, entries, trace, sel.fold)
    kept = _trim(rows, page.event, sel.start is not None, limit, marks)
    if len(kept) < len(rows):  # which lanes are drawn depends on the rows that are
        first, last = kept[0].first, kept[-1].last
        inside = [entry for entry in entries if first <= entry.first <= last]
        heads, kept = _compose(lanes, chunks, inside, trace, sel.fold)
    diagram = Diagram(tuple(heads), tuple(kept), page.event, trace.rejected_at, trace.name)
    whole = bool(kept) and kept[0].first == 0 and kept[-1].last >= page.last
    return diagram, not whole


def _compose(
    lanes: Sequence[LaneFact], chunks: bool, entries: Sequence[Entry], trace: Trace, fold: bool
) -> tuple[list[Lifeline], list[Row]]:
    speaking = {entry.lane for entry in entries if isinstance(entry, Fact)}
    speaking |= {part.lane for entry in entries if isinstance(entry, Burst) for part in entry.parts}
    heads, columns = lifelines(lanes, speaking, chunks, trace.lane_count)
    never = 0 if trace.rejected_at is None else trace.records - 1 - trace.rejected_at
    return heads, Composer(lanes, columns, fold).rows(entries, never)


def _trim(rows: list[Row], event: int, from_start: bool, limit: int, marks: int) -> list[Row]:
    """At most `limit` rows of at most `marks` elements: from the first one on, or around the chosen one."""
    chosen = next((n for n, row in enumerate(rows) if row.holds(event)), 0)
    first = 0 if from_start else max(0, min(chosen - AHEAD, len(rows) - limit))
    kept = rows[first : first + limit]
    chosen -= first
    total = sum(cost(row) for row in kept)
    while total > marks and len(kept) > 1:
        ahead = not from_start and chosen > len(kept) - 1 - chosen
        total -= cost(kept.pop(0 if ahead else -1))
        chosen -= ahead
    return kept[1:] if kept and kept[0].shape == "stop" else kept


# ── around the window ────────────────────────────────────────


def _earlier(session: Session, trace: Trace, sel: Selection, page: PageContext, first: int) -> Step | None:
    if first <= 0:
        return None
    wanted = Filters(heads=sel.fold)
    start = events.backwards(session, trace.pk, before=first, limit=ROWS - 10, filters=wanted)
    href = sel.href(event=page.event, start=start[0].seq if start else 0)
    return Step(href, f"{layout.numbers(0, first - 1)}, {names.plural(first, 'more event')}")


def _later(sel: Selection, page: PageContext, last: int) -> Step | None:
    if last >= page.last:
        return None
    words = f"{layout.numbers(last + 1, page.last)}, {names.plural(page.last - last, 'more event')}"
    return Step(sel.href(event=page.event, start=last + 1), words)


def _away(sel: Selection, page: PageContext, diagram: Diagram) -> Step | None:
    if not diagram.rows or any(row.holds(page.event) for row in diagram.rows):
        return None
    return Step(sel.href(event=page.event, start=None), f"#{page.event} is not in this window")


def sentence(diagram: Diagram, trace: Trace) -> str:
    """The picture in one sentence, for those who do not see it and for the file's first line."""
    if not diagram.rows:
        return f"Sequence diagram of {layout.plain(trace.name)}: no events."
    lanes = sum(line.role in ("lane", "more") for line in diagram.lifelines)
    span = layout.numbers(diagram.rows[0].first, diagram.rows[-1].last)
    words = [
        f"Sequence diagram of {layout.plain(trace.name)}, {span} of {names.plural(trace.events, 'event')}"
    ]
    words.append(f"{names.plural(lanes, 'lane')}, the client and the user’s screen")
    if diagram.rejected_at is not None:
        words.append(f"the client stops at #{diagram.rejected_at}")
    return "; ".join(words) + "."
