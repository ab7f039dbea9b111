"""A text is folded to what a reader takes it for, and each place in it is found again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.redact.folding import Folded

SPELT = ["\\u0040", "\\\\u0040", "\\x40", "\\u{40}", "&#64;", "&#x40;", "&#64", "&commat;", "%40", "%2540", "&amp;#64;",
         "\uff20", "\ufe6b", "\u200b@", "\\u005cu0040"]  # fmt: skip


@pytest.mark.parametrize("at", SPELT)
def test_each_spelling_of_a_sign_is_that_sign(at: str) -> None:
    """In JSON, in HTML, in addresses, in wide letters, with something invisible in front, one in the other."""
    folded = Folded(f"a {at}b")
    assert folded.text == "a @b"
    start, end = folded.back(2), folded.back(3)
    assert f"a {at}b"[:start].rstrip("\u200b") == "a "
    assert f"a {at}b"[end:] == "b"


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("\uff10\uff11\u0663\U0001d7ce", "0130"),
        ("\\ud835\\udfce", "0"),
        ("+49\u2011171\u00a0555\u20131", "+49-171 555-1"),
        ("a\\n\\tb\\/c", "a  b/c"),
        ("example\u3002com", "example.com"),
        ("größer & 100 % of a&b; \\q \\u12", "größer & 100 % of a&b; \\q \\u12"),
    ],
)
def test_digits_dashes_and_blanks_are_plain_ones(text: str, folded: str) -> None:
    """What is no spelling of anything stays."""
    assert Folded(text).text == folded


@given(st.lists(st.sampled_from([*SPELT, "a", " ", "é", "…", "\\n", "\\", "&", "%", "\ufb01"]), max_size=12))
def test_places_go_back_in_order_from_start_to_end(pieces: list[str]) -> None:
    """None is lost, none stands before another."""
    text = "".join(pieces)
    folded = Folded(text)
    back = [folded.back(place) for place in range(len(folded.text) + 1)]
    assert back == sorted(back)
    assert back[-1] == len(text)
    assert folded.is_same_length == (back == list(range(len(text) + 1)))
