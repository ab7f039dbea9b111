"""The filter box and the selection are one thing said two ways."""

from __future__ import annotations

import pytest

from webapp.storage.models import LaneRow, Trace
from webapp.views import filters
from webapp.views.page import PageContext
from webapp.views.selection import Selection, parse

BASE = "/traces/abc"


@pytest.mark.parametrize(
    ("box", "shown"),
    [
        ("type:args item:call_p0 Oslo", "type:args item:call_p0 Oslo"),
        ("Oslo type:args", "type:args Oslo"),
        ('item:"a b" "two words"', 'item:"a b" "two words"'),
        ("http://x", "http://x"),
        ("type:", "type:"),
        ("", ""),
    ],
)
def test_what_is_typed_is_what_is_shown(box: str, shown: str) -> None:
    """Words with a colon go to their place, the rest stays text."""
    assert filters.compose(filters.split(Selection(BASE, q=box))) == shown


def test_a_type_is_meant_by_any_part_of_its_name() -> None:
    """`args` is enough; an unknown word is looked for as it is."""
    assert filters.types("args") == ("TOOL_CALL_ARGS",)
    assert filters.types("run_error") == ("RUN_ERROR",)
    assert "STATE_DELTA" in filters.types("delta")
    assert filters.types("MY_TYPE") == ("MY_TYPE",)


def test_a_lane_is_meant_by_tag_or_name() -> None:
    """The parent has a name too; an unknown lane matches nothing."""
    lanes = {0: LaneRow(ord=0, tag=None, name=""), 1: LaneRow(ord=1, tag="sub-1", name="Writer")}
    page = PageContext(Trace(records=9), 0, lanes)
    assert filters.lane("parent", page) == 0
    assert filters.lane("writer", page) == 1
    assert filters.lane("sub-1", page) == 1
    assert filters.lane("nobody", page) == -1
    assert filters.lane("", page) is None


def test_a_filtered_list_is_not_folded_as_well() -> None:
    """A filter shows records; a fold would hide the matching ones."""
    page = PageContext(Trace(records=9), 0, {})
    assert filters.wanted(Selection(BASE), page).heads
    assert not filters.wanted(Selection(BASE, q="x"), page).heads


def test_a_url_is_read_as_it_was_written() -> None:
    """parse(href()) gives the same view back."""
    sel = Selection(BASE, panel="timeline", event=12, start=3, q="a b", hits=True, fold=False, a=1.5, b=2.25)
    query = dict(pair.split("=") for pair in sel.href().partition("?")[2].replace("+", " ").split("&"))
    assert parse(BASE, query) == sel


@pytest.mark.parametrize("text", ["", "x", "-1", "1.5", "1e3", "99999999999", "١٢"])
def test_a_number_that_is_none_is_left_out(text: str) -> None:
    """Nonsense in the address is ignored, not an error."""
    chosen = parse(BASE, {"event": text, "a": "inf", "b": "nan"})
    assert chosen.a is None
    assert chosen.b is None
    assert chosen.event in (None, 12)
