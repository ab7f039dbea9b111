"""What streams of a Teams recording had put on the user's screen, as of a record.

Rules of this file: queries on `events`, each led by the partial index `events_stream` and bounded by its window; no
wording. The words of `_STREAM` stand literally in every query, since that is how the planner finds the index.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from sqlalchemy import ColumnElement, func, select, text
from sqlalchemy.orm import Session, aliased

from webapp.core.records import DELIVERED, DROPPED, LOST, REFUSED, SENT
from webapp.storage.models import EventRow, ItemRow, RunRow, Segment, Trace

TEXTS = ("streaming", "final", "edit")  # what may change the text of a bubble
REACHED = (DELIVERED, DROPPED, REFUSED, LOST, SENT)  # what a stream's exchanges can have
BUDGET = 2_000_000  # characters of payloads that one page decodes
FIRST = 200  # records looked at to tell whether a recording has answers


def _stream(table: str) -> ColumnElement[bool]:
    kinds = "'delete', 'edit', 'final', 'informative', 'streaming'"
    return text(f"{table}.type > 'a' AND {table}.type IN ({kinds})")  # type: ignore[return-value]


class Act(NamedTuple):
    """One exchange of a stream: number, kind, how it was answered (`core.records.REACHED`), size of its payload."""

    seq: int
    type: str
    reached: int
    size: int


def _seen(row: type[EventRow], reached: int, types: Collection[str]) -> list[ColumnElement[bool]]:
    """Accepted; of an activity without an answer: what the engine took for shown, so it left text behind."""
    found = [row.reached == reached, row.type.in_(types)]
    if reached == SENT:
        found.append(
            select(Segment.first).where(Segment.trace == row.trace, Segment.first == row.seq).exists()
        )
    return found


def shown_before(session: Session, trace: int, seqs: Collection[int]) -> dict[int, int]:
    """For each record (at most 500) the last one before it, in its stream, whose text had been shown."""
    wanted = sorted(set(seqs))[:500]
    if not wanted:
        return {}
    earlier = aliased(EventRow, name="earlier")
    mine = [
        earlier.trace == trace,
        earlier.lane == EventRow.lane,
        earlier.seq < EventRow.seq,
        _stream("earlier"),
    ]
    last = [
        select(earlier.seq)
        .where(*mine, *_seen(earlier, reached, TEXTS))
        .order_by(earlier.seq.desc())
        .limit(1)
        .correlate(EventRow)
        .scalar_subquery()
        for reached in (DELIVERED, SENT)
    ]
    query = select(EventRow.seq, *last).where(
        EventRow.trace == trace, EventRow.seq.in_(wanted), EventRow.type.in_(TEXTS)
    )
    found = {
        seq: max((b for b in before if b is not None), default=-1) for seq, *before in session.execute(query)
    }
    return {seq: before for seq, before in found.items() if before >= 0}


def shown(
    session: Session, trace: int, lane: int, upto: int, types: Collection[str] = TEXTS, limit: int = 1
) -> list[int]:
    """The newest records of a stream up to `upto` of which the user saw something, newest first."""
    seqs: list[int] = []
    for reached in (DELIVERED, SENT):
        query = select(EventRow.seq).where(
            EventRow.trace == trace,
            EventRow.lane == lane,
            EventRow.seq <= upto,
            _stream("events"),
            *_seen(EventRow, reached, types),
        )
        seqs += session.scalars(query.order_by(EventRow.seq.desc()).limit(limit))
    return sorted(seqs, reverse=True)[:limit]


def tail(session: Session, trace: int, lane: int, upto: int, limit: int) -> list[Act]:
    """The newest exchanges of a stream up to `upto`, newest first."""
    acts: list[Act] = []
    for reached in REACHED:
        query = select(EventRow.seq, EventRow.type, EventRow.reached, func.length(EventRow.raw)).where(
            EventRow.trace == trace,
            EventRow.lane == lane,
            EventRow.reached == reached,
            EventRow.seq <= upto,
            _stream("events"),
        )
        rows = session.execute(query.order_by(EventRow.seq.desc()).limit(limit))
        acts += [Act(seq, type_ or "", how, size) for seq, type_, how, size in rows]
    return sorted(acts, reverse=True)[:limit]


def payloads(
    session: Session, trace: int, seqs: Iterable[int], near: int, budget: int = BUDGET
) -> dict[int, str]:
    """Whole payloads by record number, those nearest to record `near` first, until the budget is spent."""
    wanted = sorted(set(seqs))[:500]
    if not wanted:
        return {}
    sizes = select(EventRow.seq, func.length(EventRow.raw)).where(
        EventRow.trace == trace, EventRow.seq.in_(wanted)
    )
    chosen: list[int] = []
    for seq, size in sorted(session.execute(sizes), key=lambda row: abs(row[0] - near)):
        if size <= budget:
            budget -= size
            chosen.append(seq)
    query = select(EventRow.seq, EventRow.raw).where(EventRow.trace == trace, EventRow.seq.in_(chosen))
    return dict(session.execute(query).all())


def reaches(session: Session, trace: int) -> set[int]:
    """How the first exchanges were answered (`core.records.REACHED`), the user's own messages aside."""
    first = (
        select(EventRow.reached, EventRow.type)
        .where(EventRow.trace == trace, EventRow.seq < FIRST)
        .subquery()
    )
    query = select(first.c.reached).where(first.c.type.is_not(None), first.c.type != "inbound").distinct()
    return set(session.scalars(query))


def newest_reply(session: Session, trace: Trace) -> ItemRow | None:
    """The newest stream; of a recording without any, the agent's newest plain message."""
    own = ItemRow.lane > 0 if trace.run_count else ItemRow.name != "user"
    query = select(ItemRow).where(ItemRow.trace == trace.pk, own)
    return session.scalar(query.order_by(ItemRow.ord.desc()).limit(1))


def message_after(session: Session, trace: int, ord_: int) -> ItemRow | None:
    """The agent's newest plain message that came to the chat after the item `ord_`."""
    query = select(ItemRow).where(
        ItemRow.trace == trace,
        ItemRow.lane == 0,
        ItemRow.name == "message",
        ItemRow.ord > ord_,
        ItemRow.chars_seen > 0,
    )
    return session.scalar(query.order_by(ItemRow.ord.desc()).limit(1))


def outcomes(session: Session, traces: Collection[int]) -> dict[int, dict[str, int]]:
    """How many runs or streams of each trace ended in which way: `{pk: {"finished": 2, "stopped": 1}}`."""
    query = (
        select(RunRow.trace, RunRow.outcome, func.count())
        .where(RunRow.trace.in_(sorted(traces)))
        .group_by(RunRow.trace, RunRow.outcome)
    )
    found: dict[int, dict[str, int]] = {}
    for trace, outcome, number in session.execute(query):
        found.setdefault(trace, {})[outcome] = number
    return found
