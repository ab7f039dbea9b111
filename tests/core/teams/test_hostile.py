"""Numbers, ids and amounts that no service would send: nothing raises, nothing is told wrongly."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.core.teams.script import judge, lines
from webapp.core import Replay, Report
from webapp.core.teams.times import seconds

GOOD = """
+0.0  informative 1 "Reading…" -> 201 S
+1.6  streaming 2 "You have" @S -> 202
+3.2  final "You have 12." @S -> 202
"""


def _judged(records: list[dict[str, Any]]) -> Report:
    replay = Replay("teams")
    for record in records:
        replay.feed(json.dumps(record).encode())
    return replay.finish()


@pytest.mark.parametrize("at", [-1e308, 1e308, 1e300, 1788249600000.0, -1e13])
def test_a_time_that_is_none_in_seconds_is_no_time(at: float) -> None:
    """Milliseconds since 1970, and numbers whose differences overflow, judge no pace and no time limit."""
    records = [json.loads(line) for line in lines(GOOD)]
    records[0]["at"] = at
    assert _judged(records).findings == []
    records = [{**record, "at": record["at"] + at} for record in records]
    assert _judged(records).findings == []


@pytest.mark.parametrize(
    ("value", "told"), [(1.5, 1.5), (-3, -3.0), (2e11, 2e11), (1e12, None), (-1e12, None)]
)
def test_seconds_have_a_bound(value: float, told: float | None) -> None:
    """The year 9999 is inside it, the milliseconds of today are not."""
    assert seconds(value) == told


@pytest.mark.parametrize("many", [5, 80, 400])
def test_a_reply_started_again_and_again_is_one_finding(many: int) -> None:
    """However many bubbles, and whichever are still looked back at: one 014, and the newest bubble's end."""
    text = "\n".join(
        f'+{place * 1.4:.1f} streaming 1 "Hello{" x" * place}" -> 201 S{place}' for place in range(many)
    )
    found = judge(text).findings
    assert [(f.rule, f.event, f.count) for f in found] == [
        ("TEAMS-014", 1, many - 1),
        ("TEAMS-030", many - 1, 1),
    ]


def test_an_id_that_is_given_out_once_more_names_the_newer_stream() -> None:
    """A stand-in of the service that answers every start alike: the second stream is one of its own."""
    again = GOOD.replace("+0.0", "+10.0").replace("+1.6", "+11.6").replace("+3.2", "+13.2")
    report = judge(GOOD + again)
    assert report.findings == []
    assert [run.outcome for run in report.runs] == ["finished", "finished"]


def test_a_refusal_that_nothing_explains_leaves_a_note() -> None:
    """Teams answered 400 and the recording does not show why: at least the end that is missing is told."""
    text = (
        GOOD.splitlines()[1]
        + """
+1.6  streaming 2 "You have" @S -> 400 {"error": {"code": "BadRequest", "message": "Bad request"}}
"""
    )
    report = judge(text)
    assert [(f.rule, f.severity, f.event) for f in report.findings] == [("TEAMS-030", "info", 1)]
    assert [run.outcome for run in report.runs] == ["refused"]


def test_names_of_members_are_quoted_as_any_other_word() -> None:
    """A member's name with marks, control characters or half a character stays inside its quotes."""
    name = "te`#3`\x00\ud83d " + "x" * 500
    records = [json.loads(line) for line in lines(GOOD)]
    records[0]["request"][name + " "] = 1
    (found,) = (f for f in _judged(records).findings if f.rule == "TEAMS-006")
    assert found.message.encode()
    assert "\x00" not in found.message
    assert "x" * 100 not in found.message
    assert found.message.count("`") == 4
