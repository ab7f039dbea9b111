"""Rows into PostgreSQL by its COPY, which takes a third of the time of inserts.

Rules of this file: one statement, in the session's own transaction. The driver is used directly, so its errors become
SQLAlchemy's here. No table is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Table
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session


def takes_copies(session: Session) -> bool:
    return session.get_bind().dialect.name == "postgresql"


def copy_rows(session: Session, table: Table, rows: Iterable[tuple[Any, ...]]) -> None:
    """Add tuples in the order of the table's columns; the session's database is PostgreSQL.

    Raises SQLAlchemy's DBAPIError as any other statement does.
    """
    connection = session.connection()
    quote = connection.dialect.identifier_preparer.quote
    columns = ", ".join(quote(column.name) for column in table.columns)
    statement = f"COPY {quote(table.name)} ({columns}) FROM STDIN"
    driver: Any = connection.dialect.dbapi
    cursor: Any = connection.connection.cursor()
    try:
        with cursor, cursor.copy(statement) as copy:
            write = copy.write_row
            for row in rows:
                write(row)
    except driver.Error as error:
        raise DBAPIError.instance(statement, None, error, driver.Error, dialect=connection.dialect) from error
