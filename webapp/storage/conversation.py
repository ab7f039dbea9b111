"""The items that make a conversation, a window at a time; their text is `storage/texts.py`.

Rules of this file: queries for the Conversation panel, each bounded by its window. Order is that of first mention.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session

from webapp.storage.models import EventRow, ItemRow

COUNTED = 1000  # entries outside the window that are counted; beyond, "over 1,000"
MAX_GONE = 200  # messages removed by snapshots that are listed: the newest


def _talk(trace: int) -> list[ColumnElement[bool]]:
    """Messages, calls, reasoning, activities; and results that answer no call of this recording."""
    kinds = ("text", "tool", "reasoning", "activity")
    alone = and_(ItemRow.kind == "result", ItemRow.name.is_(None))
    return [ItemRow.trace == trace, or_(ItemRow.kind.in_(kinds), alone)]


def onwards(session: Session, trace: int, ord_: int, upto: int, limit: int) -> Sequence[ItemRow]:
    """Items from this running number on that were first mentioned at or before record `upto`."""
    query = select(ItemRow).where(*_talk(trace), ItemRow.ord >= ord_, ItemRow.first <= upto)
    return session.scalars(query.order_by(ItemRow.ord).limit(limit)).all()


def backwards(session: Session, trace: int, ord_: int, floor: int, limit: int) -> Sequence[ItemRow]:
    """Items from number `floor` on, under number `ord_`: the nearest, in ascending order."""
    query = select(ItemRow).where(*_talk(trace), ItemRow.ord < ord_, ItemRow.ord >= floor)
    return session.scalars(query.order_by(ItemRow.ord.desc()).limit(limit)).all()[::-1]


def count(session: Session, trace: int, low: int, high: int | None, upto: int) -> int:
    """How many items have numbers in low..high-1 (None: no end); never more than COUNTED + 1."""
    inside = select(ItemRow.ord).where(*_talk(trace), ItemRow.ord >= low, ItemRow.first <= upto)
    if high is not None:
        inside = inside.where(ItemRow.ord < high)
    return session.scalar(select(func.count()).select_from(inside.limit(COUNTED + 1).subquery())) or 0


def first_ord_after(session: Session, trace: int, seq: int) -> int | None:
    """Running number of the first item first mentioned behind a record."""
    query = select(ItemRow.ord).where(ItemRow.trace == trace, ItemRow.first > seq)
    return session.scalar(query.order_by(ItemRow.first, ItemRow.ord).limit(1))


def last_ord_upto(session: Session, trace: int, seq: int, kinds: Sequence[str] = ()) -> int | None:
    """Running number of the last item (of these kinds, if any are named) first mentioned at or before a record."""
    query = select(ItemRow.ord).where(ItemRow.trace == trace, ItemRow.first <= seq)
    if kinds:
        query = query.where(ItemRow.kind.in_(kinds))
    return session.scalar(query.order_by(ItemRow.first.desc(), ItemRow.ord.desc()).limit(1))


def removed(session: Session, trace: int, upto: int) -> Sequence[ItemRow]:
    """Messages that a snapshot at or before record `upto` took away, in order of first mention."""
    query = select(ItemRow).where(ItemRow.trace == trace, ItemRow.gone <= upto)
    rows = session.scalars(query.order_by(ItemRow.gone.desc(), ItemRow.ord).limit(MAX_GONE)).all()
    return sorted(rows, key=lambda row: row.ord)


def activity(session: Session, trace: int, item: ItemRow, upto: int, limit: int) -> list[tuple[int, str]]:
    """(number, payload) of an activity's records up to `upto`: its newest snapshot and what changed it since."""
    last = min(item.last, upto)
    mine = and_(EventRow.trace == trace, EventRow.item == item.ord, EventRow.seq <= last)
    near = and_(mine, EventRow.seq >= max(item.first, last - 20 * limit))
    keeps = or_(*(EventRow.raw.contains(f'"replace":{gap}false') for gap in ("", " ")))
    whole = select(func.max(EventRow.seq)).where(near, EventRow.type == "ACTIVITY_SNAPSHOT", ~keeps)
    start = session.scalar(whole)
    start = item.first if start is None else start
    query = select(EventRow.seq, EventRow.raw).where(mine, EventRow.seq >= start)
    return list(session.execute(query.order_by(EventRow.seq).limit(limit)))
