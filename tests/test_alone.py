"""One server a SQLite file: a second one is refused for as long as the first lives, and no longer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from webapp.alone import alone
from webapp.errors import StartError

HOLD = """
import sys
from webapp.alone import alone
with alone(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def url(folder: Path, name: str = "lanescope.db") -> str:
    return f"sqlite:///{folder / name}"


def test_a_second_server_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    """In a sentence that says what to do."""
    with alone(url(tmp_path)):
        told = f"Another Lanescope serves {tmp_path} already; stop that one"
        with pytest.raises(StartError, match=told), alone(url(tmp_path)):
            pass
        with alone(url(tmp_path, "other.db")):
            pass
    with alone(url(tmp_path)):
        pass


def test_a_server_that_was_killed_holds_up_no_other(tmp_path: Path) -> None:
    """The file stays behind; the lock went with the process."""
    first = subprocess.Popen(
        [sys.executable, "-c", HOLD, url(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with first:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        with pytest.raises(StartError), alone(url(tmp_path)):
            pass
        first.kill()
        first.wait(10)
    with alone(url(tmp_path)):
        pass


@pytest.mark.parametrize("shared", ["sqlite://", "postgresql+psycopg://db/lanescope"])
def test_a_database_that_is_no_file_needs_no_lock(shared: str) -> None:
    """Several servers on one PostgreSQL are how it is meant."""
    with alone(shared), alone(shared):
        pass


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A sentence, no stack trace."""
    with pytest.raises(StartError, match="cannot be written"), alone(url(tmp_path / "missing")):
        pass
