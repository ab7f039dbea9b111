"""Rules a recording cannot show, and the reason in words."""

from __future__ import annotations

from tests.core.teams.script import judge
from webapp.core import Replay


def reasons(script: str) -> dict[str, str]:
    return {skipped.rule: skipped.reason for skipped in judge(script).skipped_rules}


def test_a_full_recording_skips_nothing() -> None:
    """With calls, answers, times and bodies every rule is judged."""
    assert reasons('+0.0 streaming 1 "You" -> 201 S\n+1.6 final "You." @S -> 202') == {}


def test_an_empty_recording_gives_no_list() -> None:
    """Where nothing was recorded there is nothing to explain rule by rule."""
    assert Replay("teams").finish().skipped_rules == []


def test_a_transcript_lacks_answers_and_calls() -> None:
    """Bare activities have no method, no address, no answer and no time of it."""
    told = reasons('+0.0 streaming 1 "You" {"id": "s1"} -> none\n+1.6 final "You." @s1 -> none')
    assert (
        told["TEAMS-010"]
        == "The recording holds activities, not the calls that carried them: no method and no address."
    )
    assert told["TEAMS-051"] == "The recording holds no answers of the service."
    assert told["TEAMS-035"] == "The recording does not say when the answers came."
    assert "TEAMS-020" not in told
    assert "TEAMS-037" not in told


def test_without_times_the_pace_is_not_judged() -> None:
    """The two minutes can still be read from an answer."""
    told = reasons('+0.0 streaming 1 "You" {"call": {"at": null}} -> 201 S')
    assert told["TEAMS-037"] == "The recording holds no times."
    assert "TEAMS-041" not in told


def test_a_rule_that_fired_is_not_listed() -> None:
    """What the service says makes up for a missing start."""
    told = reasons('+0.0 streaming 5 "You" @S -> 202\n+1.6 streaming 6 "You." @S -> E403-TIME')
    assert told["TEAMS-012"] == "The recording begins inside a stream; its start is missing."
    assert "TEAMS-041" not in told


def test_an_invented_id_is_no_missing_start() -> None:
    """A stream that began under an id of the agent's own was recorded from its beginning."""
    assert "TEAMS-012" not in reasons('+0.0 streaming 1 "You" @made-up -> E400-REQ')


def test_a_test_channel_and_masked_texts_have_their_sentences() -> None:
    """Both switch off rules; one Teams chat, or one readable stream, is enough to keep them."""
    told = reasons('+0.0 streaming 1 "You" {"channelId": "webchat"} -> 201 S')
    assert told["TEAMS-020"] == "The recording was made outside Teams, where this rule does not hold."
    masked = '+0.0 streaming 1 "***" -> 201 S\n+1.6 final "***" @S -> 202\n'
    assert reasons(masked)["TEAMS-020"] == "The texts are masked in this recording."
    assert reasons(masked + '+3.2 streaming 1 "You" -> 201 T\n+4.8 final "You." @T -> 202') == {}


def test_a_log_without_bodies_says_so() -> None:
    """Status and address alone leave most rules open."""
    told = reasons(
        '{"at": 0, "method": "POST", "url": "https://smba.trafficmanager.net/amer/v3/conversations/a:1/activities", '
        '"request": null, "response": {"status": 201, "body": null}, "took": 0.1}'
    )
    assert told["TEAMS-001"] == told["TEAMS-020"] == "The recording holds no request bodies."
