"""Derived rows that change while a trace is recorded: the old ones go, the new ones come.

Rules of this file: what an upload writes once at its end, written again and again. Sessions come in and are never
committed; `trace` is `traces.pk`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from webapp.storage import bulk
from webapp.storage.models import Density, FindingRow, ItemRow, LaneRow, RunRow, Segment
from webapp.storage.timeline import write_density

Row = tuple[Any, ...]
AT_ONCE = 500  # names in one condition: databases bound the number of values of a statement


def replace_items(session: Session, trace: int, rows: Sequence[Row], known: Sequence[int]) -> None:
    """Write items; known: the `ord` of those among them that were written before."""
    for first in range(0, len(known), AT_ONCE):
        some = known[first : first + AT_ONCE]
        session.execute(sa.delete(ItemRow).where(ItemRow.trace == trace, ItemRow.ord.in_(some)))
    bulk.add_items(session, rows)


def replace_runs(session: Session, trace: int, rows: Sequence[Row]) -> None:
    session.execute(sa.delete(RunRow).where(RunRow.trace == trace))
    bulk.add_runs(session, rows)


def replace_lanes(session: Session, trace: int, rows: Sequence[Row]) -> None:
    session.execute(sa.delete(LaneRow).where(LaneRow.trace == trace))
    bulk.add_lanes(session, rows)


def replace_findings(session: Session, trace: int, rows: Sequence[Mapping[str, Any]]) -> None:
    session.execute(sa.delete(FindingRow).where(FindingRow.trace == trace))
    bulk.add_findings(session, rows)


def replace_burst(session: Session, trace: int, burst: int | None, rows: Sequence[Row]) -> None:
    """Write segments; burst: first record of the one that was written before it was whole."""
    if burst is not None:
        session.execute(sa.delete(Segment).where(Segment.trace == trace, Segment.burst == burst))
    bulk.add_segments(session, rows)


def replace_density(session: Session, trace: int, records: int) -> None:
    session.execute(sa.delete(Density).where(Density.trace == trace))
    write_density(session, trace, records)
