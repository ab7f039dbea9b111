"""What a read writes down does not make it wait, and is written all the same."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy.orm import Session

from webapp.errors import Busy
from webapp.storage import audit
from webapp.storage.db import Database
from webapp.web import beside
from webapp.web.beside import Beside


@contextmanager
def written_by_another(folder: Path) -> Iterator[None]:
    """A long write, as of an upload."""
    with closing(sqlite3.connect(folder / "lanescope.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def lines(database: Database) -> list[tuple[str, str]]:
    with database.session() as session:
        return [(each.what, each.about) for each in audit.newest(session)[0]]


def line(what: audit.What, about: str) -> Callable[[Session], None]:
    return lambda session: audit.add(session, at=1.0, who="Ada", how="session", what=what, about=about)


@pytest.mark.databases("sqlite")  # it has one writer
def test_an_export_does_not_wait_for_a_long_upload(
    client: TestClient, database: Database, tmp_path: Path, add_trace: Callable[..., str]
) -> None:
    """The file comes at once; its line when the other has finished."""
    trace = add_trace()
    with written_by_another(tmp_path):
        began = time.monotonic()
        answer = client.get(f"/traces/{trace}/report.html")
        assert time.monotonic() - began < 5
        assert answer.status_code == 200
        assert lines(database) == []
    until = time.monotonic() + 10
    while not lines(database) and time.monotonic() < until:
        time.sleep(0.02)
    assert lines(database) == [("exported", trace)]


@pytest.mark.databases("sqlite")
def test_what_is_still_to_be_written_is_written_before_the_end(database: Database, tmp_path: Path) -> None:
    """In the order in which it came."""
    writer = Beside(database)
    with written_by_another(tmp_path):
        for about in ("first", "second"):
            writer.write(line("exported", about), 0.01)
        assert lines(database) == []
    writer.close()
    assert lines(database) == [("exported", "second"), ("exported", "first")]


@pytest.mark.databases("sqlite")
def test_nothing_is_given_away_that_cannot_be_written_down(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When too much is waiting already, the next is refused."""
    monkeypatch.setattr(beside, "MOST", 2)
    writer = Beside(database)
    with written_by_another(tmp_path):
        for about in ("first", "second"):
            writer.write(line("exported", about), 0.01)
        with pytest.raises(Busy, match="try again"):
            writer.write(line("exported", "third"), 0.01)
    writer.close()
    assert len(lines(database)) == 2


def test_what_the_database_refuses_is_told_to_the_asker(database: Database) -> None:
    """It is no export without a line."""
    writer = Beside(database)

    def refused(session: Session) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        writer.write(refused)
    assert lines(database) == []
