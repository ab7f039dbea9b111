"""Which records begin on which lines of the upload.

Rules of this file: queries for the Source panel. Record numbers and lines rise together, so a line is found by
halving, without an index of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from webapp.storage.models import EventRow


class Start(NamedTuple):
    """A record and the line it begins on; reached as in `EventRow`."""

    seq: int
    line: int
    severity: int | None
    reached: int


def starts(session: Session, trace: int, records: int, first: int, last: int, limit: int) -> Sequence[Start]:
    """Records that begin on lines first..last, in order, at most `limit`; one more before them, if there is."""
    from_ = max(0, first_record(session, trace, records, first) - 1)
    query = select(EventRow.seq, EventRow.line, EventRow.severity, EventRow.reached).where(
        # lines rise with record numbers, so the bound on these only spares a walk to the trace's end
        EventRow.trace == trace,
        EventRow.seq >= from_,
        EventRow.seq < from_ + limit,
        EventRow.line <= last,
    )
    return [Start(*row) for row in session.execute(query.order_by(EventRow.seq).limit(limit))]


def first_record(session: Session, trace: int, records: int, line: int) -> int:
    """Number of the first record that begins on this line or behind it; `records` when there is none."""
    low, high = 0, records
    while low < high:
        middle = (low + high) // 2
        at = line_of(session, trace, middle)
        if at is not None and at < line:
            low = middle + 1
        else:
            high = middle
    return low


def line_of(session: Session, trace: int, seq: int) -> int | None:
    """1-based line a record begins on."""
    return session.scalar(select(EventRow.line).where(EventRow.trace == trace, EventRow.seq == seq))
