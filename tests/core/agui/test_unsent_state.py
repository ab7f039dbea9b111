"""State and activities after a change that a client did not get: what fails next follows from that."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.agui.judged import found

Event = dict[str, Any]
START = {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"}
EMPTY = {"type": "STATE_SNAPSHOT", "snapshot": {}}
REPLACE = [{"op": "replace", "path": "/step", "value": 2}]
PATCH = {"type": "STATE_DELTA", "delta": REPLACE}
PLAN = {"type": "ACTIVITY_SNAPSHOT", "messageId": "a-1", "activityType": "plan", "content": {}}
PLAN_PATCH = {"type": "ACTIVITY_DELTA", "messageId": "a-1", "activityType": "plan", "patch": REPLACE}


def without(event: Event, member: str) -> Event:
    return {key: value for key, value in event.items() if key != member}


ADD = {"op": "add", "path": "/step", "value": 1}


@pytest.mark.parametrize(
    "broken",
    [
        without(PATCH, "delta"),
        PATCH | {"delta": ["add"]},
        PATCH | {"delta": [without(ADD, "value")]},
        PATCH | {"delta": [ADD | {"path": "step"}]},
        PATCH | {"delta": [ADD | {"op": "put"}]},
        PATCH | {"type": "StateDelta"},
    ],
)
def test_a_patch_after_an_unusable_one_follows_from_it(broken: Event) -> None:
    """The patch before did not apply, or an operation of it was left out."""
    findings = found(START, EMPTY, broken, PATCH, FINISH)
    later = next(f for f in findings if f.rule == "AGUI-STA-04")
    assert (later.event, later.cause) == (3, findings[0].key)
    assert [f.rule for f in findings if f.cause is None] == [findings[0].rule]


def test_nobody_sent_null() -> None:
    """A snapshot without its value leaves the state as it was."""
    findings = found(START, {"type": "STATE_SNAPSHOT"}, PATCH, FINISH)
    assert [f.rule for f in findings if f.cause is None] == ["AGUI-ENV-05"]
    assert not any("null" in f.message for f in findings)


def test_a_whole_state_ends_the_consequences() -> None:
    """After it a patch that fails is a fault of its own."""
    findings = found(START, EMPTY, PATCH | {"type": "StateDelta"}, EMPTY, PATCH, FINISH)
    assert [(f.rule, f.cause) for f in findings] == [("AGUI-ENV-01", None), ("AGUI-STA-04", None)]


@pytest.mark.parametrize("broken", [without(PLAN, "content"), PLAN | {"content": None}])
def test_an_activity_without_content_was_not_created(broken: Event) -> None:
    """A patch for it misses the snapshot, and the snapshot's fault says why."""
    findings = found(START, broken, PLAN_PATCH, FINISH)
    assert [(f.rule, f.reason, f.cause) for f in findings[1:]] == [
        ("AGUI-ACT-01", "opener-lost", findings[0].key)
    ]


def test_a_patch_of_an_activity_follows_from_the_unusable_one_before() -> None:
    """Until the activity is sent whole again."""
    lost = PLAN_PATCH | {"type": "ActivityDelta"}
    findings = found(START, PLAN, lost, PLAN_PATCH, FINISH)
    assert [(f.rule, f.cause) for f in findings[1:]] == [("AGUI-ACT-04", "AGUI-ENV-01@2")]
    repaired = found(START, PLAN, lost, PLAN, PLAN_PATCH, FINISH)
    assert [(f.rule, f.cause) for f in repaired[1:]] == [("AGUI-ACT-04", None)]


def test_a_list_of_messages_that_never_came_removes_none() -> None:
    """A snapshot without its list leaves the conversation alone."""
    text = [
        {"type": "TEXT_MESSAGE_START", "messageId": "m-1"},
        {"type": "TEXT_MESSAGE_END", "messageId": "m-1"},
    ]
    value = {
        "type": "REASONING_ENCRYPTED_VALUE",
        "subtype": "message",
        "entityId": "m-1",
        "encryptedValue": "c2VhbGVk",
    }
    assert [f.rule for f in found(START, *text, {"type": "MESSAGES_SNAPSHOT"}, value, FINISH)] == [
        "AGUI-ENV-05"
    ]


def test_a_state_that_the_application_did_not_return_explains_the_patch() -> None:
    """The agent goes on with the state the application sent, which is not the one it was left with."""
    asked = {"threadId": "t-1", "messages": [], "protocolVersion": "1.0"}
    second = {"runId": "r-2"}
    start = [START | {"input": asked | {"runId": "r-1", "state": {"step": 1}}}, FINISH]
    patch = PATCH | {"delta": [{"op": "replace", "path": "/phase", "value": 2}]}
    told = found(
        *start, START | second | {"input": asked | second | {"state": {"phase": 1}}}, patch, FINISH | second
    )
    assert [(f.rule, f.cause) for f in told] == [("AGUI-INP-06", None), ("AGUI-STA-04", "AGUI-INP-06@2")]
    same = found(
        *start, START | second | {"input": asked | second | {"state": {"step": 1}}}, patch, FINISH | second
    )
    assert [(f.rule, f.cause) for f in same] == [("AGUI-STA-04", None)]
    neither = found(
        *start, START | second | {"input": asked | second | {"state": {"stage": 1}}}, patch, FINISH | second
    )
    assert [(f.rule, f.cause) for f in neither] == [("AGUI-INP-06", None), ("AGUI-STA-04", None)]


# events whose payload is wrong as a whole, and the rule of that
HOLLOW: dict[str, tuple[Event, str]] = {
    "patch": (PATCH | {"delta": {"step": 2}}, "AGUI-STA-01"),
    "state": ({"type": "STATE_SNAPSHOT"}, "AGUI-ENV-05"),
    "activity": (PLAN | {"content": "half"}, "AGUI-ACT-07"),
    "activity of no id": (without(PLAN, "messageId"), "AGUI-ENV-05"),
    "activity patch": (PLAN_PATCH | {"patch": None}, "AGUI-STA-01"),
    "messages": ({"type": "MESSAGES_SNAPSHOT", "messages": None}, "AGUI-ENV-04"),
}


@pytest.mark.parametrize("what", HOLLOW)
def test_an_event_of_wrong_shape_outside_a_run_is_two_defects(what: str) -> None:
    """Mending its shape leaves it before the start, or behind the end, and both places are told."""
    event, rule = HOLLOW[what]
    early = found(event, START, FINISH)
    assert [(f.rule, f.event, f.cause) for f in early] == [(rule, 0, None), ("AGUI-RUN-01", 0, None)]
    assert early[1].reason == "starts-later"
    late = found(START, FINISH, event)
    assert [(f.rule, f.event, f.cause) for f in late] == [(rule, 2, None), ("AGUI-RUN-03", 2, None)]


@pytest.mark.parametrize("what", HOLLOW)
def test_an_event_of_wrong_shape_in_a_run_is_one_defect(what: str) -> None:
    """In its place, nothing else is wrong with it."""
    event, rule = HOLLOW[what]
    assert [f.rule for f in found(START, event, FINISH)] == [rule]


def test_an_event_of_wrong_shape_is_still_somebodys() -> None:
    """Its tag shows that its subagent was ended, or announced, at the wrong time."""
    sub = {"subagentRunId": "sub-1"}
    started, ended = {"type": "SUBAGENT_STARTED", "name": "helper"} | sub, {"type": "SUBAGENT_FINISHED"} | sub
    event = HOLLOW["patch"][0] | sub
    assert [f.rule for f in found(START, started, ended, event, FINISH)] == ["AGUI-STA-01", "AGUI-SUB-13"]
    assert [f.rule for f in found(START, event, started, ended, FINISH)] == ["AGUI-STA-01", "AGUI-SUB-01"]
    assert [f.rule for f in found(START, started, event, ended, FINISH)] == ["AGUI-STA-01"]


def test_an_event_of_wrong_shape_ends_chunk_streams_as_it_would_in_the_right_one() -> None:
    """The next chunk without an id would be rejected behind the mended event, too."""
    chunk = {"type": "TEXT_MESSAGE_CHUNK", "delta": "Hello"}
    findings = found(START, chunk | {"messageId": "m-1"}, HOLLOW["patch"][0], chunk, FINISH)
    assert [(f.rule, f.reason, f.event) for f in findings] == [
        ("AGUI-STA-01", None, 2),
        ("AGUI-CHK-01", "stream-ended", 3),
    ]
    apart = HOLLOW["patch"][0] | {"subagentRunId": "sub-1"}
    findings = found(START, chunk | {"messageId": "m-1"}, apart, chunk, FINISH)
    assert [f.rule for f in findings] == ["AGUI-STA-01"]
