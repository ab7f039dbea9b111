"""Two worker processes on one PostgreSQL: a run that one records is followed on the other."""

from __future__ import annotations

import http.client
import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.live.serving import WAIT, Serving, serving
from tests.streams import finished, message, sse, started

pytestmark = pytest.mark.databases("postgresql")
EVENTS = [started(), *[event for n in range(40) for event in message(f"m{n}", "Hello", " world")], finished()]


@pytest.fixture
def server(database_url: str, tmp_path: Path) -> Iterator[Serving]:
    with serving(tmp_path, LANESCOPE_DATABASE_URL=database_url, LANESCOPE_WORKERS="2") as server:
        yield server
        server.send(signal.SIGTERM)  # killed, it would leave its workers behind


def worker_of(connection: http.client.HTTPConnection) -> int:
    """The process that holds the other end of a connection."""
    port = connection.sock.getsockname()[1]
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    inode = next(row[9] for row in rows if int(row[2].partition(":")[2], 16) == port and row[9] != "0")
    for place in Path("/proc").glob("[0-9]*/fd"):
        try:
            if any(os.readlink(each) == f"socket:[{inode}]" for each in place.iterdir()):
                return int(place.parts[2])
        except OSError:
            continue  # it ended, or is somebody else's
    raise AssertionError("nobody holds the connection")


class Watcher(threading.Thread):
    """Follows a trace on a connection of its own, to its end. told: the positions."""

    def __init__(self, url: str, public: str) -> None:
        super().__init__(daemon=True)
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=WAIT)
        self._connection.request("GET", f"/traces/{public}/live")
        self._answer = self._connection.getresponse()
        self.worker = worker_of(self._connection)
        self.told: list[tuple[int, str]] = []

    def run(self) -> None:
        with closing(self._connection):
            while line := self._answer.readline():
                if line.startswith(b"data:"):
                    position = json.loads(line[5:])
                    self.told.append((position["seq"], position["status"]))
                    if position["status"] != "live":
                        return


def watchers(url: str, public: str) -> list[Watcher]:
    """Some that are spread over both workers."""
    found: list[Watcher] = []
    while len({each.worker for each in found}) < 2:
        assert len(found) < 50, "one worker takes every connection"
        found.append(Watcher(url, public))
    for each in found:
        each.start()
    return found


def test_batches_sent_to_any_worker_are_followed_on_every_worker(server: Serving) -> None:
    """Each batch goes over a new connection, one is sent twice; every page hears the same end."""
    status, begun = server.ask("/api/traces?live=true&name=two-workers", b"")
    assert status == 201
    public = begun["id"]
    pages = watchers(server.url, public)
    for number in range(1, len(EVENTS) // 10 + 2):
        data = sse(*EVENTS[(number - 1) * 10 : number * 10])
        for _ in range(2 if number == 3 else 1):
            status, told = server.ask(
                f"/api/traces/{public}/events?seq={number}", data, Content_Type="text/event-stream"
            )
            assert (status, told["last"]) == (200, number)
    assert server.ask(f"/api/traces/{public}/end", b"")[0] == 200
    for page in pages:
        page.join(WAIT)
        assert page.told[-1] == (len(EVENTS), "ready")
        assert page.told == sorted(page.told, key=lambda position: position[0])
    assert server.original(public) == sse(*EVENTS)
    assert server.report(public)["verdict"] == "conformant"


def test_a_push_that_one_worker_records_is_followed_on_the_other(server: Serving) -> None:
    """Whichever takes the push, pages of both workers hear positions while it runs."""
    parts = urlsplit(server.url)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=WAIT)) as push:
        push.putrequest("PUT", "/api/live?name=pushed-to-one")
        push.putheader("Transfer-Encoding", "chunked")
        push.endheaders()
        send(push, sse(*EVENTS[:30]))
        public = server.found("pushed-to-one")
        recorder = worker_of(push)
        pages = watchers(server.url, public)
        assert any(page.worker != recorder for page in pages)
        send(push, sse(*EVENTS[30:]))
        push.send(b"0\r\n\r\n")
        answer = json.load(push.getresponse())
    assert (answer["events"], answer["verdict"]) == (len(EVENTS), "conformant")
    for page in pages:
        page.join(WAIT)
        assert page.told[-1] == (len(EVENTS), "ready")


def send(push: http.client.HTTPConnection, data: bytes) -> None:
    push.send(b"%x\r\n%s\r\n" % (len(data), data))
