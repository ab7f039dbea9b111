"""The element builder: everything escaped, nothing the content policy forbids, numbers short."""

from __future__ import annotations

import pytest

from webapp.draw import svg


def test_texts_and_attributes_are_escaped() -> None:
    """Markup in a trace stays text wherever it lands."""
    out = svg.el("text", '<script>"x"</script>', aria_label='"><script>')
    assert "<script>" not in out
    assert "&lt;script&gt;" in out


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (12, "12"),
        (12.0, "12"),
        (12.25, "12.2"),
        (-0.01, "0"),
        (float("nan"), "0"),
        (float("inf"), "10000000"),
    ],
)
def test_numbers_have_one_decimal_at_most(value: float, shown: str) -> None:
    """No exponent, no nan: a browser can place every mark."""
    assert svg.num(value) == shown


@pytest.mark.parametrize("name", ["style", "onclick"])
def test_no_inline_style_or_script_can_be_written(name: str) -> None:
    """The content policy would drop them silently, so the builder refuses them loudly."""
    with pytest.raises(ValueError, match="content security policy"):
        svg.el("g", **{name: "x"})


@pytest.mark.parametrize(
    "href", ["javascript:alert(1)", "//elsewhere.example/", "https://elsewhere.example/"]
)
def test_links_stay_on_the_site(href: str) -> None:
    """An address that came from a trace cannot become a link."""
    with pytest.raises(ValueError, match="stay on this site"):
        svg.link(href)


def test_characters_xml_cannot_hold_are_replaced() -> None:
    """A NUL or a lone surrogate would break the picture."""
    assert svg.el("text", "a\x00b\ud83d") == "<text>a\ufffdb\ufffd</text>"


def test_underscores_become_hyphens_and_absent_members_vanish() -> None:
    """`class_` is `class`, `text_anchor` is `text-anchor`, None is nothing."""
    assert svg.text(1, 2, "x", "end", class_="t-s", id=None) == (
        '<text x="1" y="2" text-anchor="end" class="t-s">x</text>'
    )
