"""The PostgreSQL database that a test gets from the one before it is as good as a new one."""

from __future__ import annotations

from contextlib import closing

import pytest

from tests.postgres import Server
from tests.streams import finished, sse, started
from webapp.ingest.upload import ingest
from webapp.storage import audit, traces
from webapp.storage.db import open_database

pytestmark = pytest.mark.databases("postgresql")


def stored(server: Server, name: str) -> int:
    """The number that a trace gets there; something is written down of it, too, and the connection stays open."""
    database = open_database(server.url(name))
    public = ingest(database, [sse(started(), finished())], name="x").id
    with database.session() as session:
        audit.add(session, at=1.0, who="x", how="header", what="edited", about=public, detail={})
        trace = traces.get(session, public)
        assert trace is not None
        return trace.pk


def rows(server: Server, name: str) -> dict[str, int]:
    with closing(server.connect(name)) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        found = {}
        for (table,) in tables:
            told = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
            found[table] = told[0] if told else 0
        return found


def test_it_has_no_row_and_counts_from_the_beginning(database_kind: str, postgres_server: Server) -> None:
    """Whatever was stored, the audit that cannot be deleted from included; under another name."""
    first = postgres_server.migrated()
    numbers = [stored(postgres_server, first)]
    postgres_server.give_back(first)
    second = postgres_server.migrated()
    assert second != first
    assert {table for table, count in rows(postgres_server, second).items() if count} == {"alembic_version"}
    numbers.append(stored(postgres_server, second))
    assert numbers == [1, 1]
    postgres_server.give_back(second)


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE traces ADD COLUMN more integer",
        "DROP TABLE shares",
        "DROP TABLE alembic_version",
        "UPDATE alembic_version SET version_num = 'ffff'",
        "ALTER TABLE acts DISABLE TRIGGER ALL",
        "CREATE INDEX more ON traces (name)",
    ],
)
def test_one_whose_schema_was_changed_is_not_given_again(
    database_kind: str, postgres_server: Server, change: str
) -> None:
    """A column, a table, a trigger, an index or the version."""
    name = postgres_server.migrated()
    with closing(postgres_server.connect(name)) as connection:
        connection.execute(change.encode())
    postgres_server.give_back(name)
    assert postgres_server.ask(f"SELECT count(*) FROM pg_database WHERE datname = '{name}'") == 0
