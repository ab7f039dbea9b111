"""A server that is killed or stopped in the middle of recordings: what it acknowledged is there."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

from tests.live.serving import WAIT, Serving, serving
from tests.streams import message, sse, started
from webapp.ingest.live.transactions import KILLED, STOPPED

CAPTURES = 20
PUSHES = 5


def _batch(capture: int, number: int) -> bytes:
    first = [started(f"t{capture}")] if number == 1 else []
    return sse(*first, *message(f"m{capture}-{number}", f"batch {number} of capture {capture}"))


class Sender(threading.Thread):
    """Sends batches until the server is gone; acknowledged: how many it was told are stored."""

    def __init__(self, server: Serving, capture: int) -> None:
        super().__init__()
        self.capture = capture
        self.acknowledged = 0
        self._url = urlsplit(server.url)
        self.begun = server.ask(f"/api/traces?live=1&name=capture{capture}", b"")[1]

    def run(self) -> None:
        connection = http.client.HTTPConnection(str(self._url.hostname), self._url.port, timeout=WAIT)
        try:
            while True:
                number = self.acknowledged + 1
                path = f"{self.begun['events']}?seq={number}"
                connection.request("POST", path, _batch(self.capture, number))
                if json.load(connection.getresponse()) == {"last": number, "stored": True}:
                    self.acknowledged = number
        except (OSError, http.client.HTTPException, ValueError):
            connection.close()


def _push(server: Serving, name: str, data: bytes) -> socket.socket:
    """A push that goes on: what it sent is on its way."""
    place = urlsplit(server.url)
    sender = socket.create_connection((str(place.hostname), int(place.port or 0)), WAIT)
    head = f"PUT /api/live?name={name} HTTP/1.1\r\nHost: {place.netloc}\r\nTransfer-Encoding: chunked\r\n\r\n"
    sender.sendall(head.encode() + b"%x\r\n%s\r\n" % (len(data), data))
    return sender


def test_nothing_acknowledged_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    """Twenty recordings at once and `kill -9`: each batch that was answered is there byte for byte, the page says why
    the recording ends, and the next batch takes it up."""
    with serving(tmp_path) as server:
        senders = [Sender(server, capture) for capture in range(CAPTURES)]
        pushes = [_push(server, f"push{number}", _batch(100 + number, 1)) for number in range(PUSHES)]
        for sender in senders:
            sender.start()
        while min(sender.acknowledged for sender in senders) < 3:
            assert all(sender.is_alive() for sender in senders)
            time.sleep(0.01)
        pushed = [server.found(f"push{number}") for number in range(PUSHES)]
        server.send(signal.SIGKILL)
        for sender in senders:
            sender.join(WAIT)
        for push in pushes:
            push.close()
        server.start()
        for public in pushed:
            assert server.report(public, until=KILLED)["artefacts"][0]["message"] == KILLED
        for sender in senders:
            public = sender.begun["id"]
            report = server.report(public, until=KILLED)
            assert report["artefacts"][0]["message"] == KILLED
            assert [run["outcome"] for run in report["runs"]] == ["truncated"]
            stored = server.original(public)
            wanted = b"".join(_batch(sender.capture, number + 1) for number in range(sender.acknowledged))
            assert stored in (wanted, wanted + _batch(sender.capture, sender.acknowledged + 1))
        assert KILLED in server.page(f"/traces/{senders[0].begun['id']}")
        for sender in senders:
            again = sender.acknowledged + 1  # perhaps stored, and its answer lost
            told = server.ask(f"{sender.begun['events']}?seq={again}", _batch(sender.capture, again))[1]
            assert told["last"] == again
            assert server.ask(sender.begun["end"], b"")[0] == 200
        public, last = senders[0].begun["id"], senders[0].acknowledged + 1
        wanted = b"".join(_batch(0, number + 1) for number in range(last))
        assert server.original(public) == wanted
        end = time.monotonic() + WAIT
        while (
            KILLED in json.dumps(report := server.ask(f"/api/traces/{public}")[1]) and time.monotonic() < end
        ):
            time.sleep(0.02)
        assert (report["events"], report["artefacts"]) == (1 + 3 * last, [])


def test_a_server_that_is_stopped_goes_at_once_and_says_why_recordings_end(tmp_path: Path) -> None:
    """Though pages watch, and a sender is in the middle of its stream: with everything that came."""
    with serving(tmp_path) as server:
        public = server.ask("/api/traces?live=1&name=batches", b"")[1]["id"]
        server.ask(f"/api/traces/{public}/events?seq=1", _batch(1, 1))
        place = urlsplit(server.url)
        watchers = []
        for path in ("/live/moves", f"/traces/{public}/live"):
            connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=WAIT)
            connection.request("GET", path)
            answer = connection.getresponse()
            assert answer.readline()
            watchers.append(answer)
        with _push(server, "running", _batch(2, 1)) as push:
            pushed = server.found("running")
            assert server.send(signal.SIGTERM) < 3
            assert push.recv(100).startswith(b"HTTP/1.1 503")
        for answer in watchers:
            answer.read()  # it ended, and not by a broken connection
        server.start()
        assert server.report(pushed, until=STOPPED)["artefacts"][0]["message"] == STOPPED
        assert server.original(pushed) == _batch(2, 1)
        report = server.report(public, until=STOPPED)
        assert [each["message"] for each in report["artefacts"]] == [STOPPED]
        assert server.original(public) == _batch(1, 1)
