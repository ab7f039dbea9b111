"""A scratch PostgreSQL server for the tests that run on both databases.

Rules of this file: finding, starting and stopping it; a migrated template once, and a clone of it that is emptied after
a test and renamed for the next, since making and dropping a database takes as long as a whole test. Nothing is kept
and nothing is safe from a power cut. The server listens on a Unix socket only, in a folder that nobody else may enter.
It refuses to run as root, so root starts it as the user that Debian's package made.
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

# What a test may have changed of the schema: one value, the same as long as it did not. Asked together with the size.
SCHEMA = """
SELECT md5(string_agg(part, ';' ORDER BY part)), pg_database_size(current_database()) FROM (
    SELECT concat_ws(' ', 'column', attrelid, attname, atttypid, attnotnull, attisdropped)
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT concat_ws(' ', 'trigger', oid, tgname, tgenabled) FROM pg_trigger
    UNION ALL SELECT concat_ws(' ', 'constraint', oid, conname) FROM pg_constraint
    UNION ALL SELECT concat_ws(' ', 'version', version_num) FROM alembic_version
) parts (part)
"""
ENDED = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
# As a replica no trigger fires (the audit refuses to be emptied) and the order of the tables does not matter. Deleting
# is quicker than TRUNCATE, which makes a new file for each table and index.
EMPTIED = """
SET session_replication_role = replica;
DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version' LOOP
        EXECUTE format('DELETE FROM %I', name);
    END LOOP;
    PERFORM setval(format('%I', sequencename)::regclass, 1, false)
    FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL;
END $$
"""
LARGE = (
    32_000_000  # bytes: deleted rows take room until they are swept, and a new clone is quicker than sweeping
)


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
    """A running server. `url` gives what `LANESCOPE_DATABASE_URL` takes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count(1)
        self._template = ""
        self._schema = ""
        self._free: list[str] = []

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

    def migrated(self) -> str:
        """A migrated database without a row, under a name that no connection of another test can know."""
        name = f"test{next(self._numbers)}"
        if self._free:
            self.command(f"ALTER DATABASE {self._free.pop()} RENAME TO {name}")
            return name
        if not self._template:
            template = self.empty()
            migrate(self.url(template))
            with closing(self.connect(template)) as connection:
                self._schema, _ = _looks(connection)
            self._template = template
        self.command(f"CREATE DATABASE {name} TEMPLATE {self._template}")
        return name

    def give_back(self, name: str) -> None:
        """The database is emptied for the next test, or dropped where that would not be the same as a new one."""
        with closing(self.connect(name)) as connection:
            connection.execute(ENDED)
            schema, size = _looks(connection)
            usable = schema == self._schema and size < LARGE
            if usable:
                connection.execute(EMPTIED)
        if usable:
            self._free.append(name)
        else:
            self.drop(name)

    def drop(self, name: str) -> None:
        self.command(f"DROP DATABASE {name} WITH (FORCE)")


def _looks(connection: psycopg.Connection) -> tuple[str, int]:
    """The schema as one value ("" where there is none), and the size in bytes."""
    try:
        row = connection.execute(SCHEMA).fetchone()
    except psycopg.errors.UndefinedTable:
        row = None
    return (row[0], row[1]) if row else ("", 0)


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
