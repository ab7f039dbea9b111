"""Where the service stops an agent, and what is no rejection."""

from __future__ import annotations

import pytest

from tests.core.teams.script import judge

START = '+0.0 streaming 1 "You have" -> 201 S\n'


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ('+1.6 streaming 2 " 12" @S -> E403-PREFIX', 1),
        ('+1.6 streaming 2 " 12" @S -> 400 {"error": {"code": "BadRequest", "message": "no"}}', 1),
        ('+1.6 streaming 2 " 12" @S -> E413', 1),
        # errors that the service did not refuse, or not for good
        ('+1.6 streaming 2 " 12" @S -> 202', None),
        ('+1.6 streaming 2 "You have 12" @S -> E202-ORDER', None),
        ('+0.2 streaming 2 "You have 12" @S -> E429', None),
        ('+1.6 streaming 2 " 12" @S -> E412', None),
        ('+1.6 streaming 2 " 12" @S -> E5XX', None),
        ('+1.6 streaming 2 " 12" @S -> 401 {"message": "no"}', None),
        # a Stop is no fault, even where the call it answers has one
        ('+1.6 streaming 2 " 12" @S -> E403-STOP', None),
        ('+1.6 streaming 2 "You have 12" @S -> E403-STOP\n+3.2 final "You have 12." @S -> E403-STOP', 2),
        # a refusal without an error finding
        ('+1.6 streaming 2 "You have 12" @S -> 403 ""', None),
        # saved by an edit, or not
        ('+1.6 final "You have 12." @S -> E403-TIME\n+3.2 edit "You have 12." @S -> 200', None),
        ('+1.6 final "You have 12." @S -> E403-TIME\n+3.2 edit "You have 12." @S -> E405', 1),
    ],
)
def test_the_first_refusal_with_an_error_is_the_rejection(lines: str, place: int | None) -> None:
    """Refused for a fault of the agent: 400, 403, 405, 413; nothing that passes, and no stream that was saved."""
    assert judge(START + lines).rejected_at == place


def test_an_edit_saves_its_own_stream_only() -> None:
    """Another stream's refusal stays a rejection."""
    script = """
    +0.0 streaming 1 "You have" -> 201 S
    +1.6 final "You have 12." @S -> E403-TIME
    +3.2 edit "You have 12." @S -> 200
    +5.0 streaming 1 "May" -> 201 T
    +6.6 streaming 2 " 1" @T -> E403-PREFIX
    """
    assert judge(script).rejected_at == 4


def test_without_answers_the_rule_tells() -> None:
    """A rule that the service is known to refuse rejects; one it lets pass does not."""
    start = '+0.0 streaming 1 "You have" {"id": "s1"} -> none\n'
    assert judge(start + '+1.6 streaming 2 " 12" @s1 -> none').rejected_at == 1
    assert judge(start + '+1.6 streaming 1 "You have 12" @s1 -> none').rejected_at is None
