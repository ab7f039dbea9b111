"""The text of items up to a record: whole, at its ends, or as a stream.

Rules of this file: a text is read as folded segments; only a segment that the moment cuts is put together again from
its records. `after`, `upto` are record numbers: what came in after+1 … upto counts.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, case, func, or_, select
from sqlalchemy.orm import Session

from webapp.storage.items import BURST_RECORDS
from webapp.storage.models import EventRow, ItemRow, Segment

SOME_SEGMENTS = 120  # read at each end of a long text
MAX_SMALL = 8_000  # characters of a text that is read whole for a window


@dataclass(frozen=True, slots=True)
class Total:
    """Deltas of one item up to a moment. kept: the application had a place for them when they came."""

    item: int
    kept: bool
    count: int
    chars: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive deltas of one item as text. Lone surrogates stay in it: they are for showing only."""

    item: int
    kept: bool
    first: int
    text: str


def _kept(after: int) -> ColumnElement[bool]:
    """Delivered, and to a message the application held. after: a record that brought it back, if any did."""
    held = or_(ItemRow.gone.is_(None), Segment.first < ItemRow.gone, ItemRow.gone <= after)
    return and_(Segment.reached == 0, held)


_OWNER = and_(ItemRow.trace == Segment.trace, ItemRow.ord == Segment.item)


def _whole(trace: int, ords: Iterable[int], after: int, upto: int) -> list[ColumnElement[bool]]:
    """Segments of these items that lie wholly in after+1 … upto."""
    mine = (Segment.trace == trace, Segment.item.in_(sorted(set(ords))[:500]))
    return [*mine, Segment.first > after, Segment.first <= upto, Segment.last <= upto]


def totals(session: Session, trace: int, ords: Collection[int], after: int, upto: int) -> list[Total]:
    """How much came for each item in records after+1 … upto, in whole segments."""
    if not ords:
        return []
    kept = _kept(after).label("kept")
    query = (
        select(
            Segment.item,
            kept,
            func.sum(Segment.count),
            func.sum(Segment.chars),
            func.min(Segment.first),
            func.max(Segment.last),
        )
        .join(ItemRow, _OWNER)
        .where(*_whole(trace, ords, after, upto))
        .group_by(Segment.item, kept)
    )
    return [
        Total(item, bool(own), int(number), int(chars), first, last)
        for item, own, number, chars, first, last in session.execute(query)
    ]


def cut(
    session: Session, trace: int, ords: Collection[int], after: int, upto: int
) -> list[tuple[Total, Piece]]:
    """Segments that record `upto` cuts: what had come of them."""
    if not ords:
        return []
    query = (
        select(Segment.item, _kept(after), Segment.first)
        .join(ItemRow, _OWNER)
        .where(Segment.trace == trace, Segment.item.in_(sorted(set(ords))[:500]))
        .where(Segment.first > max(after, upto - BURST_RECORDS), Segment.first <= upto, Segment.last > upto)
    )
    out = []
    for item, kept, first in session.execute(query).all():
        deltas = _deltas(session, trace, item, first, upto)
        text = "".join(deltas)
        total = Total(item, bool(kept), len(deltas), len(text), first, upto)
        out.append((total, Piece(item, bool(kept), first, text)))
    return out


def pieces(session: Session, trace: int, ords: Collection[int], after: int, upto: int) -> list[Piece]:
    """The whole text of short items (see MAX_SMALL) in order."""
    if not ords:
        return []
    query = select(Segment.item, _kept(after), Segment.first, Segment.last, Segment.text).join(
        ItemRow, _OWNER
    )
    rows = session.execute(
        query.where(*_whole(trace, ords, after, upto)).order_by(Segment.item, Segment.first)
    )
    return [
        Piece(item, bool(kept), first, _exact(session, trace, item, first, last, text))
        for item, kept, first, last, text in rows
    ]


def end_of(
    session: Session, trace: int, item: int, after: int, upto: int, kept: bool, chars: int, head: bool
) -> str:
    """At most the first (head) or last `chars` characters of a long text, in whole segments up to `upto`."""
    size = func.length(Segment.text)
    # counted from the left: only SQLite takes a negative place for one from the right
    tail = case((size > chars, func.substr(Segment.text, size - chars + 1)), else_=Segment.text)
    part = func.substr(Segment.text, 1, chars) if head else tail
    order = Segment.first if head else Segment.first.desc()
    query = select(part).join(ItemRow, _OWNER).where(*_whole(trace, [item], after, upto))
    query = query.where(_kept(after) if kept else ~_kept(after)).order_by(order).limit(SOME_SEGMENTS)
    found: list[str] = []
    room = chars
    for text in session.scalars(query):
        found.append(text)
        room -= len(text)
        if room <= 0:
            break
    return "".join(found)[:chars] if head else "".join(reversed(found))[-chars:]


def stream(session: Session, trace: int, item: int, upto: int) -> Iterator[str]:
    """All deltas of an item up to record `upto`, delivered or not, a segment at a time."""
    query = select(Segment.first, Segment.last, Segment.text).where(
        Segment.trace == trace, Segment.item == item, Segment.first <= upto
    )
    rows = session.execute(query.order_by(Segment.first).execution_options(yield_per=20))
    for first, last, text in rows:
        yield text if last <= upto else "".join(_deltas(session, trace, item, first, upto))


def _exact(session: Session, trace: int, item: int, first: int, last: int, text: str) -> str:
    """The text of a segment with its lone surrogates, which the stored text has lost."""
    return "".join(_deltas(session, trace, item, first, last)) if "\ufffd" in text else text


def _deltas(session: Session, trace: int, item: int, first: int, last: int) -> list[str]:
    query = select(EventRow.raw).where(
        EventRow.trace == trace, EventRow.item == item, EventRow.seq >= first, EventRow.seq <= last
    )
    rows = session.scalars(query.order_by(EventRow.seq)).all()
    return [delta for raw in rows if (delta := _delta(raw)) is not None]


def _delta(raw: str) -> str | None:
    try:
        delta = json.loads(raw)["delta"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return delta if isinstance(delta, str) else None
