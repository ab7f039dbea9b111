"""Bring a database to the schema this code knows.

Rules of this file: run the migrations and say in one sentence why they cannot run. No schema.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.exc import DBAPIError

import webapp
from webapp.errors import UserError
from webapp.storage import private
from webapp.storage.db import open_database, shown

TURN = 5_273_867_111  # any number that no other program locks
FOLDER = Path(webapp.__file__).resolve().parent.parent / "migrations"


def config() -> Config:
    """Alembic's configuration, without a file: the folder is known and the connection is handed over."""
    made = Config()
    made.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    return made


def migrate(url: str) -> bool:
    """Create the database of `url` if it is missing and upgrade it to the newest revision; all or nothing.

    A database file is readable by its owner alone from its first moment; an older one is from now on.
    Returns whether the database is new, that is, had no schema before.
    Raises UserError when the folder cannot be written, the file is no database, or a newer program wrote it.
    """
    file = _make_place(url)
    settings = config()
    known = {revision.revision for revision in ScriptDirectory.from_config(settings).walk_revisions()}
    database = open_database(url)
    try:
        with database.engine.connect() as connection:
            _take_turn(connection, url)
            stamped = set(MigrationContext.configure(connection).get_current_heads())
            if stamped - known:
                raise UserError(
                    f"The database {shown(url)} was written by a newer Lanescope; "
                    "install that version, or choose another LANESCOPE_DATA_DIR."
                )
            if connection.dialect.name == "sqlite":
                connection.rollback()
                # A table that is made anew takes what refers to it along, unless this is off; it counts outside only.
                connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
                connection.rollback()
                # The driver opens no transaction before CREATE TABLE: a failure would leave half a schema.
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            settings.attributes["connection"] = connection
            command.upgrade(settings, "head")
            connection.commit()
            if file is not None:
                private.close_to_others(file)
            return not stamped
    except DBAPIError as error:
        reason = str(error.orig).strip().splitlines()[0] if error.orig else "unknown error"
        raise UserError(f"The database {shown(url)} cannot be opened or written: {reason}.") from error
    finally:
        database.close()


def _take_turn(connection: Connection, url: str) -> None:
    """On PostgreSQL, wait until no other program migrates, and refuse a database that cannot hold every letter."""
    if connection.dialect.name != "postgresql":
        return
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding != "UTF8":
        raise UserError(f"The database {shown(url)} keeps text as {encoding}; make one with ENCODING 'UTF8'.")
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({TURN})")


def _make_place(url: str) -> Path | None:
    """The database's file, empty if it is new, in its folder; None for one that is no file. Raises UserError."""
    parsed = make_url(url)
    name = parsed.database if parsed.drivername.startswith("sqlite") else None
    if not name or name == ":memory:" or name.startswith("file:"):
        return None
    file = Path(name)
    try:
        private.make_folder(file.parent)
    except OSError as error:
        raise UserError(
            f"The data folder {file.parent} cannot be made: {error.strerror or error}."
        ) from error
    with suppress(OSError):  # what is wrong with it is told when it is opened
        private.make_file(file)
    return file
