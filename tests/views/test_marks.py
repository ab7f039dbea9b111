"""The engine's two marks become links and code; nothing else becomes markup."""

from __future__ import annotations

import pytest

from webapp.views.marks import marks, plain
from webapp.views.selection import Selection

SEL = Selection(base="/traces/abc", panel="timeline", start=7)


def test_a_number_links_to_its_record_in_the_same_panel() -> None:
    """The link keeps the panel and lets the window move."""
    assert marks("at #12.", SEL) == 'at <a class="n" href="/traces/abc?panel=timeline&amp;event=12">#12</a>.'


def test_a_derived_number_links_to_the_record_that_caused_it() -> None:
    """#205a shows its letter and leads to 205."""
    assert 'event=205">#205a</a>' in marks("by #205a", SEL)


@pytest.mark.parametrize("text", ["issue#12", "&#12;", "/#12", "#", "#x", "##"])
def test_what_only_looks_like_a_number_stays_text(text: str) -> None:
    """A number mark stands alone."""
    assert "<a" not in marks(text, SEL)


def test_an_event_type_in_backticks_has_its_prefix_muted() -> None:
    """The verb is what a reader looks for."""
    assert marks("`TOOL_CALL_END`", SEL) == '<code class="ty"><i>TOOL_CALL_</i>END</code>'


def test_words_in_backticks_are_code_and_keep_their_hashes() -> None:
    """An id that holds a number mark is no link."""
    assert marks("`a #5 b`", SEL) == "<code>a #5 b</code>"


@pytest.mark.parametrize("text", ["<b>#x</b>", "`<img src=x>`", '"><script>', "`a`<i>`b`"])
def test_hostile_text_is_escaped(text: str) -> None:
    """Whatever a trace says is shown, never obeyed."""
    out = marks(text, SEL)
    for tag in ("<b>", "<img", "<script", "<i>"):
        assert tag not in out


def test_a_headline_shortens_a_long_id_and_keeps_it_on_hover() -> None:
    """The middle is left out, the whole id is in the title."""
    uuid = "b3416474-d00a-4add-9dd9-4abd6bd8d8ed"
    assert marks(f"`{uuid}`", SEL, short=True) == f'<code title="{uuid}">b3416…d8ed</code>'
    assert uuid in marks(f"`{uuid}`", SEL)


def test_nothing_gives_nothing() -> None:
    """A missing text is empty, and titles lose their backticks."""
    assert marks(None, SEL) == ""
    assert plain("the `x`") == "the x"
