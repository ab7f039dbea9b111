"""A migrated database in a temporary folder, and recordings stored in it by the real way in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.orm import Session

from tests.streams import finished, message, sse, started
from webapp.ingest.upload import ingest
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.storage.models import Trace

SAMPLES = Path(__file__).resolve().parents[2] / "webapp" / "samples"


@pytest.fixture
def session(database: Database) -> Iterator[Session]:
    with database.session() as session:
        yield session


@pytest.fixture
def store(database: Database) -> Callable[..., Trace]:
    """Store bytes, events or a shipped sample (by name); gives the trace."""

    def stored(what: bytes | str | list[Any], **more: Any) -> Trace:
        if isinstance(what, str):
            more.setdefault("run_input", json.loads((SAMPLES / f"{what}.input.json").read_text()))
            more.setdefault("name", what)
            body = (SAMPLES / f"{what}.sse").read_bytes()
        else:
            body = what if isinstance(what, bytes) else sse(*what)
        more.setdefault("name", "a trace")
        done = ingest(database, [body], **more)
        with database.session() as session:
            trace = traces.get(session, done.id)
        assert trace is not None
        return trace

    return stored


@pytest.fixture
def long_trace(store: Callable[..., Trace]) -> Trace:
    """2,604 records: a message of 1,200 pieces, a call of 1,200, and a fault at #2602 (a second end)."""
    call = {"toolCallId": "c1"}
    args = {"type": "TOOL_CALL_ARGS", **call}
    return store(
        [
            started(),
            *message("m1", *(f"w{n} " for n in range(1200))),
            {"type": "TOOL_CALL_START", "toolCallName": "weather", **call},
            *({**args, "delta": " "} for _ in range(1198)),
            *({**args, "delta": delta} for delta in ("{}", " ")),
            {"type": "TOOL_CALL_END", **call},
            *message("m2", *("é" for _ in range(195))),
            {"type": "TEXT_MESSAGE_END", "messageId": "m2"},
            finished(),
        ]
    )
