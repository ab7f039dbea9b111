"""Causes of one trace in the order they are read, a window at a time, with what follows from each.

Rules of this file: queries on `findings` by what follows from what. A cause is a finding that follows from no other;
those that a client reached come before those after it had stopped, then the worst, then the earliest.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session

from webapp.storage.models import FindingRow


def _wanted(trace: int, severity: int | None) -> list[ColumnElement[bool]]:
    wanted = [FindingRow.trace == trace, FindingRow.cause.is_(None)]
    return wanted if severity is None else [*wanted, FindingRow.severity == severity]


def window(
    session: Session, trace: int, severity: int | None, offset: int, limit: int
) -> Sequence[FindingRow]:
    """At most `limit` causes from the `offset`th on; severity: only of this one, 0 = fatal."""
    order = (FindingRow.after_rejection, FindingRow.severity, FindingRow.event, FindingRow.ord)
    query = select(FindingRow).where(*_wanted(trace, severity)).order_by(*order)
    return session.scalars(query.offset(offset).limit(limit)).all()


def counts(session: Session, trace: int) -> dict[int, int]:
    """How many causes of each severity there are."""
    query = (
        select(FindingRow.severity, func.count()).where(*_wanted(trace, None)).group_by(FindingRow.severity)
    )
    return dict(session.execute(query).all())


def follower_counts(session: Session, trace: int, keys: Collection[str]) -> dict[str, int]:
    """How many findings follow from each of these causes."""
    if not keys:
        return {}
    query = select(FindingRow.cause, func.count()).where(
        FindingRow.trace == trace, FindingRow.cause.in_(keys)
    )
    found = session.execute(query.group_by(FindingRow.cause))
    return {key: number for key, number in found if key is not None}


def followers(session: Session, trace: int, keys: Collection[str], limit: int) -> dict[str, list[FindingRow]]:
    """The first of what follows from these causes, in order of place; at most `limit` in all."""
    if not keys:
        return {}
    query = select(FindingRow).where(FindingRow.trace == trace, FindingRow.cause.in_(keys))
    out: dict[str, list[FindingRow]] = {}
    for row in session.scalars(query.order_by(FindingRow.event, FindingRow.ord).limit(limit)):
        out.setdefault(row.cause or "", []).append(row)
    return out


def place_of(session: Session, trace: int, severity: int | None, event: int) -> int | None:
    """How many causes come before the first one at record `event`; None when none stands there."""
    here = select(FindingRow).where(*_wanted(trace, severity), FindingRow.event == event)
    order = (FindingRow.after_rejection, FindingRow.severity, FindingRow.ord)
    row = session.scalar(here.order_by(*order).limit(1))
    if row is None:
        return None
    mine = (row.severity, row.event, row.ord)
    columns = (FindingRow.severity, FindingRow.event, FindingRow.ord)
    before: ColumnElement[bool] = columns[-1] < mine[-1]
    for column, value in zip(columns[-2::-1], mine[-2::-1], strict=True):
        before = or_(column < value, and_(column == value, before))
    if row.after_rejection:
        before = or_(FindingRow.after_rejection.is_(False), before)
    else:
        before = and_(FindingRow.after_rejection.is_(False), before)
    query = select(func.count()).select_from(FindingRow).where(*_wanted(trace, severity), before)
    return session.scalar(query) or 0
