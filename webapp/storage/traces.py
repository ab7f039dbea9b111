"""Recordings: the list, one of them, and what a person may change about it.

Rules of this file: queries on `traces` and deleting all that hangs on one. Sessions come in and are never
committed. In every repository `trace` is `traces.pk`; only `get` takes the public id.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement, and_, exists, func, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from webapp.storage.base import Base, hanging_on_traces
from webapp.storage.captures import CUT
from webapp.storage.models import (
    Checkpoint,
    Density,
    EventRow,
    FindingRow,
    ItemRow,
    LaneRow,
    RunRow,
    Segment,
    Trace,
)
from webapp.storage.search import contains, terms

# what analysis writes and can write again from the original
DERIVED: tuple[type[Base], ...] = (
    EventRow, RunRow, LaneRow, ItemRow, Density, Segment, Checkpoint, FindingRow,
)  # fmt: skip
OWN = Trace.copy_of.is_(None)  # no redacted copy
UNSEALED = Trace.redaction == ""  # judged here, on all its texts
NAMED_KINDS = ("tool", "step", "subagent")  # a message's `name` is its role: nothing to search for


def _on_day(word: str) -> ColumnElement[bool] | None:
    """Traces added on a day, `2026-11-29`, in UTC."""
    try:
        day = datetime.strptime(word, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None
    return and_(Trace.created >= day.timestamp(), Trace.created < (day + timedelta(days=1)).timestamp())


def _among(
    column: InstrumentedAttribute[Any], owner: InstrumentedAttribute[int], word: str
) -> ColumnElement[bool]:
    return exists().where(owner == Trace.pk, contains(column, word))


def _matches(word: str) -> ColumnElement[bool]:
    own = (Trace.name, Trace.source, Trace.ticket, Trace.note, Trace.verdict, Trace.headline)
    found = [contains(column, word) for column in own]
    found += [_among(column, RunRow.trace, word) for column in (RunRow.thread_id, RunRow.run_id)]
    found += [_among(column, FindingRow.trace, word) for column in (FindingRow.rule, FindingRow.slug)]
    found.append(
        exists().where(ItemRow.trace == Trace.pk, ItemRow.kind.in_(NAMED_KINDS), contains(ItemRow.name, word))
    )
    found.append(_among(Segment.text, Segment.trace, word))
    day = _on_day(word)
    return or_(*found) if day is None else or_(day, *found)


def list_traces(
    session: Session,
    *,
    q: str = "",
    verdict: str = "",
    protocol: str = "",
    status: str = "",
    offset: int = 0,
    limit: int = 50,
) -> tuple[Sequence[Trace], int]:
    """One page of traces, newest first, and how many there are in all.

    q: words that must all be found, each anywhere: name, file, ticket, note, verdict, headline, thread or run
    id, rule, tool, step or subagent name, message text, or the day it was added (`2026-11-29`, UTC).
    """
    wanted = [OWN, *(_matches(word) for word in terms(q))]
    if verdict:
        wanted.append(Trace.verdict == verdict)
    if protocol:
        wanted.append(Trace.protocol == protocol)
    if status:
        wanted.append(Trace.status == status)
    total = session.scalar(select(func.count()).select_from(Trace).where(*wanted)) or 0
    page = select(Trace).where(*wanted).order_by(Trace.created.desc(), Trace.pk.desc())
    return session.scalars(page.offset(offset).limit(limit)).all(), total


def facets(session: Session) -> dict[str, dict[str, int]]:
    """How many traces have each verdict and protocol: `{"verdict": {"rejected": 3}, "protocol": {…}}`."""
    counted: dict[str, dict[str, int]] = {}
    for name, column in (("verdict", Trace.verdict), ("protocol", Trace.protocol)):
        rows = session.execute(select(column, func.count()).where(OWN).group_by(column).order_by(column))
        counted[name] = {value: count for value, count in rows if value}
    return counted


def get(session: Session, public_id: str) -> Trace | None:
    """The trace with this id in URLs; never a redacted copy, to which links alone lead."""
    return session.scalar(select(Trace).where(Trace.id == public_id, OWN))


def by_pk(session: Session, trace: int) -> Trace | None:
    """The trace a share or another row points at."""
    return session.get(Trace, trace)


def find_duplicate(
    session: Session, sha256: str, run_input: dict[str, Any] | None = None, protocol: str | None = None
) -> Trace | None:
    """The trace made of the same bytes and judged alike: with the same run input, as the protocol that is named, to its
    end."""
    same = session.scalars(select(Trace).where(Trace.sha256 == sha256, OWN).order_by(Trace.pk))
    return next(
        (t for t in same if t.input == run_input and protocol in (None, t.protocol) and not stopped(t)), None
    )


def stopped(trace: Trace) -> bool:
    """Whether it is a recording that was ended before its stream: what is missing at its end was not judged."""
    return any(note["kind"] == CUT for note in trace.upload_notes or ())


def count(session: Session) -> int:
    return session.scalar(select(func.count()).select_from(Trace).where(OWN)) or 0


def rename(session: Session, trace: int, name: str) -> None:
    _change(session, trace, name=name[:200])


def set_note(session: Session, trace: int, note: str) -> None:
    _change(session, trace, note=note)


def set_ticket(session: Session, trace: int, ticket: str) -> None:
    _change(session, trace, ticket=ticket[:100])


def pin(session: Session, trace: int, pinned: bool) -> None:
    """Keep a trace when old ones are deleted, or do not."""
    session.execute(update(Trace).where(Trace.pk == trace).values(pinned=pinned))


def _change(session: Session, trace: int, **values: str) -> None:
    session.execute(update(Trace).where(Trace.pk == trace).values(**values))


def delete(session: Session, trace: int) -> None:
    """Delete a trace, its original bytes, everything derived from it, its share links and its redacted copies."""
    copies = session.scalars(select(Trace.pk).where(Trace.copy_of == trace)).all()
    for each in (*copies, trace):
        for table in hanging_on_traces():
            session.execute(sa.delete(table).where(table.c.trace == each))
        session.execute(sa.delete(Trace).where(Trace.pk == each))


def clear(session: Session, trace: int) -> None:
    """Delete everything derived from a trace's original; the trace, its original and its share links stay."""
    for table in DERIVED:
        session.execute(sa.delete(table.__table__).where(table.__table__.c.trace == trace))  # type: ignore[arg-type]


def of_other_engine(session: Session, engine: str) -> list[str]:
    """Public ids of the traces that another engine than this one judged, oldest first; none with a sealed verdict."""
    judged = select(Trace.id).where(Trace.engine != engine, Trace.status == "ready", OWN, UNSEALED)
    return list(session.scalars(judged.order_by(Trace.pk)))
