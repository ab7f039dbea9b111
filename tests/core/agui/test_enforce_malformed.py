"""Described members with wrong values: each rule fires on the wrong one and stays silent on its near miss."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import UNSET

from webapp.core.agui.enforce import Compat, Slow, slow_decode

RUN = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
DONE = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}
TEXT = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"}
START = {"type": "TEXT_MESSAGE_START", "messageId": "m"}
RESULT = {"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c", "content": "x"}
SECRET = {
    "type": "REASONING_ENCRYPTED_VALUE",
    "subtype": "message",
    "entityId": "e",
    "encryptedValue": "v",
}
ACTIVITY = {"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "plan", "content": {}}
ECHO = {"threadId": "t", "runId": "r", "messages": []}
CALL = {"id": "c", "type": "function", "function": {"name": "n", "arguments": "{}"}}
ASSISTANT = {"id": "a", "role": "assistant"}


def slow(event: Any) -> Slow:
    return slow_decode(json.dumps(event).encode(), Compat())


def snapshot(message: Any) -> dict[str, Any]:
    return {"type": "MESSAGES_SNAPSHOT", "messages": [message]}


def patch(*operations: Any) -> dict[str, Any]:
    return {"type": "STATE_DELTA", "delta": list(operations)}


def paused(*interrupts: Any) -> dict[str, Any]:
    return DONE | {"outcome": {"type": "interrupt", "interrupts": list(interrupts)}}


def without(event: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in event.items() if k != key}


# rule, path, what fires it, what just does not
CASES: list[tuple[str, str, Any, Any]] = [
    ("AGUI-ENV-04", "$.delta", TEXT | {"delta": 5}, TEXT | {"delta": "5"}),
    ("AGUI-ENV-04", "$.protocolVersion", RUN | {"protocolVersion": 1}, RUN | {"protocolVersion": "draft"}),
    ("AGUI-ENV-04", "$.subtype", SECRET | {"subtype": 4}, SECRET | {"subtype": "tool-call"}),
    ("AGUI-ENV-04", "$.messageId", TEXT | {"messageId": None}, TEXT | {"messageId": ""}),
    ("AGUI-ENV-04", "$.usage[0].inputTokens", DONE | {"usage": [{"inputTokens": -1}]},
     DONE | {"usage": [{"inputTokens": 0}]}),
    ("AGUI-ENV-04", "$.usage[0].inputTokens", DONE | {"usage": [{"inputTokens": 1.5}]},
     DONE | {"usage": [{"inputTokens": 1.0}]}),
    ("AGUI-ENV-04", "$.usage[0].inputTokens", DONE | {"usage": [{"inputTokens": True}]},
     DONE | {"usage": [{"inputTokens": 1}]}),
    ("AGUI-ENV-04", "$.messages", {"type": "MESSAGES_SNAPSHOT", "messages": {}},
     {"type": "MESSAGES_SNAPSHOT", "messages": []}),
    ("AGUI-ENV-04", "$.outcome", {"type": "SUBAGENT_FINISHED", "subagentRunId": "s", "outcome": "success"},
     {"type": "SUBAGENT_FINISHED", "subagentRunId": "s", "outcome": {"type": "success"}}),
    ("AGUI-ENV-05", "$.delta", without(TEXT, "delta"), TEXT | {"delta": ""}),
    ("AGUI-ENV-05", "$.value", {"type": "CUSTOM", "name": "n"},
     {"type": "CUSTOM", "name": "n", "value": None}),
    ("AGUI-ENV-05", "$.event", {"type": "RAW"}, {"type": "RAW", "event": None}),
    ("AGUI-ENV-05", "$.snapshot", {"type": "STATE_SNAPSHOT"}, {"type": "STATE_SNAPSHOT", "snapshot": None}),
    ("AGUI-ENV-06", "$.role", START | {"role": None}, START),
    ("AGUI-ENV-06", "$.outcome.pendingToolCallIds",
     DONE | {"outcome": {"type": "success", "pendingToolCallIds": None}},
     DONE | {"outcome": {"type": "success", "pendingToolCallIds": []}}),
    ("AGUI-ENV-06", "$.outcome", {"type": "SUBAGENT_FINISHED", "subagentRunId": "s", "outcome": None},
     {"type": "SUBAGENT_FINISHED", "subagentRunId": "s"}),
    ("AGUI-ENV-06", "$.content[0].metadata",
     RESULT | {"content": [{"type": "text", "text": "x", "metadata": None}]},
     RESULT | {"content": [{"type": "text", "text": "x", "metadata": 0}]}),
    ("AGUI-ENV-07", "$.role", START | {"role": "tool"}, START | {"role": "user"}),
    ("AGUI-ENV-07", "$.input.resume[0].status",
     RUN | {"input": ECHO | {"resume": [{"interruptId": "i", "status": "maybe"}]}},
     RUN | {"input": ECHO | {"resume": [{"interruptId": "i", "status": "cancelled"}]}}),
    ("AGUI-ENC-03", "$.subtype", SECRET | {"subtype": "tool_call"}, SECRET | {"subtype": "tool-call"}),
    ("AGUI-ENV-08", "$.role", {"type": "REASONING_MESSAGE_START", "messageId": "m", "role": "assistant"},
     {"type": "REASONING_MESSAGE_START", "messageId": "m", "role": "reasoning"}),
    ("AGUI-ENV-08", "$.role", RESULT | {"role": "assistant"}, RESULT | {"role": "tool"}),
    ("AGUI-ENV-08", "$.messages[0].toolCalls[0].type",
     snapshot(ASSISTANT | {"toolCalls": [CALL | {"type": "tool"}]}),
     snapshot(ASSISTANT | {"toolCalls": [CALL]})),
    ("AGUI-ENV-10", "$.timestamp", TEXT | {"timestamp": 1.5}, TEXT | {"timestamp": 1000.0}),
    ("AGUI-ENV-10", "$.timestamp", TEXT | {"timestamp": None}, TEXT),
    ("AGUI-ENV-10", "$.timestamp", TEXT | {"timestamp": 2**53}, TEXT | {"timestamp": 2**53 - 1}),
    ("AGUI-ENV-10", "$.timestamp", TEXT | {"timestamp": "2026-01-01"}, TEXT | {"timestamp": -1}),
    ("AGUI-ENV-12", "$.metadata", TEXT | {"metadata": []}, TEXT | {"metadata": {"a": None}}),
    ("AGUI-ENV-12", "$.messages[0].metadata", snapshot(ASSISTANT | {"metadata": None}), snapshot(ASSISTANT)),
    ("AGUI-ENV-14", "$.subagentRunId", TEXT | {"subagentRunId": None}, TEXT | {"subagentRunId": ""}),
    ("AGUI-ENV-14", "$.messages[0].subagentRunId", snapshot(ASSISTANT | {"subagentRunId": None}),
     snapshot(ASSISTANT)),
    ("AGUI-ENV-14", "$.outcome.interrupts[0].subagentRunId",
     paused({"id": "i", "reason": "r", "subagentRunId": None}), paused({"id": "i", "reason": "r"})),
    ("AGUI-TOL-09", "$.content", RESULT | {"content": {}}, RESULT | {"content": []}),
    ("AGUI-TOL-09", "$.content", RESULT | {"content": None}, RESULT | {"content": ""}),
    ("AGUI-TOL-09", "$.content[0]", RESULT | {"content": ["x"]},
     RESULT | {"content": [{"type": "text", "text": "x"}]}),
    ("AGUI-ACT-07", "$.content", ACTIVITY | {"content": "half"}, ACTIVITY | {"content": {"x": None}}),
    ("AGUI-ACT-07", "$.replace", ACTIVITY | {"replace": "yes"}, ACTIVITY | {"replace": False}),
    ("AGUI-STA-01", "$.delta", {"type": "STATE_DELTA", "delta": {}}, patch()),
    ("AGUI-STA-01", "$.delta[0]", patch("x"), patch({"op": "remove", "path": ""})),
    ("AGUI-STA-01", "$.patch",
     {"type": "ACTIVITY_DELTA", "messageId": "a", "activityType": "p", "patch": None},
     {"type": "ACTIVITY_DELTA", "messageId": "a", "activityType": "p", "patch": []}),
    ("AGUI-STA-02", "$.delta[0].path", patch({"op": "add", "path": "a.b", "value": 1}),
     patch({"op": "add", "path": "/a.b", "value": 1})),
    ("AGUI-STA-02", "$.delta[0].path", patch({"op": "remove", "path": "/a~2"}),
     patch({"op": "remove", "path": "/a~1"})),
    ("AGUI-STA-02", "$.delta[0].value", patch({"op": "add", "path": "/a"}),
     patch({"op": "add", "path": "/a", "value": None})),
    ("AGUI-STA-02", "$.delta[0].from", patch({"op": "move", "path": "/a"}),
     patch({"op": "move", "path": "/a", "from": "/b"})),
    ("AGUI-MSG-07", "$.messages[0]", snapshot("x"), snapshot(ASSISTANT)),
    ("AGUI-MSG-07", "$.messages[0]", snapshot(None), snapshot(ASSISTANT)),
    ("AGUI-MSG-07", "$.messages[0].content", snapshot(ASSISTANT | {"content": None}),
     snapshot(ASSISTANT | {"content": ""})),
    ("AGUI-MSG-07", "$.messages[0].content", snapshot(ASSISTANT | {"content": []}), snapshot(ASSISTANT)),
    ("AGUI-MSG-07", "$.messages[0].toolCalls", snapshot(ASSISTANT | {"toolCalls": None}),
     snapshot(ASSISTANT | {"toolCalls": []})),
    ("AGUI-MSG-07", "$.messages[0].toolCallId", snapshot({"id": "a", "role": "tool", "content": "x"}),
     snapshot({"id": "a", "role": "tool", "content": "x", "toolCallId": "c"})),
    ("AGUI-MSG-07", "$.messages[0].toolCalls[0].function.arguments",
     snapshot(ASSISTANT | {"toolCalls": [CALL | {"function": {"name": "n", "arguments": {}}}]}),
     snapshot(ASSISTANT | {"toolCalls": [CALL]})),
    ("AGUI-INT-01", "$.outcome.interrupts", paused(), paused({"id": "i", "reason": "r"})),
    ("AGUI-INT-01", "$.outcome.interrupts", DONE | {"outcome": {"type": "interrupt"}},
     DONE | {"outcome": {"type": "cancelled"}}),
    ("AGUI-INT-03", "$.outcome.interrupts[0].reason", paused({"id": "i"}), paused({"id": "i", "reason": ""})),
    ("AGUI-INT-03", "$.outcome.interrupts[0].responseSchema",
     paused({"id": "i", "reason": "r", "responseSchema": True}),
     paused({"id": "i", "reason": "r", "responseSchema": {}})),
    ("AGUI-RUN-13", "$.outcome", DONE | {"outcome": "interrupt"}, DONE | {"outcome": {"type": "success"}}),
    ("AGUI-RUN-13", "$.outcome", DONE | {"outcome": []}, DONE),
    ("AGUI-SUB-07", "$.name", {"type": "SUBAGENT_STARTED", "subagentRunId": "s"},
     {"type": "SUBAGENT_STARTED", "subagentRunId": "s", "name": ""}),
    ("AGUI-SUB-07", "$.message", {"type": "SUBAGENT_ERROR", "subagentRunId": "s", "message": None},
     {"type": "SUBAGENT_ERROR", "subagentRunId": "s", "message": "m"}),
    ("AGUI-SUB-07", "$.subagentRunId", {"type": "SUBAGENT_FINISHED", "subagentRunId": None},
     {"type": "SUBAGENT_FINISHED", "subagentRunId": ""}),
    ("AGUI-CHK-14", "$.delta", {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": None},
     {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m"}),
    ("AGUI-CHK-14", "$.role", {"type": "TEXT_MESSAGE_CHUNK", "role": None}, {"type": "TEXT_MESSAGE_CHUNK"}),
    ("AGUI-CHK-14", "$.toolCallName", {"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": 1},
     {"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "1"}),
    ("AGUI-INP-01", "$.input", RUN | {"input": None}, RUN),
    ("AGUI-INP-01", "$.input.runId", RUN | {"input": without(ECHO, "runId")}, RUN | {"input": ECHO}),
    ("AGUI-INP-01", "$.input.tools", RUN | {"input": ECHO | {"tools": None}},
     RUN | {"input": ECHO | {"tools": []}}),
    ("AGUI-INP-01", "$.input.messages[0]", RUN | {"input": ECHO | {"messages": [None]}},
     RUN | {"input": ECHO | {"messages": [ASSISTANT]}}),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "path", "wrong", "fine"), CASES, ids=[f"{c[0]} {c[1]}" for c in CASES])
def test_a_wrong_value_is_malformed_under_its_most_specific_rule(
    rule: str, path: str, wrong: Any, fine: Any
) -> None:
    """One wrong member gives one fault with rule and path; the next best right value gives none."""
    bad = slow(wrong)
    assert (bad.kind, [(f.rule, f.path) for f in bad.faults]) == ("malformed", [(rule, path)])
    assert bad.wire is None
    good = slow(fine)
    assert (good.kind, good.faults) == ("event", [])


@pytest.mark.parametrize("fault", [slow(case[2]).faults[0] for case in CASES], ids=lambda f: f.rule)
def test_a_fault_is_worded_as_a_clause_and_whole_sentences(fault: Any) -> None:
    """A title names the member and has no full stop; the reason is made of sentences."""
    assert f"`{fault.path.removeprefix('$.')}`" in fault.title
    assert not fault.title.endswith(".")
    assert fault.why.endswith(".")


def test_every_distinct_fault_of_an_event_is_told_and_the_fatal_ones_come_first() -> None:
    """Two wrong members and a stripped one are three faults, the stripped one last."""
    found = slow({"type": "TEXT_MESSAGE_START", "extra": 1, "messageId": "m", "role": "tool", "name": None})
    assert [f.rule for f in found.faults] == ["AGUI-ENV-07", "AGUI-ENV-06", "AGUI-ENV-02"]


def test_a_snake_case_spelling_of_a_missing_field_is_one_fault_with_its_hint() -> None:
    """The missing field is told, the misspelt one is not told again, and the event can be followed."""
    found = slow({"type": "TEXT_MESSAGE_START", "message_id": "m"})
    assert [(f.rule, f.path, f.label) for f in found.faults] == [
        ("AGUI-ENV-05", "$.messageId", "AGUI-ENV-16")
    ]
    assert "`message_id`" in found.faults[0].title
    assert found.event.messageId == "m"


def test_a_malformed_event_is_repaired_enough_to_be_followed() -> None:
    """Ids survive, wrong texts are empty, wrong optional members are left out, wrong elements are dropped."""
    content = slow(TEXT | {"delta": 5}).event
    assert (content.messageId, content.delta) == ("m", "")
    assert slow(TEXT | {"messageId": 7}).event.messageId == "7"
    assert slow(START | {"role": "tool"}).event.role is UNSET
    assert slow(paused()).event.outcome.interrupts == []
    assert [
        m.id for m in slow({"type": "MESSAGES_SNAPSHOT", "messages": ["x", ASSISTANT]}).event.messages
    ] == ["a"]


@pytest.mark.parametrize(
    "event",
    [
        without(TEXT, "messageId"),
        TEXT | {"messageId": None},
        TEXT | {"messageId": {}},
        {"type": "TOOL_CALL_CHUNK", "toolCallId": [], "delta": "x"},
        SECRET | {"subtype": "other"},
    ],
)
def test_a_malformed_event_about_no_item_has_no_struct(event: Any) -> None:
    """Without an id there is nothing to follow."""
    found = slow(event)
    assert (found.kind, found.event) == ("malformed", None)


def test_a_run_start_without_ids_still_starts_a_run() -> None:
    """The run is opened under empty ids, so that its events do not each break a rule of their own."""
    event = slow({"type": "RUN_STARTED"}).event
    assert (event.threadId, event.runId) == ("", "")
