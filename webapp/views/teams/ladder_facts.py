"""A window of a Teams recording as the facts its ladder is made of.

Rules of this file: a fixed number of queries, bounded by the window and never by the trace's size. Rows are read
without their payloads; only those that are shown are decoded. No wording, no geometry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from webapp.core.records import SHOWN
from webapp.core.teams.exchanges import Exchange
from webapp.core.teams.limits import STREAMED
from webapp.storage import events, findings, items, streams
from webapp.storage.events import Filters, Line
from webapp.storage.models import FindingRow, RunRow, Trace
from webapp.views.page import MAX_LISTED, PageContext
from webapp.views.selection import Selection
from webapp.views.teams import calls

RUNGS = 40  # of a page
AHEAD = 14  # rungs above the chosen one
READ = 480  # rows read for a page: uneventful ones fold
MAX_RUNS = 5_000  # outcomes looked through where a recording has many streams
MAX_STREAMS = 40  # streams of a window whose start is looked up
_FOLDING = ("streaming", "informative", "typing")
_LEAST = 3  # calls that are worth folding
_SENSIBLE = 1e9  # seconds; a time farther from the start than this is no time


@dataclass(frozen=True, slots=True)
class Group:
    """One rung's records: its first and last row, how many, and what is known of them.

    one, final: the decoded first and last record (the same when it stands alone); None when it cannot be read
    finding: the worst one here; more: how many others; apart: seconds since the streaming call before it
    """

    first: Line
    last: Line
    count: int
    one: Exchange | None = None
    final: Exchange | None = None
    finding: FindingRow | None = None
    more: int = 0
    at: float | None = None
    ended: float | None = None
    apart: float | None = None


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream of the window. begin: record of its first call; since: when its start was answered, seconds since the
    recording's start; run: its outcome, None when it is not listed."""

    ord: int
    tag: str
    begin: int
    last: int
    since: float | None = None
    run: RunRow | None = None


@dataclass(frozen=True, slots=True)
class Window:
    groups: tuple[Group, ...]
    streams: dict[int, Stream]
    found: tuple[FindingRow, ...] = ()  # findings of all rows that were read, in order


def load(
    session: Session, trace: Trace, sel: Selection, page: PageContext, limit: int = RUNGS, read: int = READ
) -> Window:
    """At most `limit` groups of `read` rows: from `sel.start` on, or AHEAD of the chosen record and behind it."""
    if not trace.records:
        return Window((), {})
    lines = _lines(session, trace, sel, page, read)
    found = findings.at_events(session, trace.pk, [x.seq for x in lines if x.severity is not None])
    groups = _trim(_groups(lines, page.event, sel.fold), page.event, sel.start is not None, limit)
    worst, extra = _worst(found)
    shown = [seq for group in groups for seq in (group.first.seq, group.last.seq)]
    decoded = calls.load(session, trace.pk, shown, page.event)
    previous = _call_before(session, trace, page, groups)
    out: list[Group] = []
    for group in groups:
        one, final = decoded.get(group.first.seq), decoded.get(group.last.seq)
        row = worst.get(group.first.seq) if group.count == 1 else None
        at, chat = seconds(page, group.first), "" if one is None else one.conversation
        apart = None
        if group.first.type in STREAMED:
            if previous is not None and at is not None and previous[1] == chat and at >= previous[0]:
                apart = at - previous[0]
            sent = seconds(page, group.last)
            previous = None if sent is None else (sent, chat)
        out.append(
            Group(group.first, group.last, group.count, one, final, row, extra.get(group.first.seq, 0), at,
                  _ended(page, group.last, final), apart)
        )  # fmt: skip
    return Window(tuple(out), _streams(session, trace, page, out, decoded), tuple(found))


def seconds(page: PageContext, line: Line) -> float | None:
    """A record's time since the recording's start, when it has a sensible one."""
    read, started = page.clock.read(line), page.clock.started
    if read is None or started is None or not page.clock.known:
        return None
    since = read - started
    return since if abs(since) < _SENSIBLE else None


def on_screen(session: Session, trace: Trace, lane: int, upto: int) -> tuple[int, Exchange] | None:
    """The newest accepted text of a stream up to a record: number and call."""
    for seq in streams.shown(session, trace.pk, lane, upto):
        call = calls.one(session, trace.pk, seq)
        return None if call is None else (seq, call)
    return None


# ── rows ─────────────────────────────────────────────────────


def _lines(session: Session, trace: Trace, sel: Selection, page: PageContext, read: int) -> list[Line]:
    if sel.start is not None or trace.records <= read:
        start = min(max(sel.start or 0, 0), page.last)
        return events.window(session, trace.pk, start=start, limit=read)
    before = read // 3
    return events.around(session, trace.pk, page.event, before=before, after=read - before - 1)


def _groups(lines: Sequence[Line], chosen: int, fold: bool) -> list[Group]:
    """Rows, and runs of uneventful ones as one. A stream's first call, the chosen one and what stands right before
    something that does not fold are shown by themselves."""
    out: list[Group] = []
    run: list[Line] = []

    def flush() -> None:
        kept = run[:-1]
        if len(kept) >= _LEAST:
            out.append(Group(kept[0], kept[-1], len(kept)))
            out.append(Group(run[-1], run[-1], 1))
        else:
            out.extend(Group(line, line, 1) for line in run)
        run.clear()

    for line in lines:
        if not fold or not _calm(line, chosen):
            flush()
            out.append(Group(line, line, 1))
            continue
        if run and (line.lane, line.type, line.reached) != (run[-1].lane, run[-1].type, run[-1].reached):
            flush()
        run.append(line)
    flush()
    return out


def start_before(lines: Sequence[Line], chosen: int, count: int) -> int:
    """The record from which about `count` folded rungs lead up to the end of these rows."""
    groups = _groups(lines, chosen, True)[-count:]
    return groups[0].first.seq if groups else 0


def _calm(line: Line, chosen: int) -> bool:
    return (
        line.type in _FOLDING
        and line.severity is None
        and line.reached in SHOWN
        and line.change not in ("opened", "closed")
        and line.seq != chosen
    )


def _trim(groups: list[Group], event: int, from_start: bool, limit: int) -> list[Group]:
    chosen = next((n for n, g in enumerate(groups) if g.first.seq <= event <= g.last.seq), 0)
    first = 0 if from_start else max(0, min(chosen - AHEAD, len(groups) - limit))
    kept = groups[first : first + limit]
    chosen -= first
    while len(kept) > 1 and sum(_weight(kept, n) for n in range(len(kept))) > limit:
        top = not from_start and chosen > len(kept) - 1 - chosen
        kept.pop(0 if top else -1)
        chosen -= top
    return kept


def _weight(groups: Sequence[Group], n: int) -> float:
    """Rungs' worth of marks: a stream that begins or ends here has a heading, an end and a clock of its own."""
    return 1.0 if n == 0 or groups[n].first.lane == groups[n - 1].first.lane else 1.8


def _worst(found: Sequence[FindingRow]) -> tuple[dict[int, FindingRow], dict[int, int]]:
    """The worst finding at each record, repeats included, and how many more there are."""
    worst: dict[int, FindingRow] = {}
    count: dict[int, int] = {}
    for row in found:
        for seq in (row.event, *findings.repeats(row)):
            count[seq] = count.get(seq, 0) + 1
            if seq not in worst or row.severity < worst[seq].severity:
                worst[seq] = row
    return worst, {seq: number - 1 for seq, number in count.items()}


def _call_before(
    session: Session, trace: Trace, page: PageContext, groups: Sequence[Group]
) -> tuple[float, str] | None:
    """Time and chat of the streaming call right ahead of the window."""
    if not groups or groups[0].first.seq == 0:
        return None
    wanted = Filters(types=tuple(sorted(STREAMED)))
    found = events.backwards(session, trace.pk, before=groups[0].first.seq, limit=1, filters=wanted)
    at = seconds(page, found[0]) if found else None
    call = None if at is None else calls.one(session, trace.pk, found[0].seq)
    return None if at is None or call is None else (at, call.conversation)


def _ended(page: PageContext, line: Line, call: Exchange | None) -> float | None:
    at = seconds(page, line)
    if at is None or call is None or call.took is None or call.took > _SENSIBLE:
        return None
    return at + call.took


# ── streams ──────────────────────────────────────────────────


def _streams(
    session: Session,
    trace: Trace,
    page: PageContext,
    groups: Sequence[Group],
    decoded: dict[int, Exchange],
) -> dict[int, Stream]:
    wanted = dict.fromkeys(group.first.lane for group in groups if group.first.lane)
    lanes = {ord_: page.lanes[ord_] for ord_ in list(wanted)[:MAX_STREAMS] if ord_ in page.lanes}
    runs = page.runs
    if trace.run_count > MAX_LISTED:
        runs = items.runs(session, trace.pk, limit=min(trace.run_count, MAX_RUNS))
    by_first = {run.first: run for run in runs}
    begins = {lane.first for lane in lanes.values()} - set(decoded)
    known = decoded | calls.load(session, trace.pk, begins, page.event)
    rows = events.some(session, trace.pk, [lane.first for lane in lanes.values()])
    out: dict[int, Stream] = {}
    for ord_, lane in lanes.items():
        run = by_first.get(lane.first)
        tag = lane.tag or ""
        since = _since(page, rows.get(lane.first), known.get(lane.first))
        if since is None:  # the first try was refused: another one may have opened it
            tries = (g for g in groups if g.first.lane == ord_ and g.count == 1)
            since = next((s for g in tries if (s := _since(page, g.first, g.one)) is not None), None)
        last = max(lane.last, run.last if run is not None else 0)
        out[ord_] = Stream(ord_, tag, lane.first, last, since, run)
    return out


def _since(page: PageContext, line: Line | None, call: Exchange | None) -> float | None:
    """When a start was answered; None for what is no accepted start, or has no time."""
    if line is None or call is None or line.reached not in SHOWN or call.stream_id is not None:
        return None
    if call.kind not in ("informative", "streaming"):
        return None
    ended = _ended(page, line, call)
    return seconds(page, line) if ended is None else ended
