"""A database is made, kept current, and refused in one sentence when it cannot be used."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text

from tests.postgres import Server
from webapp.errors import UserError
from webapp.storage.db import Database, open_database, shown
from webapp.storage.migrate import migrate
from webapp.storage.models import Base, Trace


def test_migrations_end_at_the_models(database: Database) -> None:
    """What the migrations build is what the models describe, tables, columns and indexes."""
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
        names = set(inspect(connection).get_table_names())
    assert names == set(Base.metadata.tables) | {"alembic_version"}


@pytest.mark.databases("sqlite")
def test_numbers_that_are_never_used_again_stay_so(database: Database) -> None:
    """A migration that makes a table anew loses AUTOINCREMENT unless it says it; comparing columns does not show it."""
    query = text("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'")
    with database.session() as session:
        made = set(session.scalars(query))
    wanted = {t.name for t in Base.metadata.sorted_tables if t.dialect_options["sqlite"]["autoincrement"]}
    assert wanted >= {"traces", "users", "acts"}
    assert made == wanted


def test_migrating_twice_changes_nothing_and_tells_the_first_time_apart(tmp_path: Path) -> None:
    """The first call makes the folder and the tables and says so; the second finds them."""
    url = f"sqlite:///{tmp_path / 'deep' / 'folder' / 'x.db'}"
    assert migrate(url) is True
    assert migrate(url) is False


def test_a_database_of_a_newer_program_is_left_alone(database: Database) -> None:
    """An unknown revision means a newer schema: one sentence, nothing touched."""
    with database.session() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(UserError) as refused:
        migrate(database.url)
    assert "was written by a newer Lanescope" in refused.value.sentence
    with database.session() as session:
        assert session.scalar(text("SELECT version_num FROM alembic_version")) == "9999"


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    """A file stands where the data folder should be."""
    (tmp_path / "data").write_text("not a folder")
    with pytest.raises(UserError) as refused:
        migrate(f"sqlite:///{tmp_path / 'data' / 'x.db'}")
    assert refused.value.sentence.startswith("The data folder ")
    assert refused.value.sentence.count(".") >= 1
    assert "\n" not in refused.value.sentence


def test_a_path_that_is_a_folder_is_one_sentence(tmp_path: Path) -> None:
    """SQLite cannot open it for writing."""
    with pytest.raises(UserError) as refused:
        migrate(f"sqlite:///{tmp_path}")
    assert "cannot be opened or written" in refused.value.sentence


def test_a_file_that_is_no_database_is_one_sentence_and_stays(tmp_path: Path) -> None:
    """Somebody's text file is not overwritten."""
    file = tmp_path / "x.db"
    file.write_text("Dear diary, " * 1000)
    with pytest.raises(UserError) as refused:
        migrate(f"sqlite:///{file}")
    assert "cannot be opened or written" in refused.value.sentence
    assert file.read_text().startswith("Dear diary")


def test_a_password_is_not_shown() -> None:
    """A database URL in a sentence has no password in it."""
    assert "secret" not in shown("postgresql://user:secret@host/db")


def test_a_failing_block_leaves_nothing(database: Database) -> None:
    """A session that raises is rolled back."""

    def fail() -> None:
        with database.session() as session:
            session.add(Trace(id="x", name="x", created=0, sha256="", size=0))
            session.flush()
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail()
    with database.session() as session:
        assert session.scalar(text("SELECT count(*) FROM traces")) == 0


@pytest.mark.databases("sqlite")
def test_sqlite_is_told_what_it_must_know(database: Database) -> None:
    """Every connection has a write-ahead log, foreign keys and secure deletion."""
    with open_database(database.url).session() as session:
        told = {
            name: session.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "foreign_keys", "secure_delete")
        }
    assert told == {"journal_mode": "wal", "foreign_keys": 1, "secure_delete": 1}


@pytest.mark.databases("postgresql")
def test_two_programs_that_migrate_at_once_take_turns(postgres_server: Server) -> None:
    """Both find a database they can use, and exactly one of them made it."""
    name = postgres_server.empty()
    with ThreadPoolExecutor(3) as pool:
        made = list(pool.map(migrate, [postgres_server.url(name)] * 3))
    assert sorted(made) == [False, False, True]
    postgres_server.drop(name)


@pytest.mark.databases("postgresql")
def test_a_database_that_cannot_hold_every_letter_is_refused(postgres_server: Server) -> None:
    """One sentence before anything is made in it."""
    postgres_server.command("CREATE DATABASE ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
    with pytest.raises(UserError, match=r"keeps text as SQL_ASCII; make one with ENCODING 'UTF8'\.$"):
        migrate(postgres_server.url("ascii"))
    postgres_server.drop("ascii")


@pytest.mark.databases("postgresql")
def test_a_database_that_is_not_there_is_one_sentence(postgres_server: Server) -> None:
    """A name that the server does not know, and a server that does not answer."""
    for url in (postgres_server.url("nowhere"), "postgresql+psycopg://me:secret@/x?host=/nowhere"):
        with pytest.raises(UserError) as refused:
            migrate(url)
        assert "cannot be opened or written" in refused.value.sentence
        assert "\n" not in refused.value.sentence
        assert "secret" not in refused.value.sentence
