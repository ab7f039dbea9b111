"""The payload laid out for reading."""

from __future__ import annotations

import json
import re

import pytest
from markupsafe import Markup

from webapp.views import raw


def text_of(shown: raw.Raw) -> str:
    return Markup(shown.html).striptags()


def test_tokens_stay_as_they_were_sent() -> None:
    """Numbers, escapes and double keys are not re-encoded."""
    shown = str(Markup(raw.pretty('{"a":1.0,"b":"\\u00f6","a":1e3}').html).unescape())
    assert "1.0" in shown
    assert "\\u00f6" in shown
    assert shown.count('"a":') == 2
    assert "1e3" in shown


def test_every_member_has_its_line() -> None:
    """Nesting is indented by two; empty brackets stay together."""
    shown = re.sub(r"<[^>]+>", "", str(raw.pretty('{"a":{"b":[1,{}]},"c":[]}').html)).replace("&#34;", '"')
    assert shown == '{\n  "a": {\n    "b": [\n      1,\n      {}\n    ]\n  },\n  "c": []\n}'
    assert json.loads(shown) == {"a": {"b": [1, {}]}, "c": []}


def test_the_culprit_is_marked_as_value_and_as_key() -> None:
    """Only equal strings are marked."""
    html = raw.pretty('{"id":"p0","p0x":"p","extra":1}', {"p0", "extra"}).html
    assert "<mark>&#34;p0&#34;</mark>" in html
    assert "<mark>&#34;extra&#34;:</mark>" in html
    assert html.count("<mark>") == 2


def test_markup_in_a_payload_stays_text() -> None:
    """Everything is escaped, JSON or not."""
    for text in ('{"a":"<script>"}', "<script>", '{"<b>":1}'):
        html = raw.pretty(text).html
        assert "<script" not in html
        assert "<b>" not in html


def test_a_large_payload_is_cut_and_says_so() -> None:
    """The page stays small whatever was sent."""
    shown = raw.pretty(json.dumps({"a": list(range(5000))}))
    assert shown.cut
    assert shown.html.count("\n") <= raw.MAX_LINES
    assert raw.pretty("x" * 100_000).cut
    assert not raw.pretty('{"a":1}').cut
    assert len(text_of(raw.pretty('{"a":"' + "x" * 50_000 + '"}'))) < 3_000


@pytest.mark.parametrize("unit", ['\\"', '"\\', '"', "\\\\"])
def test_a_string_that_does_not_end_is_read_once(unit: str) -> None:
    """A payload of quotes without their partners is laid out in one pass, like any other."""
    shown = raw.pretty('{"a":"' + unit * 25_000)
    assert text_of(shown).startswith('{ "a":')
    assert len(shown.html) < 20_000


def test_what_a_page_would_obey_is_shown_as_a_code() -> None:
    """Control characters and those that turn a line around; in a text that is no JSON, too."""
    assert text_of(raw.pretty('{"a":"x\u202ey\x1b"}')) == '{ "a": "x\\u202ey\\u001b" }'
    assert str(raw.pretty("x\u202ey\x1b").html) == "x\\u202ey\\u001b"
