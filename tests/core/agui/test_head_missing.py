"""A recording known to begin later than the stream: what misses a beginning is not judged, all else is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.streams import finished, message, started
from webapp.core import Replay
from webapp.core.findings import Report

CALL = {"toolCallId": "c-1"}
SUB = {"subagentRunId": "s-1"}
RUN: list[dict[str, Any]] = [
    started(),
    {"type": "STEP_STARTED", "stepName": "plan"},
    {"type": "STATE_SNAPSHOT", "snapshot": {"plan": {"steps": []}}},
    {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/plan/steps/-", "value": 1}]},
    {"type": "ACTIVITY_SNAPSHOT", "messageId": "a-1", "activityType": "x", "content": {"n": []}},
    {"type": "ACTIVITY_DELTA", "messageId": "a-1", "activityType": "x",
     "patch": [{"op": "add", "path": "/n/-", "value": 1}]},
    {"type": "REASONING_START", "messageId": "r-0"},
    {"type": "REASONING_MESSAGE_START", "messageId": "r-1", "role": "reasoning"},
    {"type": "REASONING_MESSAGE_CONTENT", "messageId": "r-1", "delta": "hm"},
    {"type": "REASONING_MESSAGE_END", "messageId": "r-1"},
    {"type": "REASONING_END", "messageId": "r-0"},
    {"type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": "r-1", "encryptedValue": "x"},
    *message("m-1", "Look", "ing"),
    {"type": "TOOL_CALL_START", **CALL, "toolCallName": "f", "parentMessageId": "m-1"},
    {"type": "TOOL_CALL_ARGS", **CALL, "delta": "{}"},
    {"type": "TOOL_CALL_END", **CALL},
    {"type": "TOOL_CALL_RESULT", **CALL, "messageId": "t-1", "content": "ok"},
    {"type": "SUBAGENT_STARTED", **SUB, "name": "helper"},
    {"type": "SUBAGENT_STARTED", "subagentRunId": "s-2", "name": "inner", "parentSubagentRunId": "s-1"},
    {"type": "SUBAGENT_FINISHED", "subagentRunId": "s-2"},
    *message("m-2", "x", subagentRunId="s-1"),
    {"type": "SUBAGENT_FINISHED", **SUB},
    {"type": "TOOL_CALL_CHUNK", "toolCallId": "c-2", "toolCallName": "g", "delta": '{"q":'},
    {"type": "TOOL_CALL_CHUNK", "toolCallId": "c-2", "delta": '"x"}'},
    {"type": "TOOL_CALL_RESULT", "toolCallId": "c-2", "messageId": "t-2", "content": "ok"},
    {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m-3", "delta": "a"},
    {"type": "TEXT_MESSAGE_CHUNK", "delta": "b"},
    {"type": "STEP_FINISHED", "stepName": "plan"},
    finished(),
]  # fmt: skip


def judged(events: list[dict[str, Any]], **more: Any) -> Report:
    replay = Replay(**more)
    for event in events:
        replay.feed(json.dumps(event).encode())
    return replay.finish()


def test_the_whole_run_is_clean() -> None:
    """So whatever a part of it shows is the cut's doing."""
    assert judged(RUN).verdict == "conformant"


@pytest.mark.parametrize("cut", range(1, len(RUN)))
def test_no_cut_of_a_clean_run_gives_a_finding(cut: int) -> None:
    """With the flag nothing is blamed on the agent; RUN-01 is among the rules that were not judged."""
    report = judged(RUN[cut:], head_missing=True)
    assert [finding.message for finding in report.findings] == []
    assert report.verdict == "conformant"
    reasons = {skipped.rule: skipped.reason for skipped in report.skipped_rules}
    assert reasons["AGUI-RUN-01"].startswith("The recording begins in the middle of a run")


def test_without_the_flag_the_missing_start_is_found() -> None:
    """The recording alone does not tell that something was cut off."""
    report = judged(RUN[1:])
    assert [finding.rule for finding in report.findings][:1] == ["AGUI-RUN-01"]


def test_what_the_recording_itself_shows_is_still_found() -> None:
    """Text after an end that is there, and a second end."""
    text = message("m-1", "x")
    report = judged([*text, text[1], text[2], finished()], head_missing=True)
    assert [(finding.rule, finding.event) for finding in report.findings if not finding.cause] == [
        ("AGUI-TXT-02", 3)
    ]
    report = judged([text[1], text[2], text[2]], head_missing=True)
    assert [(finding.rule, finding.event) for finding in report.findings] == [("AGUI-TXT-03", 2)]


def test_a_run_that_starts_in_the_recording_is_judged_whole() -> None:
    """Only the run that was cut has rules that cannot be told."""
    later = [started("t", "r-2"), message("m-9", "x")[1], finished("t", "r-2")]
    report = judged([finished(), *later], head_missing=True)
    assert ("AGUI-TXT-02", 2) in [(finding.rule, finding.event) for finding in report.findings]
    report = judged(RUN, head_missing=True)
    assert report.verdict == "conformant"
    assert "AGUI-RUN-01" not in [skipped.rule for skipped in report.skipped_rules]


def test_a_start_that_a_client_cannot_use_is_a_fault_all_the_same() -> None:
    """It is in the recording, spelt wrong."""
    report = judged(
        [{**started(), "type": "RunStarted"}, *message("m-1", "x"), finished()], head_missing=True
    )
    assert "AGUI-RUN-01" in [finding.rule for finding in report.findings]


def test_a_state_that_the_request_gave_may_have_changed_before_the_recording() -> None:
    """So a patch that does not fit it says nothing."""
    asked = {"threadId": "t", "runId": "r", "messages": [], "state": {"a": 1}, "tools": [], "context": []}
    delta = {"type": "STATE_DELTA", "delta": [{"op": "replace", "path": "/b", "value": 2}]}
    assert judged([delta, finished()], run_input=asked, head_missing=True).findings == []
    assert "AGUI-STA-04" in [f.rule for f in judged([started(), delta, finished()], run_input=asked).findings]


def test_teams_takes_the_flag_and_judges_as_ever() -> None:
    """Its streams say themselves where they begin."""
    assert Replay("teams", head_missing=True).finish().verdict == "unchecked"


@pytest.mark.parametrize(
    ("end", "again", "rule", "key"),
    [
        (
            {"type": "TEXT_MESSAGE_END", "messageId": "a"},
            None,
            "AGUI-TXT-03",
            "TEXT_MESSAGE_END` at #0 closed",
        ),
        (
            {"type": "TEXT_MESSAGE_END", "messageId": "a"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "a", "delta": "x"},
            "AGUI-TXT-02",
            "TEXT_MESSAGE_END` at #0 closed",
        ),
        ({"type": "TOOL_CALL_END", **CALL}, None, "AGUI-TOL-03", "TOOL_CALL_END` at #0 closed"),
        ({"type": "STEP_FINISHED", "stepName": "a"}, None, "AGUI-STP-02", "STEP_FINISHED` at #0 finished"),
        ({"type": "SUBAGENT_FINISHED", **SUB}, None, "AGUI-SUB-04", "#0 ended"),
    ],
)
def test_an_item_that_began_before_the_recording_ends_once(
    end: dict[str, Any], again: dict[str, Any] | None, rule: str, key: str
) -> None:
    """What follows its end follows an end: nobody says that nothing had opened it."""
    report = judged([end, again or end, finished()], head_missing=True)
    assert [(f.rule, f.event, f.reason) for f in report.findings] == [(rule, 1, "own-end")]
    assert (
        f"Its beginning is not in the recording, and {'' if key[0] == '#' else '`'}{key} it."
        in report.findings[0].message
    )


def test_an_end_without_an_opener_in_a_run_that_is_whole_closed_nothing() -> None:
    """The run began in the recording, so the first end is a fault and the second follows from it."""
    end = {"type": "TEXT_MESSAGE_END", "messageId": "a"}
    report = judged([started(), end, end, finished()], head_missing=True)
    assert [(f.reason, f.cause) for f in report.findings] == [
        ("never-opened", None),
        ("never-opened", "AGUI-TXT-03@1"),
    ]
