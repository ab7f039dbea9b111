"""Calls without a recorded body: what their answers and their pace prove, and nothing more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webapp.core import Replay, Report
from webapp.core.teams.answers import BY_KEY

URL = "https://smba.trafficmanager.net/amer/v3/conversations/a%3A1zz/activities"


def call(at: float, key: str | None = None, status: int = 202, **more: Any) -> dict[str, Any]:
    """A call of a log; key: of the answer that refused it."""
    row = BY_KEY.get(key or "")
    body = None if row is None else {"error": {"code": row.code, "message": row.message}}
    answer = {"status": status if row is None else row.status, "body": body}
    return {"at": at, "method": "POST", "url": URL, "request": None, "response": answer, **more}


def judged(*calls: dict[str, Any]) -> Report:
    replay = Replay("teams")
    for each in calls:
        replay.feed(json.dumps(each).encode())
    return replay.finish()


def keys(report: Report) -> list[str]:
    return [finding.key for finding in report.findings]


def test_calls_at_a_good_pace_prove_nothing_wrong():
    """Taken calls, a second and more apart."""
    assert keys(judged(call(0, status=201), call(1.6), call(3.2))) == []


@pytest.mark.parametrize(
    ("key", "rule"),
    [
        ("E403-PREFIX", "TEAMS-020"),
        ("E403-TIME", "TEAMS-041"),
        ("E403-DONE", "TEAMS-031"),
        ("E400-TEXT", "TEAMS-007"),
        ("E400-SYNTAX", "TEAMS-005"),
        ("E403-OFF", "TEAMS-047"),
        ("E413", "TEAMS-048"),
    ],
)
def test_a_refusal_that_has_one_meaning_is_its_rule(key, rule):
    """The service says what was wrong, so the body need not."""
    report = judged(call(0, status=201), call(2, key))
    assert keys(report) == [f"{rule}@1"]
    assert report.rejected_at == 1


def test_the_first_stop_is_no_fault_and_the_second_is():
    """After the user's Stop nothing more may be sent."""
    assert keys(judged(call(0), call(2, "E403-STOP"))) == []
    report = judged(call(0), call(2, "E403-STOP"), call(4, "E403-STOP"))
    assert keys(report) == ["TEAMS-044@2"]
    assert report.rejected_at == 2


def test_going_on_after_the_limit_follows_from_it():
    """041 at the first, 042 at the second, which it explains."""
    report = judged(call(0), call(130, "E403-TIME"), call(132, "E403-TIME"))
    assert keys(report) == ["TEAMS-041@1", "TEAMS-042@2"]
    assert report.findings[1].cause == "TEAMS-041@1"


def test_a_403_without_words_is_unknown():
    """It may be anything: an info, no error."""
    [finding] = judged(call(0, status=403)).findings
    assert (finding.rule, finding.severity) == ("TEAMS-052", "info")


def test_pace_is_judged_between_streaming_calls_only():
    """202 is what only streaming calls are answered; 201 may be any message."""
    assert keys(judged(call(0), call(0.4))) == ["TEAMS-037@1"]
    assert keys(judged(call(0, status=201), call(0.4))) == []
    assert keys(judged(call(0), call(0.4, status=201))) == []


def test_a_429_is_an_error_of_pace():
    """The service counted for us."""
    [finding] = [each for each in judged(call(0), call(2, "E429")).findings if each.rule == "TEAMS-037"]
    assert (finding.event, finding.severity) == (1, "error")


def test_other_methods_and_addresses_are_left_alone():
    """An edit, and a call that is no activity."""
    edit = call(0.3, method="PUT", url=f"{URL}/1")
    other = call(0.6, "E403-PREFIX", url="https://smba.trafficmanager.net/amer/v3/attachments")
    assert keys(judged(call(0), edit, other)) == []
