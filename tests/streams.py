"""Small streams, as events and as bytes."""

from __future__ import annotations

import json
from typing import Any


def sse(*events: dict[str, Any] | str) -> bytes:
    """Events as an SSE stream; a string stands as it is."""
    texts = [event if isinstance(event, str) else json.dumps(event) for event in events]
    return "".join(f"data: {text}\n\n" for text in texts).encode()


def started(thread: str = "t", run: str = "r") -> dict[str, Any]:
    return {"type": "RUN_STARTED", "threadId": thread, "runId": run, "protocolVersion": "1.0"}


def finished(thread: str = "t", run: str = "r") -> dict[str, Any]:
    return {"type": "RUN_FINISHED", "threadId": thread, "runId": run}


def message(id_: str, *deltas: str, **more: Any) -> list[dict[str, Any]]:
    """A whole text message."""
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": id_, "role": "assistant", **more},
        *({"type": "TEXT_MESSAGE_CONTENT", "messageId": id_, "delta": delta, **more} for delta in deltas),
        {"type": "TEXT_MESSAGE_END", "messageId": id_, **more},
    ]
