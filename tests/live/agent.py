"""A small AG-UI server, as an application would write one: the official encoder behind uvicorn.

Rules of this file: an agent and nothing of Lanescope. `python -m tests.live.agent` listens on a free port, which is the
first line it prints. What it does is told in `forwardedProps` of the run's input.
"""

from __future__ import annotations

import asyncio
import gzip
import socket
import time
from collections.abc import AsyncIterator

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
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

app = FastAPI()
left = asyncio.Event()


@app.post("/agent")
async def agent(run: RunAgentInput, request: Request) -> Response:
    """words: deltas; pause: seconds between them; hang: never finish; gzip: packed; fail: an error instead."""
    props = run.forwarded_props or {}
    if props.get("fail"):
        return JSONResponse({"detail": "no such model"}, 500)
    encoder = EventEncoder(accept=request.headers.get("accept"))
    headers = {"X-Agent": "one", "Cache-Control": "no-cache"}
    body = events(run, encoder, props)
    if props.get("gzip"):
        headers["Content-Encoding"] = "gzip"
        body = packed(body)
    answer = StreamingResponse(body, media_type=encoder.get_content_type(), headers=headers)
    answer.headers.append("Set-Cookie", "a=1; Path=/")
    answer.headers.append("Set-Cookie", "b=2; Path=/")
    return answer


async def events(run: RunAgentInput, encoder: EventEncoder, props: dict) -> AsyncIterator[bytes]:
    """A run with one message. With `clock` each delta says when it was sent, in nanoseconds."""
    ids = {"thread_id": run.thread_id, "run_id": run.run_id}
    try:
        yield encoder.encode(RunStartedEvent(type=EventType.RUN_STARTED, **ids)).encode()
        start = TextMessageStartEvent(type=EventType.TEXT_MESSAGE_START, message_id="m-1", role="assistant")
        yield encoder.encode(start).encode()
        for number in range(props.get("words", 3)):
            word = f"{time.perf_counter_ns()} " if props.get("clock") else f"word {number} "
            event = TextMessageContentEvent(type=EventType.TEXT_MESSAGE_CONTENT, message_id="m-1", delta=word)
            yield encoder.encode(event).encode()
            if props.get("pause"):
                await asyncio.sleep(props["pause"])
        if props.get("hang"):
            await asyncio.Event().wait()
        yield encoder.encode(TextMessageEndEvent(type=EventType.TEXT_MESSAGE_END, message_id="m-1")).encode()
        yield encoder.encode(RunFinishedEvent(type=EventType.RUN_FINISHED, **ids)).encode()
    except asyncio.CancelledError:
        left.set()
        raise


async def packed(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same, each event a member of gzip's own: it can be read as soon as it is there."""
    async for chunk in body:
        yield gzip.compress(chunk, mtime=0)


@app.get("/left")
async def has_left() -> dict[str, bool]:
    """Answers once the client of a run has gone."""
    await left.wait()
    return {"left": True}


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(app, log_level="error", access_log=False)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
