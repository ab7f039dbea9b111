"""Rows written many at once come back as they were given, however many there are."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from webapp.storage import bulk
from webapp.storage.models import EventRow, Segment, Trace

WIDE = len(bulk.columns(EventRow))
# around what one statement takes with all columns bound, with half of them, and more than two statements
COUNTS = sorted(
    {n + more for n in (bulk.MOST_BOUND // WIDE, bulk.MOST_BOUND // 8, 301) for more in (-1, 0, 1)} | {1, 2}
)


@pytest.fixture
def trace(session: Session) -> int:
    row = Trace(id="abc", name="n", created=0.0, sha256="", size=0)
    session.add(row)
    session.flush()
    return row.pk


def stored(session: Session, model: Any) -> list[tuple[Any, ...]]:
    table = model.__table__
    return [tuple(row) for row in session.execute(select(table).order_by(table.c[1]))]


def event(trace: int, seq: int, *, plain: bool) -> tuple[Any, ...]:
    """plain: most columns hold the same in every row."""
    if plain:
        return (trace, seq, 0, None, None, None, "T", 0, 7, "grew", 0, None, None, seq * 2, 9, f"é'\" {seq}")
    odd = bool(seq % 2)
    return (
        trace, seq, int(odd), seq / 8 if odd else None, seq * 10**10, None if odd else 0.5, f"T{seq}" if odd else None,
        seq % 3, None if odd else seq, "grew" if odd else None, seq % 4, seq % 2 or None, f"end:{seq}" if odd else None,
        seq, seq * 2, "" if odd else "x" * 50,
    )  # fmt: skip


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("count", COUNTS)
def test_events_come_back_as_they_were(session: Session, trace: int, count: int, plain: bool) -> None:
    """Whether a column is written as a constant or bound, in full statements and in what is left over."""
    rows = [event(trace, seq, plain=plain) for seq in range(count)]
    bulk.add_events(session, list(zip(*rows, strict=True)))
    assert stored(session, EventRow) == rows


def test_segments_come_back_as_they_were(session: Session, trace: int) -> None:
    """The same for rows given one by one; none at all are no statement."""
    rows = [(trace, n, n + 1, n, n + 1, 3, 0, "text", 0, 1, 2, f"t{n}") for n in range(200)]
    bulk.add_segments(session, rows)
    bulk.add_segments(session, [])
    bulk.add_events(session, [])
    assert stored(session, Segment) == rows
    assert stored(session, EventRow) == []


@pytest.mark.parametrize("columns", [WIDE - 1, WIDE + 1])
def test_rows_of_another_width_are_refused(session: Session, trace: int, columns: int) -> None:
    """Nothing is put into the wrong column."""
    with pytest.raises(ValueError, match="columns"):
        bulk.add_events(session, [(trace,)] * columns)


def test_a_row_that_is_there_already_is_told(session: Session, trace: int) -> None:
    """One statement with many rows fails as one with one row does."""
    rows = [event(trace, seq, plain=True) for seq in (0, 1, 2, 1)]
    with pytest.raises(IntegrityError):
        bulk.add_events(session, list(zip(*rows, strict=True)))
