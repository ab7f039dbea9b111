"""A scratch PostgreSQL server for the tests that run on both databases.

Rules of this file: finding, starting and stopping it; a migrated template once, a database a test cloned from it.
Nothing is kept and nothing is safe from a power cut. The server listens on a Unix socket only, in a folder that nobody
else may enter. It refuses to run as root, so root starts it as the user that Debian's package made.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from webapp.storage.migrate import migrate

INSTALL = "apt-get install postgresql"
SWITCHES = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "shared_buffers": "64MB",
    "max_connections": "60",
    "listen_addresses": "''",
}


def programs() -> Path | None:
    """The folder of `initdb` and `postgres`: Debian keeps them out of the path; the newest version wins."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    kept = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    return kept[-1].parent if kept else None


def missing() -> str | None:
    """Why PostgreSQL cannot be started here, as a phrase; None when it can."""
    if programs() is None:
        return f"PostgreSQL is not installed ({INSTALL})"
    try:
        _owner()
    except KeyError:
        return "PostgreSQL does not run as root, and there is no user named postgres"
    return None


def _owner() -> pwd.struct_passwd:
    return pwd.getpwnam("postgres") if os.getuid() == 0 else pwd.getpwuid(os.getuid())


class Server:
    """A running server. `url` and `clone` give what `LANESCOPE_DATABASE_URL` takes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count(1)
        self._template = ""

    def url(self, name: str) -> str:
        return f"postgresql+psycopg://lanescope@/{name}?host={self._folder}"

    def command(self, statement: str) -> None:
        """One statement in the administrator's own database."""
        with closing(self.connect("postgres")) as connection:
            connection.execute(statement.encode())

    def ask(self, question: str) -> Any:
        """The one value that a query gives, asked in the administrator's own database."""
        with closing(self.connect("postgres")) as connection:
            row = connection.execute(question.encode()).fetchone()
        assert row is not None
        return row[0]

    def connect(self, name: str) -> psycopg.Connection:
        return psycopg.connect(host=str(self._folder), user="lanescope", dbname=name, autocommit=True)

    def empty(self) -> str:
        """A new database without tables; gives its name."""
        name = f"empty{next(self._numbers)}"
        self.command(f"CREATE DATABASE {name}")
        return name

    def clone(self) -> str:
        """A new, migrated database; gives its name."""
        if not self._template:
            template = self.empty()
            migrate(self.url(template))
            self._template = template
        name = f"test{next(self._numbers)}"
        self.command(f"CREATE DATABASE {name} TEMPLATE {self._template}")
        return name

    def drop(self, name: str) -> None:
        self.command(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def running() -> Iterator[Server]:
    """A server of its own, gone with its folder at the end."""
    home, owner = programs(), _owner()
    assert home is not None
    folder = Path(tempfile.mkdtemp(prefix="lanescope-pg-"))
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    data = folder / "data"
    switches = " ".join(f"-c {name}={value}" for name, value in SWITCHES.items())
    try:
        # C.UTF-8: letters beyond ASCII have upper and lower case, and every Debian has it
        make = ("-U", "lanescope", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        _do(owner, home / "initdb", "-D", data, *make)
        start = ("-w", "-t", "60", "-l", folder / "log", "-o", f"{switches} -k {folder}", "start")
        _do(owner, home / "pg_ctl", "-D", data, *start)
        try:
            yield Server(folder)
        finally:
            _do(owner, home / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _do(owner: pwd.struct_passwd, *command: str | Path) -> None:
    """Run one of PostgreSQL's programs as the owner of its files; what it says is told when it fails."""
    other = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []} if os.getuid() == 0 else {}
    with tempfile.TemporaryFile("w+") as said:  # a pipe would stay open as long as the server runs
        done = subprocess.run(
            command, cwd="/", stdin=subprocess.DEVNULL, stdout=said, stderr=said, check=False, **other
        )  # type: ignore[call-overload]
        said.seek(0)
        assert done.returncode == 0, f"{command[0]} failed: {said.read()}"
