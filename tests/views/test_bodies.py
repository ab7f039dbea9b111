"""Texts of a conversation: whole characters, signs for odd ones, JSON laid out, long ones cut."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.views import bodies


@pytest.mark.parametrize("text", ["환불은 5일 안에", "مرحبا، نعم.", "👩🏽‍🚀 🇰🇷", "e\u0301 and\ttabs\nlines"])
def test_every_script_stays_as_it_is(text: str) -> None:
    """Nothing but markup is touched in ordinary text."""
    assert str(bodies.shown(text)) == text


def test_a_text_of_odd_characters_does_not_fill_the_page() -> None:
    """Only the first few signs have an element of their own."""
    html = str(bodies.shown("a\ud83d" * 2000))
    assert html.count("<span") == bodies.MAX_ODD
    assert html.count("\ufffd") == 2000


def test_a_pair_split_over_two_pieces_is_one_character() -> None:
    """Two halves that met are the character they spell."""
    assert str(bodies.body("\ud83d\ude00").head) == "😀"


def test_json_is_laid_out_when_whole_and_left_alone_when_not() -> None:
    """Arguments as far as they came keep every character; short ones stay on one line."""
    long = '{"question": "a long enough question about something", "count": 3, "deep": {"er": []}}'
    assert '\n  <span class="k">' in str(bodies.code(long).head)
    assert str(bodies.code('{"a":1}').head) == "{&#34;a&#34;:1}"
    broken = '{"cabin":"eco'
    assert str(bodies.code(broken).head) == "{&#34;cabin&#34;:&#34;eco"
    assert bodies.code(broken).code


def test_a_long_text_says_how_much_is_left_out() -> None:
    """Beginning, end and the count of the rest add up."""
    body = bodies.body("x" * 10_000, "/all")
    assert (len(body.head), len(body.tail), body.left) == (3_000, 1_000, 6_000)
    assert body.words == "6,000 characters left out"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("plain", ("plain", [])),
        (
            [{"type": "text", "text": "see"}, {"type": "binary", "mimeType": "image/png"}],
            ("see", ["image/png"]),
        ),
        (
            [{"type": "image", "source": {"mimeType": "image/gif"}}, 7, {}],
            ("", ["image/gif", "a part that is no text"]),
        ),
        (None, ("", [])),
    ],
)
def test_parts_of_a_message(content: Any, expected: tuple[str, list[str]]) -> None:
    """Text parts are text; the others are named by what they are."""
    assert bodies.parts(content) == expected


def test_a_result_is_read_even_when_its_payload_is_cut() -> None:
    """What came before the cut is shown, and half an escape is left out."""
    assert bodies.result('{"content": "all"}', True) == "all"
    assert (
        bodies.result('{"messageId":"x","content": "line\\nand \\u00e9 then \\u00', False)
        == "line\nand é then "
    )
    assert bodies.result("[1]", True) is None
    assert bodies.result("{", True) is None
