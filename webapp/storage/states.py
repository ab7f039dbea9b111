"""The shared state's records and checkpoints, and the records of activity messages, near one place of a trace.

Rules of this file: queries for the State panel. Each is bounded by a limit or by the distance to a checkpoint. One
type is asked at a time, since an index in order of type cannot give two types in order of number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, func, select, text
from sqlalchemy.orm import Session

from webapp.core.records import DROPPED
from webapp.storage.models import Checkpoint, EventRow, ItemRow
from webapp.storage.timeline import STATE

TYPES = ("STATE_SNAPSHOT", "STATE_DELTA")
TAKEN = EventRow.reached != DROPPED  # what the engine left out changes nothing
# The planner uses a partial index only where its words are repeated exactly.
_ACTIVITY = text("type IN ('ACTIVITY_DELTA', 'ACTIVITY_SNAPSHOT')")
_ITEMS = text("kind = 'activity'")


class Place(NamedTuple):
    """One state or activity record. reached, severity: as in `EventRow`; size: characters of its payload."""

    seq: int
    type: str
    lane: int
    reached: int
    severity: int | None
    size: int


_PLACE = (EventRow.seq, EventRow.type, EventRow.lane, EventRow.reached, EventRow.severity)
_SIZE = func.length(EventRow.raw)


def upto(session: Session, trace: int, seq: int, limit: int) -> list[Place]:
    """The nearest state records at or before number `seq`, in ascending order."""
    return sorted(_near(session, trace, EventRow.seq <= seq, EventRow.seq.desc(), limit))[-limit:]


def onwards(session: Session, trace: int, seq: int, limit: int) -> list[Place]:
    """The nearest state records from number `seq` on, in order."""
    return sorted(_near(session, trace, EventRow.seq >= seq, EventRow.seq.asc(), limit))[:limit]


def _near(
    session: Session, trace: int, where: ColumnElement[bool], order: ColumnElement[int], limit: int
) -> list[Place]:
    found: list[Place] = []
    for type_ in TYPES:
        query = select(*_PLACE, _SIZE).where(
            EventRow.trace == trace, EventRow.type == type_, STATE, TAKEN, where
        )
        found += [Place(*row) for row in session.execute(query.order_by(order).limit(limit))]
    return found


def snapshot_before(session: Session, trace: int, seq: int) -> int | None:
    """Number of the nearest STATE_SNAPSHOT before record `seq`."""
    query = select(func.max(EventRow.seq)).where(
        EventRow.trace == trace, EventRow.type == "STATE_SNAPSHOT", STATE, TAKEN, EventRow.seq < seq
    )
    return session.scalar(query)


def snapshot_after(session: Session, trace: int, seq: int) -> int | None:
    """Number of the nearest STATE_SNAPSHOT behind record `seq`."""
    query = select(func.min(EventRow.seq)).where(
        EventRow.trace == trace, EventRow.type == "STATE_SNAPSHOT", STATE, TAKEN, EventRow.seq > seq
    )
    return session.scalar(query)


def written(session: Session, trace: int, seq: int) -> tuple[int, str] | None:
    """The nearest checkpoint of the state before record `seq`: (number, the state as JSON)."""
    query = select(Checkpoint.seq, Checkpoint.state).where(
        Checkpoint.trace == trace, Checkpoint.seq < seq, Checkpoint.state.is_not(None)
    )
    row = session.execute(query.order_by(Checkpoint.seq.desc()).limit(1)).first()
    return None if row is None or row.state is None else (row.seq, row.state)


def patches(session: Session, trace: int, after: int, before: int, limit: int) -> Iterator[str]:
    """Payloads of the STATE_DELTAs with numbers between these two, in order, at most `limit`."""
    query = select(EventRow.raw).where(
        EventRow.trace == trace,
        EventRow.type == "STATE_DELTA",
        STATE,
        TAKEN,
        EventRow.seq > after,
        EventRow.seq < before,
    )
    return iter(session.scalars(query.order_by(EventRow.seq).limit(limit)))


def payload(session: Session, trace: int, seq: int) -> str:
    """The whole payload of one record; empty when there is none."""
    found = session.scalar(select(EventRow.raw).where(EventRow.trace == trace, EventRow.seq == seq))
    return found or ""


def payloads(session: Session, trace: int, seqs: Sequence[int]) -> dict[int, str]:
    """Whole payloads by record number (at most 100)."""
    query = select(EventRow.seq, EventRow.raw).where(EventRow.trace == trace, EventRow.seq.in_(seqs[:100]))
    return {row.seq: row.raw for row in session.execute(query)}


# ── activity messages ────────────────────────────────────────


def activities(session: Session, trace: int, seq: int, limit: int) -> Sequence[ItemRow]:
    """Activity messages first mentioned at or before record `seq`, the newest first."""
    query = select(ItemRow).where(ItemRow.trace == trace, _ITEMS, ItemRow.first <= seq)
    return session.scalars(query.order_by(ItemRow.ord.desc()).limit(limit)).all()


def activity_records(session: Session, trace: int, items: Sequence[int], seq: int, limit: int) -> list[Place]:
    """The nearest records of these items (`items.ord`; one id has several) at or before `seq`, ascending."""
    found: list[Place] = []
    for item in items[-20:]:
        mine = (EventRow.trace == trace, EventRow.item == item, _ACTIVITY, EventRow.seq <= seq)
        query = select(*_PLACE, _SIZE).where(*mine).order_by(EventRow.seq.desc()).limit(limit)
        found += [Place(*row) for row in session.execute(query)]
    return sorted(found)[-limit:]


def item_of(session: Session, trace: int, seq: int) -> int | None:
    """`items.ord` of what a record is about."""
    return session.scalar(select(EventRow.item).where(EventRow.trace == trace, EventRow.seq == seq))


def message_snapshots(session: Session, trace: int, after: int, upto: int, limit: int) -> list[int]:
    """Numbers of the MESSAGES_SNAPSHOTs that reached the application in after+1 … upto, the newest first."""
    query = select(Checkpoint.seq).where(
        Checkpoint.trace == trace,
        Checkpoint.seq > after,
        Checkpoint.seq <= upto,
        Checkpoint.messages.is_not(None),
    )
    return list(session.scalars(query.order_by(Checkpoint.seq.desc()).limit(limit)))
