"""Findings of one trace, as the engine gave them.

Rules of this file: queries on `findings` and the way back to `core.findings.Finding`. No wording.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Text, cast, func, or_, select
from sqlalchemy.orm import Session

from webapp.core.findings import SEVERITIES, Finding, ItemRef, Related
from webapp.storage.models import FindingRow

SEVERITY_NUMBER = {name: number for number, name in enumerate(SEVERITIES)}  # 0 is the worst


def all_of(session: Session, trace: int, *, offset: int = 0, limit: int = 10_000) -> Sequence[FindingRow]:
    """The findings in the report's order."""
    query = select(FindingRow).where(FindingRow.trace == trace).order_by(FindingRow.ord)
    return session.scalars(query.offset(offset).limit(limit)).all()


def at_event(session: Session, trace: int, seq: int) -> list[FindingRow]:
    """Findings at a record: those that stand there, worst first, then merged ones that came again there."""
    again = cast(FindingRow.related, Text).contains(f'[{int(seq)}, "again"]', autoescape=True)
    query = select(FindingRow).where(FindingRow.trace == trace, or_(FindingRow.event == seq, again))
    rows = session.scalars(query).all()
    return sorted(rows, key=lambda row: (row.event != seq, row.severity, row.ord))


def by_key(session: Session, trace: int, key: str) -> FindingRow | None:
    """The finding with this key, `RULE@event`."""
    query = select(FindingRow).where(FindingRow.trace == trace, FindingRow.key == key)
    return session.scalar(query.order_by(FindingRow.ord).limit(1))


def causes(
    session: Session, trace: int, *, offset: int = 0, limit: int = 10_000
) -> list[tuple[FindingRow, int]]:
    """Findings that follow from no other, worst first, then by place; with how many follow from each."""
    query = select(FindingRow).where(FindingRow.trace == trace, FindingRow.cause.is_(None))
    query = query.order_by(FindingRow.severity, FindingRow.event, FindingRow.ord)
    rows = session.scalars(query.offset(offset).limit(limit)).all()
    behind = follower_counts(session, trace)
    return [(row, behind.get(row.key, 0)) for row in rows]


def follower_counts(session: Session, trace: int) -> dict[str, int]:
    """How many findings follow from each key."""
    query = select(FindingRow.cause, func.count()).where(
        FindingRow.trace == trace, FindingRow.cause.is_not(None)
    )
    return {key: count for key, count in session.execute(query.group_by(FindingRow.cause)) if key}


def followers(session: Session, trace: int, key: str, limit: int = 1000) -> Sequence[FindingRow]:
    """Findings that follow from the one with this key, in order of place."""
    query = select(FindingRow).where(FindingRow.trace == trace, FindingRow.cause == key)
    return session.scalars(query.order_by(FindingRow.event, FindingRow.ord).limit(limit)).all()


def of_rule(session: Session, trace: int, rule: str, limit: int = 1000) -> Sequence[FindingRow]:
    query = select(FindingRow).where(FindingRow.trace == trace, FindingRow.rule == rule)
    return session.scalars(query.order_by(FindingRow.ord).limit(limit)).all()


def to_finding(row: FindingRow) -> Finding:
    """The row as the engine's own structure, for wording and export."""
    item = None
    if row.item_kind is not None:
        item = ItemRef(kind=row.item_kind, id=row.item_id or "")
    return Finding(
        key=row.key,
        rule=row.rule,
        slug=row.slug,
        severity=SEVERITIES[row.severity],
        event=row.event,
        title=row.title,
        why=row.why,
        reason=row.reason,
        run=row.run,
        lane=row.lane,
        item=item,
        label=row.label,
        party=row.party,
        related=[Related(event=event, role=role) for event, role in row.related],
        cause=row.cause,
        after_rejection=row.after_rejection,
        count=row.count,
        basis=row.basis,
    )
