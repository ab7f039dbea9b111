"""Pushing with the real `curl`, as the documentation shows it."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.exchanges import good, lines
from tests.live.serving import TRACE, WAIT, Serving, serving
from tests.streams import finished, message, sse, started
from webapp.web.push import BROKEN

WHOLE = sse(started(), *message("m", "Hello", " world"), finished())
PLAIN = b"".join(b"%s\n" % part.removeprefix(b"data: ") for part in WHOLE.split(b"\n\n") if part)
KEY = b"sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("data")) as server:
        yield server


def _curl(server: Serving, data: bytes, *switches: str, query: str = "") -> dict[str, object]:
    command = ["curl", "-sS", *switches, f"{server.url}/api/live?{query}"]
    done = subprocess.run(command, input=data, capture_output=True, check=True, timeout=WAIT)
    told: dict[str, object] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize(
    "switches",
    [("-T", "-"), ("-T", "-", "-X", "POST"), ("-X", "POST", "--data-binary", "@-")],
    ids=["PUT", "POST", "whole"],
)
@pytest.mark.parametrize(
    ("data", "protocol"),
    [(WHOLE, "ag-ui"), (PLAIN, "ag-ui"), (lines(good()), "teams")],
    ids=["sse", "ndjson", "T1"],
)
def test_curl_pushes_a_stream(server: Serving, switches: tuple[str, ...], data: bytes, protocol: str) -> None:
    """By each method, in each form; stored are the very bytes."""
    told = _curl(server, data, *switches, query="name=by%20curl")
    assert (told["bytes"], told["verdict"]) == (len(data), "conformant")
    public = str(told["id"])
    assert server.original(public) == data
    assert server.ask(f"/api/traces/{public}")[1]["protocol"] == protocol


def test_what_an_agent_says_is_teed(server: Serving, tmp_path: Path) -> None:
    """The pipe of the documentation: the caller gets its stream, Lanescope a copy."""
    source = tmp_path / "stream.sse"
    source.write_bytes(WHOLE)
    pipe = f"curl -sN file://{source} | tee >(curl -sT - '{server.url}/api/live?name=teed' >{tmp_path}/told)"
    shell = f"{pipe}; while [ ! -s {tmp_path}/told ]; do sleep 0.02; done"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, check=True, timeout=WAIT)
    assert done.stdout == WHOLE
    told = json.loads((tmp_path / "told").read_text())
    assert (told["verdict"], server.original(told["id"])) == ("conformant", WHOLE)


@pytest.mark.parametrize("switches", [("-T", "-"), ("-X", "POST", "-d", "")])
def test_nothing_pushed_is_nothing_stored(server: Serving, switches: tuple[str, ...]) -> None:
    """One sentence, and no trace."""
    before = TRACE.findall(server.page("/"))
    told = _curl(server, b"", *switches)
    assert list(told) == ["error"]
    assert TRACE.findall(server.page("/")) == before


def _chunked(server: Serving, query: str) -> socket.socket:
    """A connection on which a chunked body has begun."""
    place = urlsplit(server.url)
    sender = socket.create_connection((str(place.hostname), int(place.port or 0)), WAIT)
    head = f"PUT /api/live?{query} HTTP/1.1\r\nHost: {place.netloc}\r\nTransfer-Encoding: chunked\r\n"
    sender.sendall(f"{head}Connection: close\r\n\r\n".encode())
    return sender


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


@pytest.mark.parametrize("size", [1, 7, 64])
def test_chunks_may_end_anywhere(server: Serving, size: int) -> None:
    """Inside a character, a line or a credential, which is never stored."""
    data = sse(started(), *message("m", f"é {KEY.decode()}"), finished()).replace(b"\\u00e9", "é".encode())
    with _chunked(server, f"name=cut{size}") as sender:
        for at in range(0, len(data), size):
            sender.sendall(_chunk(data[at : at + size]))
        sender.sendall(b"0\r\n\r\n")
        answer = sender.makefile("rb").read()
    assert b"201 Created" in answer
    public = json.loads(answer.partition(b"\r\n\r\n")[2])["id"]
    stored = server.original(public)
    assert (len(stored), KEY[8:] in stored, "é".encode() in stored) == (len(data), False, True)
    assert KEY[12:].decode() not in server.page(f"/traces/{public}")


@pytest.mark.parametrize("cut", ["between events", "inside an event"])
def test_a_sender_that_breaks_off_leaves_what_it_sent_with_the_reason(server: Serving, cut: str) -> None:
    """The run has no end then, and the page says whose doing that is."""
    end = WHOLE.index(b"\n\n", 250) + 2 - (10 if cut == "inside an event" else 0)
    name = f"broken-{len(cut)}"
    with _chunked(server, f"name={name}") as sender:
        sender.sendall(_chunk(WHOLE[:end]))
        public = server.found(
            name
        )  # a server hears of the end at once, and of what came before it only if it was read
    report = server.report(public, until=BROKEN)
    assert report["artefacts"][0]["message"] == BROKEN
    assert [run["outcome"] for run in report["runs"]] == ["truncated"]
    assert server.original(public) == WHOLE[:end]
    assert BROKEN in server.page(f"/traces/{public}").replace("&#39;", "'")
