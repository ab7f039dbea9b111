"""The ruler and the clock of a Teams stream as SVG."""

from __future__ import annotations

import re

from webapp.draw.axis import Scale
from webapp.draw.timeline import count_elements, draw
from webapp.draw.timeline_model import Call, Lane, Limit, Pace, Stretch, Timeline

SCALE = Scale(0, 20, (0, 20), time=True)


def track(pace: Pace | None = None, limit: Limit | None = None, scale: Scale = SCALE) -> str:
    return draw(Timeline(scale, (Lane(1, "stream", pace=pace, limit=limit),), "one stream")).track


def test_a_request_is_a_named_link_and_a_refused_one_wears_a_cross() -> None:
    """What was refused differs by shape, not by colour alone."""
    fine, bad = (
        Call(1, "fine", "chunk #0, accepted", "/t?event=0"),
        Call(2, "refused", "chunk #1, refused", "/t?event=1"),
    )
    svg = track(Pace((fine, bad)))
    assert 'aria-label="chunk #0, accepted"' in svg
    assert svg.count('href="#i-fatal"') == 1
    assert svg.index("chunk #1, refused") < svg.index('href="#i-fatal"')


def test_a_call_outside_the_window_is_not_drawn() -> None:
    """The ruler holds what is in view and no more."""
    svg = track(Pace((Call(50, "fine", "chunk #9", "/t?event=9"),)))
    assert "chunk #9" not in svg


def test_the_second_after_a_request_is_hatched_until_it_is_too_thin_to_see() -> None:
    """From afar a second is no more than a stroke, so the hatching goes."""
    pace = Pace((Call(1, "fine", "c", None),), soon=((1, 2),))
    assert "url(#tl-soon)" in track(pace)
    assert 'fill="url(#tl-soon)"' not in track(pace, scale=Scale(0, 5000, (0, 5000), time=True))


def test_a_silence_is_told_where_its_words_fit() -> None:
    """Too narrow for words it keeps its dots and its hover text."""
    quiet = Pace(
        (Call(1, "fine", "c", None),),
        silences=(Stretch(2, 18, "16 s without a call", "16 s without a call"),),
    )
    assert track(quiet).count("16 s without a call") == 2
    assert track(quiet, scale=Scale(0, 2000, (0, 2000), time=True)).count("16 s without a call") == 1


def test_the_clock_shows_its_end_only_when_that_is_in_view() -> None:
    """An end beyond the edge would be drawn in the wrong place."""
    limit = Limit(1, 5, 121, "1 min 56 s of two minutes left", "Two-minute clock")
    assert "pc-end" not in track(limit=limit)
    assert "pc-end" in track(limit=limit, scale=Scale(0, 150, (0, 150), time=True))


def test_a_clock_that_ran_over_is_marked_past_its_end() -> None:
    """What came too late is drawn behind the end, in the colour of errors and with words."""
    limit = Limit(0, 131, 120, "11 s past the two minutes", "Two-minute clock", over=True)
    svg = track(limit=limit, scale=Scale(0, 200, (0, 200), time=True))
    assert "pc-over" in svg
    assert "11 s past the two minutes" in svg


def test_hostile_words_are_escaped_and_no_style_is_written() -> None:
    """Titles come from recordings."""
    svg = track(Pace((Call(1, "fine", "<script>alert(1)</script>", "/t"),)))
    assert "<script>" not in svg
    assert not re.search(r"\sstyle=", svg)


def test_the_number_of_elements_follows_the_number_of_calls() -> None:
    """At most five elements a request: 160 of them stay far below the page's bound."""
    few, many = (Pace(tuple(Call(n / 10, "lost", "c", "/t") for n in range(size))) for size in (10, 110))
    assert count_elements(track(many)) - count_elements(track(few)) <= 5 * 100
