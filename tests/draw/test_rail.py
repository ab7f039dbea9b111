"""The rail beside the event list and the life strip of the inspector."""

from __future__ import annotations

import re

from webapp.draw import life, rail
from webapp.draw.rail import Beat, Span


def test_a_line_is_solid_while_open_and_dotted_after() -> None:
    """Up to the closing record the line is solid; from there to the last word about the item it is dotted."""
    span = Span(1, "k-tool", 4, 6, 12)
    before, closing, after = rail.draw([span], [Beat(5, 1, "grew"), Beat(6, 1, "closed"), Beat(8)])
    assert 'class="k-tool ar"' in before
    assert "wait" not in before
    assert 'd="M10 0V12" class="k-tool ar"' in closing
    assert 'd="M10 12V24" class="k-tool wait"' in closing
    assert "ar" not in re.findall(r'class="k-tool (\w+)"', after)


def test_no_line_before_the_opening_and_none_after_the_end() -> None:
    """The opening row has no upper half, the last row no lower half, rows outside have nothing."""
    span = Span(1, "k-text", 4, 6, 6)
    outside, first, last, beyond = rail.draw(
        [span], [Beat(3), Beat(4, 1, "opened"), Beat(6, 1, "closed"), Beat(7)]
    )
    assert "0V12" not in first
    assert "12V24" in first
    assert "12V24" not in last
    assert "path" not in outside
    assert "path" not in beyond


def test_a_cross_stands_on_the_dotted_line_of_its_own_item() -> None:
    """What came for a closed item is a cross in that item's column."""
    spans = [Span(1, "k-tool", 4, 6, 18), Span(2, "k-tool", 7, 9, 16)]
    (row,) = rail.draw(spans, [Beat(13, 2, "wrong")])
    assert 'd="M21.5 8.5l7 7M28.5 8.5l-7 7" class="x"' in row


def test_a_column_is_free_again_after_its_item_ended() -> None:
    """Items that follow each other share a column, items that overlap do not."""
    placed = rail.columns([Span(1, "k", 0, 2, 2), Span(2, "k", 3, 5, 9), Span(3, "k", 4, 5, 5)])
    assert [c.index for c in placed] == [0, 0, 1]


def test_a_derived_end_frees_the_column_for_the_derived_start_after_it() -> None:
    """A derived row has a fraction, so END and START of one record do not overlap."""
    placed = rail.columns([Span(1, "k", 1, 20.5, 20.5), Span(2, "k", 20.75, 30, 30)])
    assert [c.index for c in placed] == [0, 0]


def test_beyond_six_columns_the_rest_is_counted() -> None:
    """Nine open items draw six lines and say +3."""
    (row,) = rail.draw([Span(i, "k-text", 0, 9, 9) for i in range(9)], [Beat(5)])
    assert row.count("12V24") == 6
    assert ">+3<" in row


def test_a_folded_row_covers_its_whole_range() -> None:
    """An item that ends inside a folded row has no line below it."""
    (row,) = rail.draw([Span(1, "k-text", 2, 300, 300)], [Beat(23, 1, "grew", to=350)])
    assert "0V12" in row
    assert "12V24" not in row


def test_equal_lines_of_a_row_are_one_element() -> None:
    """Six items of one kind need one path for their lines: the page's node limit depends on it."""
    (row,) = rail.draw([Span(i, "k-text", 0, 9, 9) for i in range(6)], [Beat(5)])
    assert row.count("<path") == 1


def _life() -> life.Life:
    moments = [
        life.Moment(4, "opened", "opens", "/t?event=4"),
        life.Moment(5, "grew", "arguments", "/t?event=5"),
        life.Moment(6, "closed", "its own END", "/t?event=6"),
        life.Moment(12, "wrong", "arguments", "/t?event=12"),
        life.Moment(18, "result", "result", "/t?event=18", gone=True),
    ]
    return life.Life("call_p0", "k-tool", moments)


def test_the_life_says_in_words_what_it_draws() -> None:
    """The alternative text tells every moment in order."""
    drawn = life.draw(_life())
    assert 'aria-label="Life of call_p0: opens at 4, arguments, its own END at 6' in drawn


def test_the_life_has_a_bar_while_open_and_a_cross_at_the_fault() -> None:
    """One bar from opening to closing, one cross, each labelled moment a link."""
    drawn = life.draw(_life())
    assert drawn.count('class="k-tool bar"') == 1
    assert drawn.count('class="x"') == 1
    assert drawn.count("<a ") == 4


def test_an_item_never_closed_is_open_to_the_edge() -> None:
    """Without a closing moment the bar reaches the right edge."""
    drawn = life.draw(
        life.Life(
            "m1", "k-text", [life.Moment(1, "opened", "opens", "/t"), life.Moment(9, "wrong", "END", "/t")]
        )
    )
    assert f'width="{life.WIDTH - 4}"' in drawn


def test_hostile_names_stay_text() -> None:
    """An id of markup is shown, not obeyed."""
    drawn = life.draw(life.Life("<script>x</script>", "k-text", _life().moments))
    assert "<script>" not in drawn
