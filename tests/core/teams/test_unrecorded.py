"""Exchange lines whose answer is `null`: lost where the recording shows answers, else not recorded."""

from __future__ import annotations

import json
from typing import Any

from tests.core.teams.script import records
from webapp.core import Replay, Report

GOOD = """
+0.0 informative 1 "Reading…" -> 201 S
+1.6 streaming 2 "You have" @S -> 202
+3.2 streaming 3 "You have 12" @S -> 202
+4.8 final "You have 12 days." @S -> 202
"""


def replayed(script: str, answer: dict[str, Any], since: int = 0) -> tuple[Replay, Report, list[str]]:
    """The script with `answer` laid over its calls, from one of them on."""
    replay = Replay("teams")
    reached = []
    for number, record in enumerate(records(script)):
        laid = {**record, **answer} if number >= since else record
        reached.append(replay.feed(json.dumps(laid).encode()).reached)
    return replay, replay.finish(), reached


NULL: dict[str, Any] = {"response": None, "took": None}


def test_null_throughout_is_one_stream_of_which_no_answer_is_known() -> None:
    """The same as if `response` were left out: one stream, nothing confirmed, rules about answers not judged."""
    replay, report, reached = replayed(GOOD, NULL)
    assert [(run.run_id, run.outcome, run.first, run.last) for run in report.runs] == [
        ("S", "finished", 0, 3)
    ]
    assert reached == ["sent"] * 4
    assert report.findings == []
    reasons = {skipped.rule: skipped.reason for skipped in report.skipped_rules}
    assert reasons["TEAMS-051"] == "The recording holds no answers of the service."
    assert [message["content"] for message in replay.messages()] == ["You have 12 days."]


def test_what_is_found_without_answers_is_predicted() -> None:
    """A text that does not go on is found, and no answer is claimed for it."""
    _, report, _ = replayed(GOOD.replace('"You have 12"', '" 12"'), NULL)
    assert [(f.key, f.basis) for f in report.findings] == [("TEAMS-020@2", "predicted")]
    assert "answer" not in report.findings[0].message


def test_the_two_minutes_run_from_a_start_without_a_recorded_answer() -> None:
    """Its answer's time is not known, that of the request is."""
    _, report, _ = replayed(GOOD.replace("+4.8", "+140.0"), NULL)
    assert [f.key for f in report.findings if f.rule == "TEAMS-041"] == ["TEAMS-041@3"]


def test_an_error_or_a_time_given_up_is_a_lost_answer() -> None:
    """The recorder saw that no answer came: the start may have failed, so the id is nobody's."""
    for answer in (
        {"response": None, "took": None, "error": "connection reset"},
        {"response": None, "took": 15.0},
    ):
        _, report, reached = replayed(GOOD, answer)
        assert reached == ["lost"] * 4
        assert len(report.runs) == 2


def test_after_a_recorded_answer_null_is_lost() -> None:
    """A recorder that writes answers down would have written this one."""
    _, report, reached = replayed(GOOD, NULL, since=2)
    assert reached == ["delivered", "delivered", "lost", "lost"]
    assert [run.outcome for run in report.runs] == ["open"]


def test_a_call_sent_again_got_no_answer() -> None:
    """Nobody repeats a call that was answered: it is a repetition, and no number said twice."""
    script = GOOD.replace("+4.8", '+4.4 streaming 3 "You have 12" @S -> 202\n+6.0')
    _, report, _ = replayed(script, NULL)
    assert [(f.key, f.severity) for f in report.findings] == [("TEAMS-054@3", "info")]
    assert report.findings[0].message.startswith("Chunk 3 is sent again after #2 has no recorded answer.")


def test_a_start_sent_again_is_not_told_of_as_lost_for_certain() -> None:
    """What was not recorded is said to be so, in 015 and in 016."""
    script = '+0.0 streaming 1 "You" -> 201 S\n+5.0 streaming 1 "You" -> 201 T\n'
    _, report, _ = replayed(script, NULL)
    assert [f.key for f in report.findings] == ["TEAMS-015@1"]
    assert report.findings[0].message.startswith("The start of #0 is sent again after no answer is recorded.")
    _, report, _ = replayed('+0.0 streaming 1 "You" -> 201 S\n+5.0 streaming 2 "You have" -> 201 T\n', NULL)
    (found,) = report.findings
    assert (found.key, found.basis) == ("TEAMS-016@1", "predicted")
    assert "The answer to the start, #0, is not recorded" in found.message


def test_answers_that_begin_later_leave_one_stream() -> None:
    """The start's answer is not recorded, the others are: the id in use is that of the start."""
    replay = Replay("teams")
    for number, record in enumerate(records(GOOD)):
        replay.feed(json.dumps({**record, **NULL} if number == 0 else record).encode())
    report = replay.finish()
    assert [(run.run_id, run.outcome) for run in report.runs] == [("S", "finished")]
    assert report.findings == []
