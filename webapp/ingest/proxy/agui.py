"""Records an AG-UI run that is passed on: the RunAgentInput, the head of the answer, and its body as it came.

Rules of this file: what a run is, and what is kept of it. A run is a POST that is answered with an event stream, or
whose body reads as a RunAgentInput. No header's value is kept but the content type's.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from webapp.core.evidence import ResponseHead
from webapp.ingest.proxy.decode import Copy, unpacked
from webapp.ingest.proxy.headers import Headers, value
from webapp.ingest.proxy.recording import HERE, Live, Recording, Spawn
from webapp.readers.protobuf.reader import MEDIA_TYPE as PROTOBUF
from webapp.readers.protobuf.reader import ProtobufReader

INPUT_BYTES = 4 * 1024 * 1024
AT_ONCE = 64 * 1024  # a body up to this size is decoded where it stands, a larger one in a thread
STREAM = "text/event-stream"
LINES = frozenset(
    {"application/x-ndjson", "application/jsonl", "application/x-jsonlines", "application/ndjson"}
)
MEMBERS = ("threadId", "runId", "messages")
TOO_LARGE = f"The request is larger than {INPUT_BYTES // 1024 // 1024} MB, so its run input was not kept."
UNREADABLE = "The request’s body could not be read as a run input, so it was not kept."
BINARY = "The agent answered in binary frames; kept are their events as JSON, one a line."

Begin = Callable[..., Awaitable[Live]]


class RunWatch:
    """One POST. begin: `Recorder.begin`; address: the URL called, without its query."""

    def __init__(self, begin: Begin, spawn: Spawn, target: str, address: str, headers: Headers) -> None:
        self._begin = begin
        self._spawn = spawn
        self._target = target
        self._address = address
        self._encoding = value(headers, b"content-encoding")
        self._input = bytearray()
        self._over = False  # the request is too large to be kept
        self._other = False  # it is no JSON object
        self._recording: Recording | None = None
        self._copy = Copy(None)
        self._frames: ProtobufReader | None = None
        self._status = 0
        self._form = ""

    def asked(self, chunk: bytes) -> None:
        if not self._input and not self._over and not self._other:
            start = chunk.lstrip()[:1]
            self._other = bool(start) and start != b"{" and not self._encoding
        if self._other:
            return
        if len(self._input) + len(chunk) > INPUT_BYTES:
            self._over = True
            self._input.clear()
        elif not self._over:
            self._input += chunk

    def answered(self, status: int, headers: Headers, at: float) -> None:
        kind = value(headers, b"content-type")
        media = (kind or "").partition(";")[0].strip().lower()
        streams = media == STREAM
        if not (streams or self._may_be_run()):
            return
        self._status = status
        self._copy = Copy(value(headers, b"content-encoding"))
        if media == PROTOBUF:
            self._frames, self._form = ProtobufReader(), "ndjson"
        elif streams or not 200 <= status < 300:
            self._form = "sse"  # an error page is no record; its lines are told as not understood
        else:
            self._form = "ndjson" if media in LINES else ""
        names = sorted({name.decode("latin-1").lower() for name, _ in headers} - {"content-type"})
        # what is kept of binary frames is JSON: the head would seem to announce something else
        head = None if self._frames else ResponseHead(status, kind, tuple(names), self._form or None)
        self._record(streams, head)
        if self._frames is not None:
            self._note(BINARY)
        if not 200 <= status < 300:
            self._note(f"The agent answered the run with {_status(status)}; the body of that answer is kept.")

    def data(self, chunk: bytes, at: float) -> None:
        if self._recording is None:
            return
        for piece in self._copy.feed(chunk):
            if self._frames is not None:
                piece = b"".join(record.payload + b"\n" for record in self._frames.feed(piece))
            if piece:
                self._recording.write(piece, at)

    def ended(self, reason: str, at: float) -> None:
        if self._recording is None:
            if self._status or not reason or not self._may_be_run():
                return
            self._record(False, None)  # no answer came: the trace holds the request, and why
        assert self._recording is not None
        if self._frames is not None:
            for record in self._frames.close():
                self._recording.write(record.payload + b"\n", at)
        if not reason:
            self._copy.close()
        for sentence in self._copy.told:
            self._note(sentence)
        self._recording.end(reason, broke=bool(reason) and reason not in HERE)

    def broke(self) -> None:
        if self._recording is not None:
            self._note("Recording failed here: what came after this is missing. The traffic went on.")
            self._recording.end("Recording failed.")

    def _may_be_run(self) -> bool:
        return bool(self._encoding) or self._input.lstrip()[:1] == b"{"

    def _note(self, sentence: str) -> None:
        if self._recording is not None:
            self._recording.note(sentence)

    def _record(self, streams: bool, head: ResponseHead | None) -> None:
        """streams: it is recorded whatever the request was."""
        sent, over, other = bytes(self._input), self._over, self._other
        self._input.clear()

        async def begin() -> Live | None:
            asked = await self._decoded(sent)
            if not streams and not reads_as_run(asked):
                return None
            if asked is not None and not any(member in asked for member in MEMBERS):
                asked = None
            live = await self._begin(
                name=self._name(asked),
                source=self._address,
                kind="proxy",
                form=self._form,
                protocol="ag-ui",
                run_input=asked,
                head=head,
            )
            if asked is None and (sent or over or other):
                live.note("proxy", TOO_LARGE if over else UNREADABLE)
            return live

        self._recording = Recording(begin, self._spawn)

    async def _decoded(self, sent: bytes) -> dict[str, Any] | None:
        if len(sent) <= AT_ONCE and not self._encoding:
            return run_input(sent)
        return await asyncio.to_thread(lambda: run_input(unpacked(sent, self._encoding, INPUT_BYTES) or b""))

    def _name(self, asked: dict[str, Any] | None) -> str:
        asked = asked or {}
        said = [
            f"{word} {asked[member]}"
            for word, member in (("run", "runId"), ("thread", "threadId"))
            if isinstance(asked.get(member), str) and asked[member]
        ]
        return f"{self._target}: {' of '.join(said) or self._address}"[:200]


def run_input(body: bytes) -> dict[str, Any] | None:
    """The RunAgentInput of a request, bare or in the envelope that runtimes with one endpoint put around it."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    inside = found.get("body")
    return inside if not reads_as_run(found) and reads_as_run(inside) else found


def reads_as_run(value: object) -> bool:
    return (
        isinstance(value, dict)
        and all(member in value for member in MEMBERS)
        and isinstance(value["messages"], list)
    )


def _status(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
