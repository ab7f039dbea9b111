"""How deep JSON is nested, and what becomes of an event that is deeper than this tool reads."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core import Replay
from webapp.core.agui.nesting import deeper

TEXTS = st.text(st.sampled_from('[]{}"\\a,:é\n'), max_size=8)
VALUES = st.recursive(
    TEXTS | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)
LEVELS = 40


def depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


@given(VALUES, st.integers(0, 6), st.booleans())
def test_levels_are_counted_whatever_stands_in_the_texts(value: Any, most: int, plain: bool) -> None:
    """Brackets, quotes and backslashes in texts and keys are no levels."""
    raw = json.dumps(value, ensure_ascii=plain).encode()
    assert deeper(raw, most) == (depth(value) > most)


def snapshot(levels: int, **more: Any) -> bytes:
    """A STATE_SNAPSHOT so deep, itself included."""
    value: Any = 1
    for _ in range(levels - 1):
        value = [value]
    return json.dumps({"type": "STATE_SNAPSHOT", "snapshot": value, **more}).encode()


RUN = b'{"type":"RUN_STARTED","threadId":"t","runId":"r"}'
END = b'{"type":"RUN_FINISHED","threadId":"t","runId":"r"}'
WAYS = {
    "as the structs have it": {},
    "with an unknown member": {"extra": 1},
    "with a time as JSON floats": {"timestamp": 1.0},
}


@pytest.mark.parametrize("way", WAYS)
def test_the_limit_holds_whatever_else_the_event_carries(way: str) -> None:
    """An unrelated member decides which path reads an event, never whether it is too deep."""
    replay = Replay("ag-ui", max_depth=LEVELS)
    replay.feed(RUN)
    assert replay.feed(snapshot(LEVELS, **WAYS[way])).reached == "delivered"
    held = replay.state_now()
    step = replay.feed(snapshot(LEVELS + 1, **WAYS[way]))
    assert (step.reached, [(f.rule, f.severity) for f in step.findings]) == (
        "dropped",
        [("AGUI-ENV-04", "warning")],
    )
    assert replay.state_now() is held
    replay.feed(END)
    report = replay.finish()
    assert (report.verdict, report.rejected_at) == ("warnings", None)


def test_our_limit_is_no_fault_of_the_agent() -> None:
    """No rule forbids deep JSON: the finding says whose limit it is, and so do those that follow from it."""
    replay = Replay("ag-ui", max_depth=LEVELS)
    replay.feed(json.dumps({"type": "RUN_STARTED", "threadId": "t", "runId": "r", "input": {
        "threadId": "t", "runId": "r", "messages": [], "tools": [], "context": [],
        "state": json.loads(snapshot(LEVELS))["snapshot"]}}).encode())  # fmt: skip
    assert "this tool" in replay.feed(END).findings[0].why
