"""Calls whose answers are not in the recording, or never came: nothing is told as if Teams had said it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.views.teams.conftest import Open, Tell

NULL = """
+0.0 streaming 1 "Hello" -> lost
+1.6 streaming 2 "World" @S -> lost
"""
GIVEN_UP = """
+0.0 streaming 1 "Hello" {"call": {"took": 5}} -> lost
+6.6 streaming 1 "Hello" {"call": {"took": 5}} -> lost
"""
PARTLY = """
+0.0 streaming 1 "Hello" -> 201 S
+1.6 streaming 2 "World" @S {"call": {"took": 5}} -> lost
"""


def told(banner: Any) -> str:
    return " ".join((banner.meta, banner.headline, banner.why, banner.saw, banner.found))


@pytest.mark.parametrize("script", [NULL, GIVEN_UP, PARTLY])
def test_nothing_is_confirmed_or_refused_by_answers_that_are_not_there(
    tell: Tell, look: Open, script: str
) -> None:
    """Neither in the line beside the name nor in the sentences below it."""
    said = told(look(tell(script)).banner)
    assert "confirmed" not in said
    assert "Teams refused" not in said
    assert "no bubble ever appeared" not in said


def test_of_calls_that_got_no_answer_nobody_knows_what_was_shown(tell: Tell, look: Open, page: Any) -> None:
    """The banner and the chat say so, instead of an empty chat told as a fact."""
    id_ = tell(GIVEN_UP)
    banner = look(id_).banner
    assert banner.meta.endswith(" · no answers recorded: predicted")
    assert banner.saw.startswith("Nothing that an answer shows: none came.")
    assert "nobody knows: no answer came" in banner.saw
    chat = page(id_, panel="conversation")
    assert "no answer came: nobody knows whether it was shown" in chat
    assert "nothing of it reached the chat" not in chat


def test_of_calls_whose_answers_were_not_recorded_it_is_said_too(tell: Tell, look: Open, page: Any) -> None:
    """Null in the place of every answer is no loss: the recorder kept none."""
    id_ = tell(NULL)
    assert look(id_).banner.saw == (
        "Nothing that an answer shows: none was recorded. "
        "Whether what was sent in #1 and 1 earlier exchange appeared, nobody knows: no answer was recorded."
    )
    chat = page(id_, panel="conversation")
    assert "no answer was recorded: nobody knows whether it was shown" in chat
    assert "which Teams would refuse" not in chat


def test_a_recording_with_one_missing_answer_says_that_one_is_missing(tell: Tell, look: Open) -> None:
    """What was answered is shown as acknowledged; the call without an answer stands beside it."""
    banner = look(tell(PARTLY)).banner
    assert banner.meta.endswith(" · some calls got no answer")
    assert banner.saw.startswith("“Hello”")
    assert "nobody knows: no answer came" in banner.saw
