"""Runs that report a failure: each message of theirs is told."""

from __future__ import annotations

import json
from typing import Any

from webapp.core import Finding, Replay


def failed(*messages: str, **more: Any) -> list[Finding]:
    replay = Replay("ag-ui")
    for number, message in enumerate(messages):
        start = {"type": "RUN_STARTED", "threadId": "t-1", "runId": f"r-{number}"}
        replay.feed(json.dumps(start).encode())
        replay.feed(json.dumps({"type": "RUN_ERROR", "message": message, **more}).encode())
    return replay.finish().findings


def test_two_runs_that_fail_differently_are_two_findings() -> None:
    """The second message is not lost behind the first."""
    assert [(f.event, f.message) for f in failed("rate limit", "timeout")] == [
        (1, "The agent reports that the run failed: `rate limit`."),
        (3, "The agent reports that the run failed: `timeout`."),
    ]


def test_runs_that_fail_alike_are_one_finding() -> None:
    """One defect, however often it strikes."""
    assert [(f.event, f.count) for f in failed("timeout", "timeout", "timeout")] == [(1, 3)]


def test_aborts_are_told_in_the_same_way() -> None:
    """A code `abort` is another rule with the same messages."""
    found = failed("stopped by user", "page closed", code="abort")
    assert [(f.rule, f.event) for f in found] == [("AGUI-RUN-18", 1), ("AGUI-RUN-18", 3)]


def test_failures_after_the_finish_are_told_one_by_one() -> None:
    """So does a `RUN_ERROR` that comes late."""
    replay = Replay("ag-ui")
    for run, message in (("r-1", "rate limit"), ("r-2", "timeout")):
        ids = {"threadId": "t-1", "runId": run}
        for event in (
            {"type": "RUN_STARTED", **ids},
            {"type": "RUN_FINISHED", **ids},
            {"type": "RUN_ERROR", "message": message},
        ):
            replay.feed(json.dumps(event).encode())
    assert [(f.rule, f.event) for f in replay.finish().findings] == [("AGUI-RUN-05", 2), ("AGUI-RUN-05", 5)]
