"""The timeline's drawing: rows that do not overlap, labels that fit, marks that are never hidden."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from webapp.draw import axis, layout, minimap
from webapp.draw.axis import TRACK, Cursor, Scale, seconds, ticks
from webapp.draw.minimap import Minimap, Piece, Strip
from webapp.draw.timeline import Drawing, count_elements, draw
from webapp.draw.timeline_lanes import bar_span, label, pin_span, place
from webapp.draw.timeline_model import Bar, Bracket, Column, Lane, Mark, Pin, Slice, Tick, Timeline

TIME = Scale(16.6, 31.8, (0, 31.8), time=True)
NUMBERS = Scale(0, 1304, (0, 1304))


def bar(key: int, x0: float, x1: float, name: str = "message", kind: str = "text") -> Bar:
    return Bar(key, kind, x0, x1, name, f"{name}, #{key}", f"/traces/x?event={key}")


OPEN = replace(bar(7, 22.5, 23.3, "fetch_fares", "tool"), until=31.5)


def drawn(*lanes: Lane, scale: Scale = TIME, **more: object) -> Drawing:
    return draw(Timeline(scale, lanes, "lanes", **more))  # type: ignore[arg-type]


def xml(markup: str) -> ElementTree.Element:
    return ElementTree.fromstring(markup)


def words(markup: str) -> list[str]:
    return ["".join(node.itertext()) for node in xml(markup).iter("text")]


# ── places ───────────────────────────────────────────────────


def test_bars_that_touch_in_time_take_different_rows() -> None:
    """Two bars on one row never cover each other, whatever the order they come in."""
    bars = tuple(bar(n, start, start + 3) for n, start in enumerate((17, 18, 19, 21, 22, 25)))
    [placed], _height = place((Lane(0, "parent", bars=bars),), TIME)
    for one, y in zip(bars, placed.bars, strict=True):
        for other, other_y in zip(bars, placed.bars, strict=True):
            if one is not other and y == other_y:
                a, b = bar_span(one, TIME), bar_span(other, TIME)
                assert a[1] <= b[0] or b[1] <= a[0]


def test_a_bar_right_after_another_stays_on_its_row() -> None:
    """A new row is taken only where it is needed."""
    [placed], _ = place((Lane(0, "parent", bars=(bar(0, 17, 20), bar(1, 20.1, 23))),), TIME)
    assert placed.bars[0] == placed.bars[1]


def test_a_crowded_lane_gets_slim_bars_and_says_what_found_no_room() -> None:
    """Sixteen rows are the most; the rest is counted, not lost in silence."""
    lane = Lane(0, "parent", bars=tuple(bar(n, 17, 30) for n in range(20)))
    [placed], _ = place((lane,), TIME)
    assert placed.bar < 20
    assert placed.left_out == 4
    assert drawn(lane).left_out == 4


def test_lanes_stand_below_each_other() -> None:
    """Each lane starts where the one before ends, and is tall enough for two lines of its head."""
    placed, height = place((Lane(0, "a", bars=(bar(0, 17, 18),)), Lane(1, "b"), Lane(2, "c")), TIME)
    for upper, lower in pairwise(placed):
        assert upper.y + upper.height <= lower.y
    assert placed[-1].y + placed[-1].height <= height
    assert min(p.height for p in placed) >= 48


def test_a_label_is_written_inside_only_where_it_fits() -> None:
    """Inside, or above the wait of a call; otherwise the hover text has it."""
    assert label(bar(0, 17, 25), TIME).where == "inside"  # type: ignore[union-attr]
    assert label(bar(0, 17, 17.1), TIME) is None
    waiting = replace(bar(0, 17, 17.1, "search", "tool"), result=25.0)
    assert label(waiting, TIME).where == "wait"  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["a" * 200, "안녕하세요 " * 30, "مرحبا بالعالم " * 20, "🙂👩‍👩‍👧‍👦" * 40])
def test_a_label_never_runs_out_of_its_bar(name: str) -> None:
    """Korean, Arabic and emoji are cut to what is there, as Latin is."""
    one = bar(0, 17, 22, name)
    found = label(one, TIME)
    assert found is not None
    assert found.left + layout.width(found.text, 11.5) <= TIME.px(one.x1)


def test_never_closed_is_said_even_where_the_hatching_is_short() -> None:
    """The words stand on the hatching, beside it when that is too short; they always stand."""
    short = replace(OPEN, x0=31.3, x1=31.4)
    for one in (OPEN, short, replace(OPEN, x0=16.6, x1=16.7, until=16.8)):
        found = label(one, TIME)
        assert found is not None
        assert found.text == "fetch_fares, never closed"
        assert found.left >= 0
        assert found.left + found.wide <= TRACK


def test_the_words_of_two_pins_do_not_cover_each_other() -> None:
    """Pins side by side take rows; at the right edge the words stand to the left."""
    pins = tuple(Pin(x, "error", "a finding", "t", "/x", f"#{n}") for n, x in enumerate((30, 30.5, 31, 31.5)))
    [placed], _ = place((Lane(0, "parent", pins=pins),), TIME)
    written = [(pin_span(p, TIME), y) for p, (y, shown) in zip(pins, placed.pins, strict=True) if shown]
    for span, y in written:
        assert span[0] >= 0
        assert span[1] <= TRACK
        assert not [
            s for s, other in written if other == y and s != span and s[0] < span[1] and span[0] < s[1]
        ]


# ── marks ────────────────────────────────────────────────────


def test_pins_without_room_do_not_cover_the_first_ones_words() -> None:
    """Where findings stand too close for all rows, they pile up on the last one."""
    first = Pin(18, "error", "a finding", "t", "/x", "#1")
    crowd = tuple(Pin(18.1 + n / 20, "error", "", "t", "/x") for n in range(60))
    placed, _ = place((Lane(0, "p", pins=(first, *crowd)),), TIME)
    at = [y for y, _ in placed[0].pins]
    left, right = pin_span(first, TIME)
    covered = [n for n, pin in enumerate(crowd, 1) if at[n] == at[0] and left < TIME.px(pin.x) < right]
    assert placed[0].pins[0][1]
    assert covered == []
    assert len(set(at)) > 1


def test_every_bar_and_pin_is_a_link_with_a_name() -> None:
    """What can be clicked says where it leads, to the ear as well."""
    lane = Lane(
        0,
        "parent",
        bars=(bar(1, 17, 20), OPEN),
        brackets=(Bracket("step", 17, 25, "step: plan", "step plan", "/s"),),
        states=(Tick(18, "state event #9", "/t"),),
        pins=(Pin(31, "fatal", "RUN_FINISHED", "Fatal at #1304", "/p", "#1304"),),
        marks=(Mark(23, "#903", "SUBAGENT_ERROR", "ended in error", "/m", "error"),),
    )
    links = list(xml(drawn(lane).track).iter("a"))
    assert {a.get("href") for a in links} == {
        "/traces/x?event=1", "/traces/x?event=7", "/s", "/t", "/p", "/m"
    }  # fmt: skip
    assert all(a.get("aria-label") for a in links)
    assert all(a.find("title") is not None for a in links)


def test_a_call_shows_its_wait_and_its_result() -> None:
    """A bar while arguments come, dots while it waits, a diamond where the result is."""
    waiting = replace(bar(0, 17, 18, "search", "tool"), result=25.0)
    track = drawn(Lane(0, "parent", bars=(waiting,))).track
    assert 'class="wait"' in track
    assert 'href="#tl-diamond"' in track
    beyond = drawn(Lane(0, "parent", bars=(replace(waiting, result=40.0),))).track
    assert 'class="wait"' in beyond
    assert 'href="#tl-diamond"' not in beyond


def test_an_item_never_closed_is_hatched_to_the_end() -> None:
    """The hatching reaches to where the run ends; a run that failed leaves it open without blame."""
    track = drawn(Lane(0, "parent", bars=(OPEN,))).track
    [hatched] = [r for r in xml(track).iter("rect") if r.get("fill") == "url(#tl-hatch-tool)"]
    width = float((hatched.get("width") or "").removesuffix("%")) / 100 * TRACK
    assert width == pytest.approx(TIME.px(31.5) - TIME.px(22.5), abs=0.1)
    assert hatched.get("class") == "s-fatal"
    excused = replace(OPEN, fault=False, open_words="open when the run failed")
    track = drawn(Lane(0, "parent", bars=(excused,))).track
    assert "never closed" not in " ".join(words(track))
    assert 'class="s-k"' in track


def test_pieces_after_an_items_end_are_drawn_apart() -> None:
    """What came after the end is no part of the bar; a bar of something never opened is dashed."""
    track = drawn(
        Lane(0, "parent", bars=(replace(bar(0, 17, 20), late=25.0), replace(bar(1, 26, 28), ghost=True)))
    )
    assert 'class="late"' in track.track
    assert 'class="bar ghost"' in track.track


def test_ticks_closer_than_a_pixel_or_two_are_one() -> None:
    """Ten thousand deltas do not make ten thousand marks."""
    many = replace(bar(0, 17, 18), ticks=tuple(17 + n / 10_000 for n in range(10_000)))
    [rug] = [
        p
        for p in xml(drawn(Lane(0, "p", bars=(many,))).track).iter("path")
        if "rug" in (p.get("class") or "")
    ]
    assert 10 < (rug.get("d") or "").count("M") < 50


def test_each_severity_has_a_shape_of_its_own() -> None:
    """Colour is never the only sign."""
    shapes = set()
    for severity in ("fatal", "error", "warning", "info"):
        track = drawn(Lane(0, "p", pins=(Pin(20, severity, "", "t", "/x"),))).track
        body = track[track.index('href="/x"') : track.index("</a>", track.index('href="/x"'))]
        shapes.add(re.sub(r'class="[^"]*"', "", body[body.index("<circle") :]))
    assert len(shapes) == 4


def test_a_finding_is_tied_to_its_item_in_another_lane() -> None:
    """A dashed line runs from the verdict's event to the bar it is about, and the cursor makes room for it."""
    pin = Pin(31.5, "fatal", "RUN_FINISHED", "t", "/p", "#1304", item=7)
    lanes = (Lane(0, "parent", pins=(pin,)), Lane(1, "fares", bars=(OPEN,)))
    tied = drawn(*lanes, cursor=Cursor(31.5, "31.50 s")).track
    assert 'class="pinline"' in tied
    assert 'class="pinline"' not in drawn(lanes[0], cursor=Cursor(31.5, "31.50 s")).track
    lines = [e for e in xml(tied).iter("line") if "cursor" in (e.get("class") or "")]
    [line] = [e for e in xml(tied).iter("line") if e.get("class") == "pinline"]
    assert all(
        float(c.get("y2") or 0) <= float(line.get("y1") or 0)
        or float(c.get("y1") or 0) >= float(line.get("y2") or 0)
        for c in lines
    )


def test_what_was_never_delivered_is_veiled_but_findings_are_not() -> None:
    """The veil lies over the bars and under the pins."""
    lane = Lane(0, "p", bars=(bar(0, 17, 30),), pins=(Pin(28, "fatal", "X", "t", "/p", "#9"),))
    track = drawn(lane, rejected=24.0).track
    assert track.index('class="bar"') < track.index('class="tl-veil"') < track.index('href="/p"')
    assert "tl-veil" not in drawn(lane, rejected=40.0).track
    assert "tl-veil" not in drawn(lane).track


def test_nested_lanes_hang_under_who_started_them() -> None:
    """An elbow for each child that is drawn with its parent; none for a lane whose parent is folded away."""
    lanes = (Lane(0, "parent"), Lane(1, "hotels", depth=1, parent=0), Lane(3, "reviews", depth=2, parent=1))
    [elbows] = [p for p in xml(drawn(*lanes).heads).iter("path") if p.get("class") == "ln2"]
    assert (elbows.get("d") or "").count("M") == 2
    assert not [p for p in xml(drawn(lanes[0], lanes[2]).heads).iter("path") if p.get("class") == "ln2"]


def test_markup_in_a_trace_is_text() -> None:
    """Names, labels and messages come from the wire and may be anything."""
    nasty = '<b onclick="x">&\x00\ud83d'
    lane = Lane(
        0, nasty, nasty, bars=(bar(0, 17, 30, nasty),), marks=(Mark(20, "#1", nasty, nasty, "/m"),),
        brackets=(Bracket("step", 17, 30, nasty, nasty, "/s"),), pins=(Pin(20, "error", nasty, nasty, "/p", "#2"),),
    )  # fmt: skip
    made = drawn(lane)
    for part in (made.heads, made.track, made.ticks):
        xml(part)
        assert "<b onclick" not in part
        assert "style=" not in part


# ── far and near ─────────────────────────────────────────────


def test_columns_are_one_path_a_kind_and_links_lead_closer() -> None:
    """A thousand columns are a few elements."""
    columns = tuple(Column(kind, n, n + 1, n / 500) for n in range(500) for kind in ("text", "tool"))
    slices = tuple(Slice(n * 50, n * 50 + 50, f"Closer: {n}", f"/x?a={n}") for n in range(24))
    made = drawn(Lane(0, "p", columns=columns), scale=NUMBERS, slices=slices)
    assert len([p for p in xml(made.track).iter("path") if (p.get("class") or "").startswith("f-k k-")]) == 2
    assert 'aria-label="Closer: 3"' in made.track


def test_a_full_view_stays_under_1500_elements() -> None:
    """The budget of a view: 12 lanes, 130 bars with waits, 60 pins, 40 state links."""
    bars = tuple(
        replace(bar(n, 16.6 + n % 11, 17 + n % 11, "search", "tool"), result=20.0 + n % 11) for n in range(11)
    )
    pins = tuple(Pin(17 + n, "fatal", "", "t", "/p") for n in range(5))
    states = tuple(Tick(17 + n, "state event", "/t") for n in range(4))
    lanes = tuple(
        Lane(n, f"lane {n}", bars=bars, pins=pins, states=states, x0=17.0, x1=30.0) for n in range(12)
    )
    made = drawn(*lanes, cursor=Cursor(20, "20 s"), rejected=25.0)
    assert 1000 < made.elements <= 1500
    assert made.elements == sum(len(list(xml(part).iter())) for part in (made.heads, made.track, made.ticks))


# ── axis ─────────────────────────────────────────────────────


def test_places_are_percentages_of_any_width() -> None:
    """Nothing across is in px but what is shifted by a few of them."""
    track = drawn(Lane(0, "p", bars=(bar(0, 17, 30),), x0=17.0, x1=30.0)).track
    bars = [r for r in xml(track).iter("rect") if r.get("class") == "bar"]
    assert all((r.get("x") or "").endswith("%") and (r.get("width") or "").endswith("%") for r in bars)


def test_px_and_value_are_inverse_inside_the_window() -> None:
    """A place on the track is one moment."""
    for value in (16.6, 20, 25.5, 31.8):
        assert TIME.value(TIME.px(value)) == pytest.approx(value)


@pytest.mark.parametrize(
    ("scale", "step"),
    [
        (Scale(0, 31.8, (0, 31.8), True), 5),
        (Scale(0, 0.077, (0, 0.077), True), 0.01),
        (Scale(0, 1115, (0, 1115), True), 300),
        (Scale(0, 4, (0, 4)), 1),
        (Scale(98_000, 99_000, (0, 100_000)), 200),
    ],
)
def test_ticks_are_round_and_few(scale: Scale, step: float) -> None:
    """Multiples of a step people count in; a number axis has no halves."""
    found, by = ticks(scale)
    assert by == pytest.approx(step)
    assert 2 <= len(found) <= 10
    assert all(scale.a - 1e-6 <= v <= scale.b + 1e-6 for v in found)


def test_times_are_written_as_exactly_as_the_step_asks() -> None:
    """17 s, 16.6 s, 4 ms, 2 min 05 s, and a clock that runs backwards."""
    assert seconds(17, 2) == "17 s"
    assert seconds(16.64, 0.1) == "16.6 s"
    assert seconds(0.004, 0.001) == "4 ms"
    assert seconds(125, 5) == "2 min 05 s"
    assert seconds(125.26, 0.1) == "2 min 05.3 s"
    assert seconds(59.97, 0.1) == "1 min 00.0 s"
    assert seconds(3599.996, 0.01) == "1:00:00"
    assert seconds(7384, 60) == "2 h 03 min"
    assert seconds(-1.5, 0.1) == "−1.5 s"


def test_the_cursors_badge_covers_no_tick_words_and_stays_on_the_strip() -> None:
    """The badge names the moment; the ticks under it keep silent."""
    strip = axis.head(TIME, Cursor(31.8, "31.80 s"), None)
    assert "31.80 s" in words(strip)
    assert "32 s" not in words(strip)
    [badge] = list(xml(strip).iter("rect"))
    shift = float((badge.get("transform") or "").split("(")[1].split()[0])
    assert TIME.px(31.8) + shift + float(badge.get("width") or 0) <= TRACK
    assert "20 s" not in words(axis.head(TIME, Cursor(20, "20.00 s"), None))


def test_a_tick_whose_words_would_be_cut_at_the_edge_has_none() -> None:
    """Half a time reads like another one: `min 24 s`."""
    late = Scale(203.8, 216.6, (0, 419), time=True)
    shown = words(axis.head(late, None, None))
    assert late.px(204) < layout.width("3 min 24 s", 11) / 2
    assert "3 min 24 s" not in shown
    assert "3 min 26 s" in shown


# ── minimap ──────────────────────────────────────────────────


def test_the_minimap_shows_window_findings_and_cursor_of_the_whole_run() -> None:
    """What lies outside the window is veiled; findings never are."""
    run = Scale(0, 31.8, (0, 31.8), True)
    strip = Strip("l0", 0, 31, (Piece("text", 1, 2), Piece("tool", 22, 31, open=True)))
    mini = Minimap(run, 16.6, 31.8, (strip,), "whole run", hits=((31.5, "fatal"),), cursor=31.5)
    made = minimap.draw(mini)
    xml(made)
    assert made.index('class="outwin"') < made.index('class="window"') < made.index('class="fatal"')
    assert "tl-open k-tool" in made
    assert "outwin" not in minimap.draw(replace(mini, a=0, b=31.8))


def test_a_minimap_of_a_thousand_pieces_is_a_few_paths() -> None:
    """One path a lane and kind, however many pieces."""
    run = Scale(0, 1000, (0, 1000))
    pieces = tuple(Piece("text", n, n + 0.5) for n in range(1000))
    mini = Minimap(run, 0, 1000, tuple(Strip("l0", 0, 1000, pieces) for _ in range(8)), "whole run")
    assert count_elements(minimap.draw(mini)) < 50
