"""The words of Teams pages: every kind, outcome and answer has one, and all pages take it from the same place."""

from __future__ import annotations

from webapp.core.findings import TEAMS_OUTCOMES
from webapp.core.records import AFTER, REACHED
from webapp.core.teams.answers import BY_KEY
from webapp.core.teams.exchanges import KINDS
from webapp.views.panels.chat import LOOKS as BUBBLE_LOOKS
from webapp.views.teams import ladder_words, pace, prefix_diff, words
from webapp.views.teams.words import ended


def test_every_kind_of_exchange_has_a_word() -> None:
    """A kind the engine knows is never shown by its name in the code."""
    assert set(words.KINDS) == set(words.SPELT) == set(KINDS)


def test_every_outcome_of_a_stream_has_words() -> None:
    """In the list of streams, on the Timeline and where the ladder ends."""
    assert set(words.OUTCOMES) == set(TEAMS_OUTCOMES) == set(ladder_words._ENDS)
    assert ended("edited") == "recovered by edit"
    assert ended("finished") == "finished"


def test_every_answer_has_a_few_words_beside_its_status() -> None:
    """Six kinds of 403 are told apart in a list."""
    assert set(words.ANSWERS) == set(BY_KEY)


def test_however_far_a_call_came_there_is_a_word_and_a_look() -> None:
    """Nothing comes after a rejection in Teams: its answers go on."""
    assert set(words.ANSWERED) == set(pace.LOOKS) == set(range(len(REACHED))) - {AFTER}


def test_every_state_of_a_bubble_has_a_word_and_a_look() -> None:
    """The Conversation shows it, the report tells it."""
    assert set(words.BUBBLES) == set(BUBBLE_LOOKS)


def test_every_kind_of_prefix_break_has_a_sentence() -> None:
    """Those that `core.teams.compare` tells apart."""
    assert set(prefix_diff.KINDS) == {"delta", "normalised", "stale", "moved", "rewritten", "changed"}
