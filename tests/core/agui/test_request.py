"""The recorded request and its echo: what they seed, what they make judgeable, what they never change."""

from __future__ import annotations

import json
from typing import Any

from webapp.core import Replay, Report

START = {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"}
REQUEST: dict[str, Any] = {"threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0", "messages": []}


def judged(request: dict[str, Any] | None, *events: dict[str, Any]) -> tuple[Report, Replay]:
    replay = Replay("ag-ui", request)
    for event in events:
        replay.feed(json.dumps(event).encode())
    return replay.finish(), replay


def rules(report: Report) -> list[str]:
    return [finding.rule for finding in report.findings]


def skipped(report: Report) -> set[str]:
    return {skip.rule for skip in report.skipped_rules}


def test_a_request_seeds_messages_and_state() -> None:
    """What the application held before the run is what the run builds on."""
    user = {"id": "u-1", "role": "user", "content": "Hello"}
    _, replay = judged({**REQUEST, "messages": [user], "state": {"step": 1}}, START, FINISH)
    assert replay.messages() == [user]
    assert replay.state() == {"step": 1}


def test_unknown_members_do_not_spoil_a_request() -> None:
    """A field of some framework is left out, and the rest is used."""
    user = {"id": "u-1", "role": "user", "content": "Hello", "createdAt": 7}
    report, replay = judged({**REQUEST, "messages": [user], "config": {}}, START, FINISH)
    assert [message["id"] for message in replay.messages()] == ["u-1"]
    assert "AGUI-INP-01" not in rules(report)


def test_a_malformed_request_is_a_note_and_changes_no_verdict() -> None:
    """The application's fault is told under the request; the stream stays what it is."""
    report, _ = judged({**REQUEST, "messages": [{"id": 7, "role": "user", "content": "Hi"}]}, START, FINISH)
    (finding,) = report.findings
    assert (finding.rule, finding.severity, finding.event) == ("AGUI-INP-01", "info", 0)
    assert "`messages[0].id` is a number" in finding.message
    assert report.verdict == "conformant"


def test_a_hostile_request_is_survived() -> None:
    """Neither depth nor strange values stop the replay."""
    deep: Any = 1
    for _ in range(5_000):
        deep = [deep]
    for request in ({}, {"messages": None}, {**REQUEST, "state": deep}, {**REQUEST, "messages": [[], 1, {}]}):
        report, _ = judged(request, START, FINISH)
        assert report.rejected_at is None


def test_retired_shapes_of_a_request_are_read_as_in_an_echo() -> None:
    """A `binary` part of an old history becomes the part it stands for."""
    part = {"type": "binary", "mimeType": "image/png", "url": "https://example.com/a.png"}
    _, replay = judged(
        {**REQUEST, "messages": [{"id": "u-1", "role": "user", "content": [part]}]}, START, FINISH
    )
    assert replay.messages()[0]["content"][0]["type"] == "image"


def test_the_request_itself_stays_as_it_was() -> None:
    """Reading it changes nothing of the caller's."""
    request = {
        **REQUEST,
        "messages": [{"id": "u-1", "role": "user", "content": "Hi", "x": 1}],
        "forwardedProps": None,
    }
    before = json.dumps(request)
    judged(request, START, FINISH)
    assert json.dumps(request) == before


def test_a_request_no_run_answers_is_judged_all_the_same() -> None:
    """Other ids in the stream are a finding of their own and do not hide the request's faults."""
    report, _ = judged(
        {**REQUEST, "runId": "r-9", "protocolVersion": None} | {"protocolVersion": "1.0"}, START, FINISH
    )
    assert rules(report) == ["AGUI-RUN-10"]
    asked = {"threadId": "t-1", "runId": "r-9", "messages": []}
    assert rules(judged(asked, START, FINISH)[0]) == ["AGUI-RUN-10", "AGUI-INP-04"]


def test_an_application_that_asked_is_compared_with_the_run_it_asked_for() -> None:
    """In a replay of two runs the request belongs to the last; the tools of the first are not known."""
    request = {**REQUEST, "runId": "r-2", "tools": [{"name": "pick_date", "description": "Asks for a date"}]}
    call = [
        {"type": "TOOL_CALL_START", "toolCallId": "call-1", "toolCallName": "pick_date"},
        {"type": "TOOL_CALL_END", "toolCallId": "call-1"},
        {"type": "TOOL_CALL_RESULT", "messageId": "m-1", "toolCallId": "call-1", "content": "2030"},
    ]
    second = [{**START, "runId": "r-2"}, {**FINISH, "runId": "r-2"}]
    assert rules(judged(request, START, *call, FINISH, *second)[0]) == []
    assert rules(judged(request, START, FINISH, second[0], *call, second[1])[0]) == ["AGUI-TOL-14"]


def test_rules_about_the_request_are_skipped_without_one() -> None:
    """What was asked is not known, so nothing about it fires or passes."""
    report, _ = judged(None, START, FINISH)
    needed = {"AGUI-RUN-10", "AGUI-RUN-17", "AGUI-TOL-14", "AGUI-TOL-15", "AGUI-TOL-19", "AGUI-INT-06"}
    needed |= {f"AGUI-INP-0{number}" for number in range(1, 9)} | {f"AGUI-INT-{n:02}" for n in range(7, 13)}
    assert needed <= skipped(report)


def test_an_echo_makes_the_request_known() -> None:
    """The input repeated in `RUN_STARTED` serves where the request itself is not recorded."""
    report, _ = judged(None, {**START, "input": REQUEST}, FINISH)
    assert not {"AGUI-TOL-14", "AGUI-TOL-19", "AGUI-INT-06", "AGUI-INP-02", "AGUI-RUN-17"} & skipped(report)
    assert {"AGUI-INP-05", "AGUI-INP-06", "AGUI-INT-07"} <= skipped(report)


def test_a_later_run_with_its_input_can_be_compared() -> None:
    """Rules across runs are judged once a second run tells what it was asked."""
    second = {**START, "runId": "r-2", "input": {**REQUEST, "runId": "r-2"}}
    report, _ = judged(None, START, FINISH, second, {**FINISH, "runId": "r-2"})
    assert not {"AGUI-INP-05", "AGUI-INP-06", "AGUI-INT-07"} & skipped(report)


def test_a_rejected_run_is_not_judged_at_its_end() -> None:
    """A client never gets that far; the report says so instead of passing the rules."""
    report, _ = judged(REQUEST, START, {"type": "TEXT_MESSAGE_END", "messageId": "m-1"}, FINISH)
    reasons = {skip.rule: skip.reason for skip in report.skipped_rules}
    assert reasons["AGUI-TOL-16"] == "A client stops at #1, so the end of the run is not judged."


def test_a_recording_that_starts_in_the_middle_is_not_judged_at_its_end() -> None:
    """Calls made before the recording began are not known, so a list of pending ones cannot be wrong."""
    finish = {**FINISH, "outcome": {"type": "success", "pendingToolCallIds": ["call-1"]}}
    report, _ = judged(
        None, {"type": "STEP_STARTED", "stepName": "a"}, {"type": "STEP_FINISHED", "stepName": "a"}, finish
    )
    assert "AGUI-TOL-16" not in rules(report)
    assert "AGUI-TOL-16" in skipped(report)


def test_a_rule_that_fired_is_not_skipped() -> None:
    """A rule is found, passed or skipped, never two of these."""
    report, _ = judged({"threadId": "t-1", "runId": "r-1"}, START, FINISH)
    assert "AGUI-INP-01" in rules(report)
    assert not {finding.rule for finding in report.findings} & skipped(report)


def test_the_version_a_trace_needs_is_told() -> None:
    """What it declares is one thing, what it uses another."""
    assert judged(None, START, FINISH)[0].version_used is None
    assert judged(None, START, {**FINISH, "outcome": {"type": "success"}})[0].version_used == "1.0"
    value = {"type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": "m-1", "encryptedValue": "x",
             "encryptedValueType": "openai.reasoning"}  # fmt: skip
    assert judged(None, START, value, FINISH)[0].version_used == "1.1"
