"""Which requests are runs, and what of them is recorded."""

from __future__ import annotations

import asyncio
import gzip
import json
from typing import Any

import pytest

from tests.ingest.proxy.stand import FakeLive, FakeRecorder, Tasks
from webapp.ingest.proxy import agui
from webapp.ingest.proxy.agui import RunWatch, run_input
from webapp.ingest.proxy.headers import Headers
from webapp.ingest.proxy.watch import Fenced

INPUT = {"threadId": "t", "runId": "r", "messages": [], "state": {}}
SENT = json.dumps(INPUT).encode()
STREAM = [(b"Content-Type", b"text/event-stream")]
PLAIN = [(b"content-type", b"application/json")]
EVENT = b'data: {"type":"RUN_STARTED"}\n\n'


def played(
    sent: bytes = SENT,
    answer: Headers | None = None,
    body: bytes = EVENT,
    status: int = 200,
    reason: str = "",
    asked: Headers | None = None,
    recorder: FakeRecorder | None = None,
) -> tuple[dict[str, Any], FakeLive] | None:
    """One POST through a watch; None: nothing was recorded. answer None: none came."""
    recorder = recorder or FakeRecorder()

    async def main() -> None:
        tasks = Tasks()
        watch = Fenced(RunWatch(recorder.begin, tasks.spawn, "shop", "http://h/agent", asked or []))
        for at in range(0, len(sent), 10):
            watch.asked(sent[at : at + 10])
        if answer is not None:
            watch.answered(status, answer, 1.0)
            watch.data(body, 2.0)
        watch.ended(reason, 3.0)
        await tasks.done()

    asyncio.run(main())
    return recorder.begun[0] if recorder.begun else None


def test_a_stream_is_recorded_with_its_input() -> None:
    """Head, input and bytes."""
    found = played(answer=[*STREAM, (b"Set-Cookie", b"secret")])
    assert found is not None
    about, live = found
    assert about.pop("head").headers == ("set-cookie",)
    assert about == {
        "name": "shop: run r of thread t",
        "source": "http://h/agent",
        "kind": "proxy",
        "form": "sse",
        "protocol": "ag-ui",
        "run_input": INPUT,
    }
    assert (live.written, live.notes, live.reason) == ([(EVENT, 2.0)], [], "")


@pytest.mark.parametrize(
    ("sent", "answer", "recorded", "kept"),
    [
        (b"", STREAM, True, None),
        (b"not json", STREAM, True, None),
        (b'{"query": 1}', STREAM, True, None),
        (b'{"threadId": "t"}', STREAM, True, {"threadId": "t"}),
        (SENT, PLAIN, True, INPUT),
        (b'{"query": 1}', PLAIN, False, None),
        (b'{"threadId": "t"}', PLAIN, False, None),
        (b"[1]", PLAIN, False, None),
        (b"", PLAIN, False, None),
        (b'{"method": "agent/run", "body": ' + SENT + b"}", STREAM, True, INPUT),
    ],
)
def test_a_run_is_known_by_its_answer_or_its_request(
    sent: bytes, answer: Headers, recorded: bool, kept: object
) -> None:
    """An event stream always; anything else only where a RunAgentInput was sent."""
    found = played(sent, answer, b"{}")
    assert (found is not None) is recorded
    if found is not None:
        assert found[0]["run_input"] == kept


@pytest.mark.parametrize(("limit", "missing"), [(len(SENT), False), (len(SENT) - 1, True)])
def test_a_large_input_is_left_out_and_told(
    monkeypatch: pytest.MonkeyPatch, limit: int, missing: bool
) -> None:
    """The stream is recorded all the same."""
    monkeypatch.setattr(agui, "INPUT_BYTES", limit)
    found = played(answer=STREAM)
    assert found is not None
    assert (found[0]["run_input"] is None) is missing
    assert bool(found[1].notes) is missing


def test_a_packed_input_is_read() -> None:
    """As some clients send it."""
    found = played(gzip.compress(SENT), STREAM, asked=[(b"Content-Encoding", b"gzip")])
    assert found is not None
    assert found[0]["run_input"] == INPUT


def test_an_answer_packed_in_an_unknown_way_is_told() -> None:
    """No byte of it is recorded as if it were text."""
    found = played(answer=[*STREAM, (b"Content-Encoding", b"br")], body=b"\x0b\x02")
    assert found is not None
    assert found[1].written == []
    assert "packed as br" in found[1].notes[0]


@pytest.mark.parametrize(("sent", "recorded"), [(SENT, True), (b'{"query": 1}', False), (b"", False)])
def test_a_run_without_an_answer_is_a_trace_with_the_reason(sent: bytes, recorded: bool) -> None:
    """Other requests that fail leave none."""
    found = played(sent, None, reason="The upstream did not answer.")
    assert (found is not None) is recorded
    if found is not None:
        assert (found[1].notes, found[1].written) == (["The upstream did not answer."], [])


def test_an_error_is_recorded_with_its_status() -> None:
    """The body is kept, and no line of it is taken for an event."""
    found = played(answer=PLAIN, body=b'{"detail":"no"}', status=503)
    assert found is not None
    about, live = found
    assert (about["form"], about["head"].status) == ("sse", 503)
    assert live.body == b'{"detail":"no"}'
    assert "503 Service Unavailable" in live.notes[0]


def test_binary_frames_are_recorded_as_the_events_in_them() -> None:
    """An empty RUN_ERROR, arm 14 of the binding."""
    event = bytes([0x72, 4, 0x0A, 2, 0x08, 13])
    found = played(
        answer=[(b"Content-Type", b"application/vnd.ag-ui.event+proto")], body=len(event).to_bytes(4) + event
    )
    assert found is not None
    about, live = found
    assert about["form"] == "ndjson"
    assert json.loads(live.body)["type"] == "RUN_ERROR"
    assert "binary frames" in live.notes[0]


@pytest.mark.parametrize("deep", [b"[" * 100_000, b'{"a":' * 100_000])
def test_no_body_breaks_the_reading_of_inputs(deep: bytes) -> None:
    """Nesting without end is no input."""
    assert run_input(deep) is None


@pytest.mark.parametrize("place", ["asked", "answered", "data", "ended"])
def test_a_fault_of_the_watch_stays_in_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, place: str
) -> None:
    """Logged once; a recording that had begun says what is missing."""

    def broken(*_: object) -> None:
        raise RuntimeError(place)

    monkeypatch.setattr(RunWatch, place, broken)
    found = played(answer=STREAM)
    assert len([record for record in caplog.records if record.exc_info]) == 1
    assert (found is not None) is (place in ("data", "ended"))
    if found is not None:
        assert any("missing" in note for note in found[1].notes)
        assert found[1].reason
