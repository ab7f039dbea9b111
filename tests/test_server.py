"""`lanescope serve`: it starts, and each thing that can stop it is told in one sentence with exit code 2."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.commands import lanescope
from webapp import server
from webapp.errors import StartError
from webapp.ingest.samples import SAMPLES
from webapp.server import check_access, check_start, is_open_to_all, listen, prepare
from webapp.settings import load_settings
from webapp.storage import traces, users
from webapp.storage.db import open_database
from webapp.storage.migrate import migrate


def command(folder: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "webapp", "serve", "--port", "0", "--data-dir", str(folder), *options]


def one_line(code: int, out: str, err: str) -> str:
    """The sentence of a server that did not start."""
    assert (code, out) == (2, "")
    [line] = err.splitlines()
    assert line.startswith("lanescope: ")
    assert line.endswith(".")
    return line


def refused(folder: Path, *options: str) -> str:
    """Start, expect a refusal, and return its one line."""
    given = ("serve", "--port", "0", "--data-dir", str(folder), *options)
    return one_line(*lanescope(*given, cwd=folder.parent))


def test_it_migrates_loads_samples_and_serves_until_told_to_stop(tmp_path: Path) -> None:
    """A first start needs nothing prepared; the page has the samples; Ctrl C ends it without a fault."""
    with subprocess.Popen(
        command(tmp_path / "new" / "data"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        try:
            line = server.stdout.readline()
            assert line.startswith("Lanescope is at http://127.0.0.1:"), line or server.stderr.read()
            with urllib.request.urlopen(line.split()[3], timeout=30) as answer:
                page = answer.read().decode()
            assert 'class="traces"' in page
            assert (tmp_path / "new" / "data" / "lanescope.db").is_file()
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0
        assert "Traceback" not in server.stderr.read()


def test_a_server_with_targets_says_where_to_watch(tmp_path: Path) -> None:
    """Behind the addresses of the proxy, one line; a server without targets says nothing of it."""
    targets = {"LANESCOPE_TARGETS": "shop=http://127.0.0.1:9"}
    with subprocess.Popen(
        command(tmp_path), stdout=subprocess.PIPE, text=True, env={**os.environ, **targets}
    ) as server:
        assert server.stdout is not None
        try:
            url = server.stdout.readline().split()[3]
            assert server.stdout.readline().startswith(f"{url}/proxy/shop passes on to")
            assert server.stdout.readline() == f"Watch at {url}/live\n"
            urllib.request.urlopen(url, timeout=30).close()  # from here on it hears Ctrl C
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0


def test_a_second_server_on_the_same_folder_is_told(tmp_path: Path) -> None:
    """It would end the recordings of the first; commands beside a server are free to go on."""
    with subprocess.Popen(command(tmp_path), stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            url = server.stdout.readline().split()[3]
            assert f"Another Lanescope serves {tmp_path} already" in refused(tmp_path)
            beside = ("prune", "--dry-run", "--data-dir", str(tmp_path))
            assert lanescope(*beside, cwd=tmp_path)[0] == 0
            urllib.request.urlopen(url, timeout=30).close()
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0


def test_a_port_in_use_is_told(tmp_path: Path) -> None:
    """Before the database is touched, with what to do: what a shell sees of a server that does not start."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        given = command(tmp_path / "data", "--port", str(port))
        done = subprocess.run(given, capture_output=True, text=True, timeout=60, check=False)
    line = one_line(done.returncode, done.stdout, done.stderr)
    assert f"Port {port} on 127.0.0.1 is in use" in line
    assert "LANESCOPE_PORT" in line
    assert not (tmp_path / "data").exists()


def test_a_database_newer_than_the_code_is_told(tmp_path: Path) -> None:
    """An older program does not touch what a newer one wrote."""
    url = load_settings(data_dir=tmp_path).database_url
    migrate(url)
    database = open_database(url)
    with database.session() as session:
        session.execute(text("UPDATE alembic_version SET version_num = 'ffff'"))
    database.close()
    assert "newer Lanescope" in refused(tmp_path)


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    """Whatever lies where the database should be is not overwritten."""
    (tmp_path / "lanescope.db").write_text("notes " * 500)
    assert "cannot be opened" in refused(tmp_path)
    assert (tmp_path / "lanescope.db").read_text().startswith("notes")


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.4", "example.com", "::"])
def test_an_address_for_others_needs_accounts(tmp_path: Path, host: str) -> None:
    """Or a proxy in front that is believed; the refusal says how to go on, and no sample is loaded."""
    settings = load_settings(data_dir=tmp_path, host=host)
    with pytest.raises(StartError, match=f"{host} can be reached from other machines, .*lanescope user add"):
        prepare(settings)
    database = open_database(settings.database_url)
    with database.session() as session:
        assert traces.count(session) == 0
        users.add(session, name="Ada", role="admin", now=0.0)
    check_access(settings, database)
    prepare(settings).close()
    database.close()


def test_a_trusted_header_is_as_good_as_accounts(tmp_path: Path) -> None:
    """Who asks is then told by the proxy in front."""
    settings = load_settings(data_dir=tmp_path, host="0.0.0.0", trusted_header="X-Forwarded-User")
    prepare(settings).close()


def test_a_server_for_others_does_not_start_without_accounts(tmp_path: Path) -> None:
    """From the command line: one sentence, exit code 2, nothing that listens."""
    assert "0.0.0.0 can be reached from other machines" in refused(tmp_path, "--host", "0.0.0.0")


def test_an_open_server_behind_a_public_address_says_what_that_means(tmp_path: Path) -> None:
    """Whoever gets through may do everything: the first lines say so, until there is an account."""
    settings = load_settings(data_dir=tmp_path, public_url="https://scope.example.com")
    database = prepare(settings)
    assert is_open_to_all(settings, database)
    assert not is_open_to_all(load_settings(data_dir=tmp_path), database)
    local = load_settings(data_dir=tmp_path, public_url="http://localhost:9000")
    assert not is_open_to_all(local, database)
    header = load_settings(data_dir=tmp_path, public_url="https://scope.example.com", trusted_header="X-User")
    assert not is_open_to_all(header, database)
    with database.session() as session:
        users.add(session, name="Ada", role="admin", now=0.0)
    assert not is_open_to_all(settings, database)
    database.close()


def test_no_client_can_write_where_it_comes_from() -> None:
    """The server itself believes no X-Forwarded header, though the client is on this machine."""
    config = server._config("webapp.app:app_from_environment")
    config.load()
    assert not config.proxy_headers
    assert "ProxyHeaders" not in type(config.loaded_app).__name__


def test_sqlite_with_several_workers_is_refused(tmp_path: Path) -> None:
    """Several processes need PostgreSQL; one does not."""
    with pytest.raises(StartError, match="SQLite takes one worker, not 4"):
        check_start(load_settings(data_dir=tmp_path, workers=4))
    check_start(load_settings(data_dir=tmp_path))
    check_start(load_settings(database_url="postgresql+psycopg://db/lanescope", workers=4))


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A file in the place of a folder."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StartError, match=r"The data folder .* cannot be made"):
        prepare(load_settings(data_dir=tmp_path / "file" / "data"))


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite needs the folder, not only its file. (Asked for by hand: root may write everywhere.)"""
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StartError, match="cannot be written"):
        prepare(load_settings(data_dir=tmp_path))


def test_samples_are_loaded_into_an_empty_database_only(tmp_path: Path) -> None:
    """Somebody who deleted a sample does not get it back while other traces are there."""
    settings = load_settings(data_dir=tmp_path)
    database = prepare(settings)
    with database.session() as session:
        rows, total = traces.list_traces(session)
        assert total >= 2
        traces.delete(session, rows[0].pk)
    database.close()
    again = prepare(settings)
    with again.session() as session:
        assert traces.count(session) == total - 1
    again.close()


def test_a_name_that_is_no_address_is_told() -> None:
    """A host that cannot be resolved is a sentence, not a stack trace."""
    with pytest.raises(StartError, match="Cannot listen on"):
        listen("no such host", 0)


@pytest.mark.parametrize(
    "url", ["nonsense", "mysql://x", "nosuch://x", "sqlite+nosuch:///x.db", "postgresql+psycopg2://x"]
)
def test_a_database_of_another_kind_is_told(tmp_path: Path, url: str) -> None:
    """One sentence with what an address looks like."""
    with pytest.raises(StartError, match=r"must look like sqlite:////path/file\.db or postgresql"):
        prepare(load_settings(data_dir=tmp_path, database_url=url))


def test_a_missing_driver_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation without PostgreSQL's package."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StartError, match="needs the Python package psycopg"):
        prepare(load_settings(data_dir=tmp_path, database_url="postgresql+psycopg://localhost/x"))


def children(process: int) -> list[int]:
    """Processes that this one started."""
    return [int(pid) for pid in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def workers(process: int) -> list[int]:
    """Those of a server's processes that serve; Python starts another that only cleans up."""
    started = children(process)
    lines = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in started}
    return [pid for pid, line in lines.items() if b"spawn_main" in line]


@pytest.mark.databases("postgresql")
def test_several_workers_serve_one_database(tmp_path: Path, database_url: str) -> None:
    """Two processes on one port: samples once, what one stores all show, and one that dies is started anew."""
    settings = {"LANESCOPE_DATABASE_URL": database_url, "LANESCOPE_WORKERS": "2"}
    with subprocess.Popen(
        command(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **settings},
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        try:
            line = server.stdout.readline()
            assert line.startswith("Lanescope is at http://127.0.0.1:"), line or server.stderr.read()
            url = line.split()[3]

            def read(path: str, body: bytes | None = None) -> str:
                with urllib.request.urlopen(f"{url}{path}", body, timeout=60) as answer:
                    return str(answer.read().decode())

            read("/")
            first = workers(server.pid)
            assert len(first) == 2
            stored = json.loads(read("/api/traces?name=mine.sse", b'data: {"type":"RUN_STARTED"}\n\n'))
            assert all("mine.sse" in read(f"/traces/{stored['id']}") for _ in range(10))
            os.kill(first[0], signal.SIGKILL)
            assert all("mine.sse" in read("/") for _ in range(10))
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(60) == 0
        assert "Traceback" not in server.stderr.read()
    with open_database(database_url).session() as session:
        assert traces.count(session) == len(SAMPLES) + 1


def test_too_many_workers_for_sqlite_are_told_before_anything_is_made(tmp_path: Path) -> None:
    """On the command line: one sentence, and the data folder is not there."""
    line = refused(tmp_path / "data", "--workers", "3")
    assert line == (
        "lanescope: SQLite takes one worker, not 3; start one, or use PostgreSQL (LANESCOPE_DATABASE_URL)."
    )
    assert not (tmp_path / "data").exists()
