"""What the Timeline of a Teams recording is made of: exchanges and replies of a window, without their bodies.

Rules of this file: queries bounded by a window and a limit. Order is that of the records. What stood in the chat is
asked of `streams`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from webapp.core.records import SHOWN
from webapp.storage.models import EventRow, ItemRow
from webapp.storage.timeline import Count, product


class Told(NamedTuple):
    """One exchange: columns of `EventRow`; its time is a `timeline.Stamp`."""

    seq: int
    type: str | None
    lane: int
    reached: int


class Reply(NamedTuple):
    """One streamed reply: what is drawn of its item."""

    ord: int
    lane: int
    run: int | None
    first: int
    last: int
    opened: int | None
    closed: int | None
    calls: int
    chars: int


_TOLD = tuple(getattr(EventRow, name) for name in Told._fields)
_REPLY = tuple(getattr(ItemRow, "count" if name == "calls" else name) for name in Reply._fields)


def window(session: Session, trace: int, lo: int, hi: int, limit: int) -> list[Told]:
    """At most `limit` exchanges from `lo` to `hi`, both included."""
    query = select(*_TOLD).where(EventRow.trace == trace, EventRow.seq.between(lo, hi))
    return [Told(*row) for row in session.execute(query.order_by(EventRow.seq).limit(limit))]


def counted(session: Session, trace: int, lo: int, hi: int, slots: int) -> list[Count]:
    """How many exchanges of each lane lie in each of `slots` parts of the window."""
    slot = product(EventRow.seq - lo, slots) // (hi - lo + 1)
    query = select(EventRow.lane, slot, func.count()).where(
        EventRow.trace == trace, EventRow.seq.between(lo, hi)
    )
    return [
        Count(lane, part, "text", n) for lane, part, n in session.execute(query.group_by(EventRow.lane, slot))
    ]


def replies(session: Session, trace: int, lanes: Iterable[int]) -> list[Reply]:
    """The streamed replies of these lanes (not lane 0, which holds plain messages), in order."""
    wanted = [lane for lane in lanes if lane]
    query = select(*_REPLY).where(ItemRow.trace == trace, ItemRow.lane.in_(wanted), ItemRow.name == "reply")
    return [Reply(*row) for row in session.execute(query.order_by(ItemRow.ord).limit(500))]


def first_of(session: Session, trace: int, reply: Reply, type_: str) -> int | None:
    """The first accepted record of a kind of one reply; only its own part of the trace is looked through."""
    query = select(func.min(EventRow.seq)).where(
        EventRow.trace == trace,
        EventRow.seq.between(reply.first, reply.last),
        EventRow.lane == reply.lane,
        EventRow.type == type_,
        EventRow.reached.in_(SHOWN),
    )
    return session.scalar(query)
