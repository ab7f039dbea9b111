"""Which traces are old, or too many.

Rules of this file: queries only; nothing is deleted here. What is shared, pinned or still recorded is no candidate.
`size` is the bytes of a recording as kept, before the database compresses them.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

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
    shared = exists().where(Share.trace == Trace.pk, Share.revoked.is_(None), Share.expires > now)
    free = (Trace.pinned.is_(False), Trace.status != "live", ~shared)
    rows = select(Trace.pk, Trace.id, Trace.name, Trace.created, Trace.size).where(*free)
    return [Candidate(*row) for row in session.execute(rows.order_by(Trace.created, Trace.pk))]


def total(session: Session) -> tuple[int, int]:
    """How many traces there are, and their bytes."""
    count, size = session.execute(select(func.count(), func.coalesce(func.sum(Trace.size), 0))).one()
    return int(count), int(size)
