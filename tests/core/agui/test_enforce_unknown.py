"""Material the protocol does not describe: taken out with a warning, and what is left is delivered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webapp.core.agui.enforce import Compat, Slow, slow_decode

RUN = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
DONE = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}
TEXT = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"}
RESULT = {"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c"}
ENDED = {"type": "SUBAGENT_FINISHED", "subagentRunId": "s"}
HELLO = {"type": "text", "text": "hello"}


def slow(event: Any) -> Slow:
    return slow_decode(json.dumps(event).encode(), Compat())


def snapshot(*messages: Any) -> dict[str, Any]:
    return {"type": "MESSAGES_SNAPSHOT", "messages": list(messages)}


def user(*parts: Any) -> dict[str, Any]:
    return {"id": "u", "role": "user", "content": list(parts)}


def delta(*operations: Any) -> dict[str, Any]:
    return {"type": "STATE_DELTA", "delta": list(operations)}


TEST_OP = {"op": "test", "path": "", "value": 1}
ECHO = {"threadId": "t", "runId": "r", "messages": [user(HELLO)]}

# rule, path, what is sent, what is delivered (which is also the near miss)
CASES: list[tuple[str, str, Any, Any]] = [
    ("AGUI-ENV-02", "$.debug", TEXT | {"debug": 1}, TEXT),
    ("AGUI-ENV-02", "$.constructor", TEXT | {"constructor": 1}, TEXT),
    ("AGUI-ENV-02", '$["a b"]', TEXT | {"a b": 1}, TEXT),
    ("AGUI-ENV-02", "$.messages[0].extra", snapshot(user(HELLO) | {"extra": 1}), snapshot(user(HELLO))),
    ("AGUI-ENV-02", "$.messages[0].content[0].source", snapshot(user(HELLO | {"source": {"type": "zzz"}})),
     snapshot(user(HELLO))),
    ("AGUI-ENV-02", "$.input.messages[0].content[0].x",
     RUN | {"input": ECHO | {"messages": [user(HELLO | {"x": 1})]}},
     RUN | {"input": ECHO}),
    ("AGUI-ENV-02", "$.outcome.result", DONE | {"outcome": {"type": "success", "result": 1}},
     DONE | {"outcome": {"type": "success"}}),
    ("AGUI-ENV-13", "$.subagentRunId", RUN | {"subagentRunId": "s"}, RUN),
    ("AGUI-ENV-13", "$.subagentRunId", snapshot() | {"subagentRunId": None}, snapshot()),
    ("AGUI-USG-07", "$.usage", ENDED | {"usage": [{"inputTokens": 1}]}, ENDED),
    ("AGUI-RUN-14", "$.outcome.interrupts", DONE | {"outcome": {"type": "success", "interrupts": []}},
     DONE | {"outcome": {"type": "success"}}),
    ("AGUI-RUN-16", "$.outcome.interrupts", DONE | {"outcome": {"type": "cancelled", "interrupts": []}},
     DONE | {"outcome": {"type": "cancelled"}}),
    ("AGUI-SUB-09", "$.outcome.interruptIds", ENDED | {"outcome": {"type": "success", "interruptIds": ["i"]}},
     ENDED | {"outcome": {"type": "success"}}),
    ("AGUI-RUN-12", "$.outcome", DONE | {"outcome": {"type": "timeout"}}, DONE),
    ("AGUI-SUB-08", "$.outcome", ENDED | {"outcome": {"type": "error", "x": 1}}, ENDED),
    ("AGUI-ENV-09", "$.outcome", DONE | {"outcome": {}}, DONE),
    ("AGUI-ENV-09", "$.outcome", DONE | {"outcome": {"type": 5}}, DONE),
    ("AGUI-ENV-03", "$.messages[0]", snapshot({"id": 5, "role": "narrator", "x": 1}, user(HELLO)),
     snapshot(user(HELLO))),
    ("AGUI-ENV-09", "$.messages[0]", snapshot({"id": "a"}, user(HELLO)), snapshot(user(HELLO))),
    ("AGUI-ENV-03", "$.messages[0].content[0]", snapshot(user({"type": "json", "x": 1}, HELLO)),
     snapshot(user(HELLO))),
    ("AGUI-ENV-09", "$.messages[0].content[0]", snapshot(user({"text": "x"}, HELLO)), snapshot(user(HELLO))),
    ("AGUI-ENV-03", "$.messages[0].content[0].source",
     snapshot(user({"type": "image", "id": 5, "x": 1, "source": {"type": "s3"}}, HELLO)),
     snapshot(user(HELLO))),
    ("AGUI-ENV-09", "$.messages[0].content[0].source",
     snapshot(user({"type": "image", "source": {"value": "x"}}, HELLO)), snapshot(user(HELLO))),
    ("AGUI-TOL-10", "$.content[0]", RESULT | {"content": [{"type": "search_result"}, HELLO]},
     RESULT | {"content": [HELLO]}),
    ("AGUI-ENV-03", "$.content[0].source",
     RESULT | {"content": [{"type": "audio", "source": {"type": "s3"}}]},
     RESULT | {"content": []}),
    ("AGUI-STA-03", "$.delta[0]", delta({"op": "merge", "path": 5}, TEST_OP), delta(TEST_OP)),
    ("AGUI-ENV-09", "$.delta[0]", delta({"path": "/a", "value": 1}, TEST_OP), delta(TEST_OP)),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "path", "sent", "left"), CASES, ids=[f"{c[0]} {c[1]}" for c in CASES])
def test_undescribed_material_is_taken_out_and_the_rest_delivered(
    rule: str, path: str, sent: Any, left: Any
) -> None:
    """One fault names it; the application gets the event without it, which alone breaks nothing."""
    found = slow(sent)
    assert (found.kind, [(f.rule, f.path) for f in found.faults]) == ("event", [(rule, path)])
    clean = slow(left)
    assert found.wire == left == clean.wire
    assert clean.faults == []
    assert str(found.event) == str(clean.event)
    assert not found.faults[0].title.endswith(".")
    assert found.faults[0].why.endswith(".")


@pytest.mark.parametrize(
    "event",
    [
        TEXT | {"metadata": {"message_id": 1, "x": {"y": None}}},
        TEXT | {"rawEvent": {"usage": 1}},
        {"type": "STATE_SNAPSHOT", "snapshot": {"type": "zzz", "x": [None]}},
        {"type": "RAW", "event": {"type": "zzz"}},
        {"type": "CUSTOM", "name": "n", "value": {"x": 1}},
        {"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "p", "content": {"role": "zzz"}},
        DONE | {"result": {"x": 1}},
        RUN | {"input": ECHO | {"state": {"x": 1}, "forwardedProps": {"y": 1}}},
        RUN | {"input": ECHO | {"tools": [{"name": "n", "description": "d", "parameters": {"z": 1}}]}},
        RUN | {"input": ECHO | {"resume": [{"interruptId": "i", "status": "resolved", "payload": {"z": 1}}]}},
        DONE | {"outcome": {"type": "interrupt", "interrupts": [
            {"id": "i", "reason": "r", "responseSchema": {"type": "zzz"}, "metadata": {"z": 1}}]}},
        snapshot(user(HELLO | {"metadata": {"z": 1}})),
        delta(TEST_OP | {"from": 5, "note": "kept"}),
    ],
)  # fmt: skip
def test_open_places_keep_whatever_stands_in_them(event: Any) -> None:
    """Open objects and the extra members of patch operations survive untouched."""
    found = slow(event)
    assert (found.kind, found.faults, found.wire) == ("event", [], event)


def test_a_snake_case_key_beside_the_right_one_is_a_stripped_member_with_a_hint() -> None:
    """The hint names the spelling that is meant."""
    found = slow(TEXT | {"message_id": "m", "raw_event": 1, "_delta": 2})
    assert [(f.path, f.label) for f in found.faults] == [
        ("$.message_id", "AGUI-ENV-16"),
        ("$.raw_event", "AGUI-ENV-16"),
        ("$._delta", None),
    ]
    assert "`rawEvent`" in found.faults[1].title


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("com.example.PROGRESS", None),
        ("RUN_START", None),
        ("eventtype", None),
        ("run_started", "AGUI-ENV-17"),
        ("EventType.RUN_STARTED", "AGUI-ENV-17"),
        ("RunStarted", "AGUI-ENV-17"),
        ("EVENT_TYPE_RUN_STARTED", "AGUI-ENV-17"),
        ("run-started ", "AGUI-ENV-17"),
    ],
)
def test_an_unknown_type_drops_the_event_and_a_misspelt_one_says_what_is_meant(
    name: str, label: str | None
) -> None:
    """The event is dropped whatever it holds; only spelling variants of a known type get the hint."""
    found = slow({"type": name, "timestamp": "bad", "rawEvent": None})
    assert (found.kind, found.type, found.event, found.wire) == ("dropped", name, None, None)
    assert [(f.rule, f.path, f.label) for f in found.faults] == [("AGUI-ENV-01", "$.type", label)]
    assert ("`RUN_STARTED`" in found.faults[0].why) is (label is not None)


def test_foreign_names_are_safe_to_show() -> None:
    """A key or type with control characters, backticks or lone surrogates is told without them, and cut."""
    found = slow({"type": "a`b\x00\ud83d" + "c" * 500})
    assert "\ud83d" not in found.faults[0].title
    assert len(found.faults[0].title) < 120
    fault = slow(TEXT | {"k`\ud83d\n" + "x" * 500: 1}).faults[0]
    assert (fault.path or "").startswith('$["k\ufffd\ufffd\ufffdx')
    fault.title.encode()
