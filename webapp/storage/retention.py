"""Which traces are old, or too many.

Rules of this file: queries only; nothing is deleted here. What is shared, pinned or still recorded is no candidate.
`size` is the bytes of a recording as kept, before the database compresses them.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.orm import Session

from webapp.storage.db import write_first
from webapp.storage.models import Share, Trace


class Candidate(NamedTuple):
    """A trace that may go. created: unix seconds; size: bytes."""

    pk: int
    id: str
    name: str
    created: float
    size: int


def candidates(session: Session, now: float) -> list[Candidate]:
    """Traces that may go, the oldest first."""
    rows = select(Trace.pk, Trace.id, Trace.name, Trace.created, Trace.size).where(*_free(now))
    return [Candidate(*row) for row in session.execute(rows.order_by(Trace.created, Trace.pk))]


def still_candidate(session: Session, trace: int, now: float) -> bool:
    """Whether this trace (`traces.pk`) may go at this very moment; it stays so until the transaction ends."""
    write_first(session)
    query = select(Trace.pk).where(Trace.pk == trace, *_free(now)).with_for_update()
    return session.scalar(query) is not None


def _free(now: float) -> tuple[ColumnElement[bool], ...]:
    shared = exists().where(Share.trace == Trace.pk, Share.revoked.is_(None), Share.expires > now)
    return Trace.copy_of.is_(None), Trace.pinned.is_(False), Trace.status != "live", ~shared


def total(session: Session) -> tuple[int, int]:
    """How many traces there are, and their bytes; redacted copies, which come and go with links, do not count."""
    sums = select(func.count(), func.coalesce(func.sum(Trace.size), 0)).where(Trace.copy_of.is_(None))
    count, size = session.execute(sums).one()
    return int(count), int(size)
