"""One habit of a sender is one finding, however many event types show it; different members are different faults."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webapp.core import Finding, Replay

Event = dict[str, Any]
EVENTS: list[Event] = [
    {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m-1"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m-1", "delta": "Your refund"},
    {"type": "TEXT_MESSAGE_END", "messageId": "m-1"},
    {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"},
]


def found(*events: Event) -> list[Finding]:
    replay = Replay("ag-ui")
    for event in events:
        replay.feed(json.dumps(event).encode())
    return replay.finish().findings


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
