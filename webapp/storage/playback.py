"""Records in the order and at the pace of the recording, a page at a time.

Rules of this file: queries that a replay makes between two waits, each bounded in rows and in characters, so that a
session never outlives a page. What the times mean is `views.page.Clock`'s.
"""

from __future__ import annotations

import zlib
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from webapp.storage.models import EventRow, Original

PAGE = 500  # records of a page
PAGE_CHARS = 4_000_000  # and at most so many characters of payload, but at least one record
LOOK_BACK = 1000  # records before a place in which the time that holds there is looked for


class Recorded(NamedTuple):
    """One record as a replay sends it; raw as in `EventRow`: what is no text is replaced there."""

    seq: int
    at: float | None
    ts: int | None
    prefix_at: float | None
    raw: str


class Beat(NamedTuple):
    """One record as the play-back of a page needs it: what it did and when, without its payload."""

    seq: int
    change: str | None
    severity: int | None
    at: float | None
    ts: int | None
    prefix_at: float | None


_BEAT = tuple(getattr(EventRow, name) for name in Beat._fields)


def page(session: Session, trace: int, start: int) -> list[Recorded]:
    """Records from number `start` on, in order; at most PAGE of them and about PAGE_CHARS characters."""
    here = (EventRow.trace == trace, EventRow.seq >= start)
    sizes = select(EventRow.seq, func.length(EventRow.raw)).where(*here).order_by(EventRow.seq).limit(PAGE)
    end, total = start, 0
    for seq, size in session.execute(sizes):
        total += size
        if total > PAGE_CHARS and seq > start:
            break
        end = seq
    columns = tuple(getattr(EventRow, name) for name in Recorded._fields)
    query = select(*columns).where(*here, EventRow.seq <= end).order_by(EventRow.seq)
    return [Recorded(*row) for row in session.execute(query)]


def beats(session: Session, trace: int, after: int, limit: int) -> list[Beat]:
    """At most `limit` records behind number `after`, in order."""
    query = select(*_BEAT).where(EventRow.trace == trace, EventRow.seq > after)
    return [Beat(*row) for row in session.execute(query.order_by(EventRow.seq).limit(limit))]


def before(session: Session, trace: int, seq: int, source: str) -> Beat | None:
    """The newest record up to number `seq` that has a time of `source` (arrival, prefix, event); it may be far off."""
    column = {"arrival": EventRow.at, "prefix": EventRow.prefix_at}.get(source, EventRow.ts)
    query = select(*_BEAT).where(
        EventRow.trace == trace, EventRow.seq <= seq, EventRow.seq > seq - LOOK_BACK, column.is_not(None)
    )
    row = session.execute(query.order_by(EventRow.seq.desc()).limit(1)).first()
    return None if row is None else Beat(*row)


def tail(session: Session, trace: int) -> bytes:
    """The last bytes (a part of them, `originals.PART_BYTES` at most) of the text the readers saw."""
    mine = Original.trace == trace
    least = session.scalar(select(func.min(Original.part)).where(mine))
    if least is None:
        return b""
    # the expanded text of a packed upload lies in the parts -1, -2 …
    last = least if least < 0 else session.scalar(select(func.max(Original.part)).where(mine))
    data = session.scalar(select(Original.data).where(mine, Original.part == last))
    return b"" if data is None else zlib.decompress(data)
