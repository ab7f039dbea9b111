"""An upstream that takes nothing of a large request: a client waits so long only, and one that leaves is seen."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Queue

import pytest

from tests.live.proxied import dial, proxying, until, upstream
from webapp.ingest.proxy import upstream as module
from webapp.storage.db import Database

SIZE = 30_000_000  # more than the buffers on the way hold
HEAD = b"POST /proxy/shop/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % SIZE
SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {}\n\n"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TAKE_SECONDS", 0.3)


@contextmanager
def sending(url: str) -> Iterator[socket.socket]:
    """A client in the middle of a large request."""

    def send(client: socket.socket) -> None:
        with suppress(OSError):
            client.sendall(HEAD + b"{" + b" " * (SIZE - 1))

    with dial(url) as client:
        thread = threading.Thread(target=send, args=(client,))
        thread.start()
        try:
            yield client
        finally:
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
            thread.join(10)


def until_closed(connection: socket.socket) -> None:
    """Nothing is read; the other side is gone once a byte cannot be sent."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            connection.sendall(b":\n")
        except OSError:
            return
        time.sleep(0.05)
    raise AssertionError("the connection is still open")


def test_a_request_that_is_not_taken_is_answered_in_the_end(database: Database, tmp_path: Path) -> None:
    """502 with the reason, and the upstream is let go of."""
    closed: Queue[bool] = Queue()

    def serve(connection: socket.socket) -> None:
        connection.recv(1000)
        while not closed.qsize():
            time.sleep(0.05)

    with upstream(serve) as there, proxying(database, tmp_path, shop=there) as url, sending(url) as client:
        answer = until(client, b"}")
        closed.put(True)
    assert answer.startswith(b"HTTP/1.1 502")
    assert b"it took nothing of the request for 0 seconds" in answer


def test_a_client_that_leaves_is_seen_though_its_request_is_not_taken(
    database: Database, tmp_path: Path
) -> None:
    """The upstream streams its answer and reads no further; the stream goes on until the client leaves."""
    closed: Queue[bool] = Queue()

    def serve(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(SSE)
        until_closed(connection)
        closed.put(True)

    with upstream(serve) as there, proxying(database, tmp_path, shop=there) as url:
        with sending(url) as client:
            assert b"data: {}" in until(client, b"data: {}")
            time.sleep(1)
            assert not closed.qsize()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        assert closed.get(timeout=10)
