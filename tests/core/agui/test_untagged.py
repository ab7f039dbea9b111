"""A tag that a client does not get, when something is opened with it: told once, where it is lost."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.agui.judged import judged
from webapp.core import Finding

Event = dict[str, Any]
START = {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"}
SUB, OTHER = {"subagentRunId": "sub-1"}, {"subagentRunId": "sub-2"}
# opener, what goes on with it, and the rule that the two have one owner
ITEMS: dict[str, tuple[Event, list[Event], str]] = {
    "text": (
        {"type": "TEXT_MESSAGE_START", "messageId": "a-1"},
        [{"type": "TEXT_MESSAGE_END", "messageId": "a-1"}],
        "AGUI-TXT-05",
    ),
    "tool": (
        {"type": "TOOL_CALL_START", "toolCallId": "a-1", "toolCallName": "weather"},
        [
            {"type": "TOOL_CALL_END", "toolCallId": "a-1"},
            {"type": "TOOL_CALL_RESULT", "messageId": "x-1", "toolCallId": "a-1", "content": "Sunny"},
        ],
        "AGUI-TOL-05",
    ),
    "span": (
        {"type": "REASONING_START", "messageId": "a-1"},
        [{"type": "REASONING_END", "messageId": "a-1"}],
        "AGUI-RSN-08",
    ),
    "step": (
        {"type": "STEP_STARTED", "stepName": "plan"},
        [{"type": "STEP_FINISHED", "stepName": "plan"}],
        "AGUI-STP-03",
    ),
    "chunks": (
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "a-1", "delta": "Hello"},
        [{"type": "TEXT_MESSAGE_CHUNK", "messageId": "a-1", "delta": "!"}],
        "AGUI-CHK-09",
    ),
    "activity": (
        {"type": "ACTIVITY_SNAPSHOT", "messageId": "a-1", "activityType": "plan", "content": {}},
        [{"type": "ACTIVITY_DELTA", "messageId": "a-1", "activityType": "plan", "patch": []}],
        "AGUI-ACT-05",
    ),
}
LOST: dict[str, Event] = {
    "snake_case": {"subagent_run_id": "sub-1"},
    "another case": {"subagentRunID": "sub-1"},
    "hyphens": {"subagent-run-id": "sub-1"},
    "null": {"subagentRunId": None},
}


def found(*events: Event) -> list[Finding]:
    return [f for f in judged(*events).findings if f.severity != "info"]


@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("kind", ITEMS)
def test_the_right_tag_behind_a_lost_one_follows_from_it(kind: str, lost: str) -> None:
    """The item is the parent agent's for a client, and what goes on with it is rejected: one defect."""
    opener, rest, rule = ITEMS[kind]
    first, *others = found(START, opener | LOST[lost], *(event | SUB for event in rest), FINISH)
    assert (first.rule, first.event) == ("AGUI-ENV-14" if lost == "null" else "AGUI-ENV-02", 1)
    assert [(f.rule, f.cause) for f in others] == [(rule, first.key)]


@pytest.mark.parametrize("kind", ITEMS)
def test_another_tag_than_the_lost_one_is_a_defect_of_its_own(kind: str) -> None:
    """With the name mended, the two would still not have one owner."""
    opener, rest, rule = ITEMS[kind]
    findings = found(START, opener | LOST["snake_case"], *(event | OTHER for event in rest), FINISH)
    assert [(f.rule, f.cause) for f in findings] == [("AGUI-ENV-02", None), (rule, None)]


def test_a_lost_tag_says_nothing_of_a_later_run() -> None:
    """Its step of the same name was started without a tag."""
    opener, rest, rule = ITEMS["step"]
    first = [START, opener | LOST["snake_case"], *rest, FINISH]
    later = [START | {"runId": "r-2"}, opener, rest[0] | SUB, FINISH | {"runId": "r-2"}]
    assert [(f.rule, f.cause) for f in found(*first, *later)] == [("AGUI-ENV-02", None), (rule, None)]


def test_a_lost_tag_of_a_piece_explains_nothing() -> None:
    """The opener decides whose a message is, and it had none."""
    opener, rest, rule = ITEMS["text"]
    piece = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "a-1", "delta": "x"} | LOST["snake_case"]
    findings = found(START, opener, piece, rest[0] | SUB, FINISH)
    assert [(f.rule, f.cause) for f in findings] == [("AGUI-ENV-02", None), (rule, None)]


def test_a_snapshot_that_gives_the_message_its_owner_back_follows_too() -> None:
    """In whatever run; the message of a call has the call's owner."""
    text, call = ITEMS["text"], ITEMS["tool"]
    function = {"name": "weather", "arguments": ""}
    made = [{"id": "a-1", "type": "function", "function": function}]
    messages = [
        {"id": "a-2", "role": "assistant", "content": "", **SUB},
        {"id": "a-1", "role": "assistant", "toolCalls": made, **SUB},
    ]  # fmt: skip
    lost = LOST["snake_case"]
    events = [
        text[0] | lost | {"messageId": "a-2"},
        text[1][0] | {"messageId": "a-2"},
        call[0] | lost,
        call[1][0],
    ]
    later = [
        START | {"runId": "r-2"},
        {"type": "MESSAGES_SNAPSHOT", "messages": messages},
        FINISH | {"runId": "r-2"},
    ]
    findings = found(START, *events, FINISH, *later)
    assert {f.cause for f in findings if f.rule == "AGUI-MSG-08"} == {"AGUI-ENV-02@1"}
    assert [f.rule for f in findings if f.cause is None] == ["AGUI-ENV-02"]
