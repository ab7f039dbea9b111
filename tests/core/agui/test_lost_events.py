"""Events a client does not get or cannot use: what is missed later is told as their consequence, not as a new fault."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.core.agui.judged import found
from webapp.core import Finding

Event = dict[str, Any]
START = {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"}
# kind -> its opener, its end, the rule of a second opening
KINDS: dict[str, tuple[Event, Event, str]] = {
    "text": (
        {"type": "TEXT_MESSAGE_START", "messageId": "a-1"},
        {"type": "TEXT_MESSAGE_END", "messageId": "a-1"},
        "AGUI-TXT-01",
    ),
    "tool": (
        {"type": "TOOL_CALL_START", "toolCallId": "a-1", "toolCallName": "weather"},
        {"type": "TOOL_CALL_END", "toolCallId": "a-1"},
        "AGUI-TOL-01",
    ),
    "reasoning": (
        {"type": "REASONING_MESSAGE_START", "messageId": "a-1", "role": "reasoning"},
        {"type": "REASONING_MESSAGE_END", "messageId": "a-1"},
        "AGUI-RSN-04",
    ),
    "step": (
        {"type": "STEP_STARTED", "stepName": "a-1"},
        {"type": "STEP_FINISHED", "stepName": "a-1"},
        "AGUI-STP-01",
    ),
    "subagent": (
        {"type": "SUBAGENT_STARTED", "subagentRunId": "a-1", "name": "helper"},
        {"type": "SUBAGENT_FINISHED", "subagentRunId": "a-1"},
        "AGUI-SUB-02",
    ),
}


def roots(findings: list[Finding]) -> list[str]:
    return [f.key for f in findings if f.cause is None and f.severity != "info"]


def misspelt(event: Event) -> Event:
    """The event as older software prints its type; a client drops it."""
    return event | {"type": event["type"].title().replace("_", "")}


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_opening_after_a_lost_end_follows_from_the_loss(kind: str) -> None:
    """The item is still open to a client only because it never got the end."""
    opener, end, rule = KINDS[kind]
    findings = found(START, opener, misspelt(end), opener, end, FINISH)
    again = next(f for f in findings if f.rule == rule)
    assert (again.reason, again.cause) == ("end-lost", "AGUI-ENV-01@2")
    assert (2, "expected") in [(r.event, r.role) for r in again.related]
    assert roots(findings) == ["AGUI-ENV-01@2"]
    plain = found(START, opener, opener, end, FINISH)
    assert [(f.rule, f.reason) for f in plain if f.cause is None and f.rule == rule] == [(rule, "still-open")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_lost_end_explains_one_further_opening(kind: str) -> None:
    """The lost end was sent once: what opens the item a third time is a defect of its own, and says so."""
    opener, end, rule = KINDS[kind]
    findings = found(START, opener, misspelt(end), opener, opener, end, FINISH)
    assert roots(findings) == ["AGUI-ENV-01@2", f"{rule}@4"]
    own = next(f for f in findings if f.key == f"{rule}@4")
    assert (own.reason, own.count, own.related[0].event) == ("still-open", 1, 3)
    assert own.why.startswith("#3 ")


@pytest.mark.parametrize("kind", KINDS)
def test_every_lost_end_explains_its_own_opening(kind: str) -> None:
    """Two ends are lost, two openings follow from them: one root."""
    opener, end, rule = KINDS[kind]
    lost = misspelt(end)
    findings = found(START, opener, lost, opener, lost, opener, end, FINISH)
    assert roots(findings) == ["AGUI-ENV-01@2"]
    assert [(f.event, f.count) for f in findings if f.rule == rule] == [(3, 2)]


@pytest.mark.parametrize("kind", KINDS)
def test_an_item_opened_again_after_a_lost_end_needs_an_end_of_its_own(kind: str) -> None:
    """That the run finishes over it is not the lost end's fault."""
    opener, end, _ = KINDS[kind]
    findings = found(START, opener, misspelt(end), opener, FINISH)
    left = next(f for f in findings if f.event == 4)
    assert (left.reason, left.cause, left.related[0].event) == ("never-closed", None, 3)


# how a line may fail to parse with its type and id in plain sight
BREAKS = {
    "cut": lambda line: line[:-1],
    "trailing comma": lambda line: line[:-1] + b",}",
    "NaN": lambda line: line[:-1] + b',"timestamp":NaN}',
    "two documents": lambda line: line + line,
}


@pytest.mark.parametrize("broken", BREAKS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_opener_that_does_not_parse_explains_what_misses_it(kind: str, broken: str) -> None:
    """A client cannot read it, but a reader of the recording can."""
    opener, end, _ = KINDS[kind]
    findings = found(START, BREAKS[broken](json.dumps(opener).encode()), end, FINISH)
    orphan = findings[1]
    assert (orphan.reason, orphan.cause) == ("opener-lost", "AGUI-TRN-03@1")
    assert roots(findings) == ["AGUI-TRN-03@1"]


@pytest.mark.parametrize("broken", ["cut", "trailing comma", "NaN"])
def test_a_finish_that_does_not_parse_explains_the_open_run(broken: str) -> None:
    """The next run's start finds the run open only because of a line that cannot be read."""
    later = {"runId": "r-2"}
    line = BREAKS[broken](json.dumps(FINISH).encode())
    findings = found(START, line, START | later, FINISH | later)
    assert [(f.rule, f.reason, f.cause) for f in findings[1:]] == [
        ("AGUI-RUN-02", "end-lost", "AGUI-TRN-03@1")
    ]


def test_only_members_of_the_event_itself_are_read() -> None:
    """A type inside another value is not the event's, and an id that is cut names nothing."""
    inner = b'{"value":{"type":"TEXT_MESSAGE_START","messageId":"a-1"},"name":"x"'
    end = KINDS["text"][1]
    assert [f.cause for f in found(START, inner, end, FINISH)] == [None, None]
    cut_id = b'{"type":"TEXT_MESSAGE_START","messageId":"a'
    assert [f.cause for f in found(START, cut_id, end, FINISH)] == [None, "AGUI-TRN-03@1"]


def test_what_needs_a_lost_call_follows_from_the_loss() -> None:
    """A result, an encrypted value and a question about a call whose start a client dropped."""
    question = {"id": "i-1", "reason": "confirm", "toolCallId": "a-1"}
    findings = found(
        START,
        misspelt(KINDS["tool"][0]),
        {"type": "TOOL_CALL_RESULT", "messageId": "x-1", "toolCallId": "a-1", "content": "ok"},
        {
            "type": "REASONING_ENCRYPTED_VALUE",
            "subtype": "tool-call",
            "entityId": "a-1",
            "encryptedValue": "c2VhbGVk",
        },
        FINISH | {"outcome": {"type": "interrupt", "interrupts": [question]}},
    )
    assert [(f.rule, f.severity, f.reason, f.cause) for f in findings[1:]] == [
        ("AGUI-TOL-11", "warning", "opener-lost", "AGUI-ENV-01@1"),
        ("AGUI-ENC-01", "warning", "opener-lost", "AGUI-ENV-01@1"),
        ("AGUI-INT-04", "info", "opener-lost", "AGUI-ENV-01@1"),
    ]
    assert findings[1].message == (
        "A result for tool call `a-1`, which nobody has made. #1 should have opened it, but a client cannot use that "
        "event: `ToolCallStart` is no event type of the protocol. A client appends it at the end of the conversation."
    )


def test_a_call_whose_result_was_lost_is_not_blamed_for_having_none() -> None:
    """HAZ-06 and TOL-18 are told of one call, and both follow from the dropped result."""
    result = {"type": "TOOL_CALL_RESULT", "messageId": "x-1", "toolCallId": "a-1", "content": "ok"}
    opener, end, _ = KINDS["tool"]
    twin = {"toolCallId": "a-2"}
    text = [
        KINDS["text"][0],
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "a-1", "delta": "Sunny"},
        KINDS["text"][1],
    ]
    findings = found(
        START,
        opener,
        end,
        opener | twin,
        end | twin,
        result | twin,
        misspelt(result | {"messageId": "x-2"}),
        *text,
        FINISH,
    )
    assert {f.rule: f.cause for f in findings} == {
        "AGUI-ENV-01": None,
        "AGUI-TOL-18": "AGUI-ENV-01@6",
        "AGUI-HAZ-06": "AGUI-ENV-01@6",
    }
