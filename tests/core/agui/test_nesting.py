"""Deep JSON is no fault of the agent: it is judged, and left out only where this tool cannot follow it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webapp.core import Replay

LEVELS = 40
RUN = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
END = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}
WAYS: dict[str, dict[str, Any]] = {
    "as the structs have it": {},
    "with an unknown member": {"extra": 1},
    "with a time that is a float": {"timestamp": 1.0},
}


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def played(*events: dict[str, Any]) -> Replay:
    replay = Replay("ag-ui", max_depth=LEVELS)
    for event in events:
        replay.feed(json.dumps(event).encode())
    return replay


@pytest.mark.parametrize("way", WAYS)
def test_an_event_deeper_than_the_limit_takes_effect_all_the_same(way: str) -> None:
    """An unrelated member decides which path reads an event, never whether the client has it."""
    value = nested(3 * LEVELS)
    replay = played(RUN, {"type": "STATE_SNAPSHOT", "snapshot": value, **WAYS[way]}, END)
    assert replay.state_now() == value
    report = replay.finish()
    assert report.rejected_at is None
    assert {(f.rule, f.severity) for f in report.findings if f.rule == "AGUI-ENV-04"} <= {
        ("AGUI-ENV-04", "warning")
    }
    assert not [f for f in report.findings if f.severity in ("fatal", "error")]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("where", ["rawEvent", "metadata"])
def test_what_follows_a_deep_opener_is_no_orphan(way: str, where: str) -> None:
    """A framework's own event, sent along, may be deep."""
    value = {"x": nested(3 * LEVELS)}
    start = {"type": "TEXT_MESSAGE_START", "messageId": "m", where: value, **WAYS[way]}
    body = [
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"},
        {"type": "TEXT_MESSAGE_END", "messageId": "m"},
    ]
    report = played(RUN, start, *body, END).finish()
    assert (report.rejected_at, [f.rule for f in report.findings if f.severity == "fatal"]) == (None, [])


def test_what_python_cannot_read_is_left_out_with_a_warning() -> None:
    """The finding says whose limit it is."""
    replay = played(RUN)
    raw = b'{"type":"STATE_SNAPSHOT","snapshot":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    step = replay.feed(raw)
    assert (step.reached, [(f.rule, f.severity) for f in step.findings]) == (
        "dropped",
        [("AGUI-ENV-04", "warning")],
    )
    assert "this tool" in step.findings[0].why
    assert replay.state() == {}
