"""What tests of every part start from: an empty, migrated database of the test's own.

Which database that is: SQLite; for tests in the places of ON_BOTH, SQLite and then PostgreSQL. A mark on a test or a
module wins: `databases("sqlite")`, `databases("postgresql")` or both. Without PostgreSQL on this machine its half is
left out and the summary says so; where `CI` is set, it fails instead.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import CodeType

import pytest
from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from tests import postgres
from webapp.accounts import passwords
from webapp.settings import load_settings
from webapp.storage import db
from webapp.storage.db import Database, open_database
from webapp.storage.migrate import migrate
from webapp.web import deps

# Compiled modules are kept, whatever the shell says: else each worker compiles every test, and each started program
# all of ours.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Collecting the tests makes nearly a million objects that live to the end: looking for garbage among them took a third
# of the time of collecting, and went on taking its part afterwards.
gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """From here on garbage is looked for among what tests make, and only there."""
    gc.freeze()
    gc.enable()


BOTH = ("sqlite", "postgresql")
ON_BOTH = (
    "storage",
    "ingest/test_ingest_upload.py",
    "ingest/test_ingest_reread.py",
    "ingest/live",
    "web/test_follow.py",
    "web/test_front_page.py",
    "web/test_push.py",
    "web/test_share.py",
    "web/test_sign_in.py",
    "web/test_trace_page.py",
    "web/test_upload.py",
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "database_kind" not in metafunc.fixturenames:
        return
    mark = metafunc.definition.get_closest_marker("databases")
    path = metafunc.definition.path.relative_to(Path(__file__).parent)
    both = any(path.is_relative_to(place) for place in ON_BOTH)
    kinds = mark.args if mark else BOTH if both else ("sqlite",)
    assert set(kinds) <= set(BOTH), f"{metafunc.definition.nodeid}: unknown database among {kinds}"
    if kinds != ("sqlite",):
        metafunc.parametrize("database_kind", kinds, indirect=True)


def _needs_postgres(item: pytest.Item) -> bool:
    call = getattr(item, "callspec", None)
    return call is not None and call.params.get("database_kind") == "postgresql"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if postgres.missing() is None or os.environ.get("CI"):
        return
    out = [item for item in items if _needs_postgres(item)]
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if not _needs_postgres(item)]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reason = postgres.missing()
    if reason is not None:
        terminalreporter.section("PostgreSQL")
        terminalreporter.line(f"The tests on PostgreSQL were NOT run: {reason}.")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """One server a session (a worker of pytest-xdist is one); started by the first test that wants it."""
    reason = postgres.missing()
    assert reason is None, reason
    with postgres.running() as server:
        yield server


@pytest.fixture(scope="session", autouse=True)
def unhurried_disk() -> Iterator[None]:
    """SQLite waits for no disk here, since a power cut would spoil nothing; in programs that tests start, it does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(db, "PRAGMAS", (*db.PRAGMAS, "PRAGMA synchronous = OFF"))
        yield


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated file without a row, to be copied: migrating takes a fifth of a second, a copy a thousandth."""
    url = load_settings(data_dir=tmp_path_factory.mktemp("template"), database_url="").database_url
    migrate(url)
    path = Path(url.removeprefix("sqlite:///"))
    assert not path.with_name(f"{path.name}-wal").exists(), "the log has not been folded into the file"
    return path


@pytest.fixture
def database_kind(request: pytest.FixtureRequest) -> str:
    """sqlite | postgresql"""
    return getattr(request, "param", "sqlite")


@pytest.fixture
def database_url(request: pytest.FixtureRequest, database_kind: str, tmp_path: Path) -> Iterator[str]:
    """What `LANESCOPE_DATABASE_URL` would say: a migrated database without a row, this test's own."""
    if database_kind == "sqlite":
        template: Path = request.getfixturevalue("sqlite_template")
        path = shutil.copyfile(template, tmp_path.resolve() / template.name)
        yield f"sqlite:///{path}"
    else:
        server: postgres.Server = request.getfixturevalue("postgres_server")
        name = server.migrated()
        yield server.url(name)
        server.give_back(name)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = open_database(database_url)
    yield database
    database.close()


@pytest.fixture(autouse=True)
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords are hashed as in production, with parameters that take no time."""
    quick = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1),))
    monkeypatch.setattr(passwords, "_hasher", quick)


class _Compiled(BytecodeCache):
    """Templates that one application of this process has compiled serve the next: each application has an environment
    of its own, and there is one a test. A template whose text has changed is another one."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._kept.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._kept[bucket.key, bucket.checksum] = bucket.code


@pytest.fixture(scope="session", autouse=True)
def compiled_templates() -> Iterator[None]:
    """Each template is compiled once a worker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deps, "Environment", partial(Environment, bytecode_cache=_Compiled()))
        yield
