"""Streams that look wrong and are legal: nothing in them may be called an error or a warning."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.agui.judged import judged

Event = dict[str, Any]
START = {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"}
NEXT, NEXT_FINISH = START | {"runId": "r-2"}, FINISH | {"runId": "r-2"}
SENTENCE = "I could not find that order. Please check the number and try again."


def text(id_: str, *deltas: str, **more: Any) -> list[Event]:
    pieces = [{"type": "TEXT_MESSAGE_CONTENT", "messageId": id_, "delta": delta} for delta in deltas]
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": id_} | more,
        *pieces,
        {"type": "TEXT_MESSAGE_END", "messageId": id_},
    ]


def call(id_: str, *deltas: str, **more: Any) -> list[Event]:
    pieces = [{"type": "TOOL_CALL_ARGS", "toolCallId": id_, "delta": delta} for delta in deltas]
    return [
        {"type": "TOOL_CALL_START", "toolCallId": id_, "toolCallName": "weather"} | more,
        *pieces,
        {"type": "TOOL_CALL_END", "toolCallId": id_},
    ]


def result(id_: str, call_id: str, content: Any = "Sunny") -> Event:
    return {"type": "TOOL_CALL_RESULT", "messageId": id_, "toolCallId": call_id, "content": content}


def thought(id_: str, delta: str) -> list[Event]:
    return [
        {"type": "REASONING_MESSAGE_START", "messageId": id_, "role": "reasoning"},
        {"type": "REASONING_MESSAGE_CONTENT", "messageId": id_, "delta": delta},
        {"type": "REASONING_MESSAGE_END", "messageId": id_},
    ]


def span(kind: str, id_: str) -> Event:
    return {"type": f"REASONING_{kind}", "messageId": id_}


def step(kind: str, name: str, **tag: str) -> Event:
    return {"type": f"STEP_{kind}", "stepName": name} | tag


def announced(id_: str, **more: Any) -> Event:
    return {"type": "SUBAGENT_STARTED", "subagentRunId": id_, "name": "helper"} | more


def ended(id_: str, **more: Any) -> Event:
    return {"type": "SUBAGENT_FINISHED", "subagentRunId": id_} | more


def chunk(**more: Any) -> Event:
    return {"type": "TEXT_MESSAGE_CHUNK"} | more


def snapshot(*messages: Event) -> Event:
    return {"type": "MESSAGES_SNAPSHOT", "messages": list(messages)}


def patch(*operations: Event) -> Event:
    return {"type": "STATE_DELTA", "delta": list(operations)}


def state(value: Any) -> Event:
    return {"type": "STATE_SNAPSHOT", "snapshot": value}


def interrupted(**more: Any) -> Event:
    return FINISH | {
        "outcome": {"type": "interrupt", "interrupts": [{"id": "i-1", "reason": "confirm"} | more]}
    }


PLAN = {"messageId": "a-1", "activityType": "plan"}
CALLING = {
    "id": "m-1",
    "role": "assistant",
    "toolCalls": [{"id": "c-1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}],
}
RESUMED = {
    "threadId": "t-1",
    "runId": "r-2",
    "protocolVersion": "1.0",
    "messages": [],
    "resume": [{"interruptId": "i-1", "status": "resolved", "payload": False}],
}
STREAMS: dict[str, list[Event]] = {
    "a character split over two pieces": [START, *text("m-1", "\ud83d", "\ude00"), FINISH],
    "a message that goes on around a call": [
        START, text("m-1")[0], *call("c-1", "{}"), *text("m-1", "Well")[1:], result("x-1", "c-1"),
        *text("m-1", ", sunny"), FINISH,
    ],
    "two messages at once": [
        START, text("m-1")[0], text("m-2")[0], *text("m-2", "two")[1:], *text("m-1", "one")[1:], FINISH,
    ],
    "a call whose message comes later": [
        START, *call("c-1", "{}", parentMessageId="m-1"), *text("m-1", "Sunny"), result("x-1", "c-1"), FINISH,
    ],
    "a call answered in the next run": [
        START, *call("c-1", "{}"), FINISH | {"outcome": {"type": "success", "pendingToolCallIds": ["c-1"]}},
        NEXT, result("x-1", "c-1"), *text("m-1", "Thanks"), NEXT_FINISH,
    ],
    "a call opened again for the rest of its arguments": [
        START, *call("c-1", '{"city":'), *call("c-1", '"Oslo"}'), result("x-1", "c-1"), FINISH,
    ],
    "arguments that are no object": [
        START, *call("c-1"), *call("c-2", "null"), *call("c-3", " ", "[1", "] "),
        *(result(f"x-{n}", f"c-{n}") for n in (1, 2, 3)), FINISH,
    ],
    "ids that are empty, or equal across kinds": [
        START, *text("", "a"), *call("", "{}"), *text("m-1", "b"), *call("m-1", "{}", parentMessageId="m-1"),
        result("x-1", ""), result("x-2", "m-1"), FINISH,
    ],
    "the same sentence after each of two calls": [
        START, *call("c-1", "{}"), result("x-1", "c-1"), *text("m-1", SENTENCE), *call("c-2", "{}"),
        result("x-2", "c-2"), *text("m-2", SENTENCE), FINISH,
    ],
    "spans and thoughts in any order": [
        START, span("START", "r-1"), span("START", "r-2"), *thought("r-1", "a"), span("END", "r-1"),
        *thought("r-3", "b"), span("END", "r-2"), *thought("r-1", "c"), *text("m-1", "Sunny"), FINISH,
    ],
    "one step under three owners": [
        START, step("STARTED", "a"), step("STARTED", "a", subagentRunId="s-1"), step("STARTED", "a", subagentRunId=""),
        step("FINISHED", "a"), step("STARTED", "a"), step("FINISHED", "a", subagentRunId=""),
        step("FINISHED", "a", subagentRunId="s-1"), step("FINISHED", "a"), FINISH,
    ],
    "a subagent whose parent has ended": [
        START, announced("s-1"), ended("s-1"), announced("s-2", parentSubagentRunId="s-1"),
        *text("m-1", "a", subagentRunId="s-2"), ended("s-2", result=0), *text("m-2", "b", subagentRunId="s-9"), FINISH,
    ],
    "a suspended subagent that comes back": [
        START, announced("s-1"), ended("s-1", outcome={"type": "suspended"}), interrupted(subagentRunId="s-1"),
        NEXT, announced("s-1"), *text("m-1", "a", subagentRunId="s-1"), ended("s-1"), NEXT_FINISH,
    ],
    "chunks around what leaves them alone": [
        START, chunk(messageId="m-1", delta="a"), announced("s-1"), {"type": "RAW", "event": None}, chunk(delta="b"),
        {"type": "ACTIVITY_SNAPSHOT", "content": {}} | PLAN, chunk(delta="c"),
        chunk(messageId="m-2", delta="d", subagentRunId="s-1"), chunk(delta="e"), chunk(messageId="m-2", delta="f"),
        ended("s-1"), chunk(delta="g"), FINISH,
    ],
    "a chunk that opens its message again behind a snapshot": [
        START, chunk(messageId="m-1", delta="a"), snapshot({"id": "m-1", "role": "assistant", "content": "a"}),
        chunk(messageId="m-1", delta="b"), FINISH,
    ],
    "a snapshot of nothing, then one of everything": [
        START, snapshot(), *call("c-1", "{}", parentMessageId="m-1"), result("x-1", "c-1"),
        snapshot(CALLING, {"id": "x-1", "role": "tool", "toolCallId": "c-1", "content": "Sunny"}), FINISH,
    ],
    "a state of null, replaced at its root, emptied": [
        START, state(None), patch({"op": "add", "path": "", "value": {"rows": []}}),
        patch({"op": "add", "path": "/rows/-", "value": 1}, {"op": "test", "path": "/rows/0", "value": 1.0},
              {"op": "move", "from": "/rows/0", "path": "/last", "note": "x"}, {"op": "remove", "path": ""}),
        patch(), FINISH,
    ],
    "keys that need escapes, and the empty key": [
        START, state({"": {"": 1}, "a/b": 1, "~": 2}),
        patch({"op": "replace", "path": "//", "value": 2}, {"op": "replace", "path": "/a~1b", "value": 2},
              {"op": "remove", "path": "/~0"}), FINISH,
    ],
    "an activity that keeps its content": [
        START, {"type": "ACTIVITY_SNAPSHOT", "content": {}} | PLAN,
        {"type": "ACTIVITY_SNAPSHOT", "content": {"x": 1}, "replace": False} | PLAN,
        {"type": "ACTIVITY_DELTA", "patch": []} | PLAN, FINISH,
    ],
    "a question answered with no": [
        START, *call("c-1", "{}"), interrupted(toolCallId="c-1"), NEXT | {"input": RESUMED}, result("x-1", "c-1"),
        *text("m-1", "Left alone"), NEXT_FINISH,
    ],
    "a private pause beside a question": [
        START, {"type": "CUSTOM", "name": "com.example/on_interrupt", "value": None}, interrupted(),
    ],
    "a private pause that is over": [
        START, {"type": "CUSTOM", "name": "com.example/on_interrupt", "value": None}, *text("m-1", "On"), FINISH,
    ],
    "private names that only sound like a pause": [
        START, *text("m-1", "a"), {"type": "CUSTOM", "name": "com.example/interrupts_allowed", "value": True}, FINISH,
    ],
    "a failure before the first run, and one that leaves all open": [
        {"type": "RUN_ERROR", "message": "Busy"}, START, text("m-1")[0], step("STARTED", "a"), announced("s-1"),
        {"type": "RUN_ERROR", "message": "Gone"}, NEXT, *text("m-1", "a"), announced("s-1"), ended("s-1"), NEXT_FINISH,
    ],
    "timestamps backwards and before 1970": [
        START | {"timestamp": 9}, *(event | {"timestamp": -5} for event in text("m-1", "a")),
        FINISH | {"timestamp": 3.0},
    ],
    "a cancelled run with a call that nobody answers": [
        START, *call("c-1", "{}"), FINISH | {"outcome": {"type": "cancelled"}},
    ],
    "no words at all": [START, *text("m-1"), *text("m-2", ""), FINISH],
}  # fmt: skip


@pytest.mark.parametrize("name", STREAMS)
def test_an_odd_legal_stream_has_nothing_to_mend(name: str) -> None:
    """Notes may be made of it; its verdict is clean and nothing is a warning."""
    report = judged(*STREAMS[name])
    assert [f.key for f in report.findings if f.severity != "info"] == []
    assert (report.verdict, report.rejected_at) == ("conformant", None)
