"""Lanes, runs, items and folded bursts; what was open when. The text of an item is `storage/texts.py`.

Rules of this file: queries on what analysis derived. Each is bounded by its window, never by the trace's
size.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, func, or_, select, text
from sqlalchemy.orm import Session

from webapp.storage.derived import INDEXED, INDEXED_CHARS
from webapp.storage.models import Checkpoint, ItemRow, LaneRow, RunRow, Segment
from webapp.storage.storable import storable

BURST_RECORDS = 500  # most records of one burst; `ingest.index` cuts there, queries rely on it


class StoredLane(NamedTuple):
    """A lane as pages read it: columns of `LaneRow`. Plain, since a page knows hundreds of them."""

    ord: int
    tag: str | None
    name: str
    parent: int | None
    state: str
    message: str | None
    first: int
    last: int
    started: int | None
    ended: int | None


_LANE = tuple(getattr(LaneRow, name) for name in StoredLane._fields)


def lanes(session: Session, trace: int, limit: int = 2000, around: int | None = None) -> Sequence[StoredLane]:
    """The parent agent first, then the subagent invocations in order of first mention.

    around: a record; where there are more than `limit`, those first mentioned nearest before and after it.
    """
    query = select(*_LANE).where(LaneRow.trace == trace).order_by(LaneRow.ord).limit(limit)
    if around is not None:
        of_trace = LaneRow.trace == trace
        here = session.scalar(select(func.max(LaneRow.ord)).where(of_trace, LaneRow.first <= around)) or 0
        last = session.scalar(select(func.max(LaneRow.ord)).where(of_trace)) or 0
        low = min(here - limit // 2, last - limit + 1)
        query = query.where((LaneRow.ord == 0) | (LaneRow.ord > low))
    return list(map(StoredLane._make, session.execute(query)))


def runs(session: Session, trace: int, limit: int = 2000) -> Sequence[RunRow]:
    query = select(RunRow).where(RunRow.trace == trace).order_by(RunRow.ord).limit(limit)
    return session.scalars(query).all()


def by_ord(session: Session, trace: int, ord: int) -> ItemRow | None:
    """The item with this running number."""
    return session.get(ItemRow, (trace, ord))


def by_ords(session: Session, trace: int, ords: Iterable[int | None]) -> dict[int, ItemRow]:
    """Items by running number (at most 1,000); None is passed over, so that `Line.item` can be given."""
    wanted = sorted({ord_ for ord_ in ords if ord_ is not None})[:1000]
    if not wanted:
        return {}
    rows = session.scalars(select(ItemRow).where(ItemRow.trace == trace, ItemRow.ord.in_(wanted)))
    return {row.ord: row for row in rows}


def with_ids(ids: Sequence[str]) -> ColumnElement[bool]:
    """Items with one of these ids. PostgreSQL's index holds short ones only, and is used where a query says so."""
    wanted = ItemRow.id.in_(ids)
    return and_(wanted, text(INDEXED)) if all(len(id_) < INDEXED_CHARS for id_ in ids) else wanted


def by_id(session: Session, trace: int, id: str, kind: str | None = None) -> Sequence[ItemRow]:
    """Items with this id: several when a later run, or another kind, uses it again."""
    query = select(ItemRow).where(ItemRow.trace == trace, with_ids([id]))
    if kind is not None:
        query = query.where(ItemRow.kind == kind)
    return session.scalars(query.order_by(ItemRow.ord).limit(1000)).all()


def by_ids(
    session: Session, trace: int, ids: Iterable[str], kinds: Collection[str], upto: int | None = None
) -> Sequence[ItemRow]:
    """Items of these kinds with one of these ids (at most 500 asked for), first mentioned by `upto`."""
    wanted = sorted({storable(id_) for id_ in ids})[:500]
    if not wanted:
        return []
    query = select(ItemRow).where(ItemRow.trace == trace, with_ids(wanted), ItemRow.kind.in_(kinds))
    if upto is not None:
        query = query.where(ItemRow.first <= upto)
    return session.scalars(query.order_by(ItemRow.ord).limit(1000)).all()


def checkpoint(session: Session, trace: int, seq: int) -> Checkpoint | None:
    """The nearest checkpoint at or before a record."""
    query = select(Checkpoint).where(Checkpoint.trace == trace, Checkpoint.seq <= seq)
    return session.scalar(query.order_by(Checkpoint.seq.desc()).limit(1))


def snapshot(session: Session, trace: int, seq: int) -> Checkpoint | None:
    """The nearest checkpoint at or before a record that a MESSAGES_SNAPSHOT made: `messages` is set."""
    query = select(Checkpoint).where(
        Checkpoint.trace == trace, Checkpoint.seq <= seq, Checkpoint.messages.is_not(None)
    )
    return session.scalar(query.order_by(Checkpoint.seq.desc()).limit(1))


def overlapping(session: Session, trace: int, lo: int, hi: int, limit: int = 5000) -> Sequence[ItemRow]:
    """Items that were open somewhere in lo..hi, in order of first mention.

    An item that never closed counts as open until a checkpoint no longer lists it (its run ended).
    """
    near = checkpoint(session, trace, lo)
    since = -1 if near is None else near.seq
    mentioned = and_(ItemRow.first > since, ItemRow.first <= hi)
    still_open = [] if near is None else near.open
    query = select(ItemRow).where(
        ItemRow.trace == trace,
        or_(mentioned, ItemRow.ord.in_(still_open)) if still_open else mentioned,
        or_(
            and_(ItemRow.closed.is_(None), ItemRow.state != "phantom"),
            ItemRow.closed >= lo,
            ItemRow.last >= lo,
        ),
    )
    return session.scalars(query.order_by(ItemRow.ord).limit(limit)).all()


def segments_in(session: Session, trace: int, lo: int, hi: int) -> Sequence[Segment]:
    """Every segment whose burst touches lo..hi, in order of first record."""
    query = select(Segment).where(
        Segment.trace == trace,
        Segment.first > lo - BURST_RECORDS,
        Segment.first <= hi + BURST_RECORDS,
        Segment.burst <= hi,
        Segment.burst_last >= lo,
    )
    return session.scalars(query.order_by(Segment.first)).all()


def bursts(session: Session, trace: int, heads: Sequence[int]) -> dict[int, list[Segment]]:
    """The folded bursts that begin at one of these records (ascending), by that record's number."""
    wanted = set(heads)
    found: dict[int, list[Segment]] = {}
    for segment in segments_in(session, trace, heads[0], heads[-1]) if heads else ():
        if segment.burst in wanted and segment.burst_last > segment.burst:
            found.setdefault(segment.burst, []).append(segment)
    return found
