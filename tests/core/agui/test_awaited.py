"""Whole messages and what they answer: out of order, or answered before the stream says so."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.agui.judged import found

Event = dict[str, Any]
START = {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"}
LATER = {"runId": "r-2"}
CALL = [
    {"type": "TOOL_CALL_START", "toolCallId": "c-1", "toolCallName": "weather"},
    {"type": "TOOL_CALL_END", "toolCallId": "c-1"},
]
RESULT = {"type": "TOOL_CALL_RESULT", "messageId": "x-1", "toolCallId": "c-1", "content": "Sunny"}
HISTORY: list[Event] = [
    {
        "id": "c-1",
        "role": "assistant",
        "toolCalls": [{"id": "c-1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}],
    },
    {"id": "h-1", "role": "tool", "toolCallId": "c-1", "content": "Sunny"},
]
INPUT = {"threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0", "messages": HISTORY}


def value(id_: str, subtype: str) -> Event:
    return {
        "type": "REASONING_ENCRYPTED_VALUE",
        "subtype": subtype,
        "entityId": id_,
        "encryptedValue": "c2VhbGVk",
    }


CHUNK = {"type": "TOOL_CALL_CHUNK", "toolCallId": "c-1", "toolCallName": "weather", "delta": "{}"}
PATCH: Event = {"type": "ACTIVITY_DELTA", "messageId": "a-1", "activityType": "plan", "patch": []}
ACTIVITY: Event = {"type": "ACTIVITY_SNAPSHOT", "messageId": "a-1", "activityType": "plan", "content": {}}
MESSAGE = [
    {"type": "TEXT_MESSAGE_START", "messageId": "m-1"},
    {"type": "TEXT_MESSAGE_END", "messageId": "m-1"},
]
# what comes too early, what it is about, the rule
EARLY = {
    "result": (RESULT, CALL, "AGUI-TOL-11"),
    "result of chunks": (RESULT, [CHUNK], "AGUI-TOL-11"),
    "value of a call": (value("c-1", "tool-call"), [*CALL, RESULT], "AGUI-ENC-01"),
    "value of a message": (value("m-1", "message"), MESSAGE, "AGUI-ENC-01"),
    "patch": (PATCH, [ACTIVITY], "AGUI-ACT-01"),
}


@pytest.mark.parametrize("name", EARLY)
def test_what_comes_before_its_opener_is_out_of_order(name: str) -> None:
    """The opener is there, only later; in a first run it may be one of an older id that is opened again."""
    early, opener, rule = EARLY[name]
    one = found(START, early, *opener, FINISH)
    two = found(START, FINISH, START | LATER, early, *opener, FINISH | LATER)
    for findings, at, severity, are in ((one, 1, "info", "may be"), (two, 3, "warning", "are")):
        assert [(f.rule, f.event, f.severity, f.reason) for f in findings] == [
            (rule, at, severity, "opens-later")
        ]
        assert [(r.event, r.role) for r in findings[0].related] == [(at + 1, "later")]
        assert f"comes only at #{at + 1}, so the events {are} out of order." in findings[0].message


@pytest.mark.parametrize("name", EARLY)
def test_without_an_opener_the_first_run_is_only_suspected(name: str) -> None:
    """What it is about may stand in the earlier conversation."""
    early, _, rule = EARLY[name]
    assert [(f.rule, f.severity, f.reason) for f in found(START, early, FINISH)] == [(rule, "info", None)]


def test_several_are_told_in_the_words_of_one_only_when_all_have_come() -> None:
    """One finding for two results: as long as one call has not come, it is not said that it does."""
    other = RESULT | {"messageId": "x-2", "toolCallId": "c-2"}
    both = [*CALL, *(event | {"toolCallId": "c-2"} for event in CALL)]
    assert [(f.reason, f.count) for f in found(START, RESULT, other, *CALL, FINISH)] == [(None, 2)]
    assert [(f.reason, f.count) for f in found(START, RESULT, other, *both, FINISH)] == [("opens-later", 2)]


def test_what_opens_in_a_later_run_explains_nothing_of_an_earlier_one() -> None:
    """Merged over runs, a finding keeps the words of its first place."""
    other = RESULT | {"messageId": "x-2", "toolCallId": "c-2"}
    opener = [event | {"toolCallId": "c-2"} for event in CALL]
    second, third = START | LATER, START | {"runId": "r-3"}
    findings = found(
        START, FINISH, second, RESULT, FINISH | LATER, third, other, *opener, FINISH | {"runId": "r-3"}
    )
    told = [f for f in findings if f.rule == "AGUI-TOL-11"]
    assert [(f.event, f.reason) for f in told] == [(3, None)]
    assert "`c-1`" in told[0].message


def test_a_call_that_a_snapshot_answers_is_answered() -> None:
    """The answer came whole; a result after it is a second one."""
    snapshot = {"type": "MESSAGES_SNAPSHOT", "messages": HISTORY}
    findings = found(START, *CALL, snapshot, RESULT, FINISH)
    assert [(f.rule, f.event, [(r.event, r.role) for r in f.related]) for f in findings] == [
        ("AGUI-TOL-12", 4, [(3, "answer")])
    ]
    unanswered = {"type": "MESSAGES_SNAPSHOT", "messages": HISTORY[:1]}
    assert found(START, *CALL, unanswered, RESULT, FINISH) == []


def test_a_call_that_the_input_answers_is_answered() -> None:
    """Recorded beside the stream, or echoed in its start."""
    sentence = "A second result for tool call `c-1`. The run’s input holds an answer. A client shows both."
    for findings in (
        found(START | {"input": INPUT}, RESULT, FINISH),
        found(START, RESULT, FINISH, asked=INPUT),
    ):
        assert [(f.rule, f.event, f.message) for f in findings] == [("AGUI-TOL-12", 1, sentence)]
    asked = INPUT | {"messages": HISTORY[:1]}
    assert found(START, RESULT, FINISH, asked=asked) == []


def test_a_result_that_a_snapshot_only_restates_is_no_second_one() -> None:
    """Streamed first, then listed."""
    listed = [HISTORY[0], HISTORY[1] | {"id": "x-1"}]
    assert found(START, *CALL, RESULT, {"type": "MESSAGES_SNAPSHOT", "messages": listed}, FINISH) == []
