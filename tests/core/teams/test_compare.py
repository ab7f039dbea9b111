"""How two texts differ: the kinds that TEAMS-020 names, counted in UTF-16 code units."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.slices import examples
from webapp.core.teams.advice import REASONS as TEAMS_REASONS
from webapp.core.teams.compare import (
    Difference,
    difference,
    extends,
    from_unit,
    shared,
    shared_units,
    unit_at,
    units,
)

TEXTS = st.text(
    alphabet=st.sampled_from(["a", "b", " ", "*", "[", "1", "]", "&", "한", "😀", "\ud83d", "\ude80"]),
    max_size=12,
)
few = settings(max_examples=examples(60), deadline=None)

EXTENDS = [
    ("", ""),
    ("", "You"),
    ("You", "You"),
    ("You have", "You have 12"),
    ("Fine \ud83d", "Fine 😀 and"),
    ("Fine \ud83d", "Fine \ud83d and"),
    ("😀", "😀😁"),
]
BREAKS = [
    ("delta", "A brown", " fox jumps"),
    ("delta", "You have", "12 days"),
    ("delta", "안녕", "하세요"),
    ("normalised", "You have  12 ", "You have 12 days"),
    ("normalised", "You have ", "You have"),
    ("normalised", "a < b", "a &lt; b, so"),
    ("normalised", "a &amp; b", "a & b, so"),
    ("normalised", "**Total", "Total: 12"),
    ("normalised", "one\r\ntwo", "one\ntwo, three"),
    ("stale", "You have 12", "You have"),
    ("stale", "You have 12", ""),
    ("stale", "Fine 😀", "Fine \ud83d"),
    ("moved", "You have", "Answer: You have 12"),
    ("moved", "You", " You"),
    ("rewritten", "The report lists 12 items [doc1", "The report lists 12 items [1] and 7 "),
    ("rewritten", "It says so [", "It says so (1)"),
    ("rewritten", "It says so [doc1] and", "It says so [1] and more"),
    ("rewritten", "It says so 【4:0†", "It says so [1]."),
    ("changed", "The quarterly report", "The monthly report"),
    ("changed", "Let me check that.", "You have 12 days left."),
    ("changed", "The report lists", "Something went wrong."),
    ("changed", "Fine 😀", "Fine 😁"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), EXTENDS)
def test_a_text_that_begins_with_all_of_the_old_one_extends_it(old: str, new: str) -> None:
    """Nothing is said of it, halves of surrogate pairs included."""
    assert extends(old, new)
    assert difference(old, new) == Difference(
        kind=None, at=units(old), agree=units(old), old_units=units(old), new_units=units(new)
    )


@pytest.mark.parametrize(("kind", "old", "new"), BREAKS)
def test_a_break_is_told_by_its_kind(kind: str, old: str, new: str) -> None:
    """Each way of not extending has its word."""
    assert difference(old, new).kind == kind


def test_every_kind_is_a_reason_with_advice() -> None:
    """The kinds are the reasons the advice knows, and all of them occur."""
    assert {kind for kind, _, _ in BREAKS} == TEAMS_REASONS


def test_the_first_difference_is_counted_in_utf_16() -> None:
    """A character beyond the first plane counts twice, before the difference and in the totals."""
    found = difference("😀 ab", "😀 xb")
    assert (found.at, found.agree, found.old_units, found.new_units) == (3, 3, 5, 5)


def test_the_recorded_case_of_a_citation_mark() -> None:
    """The public sample: 27 of 31 characters agree, the 28th differs."""
    old, new = "The report lists 12 items [doc1", "The report lists 12 items [1] and 7 "
    found = difference(old, new)
    assert (found.at, found.agree, found.old_units) == (27, 27, 31)
    assert (unit_at(old, found.at), unit_at(new, found.at)) == ("d", "1")


def test_half_a_pair_in_common_counts_as_one_unit() -> None:
    """Two characters with the same first surrogate differ in their second half only."""
    assert shared_units("a😀", "a😁") == 2
    assert shared("a😀", "a😁") == 1


def test_a_unit_inside_a_pair_shows_the_whole_character() -> None:
    """No half of a pair is shown."""
    assert unit_at("a😀b", 1) == unit_at("a😀b", 2) == "😀"
    assert from_unit("a😀b", 2) == "😀b"
    assert from_unit("a😀b", 3) == "b"
    assert unit_at("a😀b", 4) == from_unit("ab", 2) == ""


def test_long_references_and_long_texts_do_no_harm() -> None:
    """A character reference of thousands of digits is no number, and a large text is compared quickly."""
    assert difference("&#" + "9" * 5000 + ";x", "y").kind is not None
    big = "a word " * 40_000
    assert difference(big, big[:-9] + "another end").at == units(big) - 9


@few
@given(TEXTS, TEXTS)
def test_kind_and_counts_agree(old: str, new: str) -> None:
    """A kind is given exactly where the old text is not extended; the place lies inside both texts."""
    found = difference(old, new)
    assert (found.kind is None) == extends(old, new)
    assert found.old_units == len(old.encode("utf-16-le", "surrogatepass")) // 2
    assert 0 <= found.at == found.agree <= found.old_units
    assert found.at <= found.new_units
    ours, theirs = (text.encode("utf-16-le", "surrogatepass") for text in (old, new))
    assert ours[: found.at * 2] == theirs[: found.at * 2]
    if found.kind is not None and found.at < min(found.old_units, found.new_units):
        assert ours[found.at * 2 : found.at * 2 + 2] != theirs[found.at * 2 : found.at * 2 + 2]


@few
@given(TEXTS, TEXTS)
def test_adding_always_extends(old: str, more: str) -> None:
    """A text with something behind it has no difference."""
    assert difference(old, old + more).kind is None
