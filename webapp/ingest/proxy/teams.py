"""Records connector calls that are passed on: one trace a target and conversation, one exchange line (T1) a call.

Rules of this file: what a call is, in which order lines stand, when a recording ends. What of a call may be kept is
said in `readers/har/connector_entry.py`, for proxies and HAR files alike. Order is that of the requests: a call that
was answered early waits for those before it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from webapp.ingest.proxy.decode import unpacked
from webapp.ingest.proxy.headers import Headers, value
from webapp.ingest.proxy.recording import Live, Recording, Spawn
from webapp.ingest.proxy.targets import Target
from webapp.readers.activities import METHODS, conversation_of
from webapp.readers.har.connector_entry import HEADERS, exchange_line, kept

log = logging.getLogger("lanescope")

IDLE_SECONDS = 150.0  # without a call, after which a conversation's recording ends; a stream may take 120
BODY_BYTES = 2 * 1024 * 1024  # of a request or an answer
WAITING = 256  # calls of one conversation on the way before order is given up
WAITING_BYTES = 8 * 1024 * 1024  # the same of lines that wait for a call before them
SHUTDOWN = "Lanescope was stopped before an answer came."

Begin = Callable[..., Awaitable[Live]]


def is_call(method: str, address: str) -> bool:
    """Whether a request is a connector call about activities of a conversation."""
    return method in METHODS and conversation_of(address) is not None


class CallWatch:
    """One call. line: its exchange line, once it is over."""

    def __init__(self, capture: Capture, method: str, address: str, headers: Headers) -> None:
        self.line: bytes | None = None
        self.began = time.time()
        self._clock = time.monotonic()
        self._capture = capture
        self._method = method
        self._address = address
        self._request = _Body(value(headers, b"content-encoding"))
        self._response: _Body | None = None
        self._status = 0
        self._headers: list[dict[str, str]] = []
        capture.begun(self)

    def asked(self, chunk: bytes) -> None:
        self._request.add(chunk)

    def answered(self, status: int, headers: Headers, at: float) -> None:
        self._status = status
        self._response = _Body(value(headers, b"content-encoding"))
        for name, shown in HEADERS.items():
            if (content := value(headers, name.encode("ascii"))) is not None:
                self._headers.append({"name": shown, "value": content})

    def data(self, chunk: bytes, at: float) -> None:
        if self._response is not None:
            self._response.add(chunk)

    def ended(self, reason: str, at: float) -> None:
        took = time.monotonic() - self._clock
        # bodies are looked at after the answer has gone out
        asyncio.get_running_loop().call_soon(self._close, reason, took, at)

    def broke(self) -> None:
        self._capture.note("A call could not be recorded and is missing. The traffic went on.")
        self._capture.finished(self, b"", time.time())

    def lose(self, reason: str) -> None:
        """It is not over, and nobody waits for it any more."""
        self._close(reason, time.monotonic() - self._clock, time.time())

    def _close(self, reason: str, took: float, at: float) -> None:
        try:
            line = exchange_line(self._entry(reason, took)).payload + b"\n"
        except Exception:
            log.exception("a connector call cannot be recorded; the traffic goes on")
            self.broke()
            return
        for body, name in ((self._request, "request"), (self._response, "answer")):
            if body is not None and body.why:
                self._capture.note(f"The body of a call’s {name} {body.why}, so it was not kept.")
        self._request, self._response = _Body(None), None  # the line may have to wait; these need not
        self._capture.finished(self, line, at)

    def _entry(self, reason: str, took: float) -> dict[str, Any]:
        """The call as HAR has it, of which what may be kept is picked."""
        response: dict[str, Any] = {"status": 0, "_error": reason.rstrip(".")}  # one that broke off is none
        if self._response is not None and not reason:
            response = {
                "status": self._status,
                "headers": self._headers,
                "content": self._response.content(),
            }
        found = kept(
            {
                "startedDateTime": datetime.fromtimestamp(self.began, UTC).isoformat(),
                "time": took * 1000,
                "request": {
                    "method": self._method,
                    "url": self._address,
                    "postData": self._request.content(),
                },
                "response": response,
            }
        )
        assert found is not None
        return found


class _Body:
    """A bounded copy of a body. why: it is not kept, in words that go on after `the body`."""

    def __init__(self, encoding: str | None) -> None:
        self.why = ""
        self._encoding = encoding
        self._bytes = bytearray()

    def add(self, chunk: bytes) -> None:
        if len(self._bytes) + len(chunk) > BODY_BYTES:
            self.why = f"is larger than {BODY_BYTES // 1024 // 1024} MB"
            self._bytes.clear()
        if not self.why:
            self._bytes += chunk

    def content(self) -> dict[str, Any]:
        """As HAR has it; a size without a text is a body that was not kept."""
        data = None if self.why else unpacked(bytes(self._bytes), self._encoding, BODY_BYTES)
        if data is None:
            self.why = self.why or "is packed in a way that cannot be read here"
            return {"size": 1}
        return {"size": len(data), "text": data.decode("utf-8", "replace")} if data else {}


class Capture:
    """The recording of one conversation: its calls, and the trace they are written to."""

    def __init__(self, begin: Callable[[], Awaitable[Live]], spawn: Spawn, over: Callable[[], None]) -> None:
        self._begin = begin
        self._spawn = spawn
        self._over = over
        self._calls: deque[CallWatch] = deque()  # on the way, or waiting for one before them
        self._recording: Recording | None = None
        self._said: set[str] = set()  # of this recording
        self._waiting = 0  # bytes of lines behind a call that is on the way
        self._missing = 0  # bytes of lines for which no recording could begin
        self._timer: asyncio.TimerHandle | None = None
        self._ended = False

    def begun(self, call: CallWatch) -> None:
        self._calls.append(call)
        if self._timer is not None:
            self._timer.cancel()

    def finished(self, call: CallWatch, line: bytes, at: float) -> None:
        """line: empty for a call that could not be recorded."""
        if self._ended:
            return
        call.line = line
        self._waiting += len(line)
        while self._calls and (self._calls[0].line is not None or self._crowded()):
            done = self._calls[0]
            if done.line is None:  # it holds up too many
                done = next(each for each in self._calls if each.line is not None)
                self.note("Calls were on the way for so long that lines stand in the order of answers.")
            self._calls.remove(done)
            if done.line:
                self._waiting -= len(done.line)
                self._write(done.line, at)
        if not self._calls:
            self._timer = asyncio.get_running_loop().call_later(IDLE_SECONDS, self.end)

    def _crowded(self) -> bool:
        crowd = len(self._calls) > WAITING or self._waiting > WAITING_BYTES
        return crowd and any(each.line is not None for each in self._calls)

    def note(self, sentence: str) -> None:
        """Said once in a recording, however many calls it holds for."""
        if self._ended:
            return
        recording = self._record()
        if sentence not in self._said:
            self._said.add(sentence)
            recording.note(sentence)

    def end(self, reason: str = "") -> None:
        """No call came for long, or everything ends; what is on the way has no answer then."""
        if self._ended:
            return
        if self._timer is not None:
            self._timer.cancel()
        for call in list(self._calls):
            if call.line is None:
                call.lose(SHUTDOWN)
        if self._timer is not None:
            self._timer.cancel()
        self._ended = True
        if self._recording is not None:
            self._recording.end(reason)
        self._over()

    def _write(self, line: bytes, at: float) -> None:
        recording = self._record()
        recording.write(line, at)
        if recording.over:  # it has nothing of this call: the next recording begins with it
            self._record().write(line, at)

    def _record(self) -> Recording:
        """The recording; one that could not begin is tried again with the next call, and one that is full or whose
        trace was deleted is followed by another."""
        if self._recording is not None and self._recording.stillborn:
            self._missing += self._recording.lost
            self._recording = None
        if self._recording is not None and self._recording.over:
            self._recording.end()
            self._recording = None
        if self._recording is None:
            self._said.clear()
            self._recording = Recording(self._begin, self._spawn)
            if self._missing:
                self._recording.note(
                    f"{self._missing:,} bytes of calls before this are missing: no recording could begin."
                )
        return self._recording


class Conversations:
    """One capture a target and conversation, for as long as calls come."""

    def __init__(self, spawn: Spawn) -> None:
        self._spawn = spawn
        self._captures: dict[tuple[str, str], Capture] = {}

    def watch(self, target: Target, method: str, address: str, headers: Headers, begin: Begin) -> CallWatch:
        """A call that begins now; `is_call` was asked before. begin: `Recorder.begin`, on behalf of who calls: the
        recording belongs to whoever called first."""
        chat = conversation_of(address) or ""
        key = (target.name, chat)
        capture = self._captures.get(key)
        if capture is None:
            capture = self._captures[key] = Capture(
                lambda: begin(
                    name=f"{target.name}: {chat}"[:200],
                    source=address.partition("/conversations/")[0],
                    kind="proxy",
                    form="ndjson",
                    protocol="teams",
                ),
                self._spawn,
                lambda: self._forget(key),
            )
        return CallWatch(capture, method, address, headers)

    def _forget(self, key: tuple[str, str]) -> None:
        self._captures.pop(key, None)

    def end(self, reason: str) -> None:
        """Every recording ends."""
        for capture in list(self._captures.values()):
            capture.end(reason)
