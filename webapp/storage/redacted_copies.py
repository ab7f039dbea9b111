"""What a redacted copy or file is made of, and which copies there are.

Rules of this file: queries; a page of records is bounded in rows and in characters, and nothing is redacted here. A
copy is a row of `traces` with `copy_of`; nothing but links leads to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from webapp.storage.models import EventRow, Segment, Share, Trace

PAGE = 1000  # records read at once
PAGE_CHARS = 4_000_000  # and at most so many characters of payload, but at least one record


class Told(NamedTuple):
    """One record as it was stored and judged: the columns of `EventRow`."""

    seq: int
    at: float | None
    prefix_at: float | None
    type: str | None
    reached: int
    raw: str


_NUMBERS = {"structure": 1, "personal": 2}  # of levels, where a lock is named by numbers
_TOLD = tuple(getattr(EventRow, name) for name in Told._fields)


def pages(session: Session, trace: int) -> Iterator[list[Told]]:
    """All records in order, a page at a time."""
    start = 0
    mine = EventRow.trace == trace
    sizes = select(EventRow.seq, func.length(EventRow.raw)).where(mine).order_by(EventRow.seq).limit(PAGE)
    while found := session.execute(sizes.where(EventRow.seq >= start)).all():
        end, total = found[0][0], 0
        for seq, size in found:
            total += size
            if total > PAGE_CHARS and seq > end:
                break
            end = seq
        query = select(*_TOLD).where(mine, EventRow.seq >= start, EventRow.seq <= end)
        yield [Told(*row) for row in session.execute(query.order_by(EventRow.seq))]
        start = end + 1


def new_chars(session: Session, trace: int, first: int, last: int) -> dict[int, int]:
    """Record number -> characters that were new on the screen with it, of the records first … last."""
    query = select(Segment.first, Segment.chars).where(
        Segment.trace == trace, Segment.first >= first, Segment.first <= last
    )
    return dict(session.execute(query).all())


def copy_of(session: Session, trace: int, level: str) -> Trace | None:
    """The newest redacted copy of a trace at a level."""
    query = select(Trace).where(Trace.copy_of == trace, Trace.redaction == level)
    return session.scalar(query.order_by(Trace.pk.desc()).limit(1))


def copies(session: Session, trace: int | None = None) -> Sequence[Trace]:
    """The redacted copies of a trace; None: of all."""
    query = select(Trace).where(Trace.copy_of.is_not(None) if trace is None else Trace.copy_of == trace)
    return session.scalars(query.order_by(Trace.pk)).all()


def shown_levels(session: Session, trace: int, now: float) -> set[str]:
    """The levels of a trace's links that work at `now`."""
    live = (Share.trace == trace, Share.revoked.is_(None), Share.expires > now)
    return set(session.scalars(select(Share.level).where(*live).distinct()))


def claimed(session: Session, trace: int, level: str) -> bool:
    """Whether the copy is this session's to make: until it ends, no other process makes the same one.

    SQLite has one process, and who makes what inside it is not said here. No row is locked: the trace can be changed,
    shared and deleted while its copy is made.
    """
    if session.get_bind().dialect.name == "sqlite":
        return True
    return bool(session.scalar(select(func.pg_try_advisory_xact_lock(trace, _NUMBERS[level]))))
