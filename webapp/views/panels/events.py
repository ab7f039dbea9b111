"""The Events panel: a window of rows, each one record, one derived event, or one folded burst.

Rules of this file: which records are shown, where the window begins and ends, what is not shown. What a row
says is in `views/event_rows.py`. Bounded: about ROWS rows a window, whatever the trace's size, derived rows counted;
so the page stays under its limit of DOM nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from webapp.storage import events, findings, items
from webapp.storage.events import Filters, Line
from webapp.storage.models import ItemRow, Segment, Trace
from webapp.views import content, event_rows, filters, names
from webapp.views.event_facts import Facts, Said
from webapp.views.page import PageContext
from webapp.views.selection import Selection

ROWS = 100
STEP = 50  # Earlier and Later move by half a window, so that a reader never loses the place
AHEAD = 12  # rows above the chosen one: it is in view without a script
ELEMENTS = 1_700  # of the 2,500 a page may have; the rest is for what stands around the rows
FOLD_OVER = 3  # bursts of up to this many records are not worth hiding


@dataclass(frozen=True, slots=True)
class EventsPanel:
    """rows in order; earlier, later: URLs of the neighbouring windows, None at the ends.

    shown: sentence with what is not shown; box: the filter as typed; clock: head of the time column.
    """

    rows: Sequence[event_rows.Row]
    earlier: str | None
    later: str | None
    shown: str
    box: str
    clock: str
    empty: str
    fold_href: str
    hits_href: str
    clear_href: str
    one_lane: bool
    end: int  # the last record shown


def build(session: Session, trace: Trace, sel: Selection, page: PageContext) -> EventsPanel:
    wanted = filters.wanted(sel, page)
    lines = window(session, trace, sel, page, wanted)
    bursts = items.bursts(session, trace.pk, [line.seq for line in lines]) if wanted.heads else {}
    lines = _unfolded(session, trace, lines, bursts)
    lines, cut = _budget(lines, bursts, page.event)
    bursts = {line.seq: bursts[line.seq] for line in lines if line.seq in bursts}
    facts = _facts(session, trace, page, sel, lines, bursts, wanted.narrow)
    made = _affordable(event_rows.make(lines, facts))
    shown = [line for line in lines if made and made[0].seq <= line.seq <= made[-1].seq]
    first = shown[0].seq if shown else 0
    before = events.backwards(session, trace.pk, before=first, limit=STEP, filters=wanted) if first else []
    more = cut or len(shown) < len(lines) or len(lines) >= ROWS
    end = _end(shown, bursts)
    last = end < page.last and more
    return EventsPanel(
        rows=made,
        earlier=sel.href(start=before[0].seq) if before else None,
        later=sel.href(start=shown[len(shown) // 2].seq) if last else None,
        shown=_said(session, trace, wanted, shown, bursts),
        box=filters.compose(sel),
        clock="since #0" if page.clock.known else "no clock",
        empty=_nothing(trace, sel) if not made else "",
        fold_href=sel.href(fold=not sel.fold, start=None),
        hits_href=sel.href(event=None, hits=not sel.hits, start=None),
        clear_href=sel.href(q="", type="", lane="", item="", hits=False, start=None),
        one_lane=trace.lane_count <= 1,
        end=end,
    )


def window(session: Session, trace: Trace, sel: Selection, page: PageContext, wanted: Filters) -> list[Line]:
    """The records shown: from `start` on, or around the chosen record; always full when there is enough."""
    if sel.start is not None:
        found = events.window(session, trace.pk, start=sel.start, limit=ROWS, filters=wanted)
    elif page.rows:  # the newest are followed: what nobody sees need not be made several times a second
        return events.backwards(
            session, trace.pk, before=trace.records, limit=min(page.rows, ROWS), filters=wanted
        )
    elif page.last < ROWS:
        found = events.window(session, trace.pk, limit=ROWS, filters=wanted)
    else:
        found = events.around(
            session, trace.pk, page.event, before=AHEAD, after=ROWS - AHEAD - 1, filters=wanted
        )
    missing = ROWS - len(found)
    first = found[0].seq if found else trace.records
    if missing and first > 0:
        found = events.backwards(session, trace.pk, before=first, limit=missing, filters=wanted) + found
    missing = ROWS - len(found)
    if missing and found and found[-1].seq < page.last:
        found += events.window(session, trace.pk, start=found[-1].seq + 1, limit=missing, filters=wanted)
    return found


def _unfolded(
    session: Session, trace: Trace, lines: list[Line], bursts: dict[int, list[Segment]]
) -> list[Line]:
    """The lines with short bursts opened again; those bursts leave `bursts`."""
    short = [seq for seq, parts in bursts.items() if parts[0].burst_last - seq + 1 <= FOLD_OVER]
    inside = [seq for head in short for seq in range(head + 1, bursts.pop(head)[0].burst_last + 1)]
    if not inside:
        return lines
    return sorted([*lines, *events.some(session, trace.pk, inside).values()], key=lambda line: line.seq)


def _budget(lines: list[Line], bursts: dict[int, list[Segment]], event: int) -> tuple[list[Line], bool]:
    """As many lines as make about ROWS rows with their derived events; whether the end was cut off."""
    costs = []
    for line in lines:
        drawn = sum(1 for d in content.derived(line.seq, line.synth) if d.change != "grew")
        costs.append(1 + (0 if line.seq in bursts else drawn))
    inside = bool(lines) and lines[0].seq <= event <= _end(lines, bursts)
    chosen = sum(line.seq <= event for line in lines) - 1 if inside else 0
    first, last = fitting(costs, ROWS, chosen)
    return lines[first:last], last < len(lines)


def _affordable(made: list[event_rows.Row]) -> list[event_rows.Row]:
    """The rows the page can bear: drawings of many open items cost more than text."""
    chosen = next((index for index, row in enumerate(made) if row.selected), 0)
    first, last = fitting([row.cost for row in made], ELEMENTS, chosen)
    while last < len(made) and last - 1 > chosen and made[last - 1].derived:
        last -= 1  # a derived row is not parted from its record
    while 0 < first < chosen and made[first - 1].derived:
        first += 1
    return made[first:last]


def fitting(costs: Sequence[int], limit: int, chosen: int) -> tuple[int, int]:
    """First and behind-last index of what costs at most `limit` and holds `chosen`.

    From the first one on if that reaches as far, else to the last one, else from a little before the chosen one.
    """
    last = _reach(costs, limit)
    if last > chosen:
        return 0, last
    first = len(costs) - _reach(costs[::-1], limit)
    if first + AHEAD <= chosen:
        return first, len(costs)
    first = max(0, chosen - AHEAD)
    return first, first + max(_reach(costs[first:], limit), chosen - first + 1)


def _reach(costs: Sequence[int], limit: int) -> int:
    """How many of them, from the first on, cost at most `limit` together."""
    total = 0
    for index, cost in enumerate(costs):
        total += cost
        if total > limit:
            return index
    return len(costs)


def _end(lines: Sequence[Line], bursts: dict[int, list[Segment]]) -> int:
    """Number of the last record the lines stand for."""
    if not lines:
        return -1
    last = lines[-1].seq
    return bursts[last][0].burst_last if last in bursts else last


def _facts(
    session: Session,
    trace: Trace,
    page: PageContext,
    sel: Selection,
    lines: Sequence[Line],
    bursts: dict[int, list[Segment]],
    narrow: bool,
) -> Facts:
    """All that the rows need beside themselves, in four queries."""
    ords = {line.item for line in lines}
    ords |= {d.item for line in lines for d in content.derived(line.seq, line.synth)}
    ords |= {segment.item for parts in bursts.values() for segment in parts[:4]}
    known = items.by_ords(session, trace.pk, ords)
    if lines and not narrow:
        end = _end(lines, bursts)
        known |= {i.ord: i for i in items.overlapping(session, trace.pk, lines[0].seq, end, limit=400)}
    known |= _called(session, trace, lines, known)
    marked = [line.seq for line in lines if line.severity is not None]
    found: dict[int, list[Said]] = {}
    standing = findings.at_events(session, trace.pk, marked)
    for row in standing:
        found.setdefault(row.event, []).append(event_rows.said(row))
    for row in standing:  # merged ones have one finding, at their first place
        for event in findings.repeats(row):
            if event not in found:
                found[event] = [Said(row.severity, f"the same as #{row.event}", frozenset(), first=False)]
    ends = (
        events.some(session, trace.pk, [parts[0].burst_last for parts in bursts.values()]) if bursts else {}
    )
    return Facts(
        trace=trace,
        page=page,
        sel=replace(sel, start=lines[0].seq if lines and page.last >= ROWS else None),
        items=known,
        bursts=bursts,
        burst_ends=ends,
        said=found,
        after=trace.records - 1 - trace.rejected_at if trace.rejected_at is not None else 0,
    )


def _called(
    session: Session, trace: Trace, lines: Sequence[Line], known: dict[int, ItemRow]
) -> dict[int, ItemRow]:
    """The calls that results among the lines answer, where they are not known yet."""
    results = [known[line.item] for line in lines if line.item in known and known[line.item].kind == "result"]
    there = {item.id for item in known.values() if item.kind == "tool"}
    wanted = {item.parent for item in results if item.parent and item.parent not in there}
    return {item.ord: item for item in items.by_ids(session, trace.pk, wanted, ("tool",))}


def _said(
    session: Session,
    trace: Trace,
    wanted: Filters,
    lines: Sequence[Line],
    bursts: dict[int, list[Segment]],
) -> str:
    """What is shown and, always, how much is not."""
    folded = [bursts[line.seq][0] for line in lines if line.seq in bursts]
    inside = sum(part.burst_last - part.burst for part in folded)
    shown = len(lines) + inside
    if wanted.narrow:
        matching = events.count_filtered(session, trace.pk, wanted)
        hidden = trace.records - len(lines)
        return (
            f"{names.count(matching)} of {names.count(trace.records)} match, {names.count(hidden)} not shown"
        )
    if shown >= trace.records:
        return f"all {names.of_records(trace)} shown"
    first, last = lines[0].seq, _end(lines, bursts)
    return f"#{first}–{last} of {names.count(trace.records)}, {names.count(trace.records - shown)} not shown"


def _nothing(trace: Trace, sel: Selection) -> str:
    if trace.records == 0:
        return "There is no event in it to show."
    return f"No event matches {filters.compose(sel) or 'the filter'}."
