"""Findings of one trace, as the engine gave them.

Rules of this file: findings by place and key, and the way back to `core.findings.Finding`; which follow from which is
`storage/causes.py`. No wording.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast as as_type

from sqlalchemy import Text, cast, or_, select
from sqlalchemy.orm import Session

from webapp.core.findings import SEVERITIES, Finding, ItemRef, Related
from webapp.core.kinds import Basis, Party
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


def at_events(session: Session, trace: int, seqs: Iterable[int], limit: int = 300) -> Sequence[FindingRow]:
    """Findings that stand at one of these records (at most 1,000 asked for), worst first at each."""
    wanted = sorted(set(seqs))[:1000]
    if not wanted:
        return []
    query = select(FindingRow).where(FindingRow.trace == trace, FindingRow.event.in_(wanted))
    order = (FindingRow.event, FindingRow.severity, FindingRow.ord)
    return session.scalars(query.order_by(*order).limit(limit)).all()


def worst_at(session: Session, trace: int, seqs: Iterable[int]) -> dict[int, FindingRow]:
    """The worst finding that stands at each of these records."""
    worst: dict[int, FindingRow] = {}
    for row in at_events(session, trace, seqs, limit=2000):
        worst.setdefault(row.event, row)
    return worst


def repeats(row: FindingRow) -> list[int]:
    """The further places of a merged finding, as far as they are listed."""
    return [event for event, role in row.related if role == "again"]


def by_key(session: Session, trace: int, key: str) -> FindingRow | None:
    """The finding with this key, `RULE@event`."""
    query = select(FindingRow).where(FindingRow.trace == trace, FindingRow.key == key)
    return session.scalar(query.order_by(FindingRow.ord).limit(1))


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
        party=as_type(Party, row.party),
        related=[Related(event=event, role=role) for event, role in row.related],
        cause=row.cause,
        after_rejection=row.after_rejection,
        count=row.count,
        basis=as_type(Basis, row.basis),
    )
