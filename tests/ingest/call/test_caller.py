"""Calls that run: to exactly the address that was checked, bounded in number and time, whatever the recorder does."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.call.agent import Agent, answering
from tests.ingest.call.tls import Certificate
from tests.ingest.live.taking import Taking
from webapp.errors import Busy, Refused
from webapp.ingest.call import caller, sending
from webapp.ingest.call.caller import Calls
from webapp.ingest.call.description import form_of
from webapp.ingest.call.faults import CallFailed
from webapp.settings import load_settings
from webapp.storage import traces
from webapp.storage.db import Database

ASKED = json.dumps({"threadId": "t", "runId": "r", "messages": []})


class Live:
    """A recording in memory."""

    def __init__(self, number: int, broken: bool, given: dict[str, Any]) -> None:
        self.id = f"trace{number}"
        self.given = given
        self.data = b""
        self.pieces: list[tuple[bytes, float | None]] = []
        self.reason: str | None = None
        self._broken = broken
        self.ended = asyncio.Event()

    async def push(self, data: bytes, at: float | None = None) -> None:
        if self._broken:
            raise Busy("The database is full.")
        self.data += data
        self.pieces.append((data, at))

    def note(self, kind: str, sentence: str) -> None:
        pass

    async def end(self, reason: str = "") -> None:
        self.reason = reason
        self.ended.set()
        if self._broken:
            raise Busy("The database is full.")


class Recorder:
    """Keeps what it is given. full: no recording begins; broken: none can be written."""

    def __init__(self, full: bool = False, broken: bool = False) -> None:
        self.lives: list[Live] = []
        self._full, self._broken = full, broken

    async def begin(self, **given: Any) -> Live:
        if self._full:
            raise Busy("Too many recordings run.")
        self.lives.append(Live(len(self.lives), self._broken, given))
        return self.lives[-1]


class Names:
    """A resolver that gives its answers one after the other."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        return self._answers.pop(0)


@pytest.fixture(scope="module")
def agent() -> Iterator[Agent]:
    with answering() as agent:
        yield agent


def calls(recorder: Recorder, names: Names | None = None, hosts: str = "127.0.0.0/8, agent.example") -> Calls:
    return Calls(load_settings(call_hosts=hosts), recorder, names)


async def finished(recorder: Recorder) -> Live:
    live = recorder.lives[-1]
    await asyncio.wait_for(live.ended.wait(), 10)
    return live


def test_every_piece_is_kept_with_its_arrival(agent: Agent) -> None:
    """The bytes as the agent wrote them, piece by piece, each with a time that never goes back."""

    async def run() -> Live:
        recorder = Recorder()
        await calls(recorder).start(f"{agent.url}/agent", ASKED)
        return await finished(recorder)

    live = asyncio.run(run())
    assert live.reason == ""
    assert live.data.count(b"data: ") == 5
    assert live.data.endswith(b'"RUN_FINISHED","threadId":"t","runId":"r"}\n\n')
    times = [at for _, at in live.pieces if at is not None]
    assert len(times) == len(live.pieces)
    assert times == sorted(times)
    assert live.given["run_input"] == json.loads(ASKED)


def test_the_connection_goes_to_the_address_that_was_checked(agent: Agent) -> None:
    """A name whose record changes between the look-up and the connection (DNS rebinding) is looked up once; the agent
    sees the name in `Host`."""
    names = Names(["127.0.0.1"], ["10.0.0.1"])

    async def run() -> None:
        recorder = Recorder()
        running = calls(recorder, names)
        await running.start(f"http://agent.example:{agent.port}/agent", ASKED)
        assert (await finished(recorder)).reason == ""
        assert names.asked == [("agent.example", agent.port)]
        with pytest.raises(Refused, match=r"10\.0\.0\.1"):
            await running.start(f"http://agent.example:{agent.port}/agent", ASKED)

    before = len(agent.asked)
    asyncio.run(run())
    assert len(agent.asked) == before + 1
    assert agent.asked[-1][1]["host"] == f"agent.example:{agent.port}"


def test_the_next_address_of_a_name_is_tried_when_nothing_listens_at_the_first(agent: Agent) -> None:
    """Only those that were checked, in their order."""

    async def run() -> Live:
        recorder = Recorder()
        names = Names(["127.0.0.2", "127.0.0.1"])
        await calls(recorder, names).start(f"http://agent.example:{agent.port}/agent", ASKED)
        return await finished(recorder)

    assert asyncio.run(run()).data


def test_no_proxy_of_the_environment_is_used(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy would look the name up again, and see the credential."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, nobody)
    monkeypatch.setenv("NO_PROXY", "")

    async def run() -> Live:
        recorder = Recorder()
        await calls(recorder).start(f"{agent.url}/agent", ASKED)
        return await finished(recorder)

    assert asyncio.run(run()).reason == ""


def test_a_certificate_is_checked_against_the_name_not_the_address(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name goes out in TLS, the certificate has to be for it, and the request names it."""
    monkeypatch.setattr(sending, "_trusted", lambda: ssl.create_default_context(cafile=str(certificate.path)))
    named: list[str | None] = []
    heard: list[bytes] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.path)
    context.sni_callback = lambda _socket, name, _context: named.append(name)
    hosts = "agent.example, other.example, 127.0.0.1"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def serve() -> None:
            for _ in range(2):
                taken, _ = server.accept()
                with taken:
                    try:
                        with context.wrap_socket(taken, server_side=True) as safe:
                            request = safe.recv(65536)
                            while not request.endswith(ASKED.encode()):
                                request += safe.recv(65536)
                            heard.append(request)
                            safe.sendall(
                                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
                                b"content-length: 5\r\n\r\n: hi\n"
                            )
                    except OSError:
                        heard.append(b"")

        async def run() -> Live:
            recorder = Recorder()
            running = calls(recorder, Names(["127.0.0.1"], ["127.0.0.1"]), hosts)
            await running.start(f"https://agent.example:{port}/agent", ASKED)
            live = await finished(recorder)
            with pytest.raises(CallFailed, match=r"certificate of other\.example is not trusted"):
                await running.start(f"https://other.example:{port}/agent", ASKED)
            return live

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        live = asyncio.run(run())
        thread.join(10)
    assert live.data == b": hi\n"
    assert named == ["agent.example", "other.example"]
    assert heard[0].startswith(b"POST /agent HTTP/1.1\r\n")
    assert f"host: agent.example:{port}".encode() in heard[0].lower()
    assert heard[1] == b""


def test_a_call_lasts_no_longer_than_it_may(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that never ends is left, and the trace says that it was the limit."""
    monkeypatch.setattr(caller, "MAX_SECONDS", 0)

    async def run() -> Live:
        recorder = Recorder()
        await calls(recorder).start(f"{agent.url}/endless", ASKED)
        return await finished(recorder)

    agent.left.clear()
    assert asyncio.run(run()).reason == "The call was ended after 30 minutes, the longest that one may last."
    assert agent.left.wait(5)


def test_only_so_many_run_at_once(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more is refused until one has ended; those that come to nothing do not count."""
    monkeypatch.setattr(caller, "MAX_CALLS", 1)

    async def run() -> None:
        recorder = Recorder()
        running = calls(recorder)
        for path in ("silent", "moved"):
            with pytest.raises(CallFailed):
                await running.start(f"{agent.url}/{path}", ASKED)
        first = await running.start(f"{agent.url}/endless", ASKED)
        with pytest.raises(Busy, match="1 agents are being called"):
            await running.start(f"{agent.url}/agent", ASKED)
        assert [each.id for each in running.running()] == [first]
        assert running.stop(first)
        assert not running.stop("another")
        await finished(recorder)
        await running.close()
        assert running.running() == []
        with pytest.raises(Busy):
            await running.start(f"{agent.url}/agent", ASKED)

    asyncio.run(run())


@pytest.mark.parametrize("recorder", [Recorder(full=True), Recorder(broken=True)])
def test_a_recorder_that_takes_nothing_ends_the_call(agent: Agent, recorder: Recorder) -> None:
    """Nothing goes on unrecorded: the agent sees its caller go."""
    agent.left.clear()

    async def run() -> None:
        running = calls(recorder)
        if recorder.lives or not recorder._broken:
            with pytest.raises(Busy):
                await running.start(f"{agent.url}/endless", ASKED)
        else:
            await running.start(f"{agent.url}/endless", ASKED)
            assert (await finished(recorder)).reason == caller.BEHIND
        await running.close()
        assert running.running() == []

    asyncio.run(run())
    assert agent.left.wait(5)


@contextmanager
def saying(*pieces: bytes, again: bool = False) -> Iterator[tuple[str, threading.Event]]:
    """An agent that says this, over and over or once, until its caller goes: its address, and whether he went."""
    listener, gone = socket.create_server(("127.0.0.1", 0)), threading.Event()

    def answer() -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            for piece in cycle(pieces) if again else pieces:
                connection.sendall(piece)
                time.sleep(0.02)
            connection.recv(1)
        gone.set()

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    with listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/", gone
        thread.join(10)


def test_a_call_whose_trace_is_deleted_ends_quietly(database: Database, tmp_path: Path) -> None:
    """The agent sees its caller go, and nothing is left of the call: no fault in a task that nobody asks."""
    take = Taking(database, load_settings(data_dir=tmp_path))
    unheard: list[dict[str, Any]] = []

    async def run(url: str) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, about: unheard.append(about))
        take.recorder.start()
        running = Calls(take.settings, take.recorder)
        public = await running.start(url, ASKED)
        with database.session() as session:
            trace = traces.get(session, public)
            assert trace is not None
            traces.delete(session, trace.pk)
        async with asyncio.timeout(10):
            while running.running():
                await asyncio.sleep(0.02)
        gc.collect()  # a task whose fault nobody asked for says so when it goes
        await asyncio.sleep(0)
        await asyncio.to_thread(take.recorder.stop)

    with saying(b'data: {"type":"CUSTOM","name":"n","value":1}\n\n', again=True) as (url, gone):
        asyncio.run(run(url))
        assert gone.wait(5)
    assert unheard == []
    with database.session() as session:
        assert traces.count(session) == 0


def test_a_call_is_ended_though_its_last_bytes_find_no_room() -> None:
    """What may be the beginning of the credential is held to the end; the recording ends whether it fits or not."""
    recorder = Recorder()

    async def run(url: str) -> None:
        running = calls(recorder)
        await running.start(url, ASKED, secret="Bearer abcdefgh")
        live = recorder.lives[0]
        async with asyncio.timeout(10):
            while not live.data.endswith(b'value":"'):
                await asyncio.sleep(0.01)
        live._broken = True
        running.stop(live.id)
        assert (await finished(recorder)).reason == caller.BY_HAND
        await running.close()

    with saying(b'data: {"type":"CUSTOM","name":"n","value":"Bear') as (url, gone):
        asyncio.run(run(url))
        assert gone.wait(5)


def test_an_agent_that_says_nothing_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection is taken, the answer does not come."""
    monkeypatch.setattr(sending, "ANSWER_SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        with pytest.raises(CallFailed, match="answered nothing within"):
            asyncio.run(calls(Recorder()).start(url, ASKED))


@pytest.mark.parametrize(
    ("streams", "first", "form"),
    [
        (True, None, ""),
        (False, b'{"type":"RUN_STARTED"}\n', ""),
        (False, b'\n{"type":"RUN_STARTED"}\n{"type', ""),
        (False, b'{"detail":"Not Found"}', "sse"),
        (False, b'{\n  "detail": "no"\n}', "sse"),
        (False, b'[{"type":"x"}]', "sse"),
        (False, b'{"type":404}', "sse"),
        (False, b"<!doctype html>", "sse"),
        (False, b"data: {}\n\n", "sse"),
        (False, b"\xff\xfe\x00", "sse"),
    ],
)
def test_an_error_is_not_read_as_a_broken_event(streams: bool, first: bytes | None, form: str) -> None:
    """A body that no client would take for events holds none; one that begins with an event is looked at."""
    assert form_of(streams, first) == form
