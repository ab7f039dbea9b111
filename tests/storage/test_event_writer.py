"""Rows of events that are written beside their analysis are all there at its end, or what went wrong is told."""

from __future__ import annotations

import sqlite3
import threading
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from webapp.storage import bulk, event_writer
from webapp.storage.db import Database
from webapp.storage.event_writer import FEW, EventWriter
from webapp.storage.models import EventRow, Segment, Trace

Row = tuple[Any, ...]


@pytest.fixture
def trace(session: Session) -> int:
    row = Trace(id="abc", name="n", created=0.0, sha256="", size=0)
    session.add(row)
    session.flush()
    return row.pk


def rows(trace: int, first: int, count: int) -> list[Row]:
    odd = ("é'\" ", None, "x" * 40)
    return [
        (
            trace, seq, seq % 2, None, seq * 10**9 if seq % 3 else None, seq / 4, "T", 0, seq % 5 or None, "grew", 0,
            None, odd[seq % 3], seq, seq * 2, f"{odd[0]}{seq}",
        )
        for seq in range(first, first + count)
    ]  # fmt: skip


def columns(made: list[Row]) -> list[Row]:
    return list(zip(*made, strict=True))


def stored(session: Session) -> list[Row]:
    table = EventRow.__table__
    return [tuple(row) for row in session.execute(select(table).order_by(table.c.seq))]


@pytest.mark.parametrize("count", [1, FEW - 1, FEW, FEW + 1, 3 * FEW + 7])
def test_batches_of_any_size_come_back_as_they_were(session: Session, trace: int, count: int) -> None:
    """Batch after batch, however many rows fit one statement; none at all are no statement."""
    made = rows(trace, 0, 3 * count)
    with EventWriter(session) as events:
        for at in range(0, len(made), count):
            events.add(columns(made[at : at + count]))
        events.add([])
    assert stored(session) == made


def test_other_statements_wait_for_the_batch_on_its_way(session: Session, trace: int) -> None:
    """What an upload stores and reads beside its events finds them written."""
    made = rows(trace, 0, 20 * FEW)
    with EventWriter(session) as events:
        for at in range(0, len(made), 5 * FEW):
            events.add(columns(made[at : at + 5 * FEW]))
            bulk.add_segments(session, [(trace, at, at + 1, at, at + 1, 3, 0, "text", 0, 1, 2, "t")])
            assert session.scalar(select(func.count()).select_from(EventRow)) == at + 5 * FEW
    assert session.scalar(select(func.count()).select_from(Segment)) == 4
    assert stored(session) == made


def test_no_failed_batch_passes_for_written_whatever_runs_beside_it(database: Database) -> None:
    """An error belongs to the connection: another statement in between could take it away."""
    for _ in range(40):
        with pytest.raises(IntegrityError):
            _uploaded_with_a_double(database)


def _uploaded_with_a_double(database: Database) -> None:
    with database.session() as session:
        row = Trace(id="abc", name="n", created=0.0, sha256="", size=0)
        session.add(row)
        session.flush()
        with EventWriter(session) as events:
            events.add(columns(rows(row.pk, 0, FEW) + rows(row.pk, 0, 1)))
            for n in range(50):
                bulk.add_segments(session, [(row.pk, n, n + 1, n, n + 1, 3, 0, "text", 0, 1, 2, f"t{n}")])


def test_a_batch_that_fails_is_told_with_the_next_one(session: Session, trace: int) -> None:
    """As SQLAlchemy's own error, so that whoever uploads reads a sentence."""
    made = columns(rows(trace, 0, FEW))

    def upload() -> None:
        with EventWriter(session) as events:
            for _ in range(3):
                events.add(made)

    with pytest.raises(IntegrityError):
        upload()
    session.rollback()


def test_a_last_batch_that_fails_is_told_at_the_end(session: Session, trace: int) -> None:
    """Nobody may take rows for stored that are not."""
    twice = rows(trace, 0, FEW) + rows(trace, 0, 1)
    with pytest.raises(IntegrityError), EventWriter(session) as events:
        events.add(columns(twice))
    session.rollback()


def test_a_fault_outside_waits_for_the_batch_and_wins(session: Session, trace: int) -> None:
    """The transaction may be ended afterwards: no thread still writes into it."""

    def upload() -> None:
        with EventWriter(session) as events:
            events.add(columns(rows(trace, 0, 30 * FEW)))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        upload()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("events")]
    session.rollback()
    assert stored(session) == []


@pytest.mark.databases("sqlite")
def test_a_driver_whose_connections_are_not_shared_writes_at_once(
    session: Session, trace: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Builds of SQLite without its own locks get no second thread."""
    monkeypatch.setattr(sqlite3, "threadsafety", 1)
    monkeypatch.setattr(event_writer, "_write", None)  # called by a thread only
    made = rows(trace, 0, 2 * FEW)
    with EventWriter(session) as events:
        events.add(columns(made))
    assert stored(session) == made
