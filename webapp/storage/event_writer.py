"""Rows of events on their way into the database, beside the analysis that makes more of them.

Rules of this file: one batch at a time, in order, in the session's own transaction. SQLite lets go of the interpreter
while it works, so a batch is written by a thread of its own while the next one is judged. Nobody else uses the
connection meanwhile: its last error belongs to the connection, so a second thread could make a failed batch pass for
written. So every other statement of the session waits for the batch. Elsewhere, and for a few rows, `bulk` writes at
once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any

from sqlalchemy import Connection, Dialect, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from webapp.storage import bulk
from webapp.storage.models import EventRow

FEW = 1_000  # rows that are not worth a thread
# Values in one statement: few statements, since between two of them the thread waits for the interpreter, up to its
# switch interval (5 ms); but a longer one takes longer to make. SQLite takes up to 32,766, unless built otherwise.
MOST_BOUND = 8_000
SERIALIZED = 3  # `sqlite3.threadsafety` of a driver whose connections may go from thread to thread
BEFORE = "before_cursor_execute"

Columns = Sequence[tuple[Any, ...]]


class EventWriter:
    """Use it as a context: at its end all rows are written, or what went wrong is raised.

    with EventWriter(session) as events:
        events.add(values)  # one tuple a column, as `bulk.add_events` takes them

    Raises SQLAlchemy's DBAPIError, perhaps only with the session's next statement or at the end.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._pool: ThreadPoolExecutor | None = None
        self._connection: Connection | None = None
        self._batch: Future[None] | None = None

    def add(self, values: Columns) -> None:
        """Rows that follow those before them; they are not changed until they are written."""
        self._settle()
        if not values:
            return
        if len(values[0]) < FEW or not _may_share(self._session):
            bulk.add_events(self._session, values)
            return
        if self._pool is None or self._connection is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="events")
            self._connection = self._session.connection()
            event.listen(self._connection, BEFORE, self._before)
        driver = self._connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        self._batch = self._pool.submit(_write, driver, self._connection.dialect, values)

    def _before(self, *_statement: Any) -> None:
        """Another statement is about to run."""
        self._settle()

    def _settle(self) -> None:
        batch, self._batch = self._batch, None
        if batch is not None:
            batch.result()

    def __enter__(self) -> EventWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown()  # it waits: nobody ends the transaction while a batch is on its way
        if self._connection is not None:
            event.remove(self._connection, BEFORE, self._before)
        if error is None or isinstance(error, DBAPIError):  # that one may only follow from the batch's
            self._settle()


def _may_share(session: Session) -> bool:
    return session.get_bind().dialect.name == "sqlite" and sqlite3.threadsafety == SERIALIZED


def _write(driver: sqlite3.Connection, dialect: Dialect, values: Columns) -> None:
    most = min(MOST_BOUND, driver.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER))
    statement = ""
    try:
        for statement, rows in bulk.inserts(dialect, EventRow, values, most):
            driver.executemany(statement, rows)
    except sqlite3.Error as error:
        raise DBAPIError.instance(statement[:200], None, error, sqlite3.Error, dialect=dialect) from error
