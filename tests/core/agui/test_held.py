"""What the application holds where ids collide, as the reference client holds it (found by `make reference`)."""

from __future__ import annotations

import json
from typing import Any

from webapp.core import Replay


def held(*events: dict[str, Any]) -> list[dict[str, Any]]:
    replay = Replay("ag-ui")
    for event in ({"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1"}, *events):
        replay.feed(json.dumps(event).encode())
    return replay.messages()


def result(content: str) -> dict[str, Any]:
    return {"type": "TOOL_CALL_RESULT", "messageId": "m-1", "toolCallId": "c-1", "content": content}


def test_text_goes_to_the_first_message_of_its_id() -> None:
    """A snapshot puts one message in the place of two; a result of the same id, set between them, is not the first."""
    call = {"id": "c-1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    snapshot = {"id": "m-1", "role": "assistant", "content": "", "toolCalls": [call]}
    messages = held(
        result("one"),
        result("two"),
        {"type": "MESSAGES_SNAPSHOT", "messages": [snapshot]},
        result("three"),
        {"type": "REASONING_MESSAGE_CHUNK", "messageId": "m-1", "delta": "hello"},
    )
    assert [(message["role"], message["content"]) for message in messages] == [
        ("assistant", "hello"),
        ("tool", "three"),
        ("assistant", "hello"),
    ]


def test_a_patch_changes_the_first_of_two_places() -> None:
    """An activity that a snapshot has put in two places is patched and replaced in the first of them alone."""
    card = {"id": "m-1", "role": "activity", "activityType": "card", "content": {"a": 1}}
    patch = [{"op": "replace", "path": "/a", "value": 2}]
    twice = (result("one"), result("two"), {"type": "MESSAGES_SNAPSHOT", "messages": [card]})
    about = {"messageId": "m-1", "activityType": "card"}
    for event in (
        {"type": "ACTIVITY_DELTA", **about, "patch": patch},
        {"type": "ACTIVITY_SNAPSHOT", **about, "content": {"a": 2}},
    ):
        assert [message["content"] for message in held(*twice, event)] == [{"a": 2}, {"a": 1}]
