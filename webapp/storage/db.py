"""One database: its engine, its sessions, and what each kind needs to be told.

Rules of this file: connecting and committing. No query and no table, but for `write_first`. Sessions commit here and
nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlalchemy.orm import Session, sessionmaker

from webapp.storage.storable import storable

BUSY_SECONDS = 30  # how long a writer waits for another; one upload of a million events writes for less
PRAGMAS = (
    "PRAGMA page_size = 8192",  # counts only when the file is made; rows of events are long
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",  # with WAL: a power cut may lose the newest commit, never the file
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",  # a deleted trace's bytes are overwritten, not just unlinked
    f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}",
    "PRAGMA cache_size = -32768",  # KiB
    "PRAGMA wal_autocheckpoint = 8192",  # pages: an ordinary upload is copied into the file later, not at once
    "PRAGMA journal_size_limit = 67108864",  # the log shrinks back after a large upload
)


def is_trouble(error: BaseException) -> bool:
    """Whether the database cannot be reached or written now (locked, full, gone), whatever was asked of it."""
    if isinstance(error, OperationalError | InterfaceError | NoConnection):
        return True
    return isinstance(error, DBAPIError) and error.connection_invalidated


def write_first(session: Session) -> None:
    """From here on nobody else writes to an SQLite file until this session ends, so what is read now stays true.

    It has no locks on rows; a transaction's first write locks the file. Elsewhere rows are locked as they are read.
    """
    if session.get_bind().dialect.name == "sqlite":
        session.execute(text("UPDATE traces SET pk = pk WHERE 0"))


class Database:
    """An engine and its sessions. One per process; safe to share between threads."""

    def __init__(self, url: str) -> None:
        self.url = url
        lite = url.startswith("sqlite")
        # whatever a URL or the server's own settings say; a connection of SQLite goes from thread to thread
        options = {"check_same_thread": False} if lite else {"client_encoding": "utf8"}
        # what is stored and asked for is other people's: it is in no log and in no traceback
        self.engine: Engine = create_engine(
            url, pool_pre_ping=not lite, connect_args=options, hide_parameters=True
        )
        if lite:
            event.listen(self.engine, "connect", _prepare_sqlite)
        else:
            event.listen(self.engine, "before_cursor_execute", _storable_values, retval=True)
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A session that is committed when the block ends and rolled back when it raises."""
        with self._sessions() as session:
            try:
                yield session
                session.commit()
            except BaseException:
                session.rollback()
                raise

    def settle(self) -> None:
        """Fold SQLite's log into the file, so that what was deleted is in neither. Call it outside a session."""
        if self.engine.dialect.name == "sqlite":
            with self.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self.engine.dispose()


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    for pragma in PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _storable_values(
    _connection: Any, _cursor: Any, statement: str, values: Any, _context: Any, _many: bool
) -> tuple[str, Any]:
    """What a person typed or a URL said may hold characters that PostgreSQL refuses; rows from `bulk` hold none."""
    if isinstance(values, dict):
        return statement, {name: _storable(value) for name, value in values.items()}
    return statement, values


def _storable(value: Any) -> Any:
    return storable(value) if type(value) is str else value


def open_database(url: str) -> Database:
    """Connect to `url` (`sqlite:////path/file.db`, `postgresql+psycopg://…`) when first used."""
    return Database(url)


def shown(url: str) -> str:
    """The database as a person may read it: a file's path, or the URL without its password."""
    parsed = make_url(url)
    if parsed.drivername.startswith("sqlite") and parsed.database:
        return parsed.database
    return parsed.render_as_string(hide_password=True)
