"""A window of one trace as the facts a sequence diagram is drawn from.

Rules of this file: a fixed number of queries, bounded by the window and never by the trace; rows of the
database in, `draw.sequence_model` out. No wording beyond a few words of the payload itself, no geometry.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy.orm import Session

from webapp.draw import layout
from webapp.draw.sequence_folds import joined
from webapp.draw.sequence_model import Burst, Entry, Fact, ItemFact, LaneFact, Part
from webapp.redact import marked
from webapp.storage import events, findings, items
from webapp.storage.events import Filters, Line
from webapp.storage.items import StoredLane
from webapp.storage.models import FindingRow, ItemRow, Segment, Trace
from webapp.views import content, names, returned
from webapp.views.page import PageContext
from webapp.views.selection import Selection

MESSAGES = ("text", "reasoning")  # kinds of items that a snapshot can remove
MAX_NAME = 200  # characters of a name or tag: each mark's words repeat it
_DETAILS = {
    "CUSTOM": "name",
    "STEP_STARTED": "stepName",
    "STEP_FINISHED": "stepName",
    "RUN_ERROR": "message",
    "SUBAGENT_ERROR": "message",
    "ACTIVITY_SNAPSHOT": "activityType",
    "ACTIVITY_DELTA": "activityType",
    "RAW": "source",
}
_STRING = r'"(?:%s)"\s*:\s*"((?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*)'  # whole escapes only
_SHOWN = 200  # characters of a text worth carrying to a label


def has_chunks(trace: Trace) -> bool:
    """Whether a client needs its expansion stage for this trace."""
    return any(name.endswith("_CHUNK") for name in trace.types)


def lanes(page: PageContext) -> list[LaneFact]:
    return [_lane(row) for row in page.lanes.values()]


def _lane(row: StoredLane) -> LaneFact:
    parent = row.parent if row.parent is not None or row.ord == 0 else 0
    name = row.name if row.ord == 0 else row.name or (row.tag if row.tag else "(empty tag)")
    return LaneFact(
        row.ord,
        names.clip(name, MAX_NAME),
        _bounded(row.tag),
        parent,
        row.first,
        row.last,
        row.started,
        row.ended,
    )


def load(
    session: Session, trace: Trace, sel: Selection, page: PageContext, *, before: int, limit: int
) -> list[Entry]:
    """Facts from `sel.start` on, or from `before` rows ahead of the chosen event; at most `limit` rows."""
    filters = Filters(heads=sel.fold)
    if sel.start is not None or trace.records <= limit:
        start = min(max(sel.start or 0, 0), page.last)
        start = events.head_of(session, trace.pk, start) if sel.fold else start
        lines = events.window(session, trace.pk, start=start, limit=limit, filters=filters)
    else:
        after = limit - before - 1
        lines = events.around(session, trace.pk, page.event, before=before, after=after, filters=filters)
    if not lines:
        return []
    bursts = items.bursts(session, trace.pk, [line.seq for line in lines]) if sel.fold else {}
    return _entries(session, trace, page, lines, bursts)


def _entries(
    session: Session,
    trace: Trace,
    page: PageContext,
    lines: Sequence[Line],
    bursts: dict[int, list[Segment]],
) -> list[Entry]:
    derived = {line.seq: content.derived(line.seq, line.synth) for line in lines}
    ords = {line.item for line in lines} | {d.item for each in derived.values() for d in each}
    ords |= {segment.item for parts in bursts.values() for segment in parts}
    known = _Known(session, trace, page, items.by_ords(session, trace.pk, ords))
    ends = [seq for parts in bursts.values() for part in parts for seq in (part.first, part.last)]
    times = {seq: _seconds(page, line) for seq, line in events.some(session, trace.pk, ends).items()}
    worst, closers = _findings(session, trace, lines)
    out: list[Entry] = []
    for line in lines:
        if line.seq in bursts:
            out.append(_burst(line, bursts[line.seq], known, times, page))
            continue
        made = ((d.change, known.at(d.item, line.seq)) for d in derived[line.seq])
        synth = tuple((change, item) for change, item in made if item is not None)
        out.append(_fact(line, known, synth, worst.get(line.seq), line.seq in closers, page))
    return joined(out)


def _fact(
    line: Line,
    known: _Known,
    synth: tuple[tuple[str, ItemFact], ...],
    finding: FindingRow | None,
    culprit: bool,
    page: PageContext,
) -> Fact:
    text, detail = peek(line.type, line.raw)
    return Fact(
        line.seq,
        line.type,
        line.lane,
        _seconds(page, line),
        line.reached,
        known.at(line.item, line.seq),
        line.change,
        synth,
        text,
        detail,
        None if line.severity is None else names.SEVERITY[line.severity],
        _fault(line, finding),
        finding is not None and finding.rule.startswith("AGUI-CHK"),
        culprit,
    )


def _fault(line: Line, finding: FindingRow | None) -> str:
    """The finding's clause; at its further places not its words, which name the item of the first one."""
    if finding is None:
        return ""
    if finding.event != line.seq:
        return f"the same as #{finding.event}"
    return layout.plain(finding.title.replace("`", ""))


def _burst(
    line: Line,
    segments: Sequence[Segment],
    known: _Known,
    times: dict[int, float | None],
    page: PageContext,
) -> Burst:
    parts = []
    for segment in segments:
        first, last = times.get(segment.first), times.get(segment.last)
        took = None if first is None or last is None else max(0.0, last - first)
        item = known.at(segment.item, line.seq) or ItemFact(segment.item, segment.kind, "", 0)
        out = marked(segment.text)  # of a text that was taken out the characters are known
        size = len(segment.text.encode("utf-8", "replace")) if out is None else out
        parts.append(Part(item, segment.lane, segment.count, size, took, segment.reached))
    return Burst(line.seq, segments[0].burst_last, tuple(parts), _seconds(page, line))


def _findings(
    session: Session, trace: Trace, lines: Sequence[Line]
) -> tuple[dict[int, FindingRow], set[int]]:
    """The worst finding at each record of the window, and the records that closed an item too early."""
    places = [line.seq for line in lines if line.severity is not None]
    if trace.headline_event is not None:
        places.append(trace.headline_event)
    worst: dict[int, FindingRow] = {}
    closers: set[int] = set()
    for row in findings.at_events(session, trace.pk, places):
        for seq in (row.event, *findings.repeats(row)):
            if seq not in worst or row.severity < worst[seq].severity:
                worst[seq] = row
        if row.severity <= 1:
            closers |= {event for event, role in row.related if role == "closed_by"}
    return worst, closers


class _Known:
    """The items of a window as they were at a record: there, or removed by a snapshot and not back yet."""

    def __init__(
        self, session: Session, trace: Trace, page: PageContext, rows: Mapping[int, ItemRow]
    ) -> None:
        self._facts = {ord_: _item(row) for ord_, row in rows.items()}
        self._gone = {ord_: row.gone for ord_, row in rows.items() if row.gone is not None}
        self._backs = returned.find(session, trace, page, MESSAGES) if self._gone else {}

    def at(self, ord_: int | None, seq: int) -> ItemFact | None:
        fact = None if ord_ is None else self._facts.get(ord_)
        if fact is None or fact.ord not in self._gone:
            return fact
        back = self._backs.get(fact.ord)
        away = self._gone[fact.ord] < seq and (back is None or seq < back.at)
        return replace(fact, away=away)


def _item(row: ItemRow) -> ItemFact:
    return ItemFact(row.ord, row.kind, row.id, row.number, _bounded(row.name), row.via == "chunk")


def _bounded(name: str | None) -> str | None:
    return name and names.clip(name, MAX_NAME)


def _seconds(page: PageContext, line: Line) -> float | None:
    read = page.clock.read(line)
    started = page.clock.started
    return None if read is None or started is None or not page.clock.known else read - started


def peek(type_: str | None, raw: str) -> tuple[str | None, str]:
    """The text a payload carries and what else tells it apart; raw may be cut, or no JSON at all."""
    body = content.parse(raw)
    if not isinstance(body, dict):
        wanted = _DETAILS.get(type_ or "")
        return _cut_string(raw, "delta|content"), (_cut_string(raw, wanted) or "") if wanted else ""
    text = body.get("delta", body.get("content"))
    detail = body.get(_DETAILS.get(type_ or "", ""))
    if type_ == "RUN_FINISHED":
        outcome = body.get("outcome")
        detail = outcome.get("type") if isinstance(outcome, dict) else None
    elif type_ == "MESSAGES_SNAPSHOT" and isinstance(body.get("messages"), list):
        detail = names.plural(len(body["messages"]), "message")
    return (
        text[:_SHOWN] if isinstance(text, str) else None,
        detail[:_SHOWN] if isinstance(detail, str) else "",
    )


def _cut_string(raw: str, names_: str) -> str | None:
    """The first string under one of these names in a payload that was cut before it could be parsed."""
    found = re.search(_STRING % names_, raw)
    if found is None:
        return None
    decoded = content.parse(f'"{found[1]}"')
    return decoded[:_SHOWN] if isinstance(decoded, str) else None
