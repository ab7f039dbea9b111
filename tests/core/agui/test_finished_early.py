"""A run that is finished before its items are: one fault, whatever comes after it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.agui.judged import found

Event = dict[str, Any]
START = {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"}
CUSTOM = {"type": "CUSTOM", "name": "com.example.progress", "value": 1}
# opener, piece, end, rule
ITEMS: dict[str, tuple[Event, Event | None, Event, str]] = {
    "text": (
        {"type": "TEXT_MESSAGE_START", "messageId": "a-1"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "a-1", "delta": "x"},
        {"type": "TEXT_MESSAGE_END", "messageId": "a-1"},
        "AGUI-TXT-04",
    ),
    "tool": (
        {"type": "TOOL_CALL_START", "toolCallId": "a-1", "toolCallName": "weather"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "a-1", "delta": "{}"},
        {"type": "TOOL_CALL_END", "toolCallId": "a-1"},
        "AGUI-TOL-04",
    ),
    "step": (
        {"type": "STEP_STARTED", "stepName": "plan"},
        None,
        {"type": "STEP_FINISHED", "stepName": "plan"},
        "AGUI-STP-04",
    ),
    "step of a subagent": (
        {"type": "STEP_STARTED", "stepName": "plan", "subagentRunId": "s-1"},
        None,
        {"type": "STEP_FINISHED", "stepName": "plan", "subagentRunId": "s-1"},
        "AGUI-STP-04",
    ),
    "subagent": (
        {"type": "SUBAGENT_STARTED", "subagentRunId": "s-1", "name": "helper"},
        None,
        {"type": "SUBAGENT_FINISHED", "subagentRunId": "s-1"},
        "AGUI-SUB-05",
    ),
}


@pytest.mark.parametrize("kind", ITEMS)
def test_an_end_after_the_finish_shows_that_it_came_too_early(kind: str) -> None:
    """With pieces before the end or without: the open item is the root, the late events follow from it."""
    opener, piece, end, rule = ITEMS[kind]
    for late in [[end], [CUSTOM, end], [piece, end]] if piece is not None else [[end], [CUSTOM, end]]:
        left, stray = (f for f in found(START, opener, FINISH, *late) if f.severity == "fatal")
        assert (left.rule, left.reason, left.cause) == (rule, "ends-later", None)
        assert left.why.endswith(
            f"Its `{end['type']}` comes only at #{2 + len(late)}: the run was finished too early."
        )
        assert (stray.rule, stray.cause, stray.count) == ("AGUI-RUN-03", left.key, len(late))


def test_items_of_several_kinds_that_end_late_have_one_root() -> None:
    """One finish came too early for a step, a subagent and a message."""
    used = [ITEMS[kind] for kind in ("step", "subagent", "text")]
    findings = found(START, *(row[0] for row in used), FINISH, *(row[2] for row in used))
    assert [(f.rule, f.reason, f.cause) for f in findings] == [
        ("AGUI-STP-04", "ends-later", None),
        ("AGUI-TXT-04", "ends-later", "AGUI-STP-04@4"),
        ("AGUI-SUB-05", "ends-later", "AGUI-STP-04@4"),
        ("AGUI-RUN-03", "run-ended", "AGUI-STP-04@4"),
    ]


def test_an_item_that_never_ends_and_a_stray_event_are_two_faults() -> None:
    """What comes late is about something else."""
    opener, _, _, rule = ITEMS["text"]
    findings = found(START, opener, FINISH, CUSTOM)
    assert [(f.rule, f.reason, f.cause) for f in findings] == [
        (rule, "never-closed", None),
        ("AGUI-RUN-03", "run-ended", None),
    ]


def test_a_stray_event_of_a_later_run_is_a_fault_of_its_own() -> None:
    """It is not added to those that the first run's early finish explains."""
    opener, piece, end, _ = ITEMS["text"]
    assert piece is not None
    later = {"runId": "r-2"}
    findings = found(START, opener, FINISH, piece, end, START | later, FINISH | later, CUSTOM)
    strays = [(f.event, f.count, f.cause) for f in findings if f.rule == "AGUI-RUN-03"]
    assert strays == [(3, 2, "AGUI-TXT-04@2"), (7, 1, None)]


def test_what_the_next_run_leaves_open_was_not_finished_early_by_the_one_before() -> None:
    """The same rule in the same lane, but no end comes for it at all."""
    opener, _, end, rule = ITEMS["text"]
    step, _, step_end, _ = ITEMS["step"]
    later = [START | {"runId": "r-2"}, opener | {"messageId": "a-2"}, FINISH | {"runId": "r-2"}]
    findings = found(START, step, opener, FINISH, step_end, end, *later)
    assert [(f.event, f.reason, f.count, f.cause) for f in findings if f.rule == rule] == [
        (3, "ends-later", 1, "AGUI-STP-04@3"),
        (8, "never-closed", 1, None),
    ]


def test_a_result_before_the_end_in_the_next_run_is_a_defect_of_its_own() -> None:
    """The first run left its call open, and so answered it too early; the second one ends its call after the result."""
    opener, _, end, _ = ITEMS["tool"]
    result = {"type": "TOOL_CALL_RESULT", "messageId": "x-1", "toolCallId": "a-1", "content": "Sunny"}
    other = {"toolCallId": "a-2"}
    later = [opener | other, result | other | {"messageId": "x-2"}, end | other]
    run = [START | {"runId": "r-2"}, *later, FINISH | {"runId": "r-2"}]
    hasty = [f for f in found(START, opener, result, FINISH, *run) if f.rule == "AGUI-TOL-13"]
    assert [(f.event, f.count, f.cause) for f in hasty] == [(2, 1, "AGUI-TOL-04@3"), (6, 1, None)]
