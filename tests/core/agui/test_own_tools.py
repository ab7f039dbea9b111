"""The application's own tools over several runs, and requests that it should not have sent."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.agui.judged import found

Event = dict[str, Any]
FINISH = {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"}
CALL = [
    {"type": "TOOL_CALL_START", "toolCallId": "c-1", "toolCallName": "confirm"},
    {"type": "TOOL_CALL_END", "toolCallId": "c-1"},
]
HELD = {
    "id": "c-1",
    "role": "assistant",
    "toolCalls": [{"id": "c-1", "type": "function", "function": {"name": "confirm", "arguments": ""}}],
}


def started(run: str, *messages: Event) -> Event:
    ids = {"threadId": "t-1", "runId": run}
    tools = [{"name": "confirm", "description": "Asks the user"}]
    asked = ids | {"protocolVersion": "1.0", "messages": list(messages), "tools": tools}
    return {"type": "RUN_STARTED", **ids, "protocolVersion": "1.0", "input": asked}


def rules(*events: Event) -> list[tuple[str, int]]:
    return [(f.rule, f.event) for f in found(*events)]


def test_a_call_of_an_earlier_run_is_still_the_applications() -> None:
    """The second run answers what the first left to the application."""
    pending = FINISH | {"outcome": {"type": "success", "pendingToolCallIds": ["c-1"]}}
    result = {"type": "TOOL_CALL_RESULT", "messageId": "x-1", "toolCallId": "c-1", "content": "yes"}
    later = FINISH | {"runId": "r-2"}
    told = rules(started("r-1"), *CALL, pending, started("r-2", HELD), result, later)
    assert told == [("AGUI-INP-03", 4), ("AGUI-TOL-14", 5)]
    answer = {"id": "h-1", "role": "tool", "toolCallId": "c-1", "content": "yes"}
    assert rules(started("r-1"), *CALL, pending, started("r-2", HELD, answer), later) == []


def test_an_interrupt_with_only_the_applications_calls_open_is_none() -> None:
    """Nothing is left to ask anybody; with a call of the agent's own beside it there may be."""
    interrupts = {"type": "interrupt", "interrupts": [{"id": "i-1", "reason": "confirm"}]}
    finish = FINISH | {"outcome": interrupts}
    assert rules(started("r-1"), *CALL, finish) == [("AGUI-INT-06", 3)]
    own = [
        event | {"toolCallId": "c-2"} | ({"toolCallName": "pay"} if "toolCallName" in event else {})
        for event in CALL
    ]
    assert rules(started("r-1"), *CALL, *own, finish) == []
    assert rules(started("r-1"), finish) == []


@pytest.mark.parametrize(
    "question",
    [{"message": "Which account?"}, {"responseSchema": {"type": "string"}}, {"subagentRunId": "sub-1"}],
)
def test_an_interrupt_with_a_question_of_its_own_is_one(question: Event) -> None:
    """The application's call waits beside it; that the two belong together is not shown, and stays a note."""
    ask = {"id": "i-1", "reason": "confirm"}
    bare = FINISH | {"outcome": {"type": "interrupt", "interrupts": [ask]}}
    told = found(started("r-1"), *CALL, bare)
    assert [(f.rule, f.severity) for f in told] == [("AGUI-INT-06", "info")]
    asking = FINISH | {"outcome": {"type": "interrupt", "interrupts": [ask | question]}}
    assert "AGUI-INT-06" not in [f.rule for f in found(started("r-1"), *CALL, asking)]


@pytest.mark.parametrize("told_by", ["ids", "tag", "lane"])
def test_a_suspended_subagent_may_ask_about_its_call(told_by: str) -> None:
    """Its suspension needs an interrupt of the run, so the interrupt is no mistake, whatever the call is."""
    sub = {"subagentRunId": "sub-1"}
    outcome = {"type": "suspended"} | ({"interruptIds": ["i-1"]} if told_by == "ids" else {})
    ask = {"id": "i-1", "reason": "confirm", "toolCallId": "c-1"} | (sub if told_by != "lane" else {})
    calls = [event | sub for event in CALL] if told_by == "lane" else CALL
    finish = FINISH | {"outcome": {"type": "interrupt", "interrupts": [ask]}}
    begun = {"type": "SUBAGENT_STARTED", "name": "helper"} | sub
    ended = {"type": "SUBAGENT_FINISHED"} | sub
    assert rules(started("r-1"), begun, *calls, ended | {"outcome": outcome}, finish) == []
    assert rules(started("r-1"), begun, *calls, ended, finish) == [("AGUI-INT-06", 5)]


def test_a_malformed_request_is_the_applications_fault() -> None:
    """Recorded beside the stream; the agent has not sent it."""
    start = {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1"}
    told = found(start, FINISH, asked={"threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0"})
    assert [(f.rule, f.party) for f in told] == [("AGUI-INP-01", "application")]


def test_one_early_end_of_a_subagent_has_one_root() -> None:
    """Its chunk goes on, and so do its other events."""
    tag = {"subagentRunId": "s-1"}
    chunk = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m-1", "delta": "x", **tag}
    custom = {"type": "CUSTOM", "name": "com.example.progress", "value": 1, **tag}
    begun = [
        {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0"},
        {"type": "SUBAGENT_STARTED", "name": "helper", **tag},
        chunk,
        {"type": "SUBAGENT_FINISHED", **tag},
    ]
    for late in ([chunk, chunk, custom], [custom, chunk, custom]):
        first, *others = found(*begun, *late, FINISH)
        assert first.cause is None
        assert {f.cause for f in others} == {first.key}


def test_an_unknown_member_of_a_message_is_told_with_its_role() -> None:
    """The message is what lacks it, not the snapshot."""
    message = {"id": "h-1", "role": "tool", "toolCallId": "c-1", "content": "x", "name": "n"}
    (told,) = found(started("r-1"), {"type": "MESSAGES_SNAPSHOT", "messages": [HELD, message]}, FINISH)
    assert told.title == "a message of role `tool` has no `name`, here `messages[1].name`"
