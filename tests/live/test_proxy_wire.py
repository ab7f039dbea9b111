"""The proxy on the wire: what each side sends is what the other one gets, and when."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Queue

import pytest

from tests.live.proxied import asked, call, dial, only, proxying, recorded, rest, run, until, upstream
from tests.readers.frames import frame
from webapp.storage.db import Database

SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
EVENT = b'data: {"type":"RUN_STARTED","threadId":"t-1","runId":"r-1"}\n\n'
HOP_SENT = (
    b"Connection: close, X-Neighbour\r\nX-Neighbour: only you\r\nKeep-Alive: 5\r\nTE: trailers\r\n"
    b"Upgrade: h2c\r\nProxy-Connection: keep-alive\r\n"
)


def answering(answer: bytes, seen: Queue[bytes] | None = None) -> Callable[[socket.socket], None]:
    """An upstream that takes one request, gives this answer and closes."""

    def serve(connection: socket.socket) -> None:
        head = until(connection, b"\r\n\r\n")
        if seen is not None:
            seen.put(head)
        connection.sendall(answer)

    return serve


def fields(head: bytes) -> list[tuple[bytes, bytes]]:
    """Names in lower case, with their values, of a message's head."""
    lines = head.partition(b"\r\n\r\n")[0].split(b"\r\n")[1:]
    return [(name.lower(), value.strip()) for name, _, value in (line.partition(b":") for line in lines)]


def test_the_request_goes_on_as_it_came(database: Database, tmp_path: Path) -> None:
    """Path and query byte for byte, headers in their order; Host is the upstream's, what is hop by hop is gone."""
    seen: Queue[bytes] = Queue()
    with (
        upstream(answering(b"HTTP/1.1 204 No Content\r\n\r\n", seen)) as there,
        proxying(database, tmp_path, shop=f"{there}/base") as url,
        dial(url) as client,
    ):
        client.sendall(
            b"PATCH /proxy/shop/a%2Fb//c/%7e;v=1/?q=%41+b&q=&=x%20?y HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            b"X-One: 1\r\nAccept: */*\r\nX-One: 2\r\nAuthorization: Bearer zz\r\nContent-Length: 2\r\n"
            + HOP_SENT
            + b"\r\n{}"
        )
        answer = rest(client)
    head = seen.get()
    assert head.startswith(b"PATCH /base/a%2Fb//c/%7e;v=1/?q=%41+b&q=&=x%20?y HTTP/1.1\r\n")
    assert fields(head) == [
        (b"host", there.removeprefix("http://").encode()),
        (b"x-one", b"1"),
        (b"accept", b"*/*"),
        (b"x-one", b"2"),
        (b"authorization", b"Bearer zz"),
        (b"content-length", b"2"),
    ]
    assert answer.startswith(b"HTTP/1.1 204 No Content\r\n")


def test_the_answer_comes_back_as_it_came(database: Database, tmp_path: Path) -> None:
    """Nothing of our own pages is added, several cookies stay several, a redirect leads where it led."""
    sent = (
        b"HTTP/1.1 302 Found\r\nLocation: http://elsewhere.example/x\r\nSet-Cookie: a=1\r\nX-Case: Kept\r\n"
        b"Set-Cookie: b=2; Path=/\r\nCache-Control: no-store\r\nContent-Length: 4\r\nConnection: X-Neighbour, close\r\n"
        b"X-Neighbour: me\r\nContent-Security-Policy: default-src *\r\nAccess-Control-Allow-Origin: *\r\n\r\nhere"
    )
    with (
        upstream(answering(sent)) as there,
        proxying(database, tmp_path, shop=there) as url,
        dial(url) as client,
    ):
        client.sendall(b"GET /proxy/shop HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        answer = rest(client)
    assert answer.endswith(b"\r\n\r\nhere")
    dropped = (b"date", b"connection", b"x-neighbour")
    assert [each for each in fields(answer) if each[0] not in dropped] == [
        each for each in fields(sent) if each[0] not in dropped
    ]
    assert b"x-neighbour" not in answer.lower()
    assert [name for name, _ in fields(answer)].count(b"date") == 1


@pytest.mark.parametrize(
    ("method", "answer", "length"),
    [
        ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n", "1234"),
        ("GET", b"HTTP/1.1 204 No Content\r\n\r\n", None),
        ("GET", b'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n', None),
        ("DELETE", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "0"),
        ("OPTIONS", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nAllow: GET\r\n\r\n", "0"),
        ("PROPFIND", b"HTTP/1.1 418 \r\nContent-Length: 0\r\n\r\n", "0"),
    ],
)
def test_answers_without_a_body(
    database: Database, tmp_path: Path, method: str, answer: bytes, length: str | None
) -> None:
    """Any method; the head is all there is, and nothing is waited for."""
    with upstream(answering(answer)) as there, proxying(database, tmp_path, shop=there) as url:
        got = call(f"{url}/proxy/shop/x", method)
        assert got.status == int(answer[9:12])
        assert got.headers["content-length"] == length
        assert got.read() == b""


def test_an_answer_goes_out_as_it_comes(database: Database, tmp_path: Path) -> None:
    """The head before the body, each part before the next one: the upstream goes on only when the client has it."""
    go_on: Queue[bytes] = Queue()

    def serve(connection: socket.socket) -> None:
        until(connection, asked()[-20:])
        connection.sendall(SSE + b"\r\n")
        while part := go_on.get(timeout=10):
            connection.sendall(part)

    with upstream(serve) as there, proxying(database, tmp_path, shop=there) as url:
        answer = run(f"{url}/proxy/shop/x")
        assert answer.headers["content-type"] == "text/event-stream"
        for number in range(20):
            go_on.put(b": %d\n\n" % number)
            assert answer.readline() == b": %d\n" % number
            assert answer.readline() == b"\n"
        go_on.put(b"")
        assert answer.read() == b""


def test_a_request_goes_out_as_it_comes_and_may_be_answered_meanwhile(
    database: Database, tmp_path: Path
) -> None:
    """A slow upload in chunks: the upstream echoes each part while the next one is not there yet."""

    def serve(connection: socket.socket) -> None:
        head = until(connection, b"\r\n\r\n")
        assert b"transfer-encoding: chunked" in head.lower()
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        while data := connection.recv(65536):
            connection.sendall(data)
            if data.endswith(b"0\r\n\r\n"):
                return

    with upstream(serve) as there, proxying(database, tmp_path, shop=there) as url, dial(url) as client:
        client.sendall(
            b"POST /proxy/shop/echo HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        until(client, b"\r\n\r\n")
        for number in range(5):
            client.sendall(b"7\r\npart %02d\r\n" % number)
            assert b"part %02d" % number in until(client, b"part %02d" % number)
        client.sendall(b"0\r\n\r\n")
        until(client, b"\r\n0\r\n\r\n")


@pytest.mark.parametrize("echo", ["at once", "at the end"])
def test_ten_megabytes_both_ways(database: Database, tmp_path: Path, echo: str) -> None:
    """Nothing is lost and nothing gets stuck, also when the answer begins long before the request is whole."""
    body = hashlib.shake_256(b"parcel").digest(10_000_000)

    def serve(connection: socket.socket) -> None:
        head, _, begun = until(connection, b"\r\n\r\n").partition(b"\r\n\r\n")
        assert b"content-length: 10000000" in head.lower()
        out, size = [begun], len(begun)
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n" + (begun if echo == "at once" else b"")
        )
        while size < len(body):
            data = connection.recv(65536)
            size += len(data)
            if echo == "at once":
                connection.sendall(data)
            else:
                out.append(data)
        if echo != "at once":
            connection.sendall(b"".join(out))

    with upstream(serve) as there, proxying(database, tmp_path, shop=there) as url, dial(url) as client:
        client.sendall(
            b"PUT /proxy/shop/file HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10000000\r\nConnection: close\r\n\r\n"
        )
        sender = threading.Thread(target=client.sendall, args=(body,))
        sender.start()
        got = rest(client)
        sender.join()
    assert got.partition(b"\r\n\r\n")[2] == body
    assert recorded(database) == []


def test_a_run_in_binary_frames_is_judged_by_its_events(database: Database, tmp_path: Path) -> None:
    """The bytes go through as they are; what is kept is their events."""
    events = [
        {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1"},
        {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"},
    ]
    body = b"".join(frame(event) for event in events)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/vnd.ag-ui.event+proto\r\nContent-Length: %d\r\n\r\n"
    with (
        upstream(answering(head % len(body) + body)) as there,
        proxying(database, tmp_path, shop=there) as url,
    ):
        assert run(f"{url}/proxy/shop/agent").read() == body
    found = only(database)
    assert [json.loads(line)["type"] for line in found.body.splitlines()] == [each["type"] for each in events]
    assert (found.trace.verdict, found.trace.events) == ("conformant", 2)
    assert "binary frames" in found.notes


@pytest.mark.parametrize(
    "cut",
    [
        SSE + b"Content-Length: 5000\r\n\r\n" + EVENT,
        SSE + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(EVENT) + EVENT + b"\r\n",
    ],
)
def test_an_answer_that_breaks_off_breaks_off_for_the_client_too(
    database: Database, tmp_path: Path, cut: bytes
) -> None:
    """No clean end is made up; what came is delivered and recorded, and the trace says what happened."""
    with (
        upstream(answering(cut)) as there,
        proxying(database, tmp_path, shop=there) as url,
        dial(url) as client,
    ):
        body = asked()
        client.sendall(
            b"POST /proxy/shop/agent HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % len(body)
            + body
        )
        got = rest(client)
    assert EVENT in got
    assert not got.endswith(b"0\r\n\r\n")
    found = only(database)
    assert found.body == EVENT
    assert "broke off" in found.notes


def test_a_client_that_leaves_closes_the_upstream(database: Database, tmp_path: Path) -> None:
    """While it waits for an answer, in the middle of one, and in the middle of its own request."""
    there_now: Queue[bytes] = Queue()
    gone: Queue[bytes] = Queue()

    def serve(connection: socket.socket) -> None:
        head = until(connection, b"\r\n\r\n")
        there_now.put(head)
        if b"/streams" in head:
            connection.sendall(SSE + b"\r\n" + EVENT)
        rest(connection)
        gone.put(head)

    with upstream(serve) as there, proxying(database, tmp_path, shop=there) as url:
        for request, wanted in (
            (b"GET /proxy/shop/waits HTTP/1.1\r\nHost: localhost\r\n\r\n", b""),
            (b"POST /proxy/shop/streams HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", EVENT),
            (b"POST /proxy/shop/uploads HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200\r\n\r\n{", b""),
        ):
            with dial(url) as client:
                client.sendall(request)
                head = there_now.get(timeout=10)
                assert wanted in until(client, wanted)
            assert gone.get(timeout=10) == head
    assert "client went away" in only(database).notes


def test_an_upstream_that_is_not_there(database: Database, tmp_path: Path) -> None:
    """A sentence for the client, and a trace of the run that never began; other requests leave none."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with proxying(database, tmp_path, shop=f"http://127.0.0.1:{port}") as url:
        answer = run(f"{url}/proxy/shop/agent")
        assert answer.status == 502
        told = json.load(answer)["error"]
        assert re.fullmatch(r"The upstream of shop did not answer: the connection was refused\.", told)
        assert call(f"{url}/proxy/shop/other").status == 502
    found = only(database)
    assert "the connection was refused" in found.notes
    assert found.trace.input["runId"] == "r-1"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"", "closed the connection without an answer"),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "no HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Le", "no HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "no HTTP"),
    ],
)
def test_an_upstream_that_does_not_answer_in_order(
    database: Database, tmp_path: Path, answer: bytes, words: str
) -> None:
    """Each way to fail before an answer is a 502 with its reason."""
    with upstream(answering(answer)) as there, proxying(database, tmp_path, shop=there) as url:
        got = run(f"{url}/proxy/shop/agent")
        assert got.status == 502
        assert words in json.load(got)["error"]
    assert words in only(database).notes


def test_an_upstream_without_tls(database: Database, tmp_path: Path) -> None:
    """An https address of a server that speaks plain HTTP."""
    with (
        upstream(lambda connection: connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as there,
        proxying(database, tmp_path, shop=there.replace("http:", "https:")) as url,
    ):
        answer = call(f"{url}/proxy/shop/x")
        assert answer.status == 502
        assert "no secure connection" in json.load(answer)["error"]


def test_a_connection_is_used_again_and_a_stale_one_is_not(database: Database, tmp_path: Path) -> None:
    """Two requests on one connection; after the upstream closed it, the third one gets a new connection."""
    begun: Queue[int] = Queue()

    def serve(connection: socket.socket) -> None:
        begun.put(1)
        for _ in range(2):
            until(connection, b"\r\n\r\n")
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    with upstream(serve) as there, proxying(database, tmp_path, shop=there) as url:
        assert [call(f"{url}/proxy/shop/{n}").read() for n in range(5)] == [b"ok"] * 5
    assert begun.qsize() == 3
