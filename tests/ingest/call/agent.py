"""A small real agent on loopback, built with the protocol's own encoder; what it does is chosen by the path.

Rules of this file: starting, answering, remembering what was received; no assertion. It runs in a thread of its own
under uvicorn, so whatever calls it does so over a real connection.
"""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from ag_ui.core import (
    EventType,
    RunAgentInput,
    RunFinishedEvent,
    RunStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
)
from ag_ui.encoder import EventEncoder
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

SSE = "text/event-stream"


@dataclass
class Agent:
    """url: without a slash at its end; asked: (path, headers, body) of each call; left: a caller went away in the
    middle; go: lets the `/gated` stream go on."""

    url: str
    asked: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    left: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    async def answer(self, request: Request) -> Response:
        body = await request.body()
        self.asked.append((request.url.path, dict(request.headers), body))
        how = request.path_params["how"]
        headers = dict(request.headers)
        match how:
            case "agent":
                return StreamingResponse(self._run(body), media_type=SSE)
            case "gated" | "endless":
                return StreamingResponse(self._run(body, how), media_type=SSE)
            case "refuse":
                return JSONResponse({"detail": "Not authenticated"}, 401)
            case "fails":
                return JSONResponse({"error": {"message": "KeyError: `model` <b>see #12</b>\u202e"}}, 500)
            case "page":
                return HTMLResponse("<!doctype html>\n<title>Sign in</title>\n<h1>Sign in</h1>\n")
            case "silent":
                return Response(status_code=401)
            case "moved":
                return RedirectResponse("http://169.254.169.254/latest/?token=abcdefgh12345678", 307)
            case "echo":
                text = f"you said {headers.get('authorization', 'nothing')}"
                return StreamingResponse(self._run(body, text=text), media_type=SSE)
            case "packed":
                whole = b"".join([piece async for piece in self._run(body)])
                return Response(
                    gzip.compress(whole), headers={"content-type": SSE, "content-encoding": "gzip"}
                )
            case "large":
                return StreamingResponse(self._run(body, text="x" * 50_000), media_type=SSE)
            case "broken":
                return StreamingResponse(self._run(body, how), media_type=SSE)
        return JSONResponse({"detail": "Not Found"}, 404)

    async def _run(self, body: bytes, how: str = "", text: str = "Hello") -> AsyncIterator[bytes]:
        asked = RunAgentInput.model_validate_json(body)
        ids: dict[str, Any] = {"thread_id": asked.thread_id, "run_id": asked.run_id}
        encode = EventEncoder(accept=SSE).encode
        yield encode(RunStartedEvent(type=EventType.RUN_STARTED, protocol_version="1.0", **ids)).encode()
        start = TextMessageStartEvent(type=EventType.TEXT_MESSAGE_START, message_id="m", role="assistant")
        yield encode(start).encode()
        if how == "broken":
            raise ConnectionError("the model went away")
        if how:
            try:
                while how == "endless" or not self.go.is_set():
                    await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                self.left.set()
                raise
        content = TextMessageContentEvent(type=EventType.TEXT_MESSAGE_CONTENT, message_id="m", delta=text)
        yield encode(content).encode()
        yield encode(TextMessageEndEvent(type=EventType.TEXT_MESSAGE_END, message_id="m")).encode()
        yield encode(RunFinishedEvent(type=EventType.RUN_FINISHED, **ids)).encode()


@contextmanager
def answering() -> Iterator[Agent]:
    """The agent on a free port; it takes connections from the first moment on."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    agent = Agent(f"http://127.0.0.1:{listener.getsockname()[1]}")
    app = Starlette(routes=[Route("/{how}", agent.answer, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield agent
    finally:
        agent.go.set()
        server.should_exit = True
        thread.join(10)
        listener.close()
