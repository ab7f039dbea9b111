"""Old traces go by themselves, where an installation asks for that.

Rules of this file: what is over the limits, and deleting it, one transaction a trace. Off by default. A trace that is
shared, pinned or still recorded stays, however old it is and however much there is.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from webapp.settings import Settings
from webapp.storage import audit, retention, traces
from webapp.storage.db import Database

log = logging.getLogger("lanescope")

DAY = 86_400


@dataclass(frozen=True, slots=True)
class Expired:
    """A trace that goes, and why: `age` or `size`. created: unix seconds; size: bytes."""

    pk: int
    id: str
    name: str
    created: float
    size: int
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """expired: oldest first; count, size: of all traces there are; kept: those that may not go."""

    expired: Sequence[Expired]
    count: int
    size: int
    kept: int


def plan(database: Database, settings: Settings, now: float | None = None) -> Plan:
    """What would go now; nothing is changed."""
    now = time.time() if now is None else now
    with database.session() as session:
        free = retention.candidates(session, now)
        count, size = retention.total(session)
    oldest = now - settings.retain_days * DAY if settings.retain_days else float("-inf")
    over = size - settings.retain_bytes if settings.retain_bytes else 0
    expired = []
    for each in free:
        if each.created < oldest:
            why = "age"
        elif over > 0:
            why = "size"
        else:
            continue
        over -= each.size
        expired.append(Expired(each.pk, each.id, each.name, each.created, each.size, why))
    return Plan(expired, count, size, count - len(free))


def prune(
    database: Database, settings: Settings, now: float | None = None, by: audit.By = audit.RETENTION
) -> Plan:
    """Delete what is over the limits; what was deleted. Nothing happens while no limit is set. by: who asks.

    What somebody pinned, shared or took up again since the plan was made stays.
    """
    now = time.time() if now is None else now
    due = plan(database, settings, now)
    gone = []
    for each in due.expired:
        with database.session() as session:
            if not retention.still_candidate(session, each.pk, now):
                continue
            traces.delete(session, each.pk)
            audit.done(session, by, "deleted", each.id, at=time.time(), detail={"why": each.why})
        gone.append(each)
    if gone:
        database.settle()
        log.info("%d old traces were deleted, as LANESCOPE_RETAIN_DAYS and _BYTES ask", len(gone))
    return replace(due, expired=gone, kept=due.kept + len(due.expired) - len(gone))
