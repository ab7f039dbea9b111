"""Text from decoded JSON becomes text a database takes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webapp.storage.storable import storable


def test_ordinary_text_is_itself() -> None:
    """Any script, and the very same object: nothing is copied."""
    text = "안녕 مرحبا 👩‍👩‍👧 plain"
    assert storable(text) is text


def test_what_no_database_takes_is_replaced() -> None:
    """NUL by its picture, a lone surrogate by the replacement character."""
    assert storable("a\0b") == "a\u2400b"
    assert storable("x\ud83d") == "x\ufffd"
    assert storable("\ude00\ud83d") == "\ufffd\ufffd"


def test_two_halves_that_met_are_the_character() -> None:
    """An emoji split over two deltas is whole once they are joined."""
    assert storable("\ud83d" + "\ude00") == "😀"


@given(st.text(st.characters()))
def test_anything_can_be_stored(text: str) -> None:
    """Whatever goes in, UTF-8 without NUL comes out."""
    assert b"\0" not in storable(text).encode()
