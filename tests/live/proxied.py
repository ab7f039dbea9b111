"""The recording proxy on real sockets: Lanescope in a thread of its own, upstreams that do what a test says.

Rules of this file: starting, stopping and talking; no expectation. When `proxying` is over, everything that was
recorded is stored and judged.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI
from sqlalchemy import select

from webapp.app import create_app
from webapp.settings import load_settings
from webapp.storage import originals
from webapp.storage.db import Database
from webapp.storage.models import Capture, Trace

ROOT = Path(__file__).resolve().parents[2]
WAIT = 20.0  # seconds after which a test is stuck
RUN: dict[str, Any] = {
    "threadId": "t-1", "runId": "r-1", "state": {}, "tools": [], "context": [],
    "messages": [{"id": "u-1", "role": "user", "content": "Where is my parcel?"}], "forwardedProps": {},
}  # fmt: skip


def asked(**props: Any) -> bytes:
    """A RunAgentInput; what the agent is to do goes into `forwardedProps`."""
    return json.dumps({**RUN, "forwardedProps": props}).encode()


@contextmanager
def proxying(
    database: Database, folder: Path, change: Callable[[FastAPI], None] | None = None, **targets: str
) -> Iterator[str]:
    """Lanescope's address, with these targets. change: is given the application before it starts."""
    app = create_app(load_settings(data_dir=folder, targets=targets), database)
    if change is not None:
        change(app)
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="error", access_log=False, server_header=False, ws="none",
                       timeout_graceful_shutdown=1)
    )  # fmt: skip
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(WAIT)
        listener.close()


@contextmanager
def agent() -> Iterator[str]:
    """The address of a small real AG-UI server, a process of its own."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.live.agent"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


@contextmanager
def upstream(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """The address of a server that lets `serve` have each connection."""
    listener = socket.create_server(("127.0.0.1", 0))

    def one(connection: socket.socket) -> None:
        with connection:
            connection.settimeout(WAIT)
            serve(connection)

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=one, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(WAIT)


def until(connection: socket.socket, mark: bytes) -> bytes:
    """What comes, up to `mark` at least, or up to the end."""
    got = b""
    while mark not in got:  # the empty mark is in everything
        data = connection.recv(65536)
        if not data:
            return got
        got += data
    return got


def rest(connection: socket.socket) -> bytes:
    """What comes until the other side closes, be it in order or not."""
    got = b""
    try:
        while data := connection.recv(65536):
            got += data
    except ConnectionResetError:
        pass
    return got


def dial(url: str) -> socket.socket:
    parts = urlsplit(url)
    return socket.create_connection((parts.hostname, parts.port), timeout=WAIT)


def call(
    url: str, method: str = "GET", body: bytes | None = None, headers: dict[str, str] | None = None
) -> HTTPResponse:
    """A request, and its answer with the body still to be read."""
    parts = urlsplit(url)
    connection = HTTPConnection(str(parts.hostname), parts.port, timeout=WAIT)
    connection.request(method, url.partition(parts.netloc)[2] or "/", body, headers or {})
    return connection.getresponse()


def run(url: str, **props: Any) -> HTTPResponse:
    """An AG-UI run."""
    return call(
        url, "POST", asked(**props), {"Content-Type": "application/json", "Accept": "text/event-stream"}
    )


@dataclass(frozen=True)
class Recorded:
    """A trace as it is stored."""

    trace: Trace
    capture: Capture
    body: bytes

    @property
    def notes(self) -> str:
        return " ".join([*(note["message"] for note in self.capture.notes), self.capture.reason])


def recorded(database: Database) -> list[Recorded]:
    """Every trace of the proxy, the oldest first."""
    with database.session() as session:
        rows = session.execute(
            select(Trace, Capture).join(Capture, Capture.trace == Trace.pk).order_by(Trace.pk)
        ).all()
        found = [
            Recorded(trace, capture, b"".join(originals.whole(session, trace.pk))) for trace, capture in rows
        ]
        session.expunge_all()
    assert all(each.trace.status == "ready" and each.capture.kind == "proxy" for each in found)
    return found


def only(database: Database) -> Recorded:
    [found] = recorded(database)
    return found
