"""One habit of a sender is one finding, however many event types show it; different members are different faults."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.agui.judged import found

Event = dict[str, Any]
EVENTS: list[Event] = [
    {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m-1"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m-1", "delta": "Your refund"},
    {"type": "TEXT_MESSAGE_END", "messageId": "m-1"},
    {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"},
]


@pytest.mark.parametrize(
    ("extra", "rule"),
    [
        ({"timestamp": None}, "AGUI-ENV-10"),
        ({"timestamp": "2026-01-01T00:00:00Z"}, "AGUI-ENV-10"),
        ({"metadata": None}, "AGUI-ENV-12"),
        ({"rawEvent": None}, "AGUI-CMP-06"),
        ({"trace": 1}, "AGUI-ENV-02"),
    ],
)
def test_one_member_wrong_in_every_event_is_one_finding(extra: Event, rule: str) -> None:
    """The same member with the same fault, in five event types."""
    findings = found(*(event | extra for event in EVENTS))
    assert [(f.rule, f.event, f.count) for f in findings] == [(rule, 0, 5)]
    assert [(r.event, r.role) for r in findings[0].related] == [(n, "again") for n in (1, 2, 3, 4)]


def test_the_same_fault_of_another_member_is_a_finding_of_its_own() -> None:
    """A null name and a null list of usage come from two places of the sender."""
    events = [EVENTS[0], EVENTS[1] | {"name": None}, *EVENTS[2:4], EVENTS[4] | {"usage": None}]
    assert [(f.rule, f.event, f.count) for f in found(*events)] == [
        ("AGUI-ENV-06", 1, 1),
        ("AGUI-ENV-06", 4, 1),
    ]


def test_a_tag_on_run_events_is_one_finding() -> None:
    """Whatever run event carries it."""
    findings = found(EVENTS[0] | {"subagentRunId": "s"}, EVENTS[4] | {"subagentRunId": "s"})
    assert [(f.rule, f.count) for f in findings] == [("AGUI-ENV-13", 2)]


def test_snake_case_is_one_root() -> None:
    """Every member spelt that way follows from the first one."""
    names = {"threadId": "thread_id", "runId": "run_id", "messageId": "message_id"}
    findings = found(*({names.get(key, key): value for key, value in event.items()} for event in EVENTS))
    assert [(f.key, f.count, f.cause) for f in findings] == [
        ("AGUI-ENV-05@0", 2, None),
        ("AGUI-ENV-05@0.2", 2, "AGUI-ENV-05@0"),
        ("AGUI-ENV-05@1", 3, "AGUI-ENV-05@0"),
    ]


@pytest.mark.parametrize("style", [str.title, str.lower, lambda name: f"EventType.{name}"])
def test_one_way_of_misspelling_types_is_one_root(style: Any) -> None:
    """Types printed in one other style: the first dropped event is the root of the others."""
    findings = found(*(event | {"type": style(event["type"])} for event in EVENTS))
    assert [f.rule for f in findings] == ["AGUI-ENV-01"] * 5
    assert [f.cause for f in findings] == [None, *["AGUI-ENV-01@0"] * 4]


def test_two_ways_of_misspelling_and_two_unknown_types_stay_apart() -> None:
    """They have different origins, so neither explains the other."""
    odd = ["runStarted", "TEXT-MESSAGE-START", "heartbeat", "progress"]
    assert [f.cause for f in found(*({"type": name} for name in odd))] == [None] * 4


def in_lanes(*wrong: Event) -> list[Event]:
    """The same wrong events from the parent agent and from two subagents, in a run that is otherwise right."""
    lanes: list[Event] = [{}, {"subagentRunId": "sub-1"}, {"subagentRunId": "sub-2"}]
    return [EVENTS[0], *(event | lane for lane in lanes for event in wrong), EVENTS[4]]


LANED: dict[str, Event] = {
    "snake_case": {"type": "TEXT_MESSAGE_START", "message_id": "m-1"},
    "another case": {"type": "TEXT_MESSAGE_START", "messageID": "m-1"},
    "type": {"type": "text_message_end", "messageId": "m-1"},
    "enum": {"type": "EventType.TEXT_MESSAGE_END", "messageId": "m-1"},
    "unknown type": {"type": "heartbeat"},
    "timestamp": EVENTS[2] | {"timestamp": None},
    "metadata": EVENTS[2] | {"metadata": None},
}


@pytest.mark.parametrize("habit", LANED)
def test_one_habit_is_one_root_in_whatever_lane(habit: str) -> None:
    """Subagents share the code that writes events: their lanes' findings follow from the first."""
    rule = {"timestamp": "AGUI-ENV-10", "metadata": "AGUI-ENV-12"}.get(
        habit, "AGUI-ENV-05" if "messageId" not in LANED[habit] and habit != "unknown type" else "AGUI-ENV-01"
    )
    findings = [f for f in found(*in_lanes(LANED[habit])) if f.rule == rule]
    assert [(f.event, f.lane, f.cause) for f in findings] == [
        (1, None, None),
        (2, "sub-1", f"{rule}@1"),
        (3, "sub-2", f"{rule}@1"),
    ]


def test_two_lanes_with_different_faults_stay_apart() -> None:
    """What one subagent spells wrong says nothing about what another leaves out."""
    events = [
        EVENTS[0],
        {"type": "TEXT_MESSAGE_START", "message_id": "m-1", "subagentRunId": "sub-1"},
        {"type": "TEXT_MESSAGE_START", "subagentRunId": "sub-2"},
        EVENTS[4],
    ]
    assert [f.cause for f in found(*events) if f.rule == "AGUI-ENV-05"] == [None, None]


@pytest.mark.parametrize("name", ["messageID", "MessageId", "messageid", "message-id", "MESSAGE_ID"])
def test_a_member_in_another_case_is_told_once(name: str) -> None:
    """The missing member names the one that is there, which is no second finding, and the message is followed."""
    findings = found(*({{"messageId": name}.get(k, k): v for k, v in event.items()} for event in EVENTS))
    assert [(f.rule, f.event, f.count, f.label) for f in findings] == [("AGUI-ENV-05", 1, 3, None)]
    assert findings[0].title == f"`messageId` is missing, `{name}` is there instead"


def test_an_optional_member_in_another_case_names_the_right_one() -> None:
    """A client removes it; the sentence says what it should have been."""
    findings = found(EVENTS[0], EVENTS[1] | {"Name": "Ada"}, *EVENTS[2:])
    assert [(f.rule, f.title) for f in findings] == [
        ("AGUI-ENV-02", "`TEXT_MESSAGE_START` has no member `Name`, only `name`")
    ]


CHUNKS: dict[str, Event] = {
    "messageId": {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m-1", "delta": "Hello"},
    "toolCallName": {
        "type": "TOOL_CALL_CHUNK",
        "toolCallId": "c-1",
        "toolCallName": "weather",
        "delta": "{}",
    },
}


@pytest.mark.parametrize(
    ("member", "name"),
    [
        *(
            ("messageId", name)
            for name in ("message_id", "MessageId", "messageid", "message-id", "message id")
        ),
        *(("toolCallName", name) for name in ("tool_call_name", "ToolCallName", "toolcallname")),
    ],
)
def test_what_a_chunk_misses_follows_from_how_it_is_spelt(member: str, name: str) -> None:
    """A client removes the member, and has no first chunk then: one defect, however the name is written."""
    chunk = {name if k == member else k: v for k, v in CHUNKS[member].items()}
    findings = [f for f in found(EVENTS[0], chunk, EVENTS[4]) if f.severity != "info"]
    assert [(f.rule[:8], f.cause) for f in findings] == [("AGUI-ENV", None), ("AGUI-CHK", "AGUI-ENV-02@1")]
