"""A database is readable by its owner alone, whatever the umask says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from stat import S_IMODE

import pytest
from sqlalchemy import text

from webapp.storage.db import open_database
from webapp.storage.migrate import migrate

pytestmark = [
    pytest.mark.databases("sqlite"),
    pytest.mark.skipif(os.name != "posix", reason="rights of this kind are Unix's"),
]


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """Whatever is made without a word lets everybody read it."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def rights(path: Path) -> int:
    return S_IMODE(path.stat().st_mode)


def in_use(file: Path) -> dict[str, int]:
    """The rights of the database file and its companions while somebody writes to it."""
    database = open_database(f"sqlite:///{file}")
    try:
        with database.session() as session:
            session.execute(text("UPDATE traces SET pk = pk WHERE 0"))
            return {each.name: rights(each) for each in file.parent.iterdir()}
    finally:
        database.close()


def test_a_new_database_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Its folder, its file, and what SQLite writes beside it."""
    file = tmp_path / "data" / "x.db"
    migrate(f"sqlite:///{file}")
    assert rights(file.parent) == 0o700
    assert in_use(file) == {"x.db": 0o600, "x.db-wal": 0o600, "x.db-shm": 0o600}


def test_it_was_never_open_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even while it is made: the file has its rights before anything is in it."""
    file = tmp_path / "x.db"
    seen: list[tuple[int, int]] = []
    real = os.open

    def opened(path: str | Path, flags: int, mode: int = 0o777) -> int:
        handle = real(path, flags, mode)
        if Path(path) == file:
            seen.append((rights(file), file.stat().st_size))
        return handle

    monkeypatch.setattr(os, "open", opened)
    migrate(f"sqlite:///{file}")
    assert seen == [(0o600, 0)]


def test_an_older_database_is_closed_to_others(tmp_path: Path) -> None:
    """Also while it is in use; its folder stays as its owner made it."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    file = folder / "x.db"
    migrate(f"sqlite:///{file}")
    file.chmod(0o644)
    assert set(in_use(file).values()) == {0o644}
    database = open_database(f"sqlite:///{file}")
    with database.session() as session:
        session.execute(text("SELECT 1 FROM traces"))
        migrate(f"sqlite:///{file}")
        assert {rights(each) for each in folder.iterdir()} == {0o600}
    database.close()
    assert rights(folder) == 0o755
