"""Texts that come in pieces are looked at whole."""

from __future__ import annotations

from collections import Counter

import pytest

from webapp.redact.pieces import Growing, Pieces
from webapp.redact.texts import DOT, overwritten, places

TEXT = "Write to jane.doe@example.com or call +49 30 1234567 now."


@pytest.mark.parametrize("size", [1, 2, 7, 20, 100])
def test_pieces_joined_are_the_whole_redacted(size: int) -> None:
    """However the text is cut."""
    removed: Counter[str] = Counter()
    pieces = Pieces(removed)
    cut = [TEXT[at : at + size] for at in range(0, len(TEXT), size)]
    for piece in cut:
        pieces.add("m", piece)
    made = [pieces.take("m", piece) for piece in cut]
    assert "".join(map(str, made)) == overwritten(TEXT, places(TEXT), Counter())
    assert removed == {"e-mail addresses": 1, "phone numbers": 1}


def test_texts_of_several_items_are_not_mixed() -> None:
    """Their pieces may alternate."""
    pieces = Pieces(Counter())
    for key, piece in (("a", "jane@"), ("b", "x"), ("a", "example.com"), ("b", "y")):
        pieces.add(key, piece)
    assert [pieces.take(key, piece) for key, piece in (("a", "jane@"), ("b", "x"), ("a", "example.com"))] == [
        DOT * 5,
        "x",
        DOT * 11,
    ]


def test_beyond_the_bounds_nothing_is_handed_out() -> None:
    """The caller then marks the pieces whole; a smaller text that comes after has room again."""
    pieces = Pieces(Counter(), most=10, most_all=12)
    for key, piece in (("a", "12345"), ("b", "1234567"), ("b", "8901"), ("a", "x"), ("c", "1234567")):
        pieces.add(key, piece)
    assert [pieces.take(*each) for each in (("a", "12345"), ("b", "1234567"), ("c", "1234567"))] == [
        "12345",
        None,
        None if 12 - 6 < 7 else "1234567",
    ]


def test_a_piece_that_was_not_gathered_is_not_handed_out() -> None:
    """Nothing goes through that nobody has looked at."""
    pieces = Pieces(Counter())
    pieces.add("a", "12345")
    assert pieces.take("a", "other") is None
    assert pieces.take("b", "x") is None


def grown(*texts: str) -> list[str | None]:
    growing = Growing(Counter())
    for text in texts:
        growing.add("chat", text)
    return [growing.take("chat", text) for text in texts]


def test_half_an_address_in_an_early_text_is_overwritten() -> None:
    """Each chunk repeats the text so far."""
    assert grown("mail jane", "mail jane@exam", "mail jane@example.com now") == [
        f"mail {DOT * 4}",
        f"mail {DOT * 9}",
        f"mail {DOT * 16} now",
    ]


def test_texts_that_do_not_repeat_are_looked_at_side_by_side() -> None:
    """Some agents send the next piece only."""
    assert grown("mail jane@exa", "mple.com now") == [f"mail {DOT * 8}", f"{DOT * 8} now"]


def test_texts_of_two_chats_are_apart() -> None:
    """And a text that was not gathered is not handed out."""
    growing = Growing(Counter())
    for chat, text in (("a", "jane@"), ("b", "example.com x")):
        growing.add(chat, text)
    assert growing.take("a", "jane@") == DOT * 5
    assert growing.take("b", "example.com x") == "example.com x"
    assert growing.take("b", "more") is None


def test_too_much_text_is_not_handed_out() -> None:
    """The caller marks it whole."""
    growing = Growing(Counter(), most_all=10)
    growing.add("a", "123456789")
    assert growing.take("a", "123456789") is None
