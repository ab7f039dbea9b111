"""The Timeline panel on stored traces: its window, its words, its links, its bounds."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import event

from tests.streams import sse
from tests.views.conftest import around
from webapp.ingest.upload import ingest
from webapp.settings import load_settings
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.views.panels.timeline import TimelinePanel, build
from webapp.views.selection import Selection
from webapp.views.timeline_load import BARS
from webapp.views.timeline_pins import SHARED
from webapp.views.timeline_tree import LANES
from webapp.web.deps import make_templates
from webapp.web.static import Assets
from webapp.web.who import OPEN

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "samples"
Show = Callable[..., TimelinePanel]
START = 1_764_000_000_000


@pytest.fixture
def show(database: Database, tmp_path: Path) -> Show:
    """Store bytes, events or a sample (by name) and build the panel as the page would."""

    def panel(what: bytes | str | list[dict[str, Any]], **chosen: Any) -> TimelinePanel:
        body = (SAMPLES / f"{what}.sse").read_bytes() if isinstance(what, str) else what
        data = sse(*body) if isinstance(body, list) else body
        stored = ingest(database, [data], name="concierge", settings=load_settings(data_dir=tmp_path))
        with database.session() as session:
            trace = traces.get(session, stored.id)
            assert trace is not None
            sel = Selection("/traces/x", "timeline", **chosen)
            return build(session, trace, sel, around(session, trace, sel.event))

    return panel


def started(**more: Any) -> dict[str, Any]:
    return {"type": "RUN_STARTED", "threadId": "t", "runId": "r", **more}


def finished(**more: Any) -> dict[str, Any]:
    return {"type": "RUN_FINISHED", "threadId": "t", "runId": "r", **more}


def message(id_: str, **more: Any) -> list[dict[str, Any]]:
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": id_, "role": "assistant", **more},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": id_, "delta": "x", **more},
        {"type": "TEXT_MESSAGE_END", "messageId": id_, **more},
    ]


def crowd(number: int) -> list[dict[str, Any]]:
    return [started(), *(one for n in range(number) for one in message(f"m{n}")), finished()]


def team(number: int) -> list[dict[str, Any]]:
    """`number` subagents, one after the other, each with one message."""
    events = [started()]
    for n in range(number):
        tag = {"subagentRunId": f"s{n}"}
        end = {"type": "SUBAGENT_FINISHED", **tag}
        events += [{"type": "SUBAGENT_STARTED", "name": f"worker {n}", **tag}, *message(f"m{n}", **tag), end]
    return [*events, finished()]


def query(href: str | None) -> dict[str, str]:
    assert href is not None
    return {name: values[0] for name, values in parse_qs(urlsplit(href).query).items()}


def titles(panel: TimelinePanel) -> list[str]:
    return re.findall(r"<title>(.*?)</title>", panel.track)


# ── what is shown ────────────────────────────────────────────


def test_a_run_of_nested_subagents_is_told_whole(show: Show) -> None:
    """Lanes under who started them, how each ended, the call never closed, the finding and what it is about."""
    panel = show("nested-subagents-timed")
    assert panel.count == "all 5 lanes, all 15 bars in view"
    assert panel.moves.words == "all 12.4 s, by the event’s own clock"
    names = [lane.name for lane in panel.lanes]
    assert names[0] == "parent, the agent itself"
    assert names[1] == "hotels, subagent · finished"
    assert names[2] == "reviews, subagent of hotels · finished"
    assert names[3] == "fares, subagent · ended in error"
    assert "fetch_fares, never closed" in panel.track
    assert "SUBAGENT_ERROR" in panel.track
    assert "RUN_FINISHED" in panel.track
    assert 'class="pinline"' in panel.track
    assert any("call fetch_fares of fares" in title and "never closed" in title for title in titles(panel))


def test_the_item_of_the_chosen_finding_is_framed(show: Show) -> None:
    """The verdict's event is RUN_FINISHED; what the reader needs is the call it is about."""
    panel = show("nested-subagents-timed")
    assert panel.track.count("s-accent f-none") == 1
    other = show("nested-subagents-timed", event=3)
    assert other.track.count("s-accent f-none") == 1
    assert 'class="pinline"' in other.track, "the headline’s finding stays tied to its item"


def test_a_recording_without_times_counts_events_and_says_so(show: Show) -> None:
    """No time is invented."""
    panel = show("nested-subagents")
    assert panel.note == "No timing in this recording, so the axis counts events."
    assert panel.moves.by_time is None
    assert not panel.by_time
    assert panel.moves.words == "all 181 events"
    assert "#180" in panel.ticks


def test_event_numbers_can_be_chosen_where_there_is_time(show: Show) -> None:
    """Both axes are offered, and the unused one drops its window."""
    panel = show("nested-subagents-timed", axis="number", a=20, b=90)
    assert not panel.by_time
    assert panel.note == ""
    assert panel.moves.words == "#20–#90 of 181 events"
    assert "a" not in query(panel.moves.by_time)


def test_a_clock_that_runs_backwards_still_draws_forward(show: Show) -> None:
    """Records are never sorted by their timestamps; a bar goes from its earliest to its latest."""
    times = [0, 900, 400, 100, 1000]
    events = [started(), *message("m"), finished()]
    panel = show([{**one, "timestamp": START + at} for one, at in zip(events, times, strict=True)])
    [bar] = re.findall(r'<rect x="([\d.]+)%" [^>]*width="([\d.]+)%"[^>]*class="bar"', panel.track)
    assert float(bar[1]) > 50
    assert "message 1, #1–3" in panel.track


def test_equal_times_are_no_time_axis(show: Show) -> None:
    """A span of nothing cannot be drawn to scale."""
    panel = show([{**one, "timestamp": START} for one in [started(), *message("m"), finished()]])
    assert panel.note == "Every event carries the same time, so the axis counts events."
    assert not panel.by_time


def test_a_run_that_failed_leaves_items_open_without_blame(show: Show) -> None:
    """RUN_ERROR needs no closing, so the open message is not called a fault."""
    error = {"type": "RUN_ERROR", "message": "boom"}
    panel = show([started(), *message("m")[:2], error])
    assert "open when the run failed" in panel.track
    assert "never closed" not in panel.track


def test_what_came_after_an_items_end_is_shown_apart(show: Show) -> None:
    """The pieces a client refuses are no part of the bar."""
    panel = show([started(), *message("m"), message("m")[1], finished()])
    assert panel.has_late
    assert 'class="late"' in panel.track
    assert panel.veiled
    assert "tl-veil" in panel.track
    assert any("after its end" in title for title in titles(panel))


def test_names_from_the_wire_are_text(show: Show) -> None:
    """Markup, Korean, Arabic, emoji and direction marks in names break nothing."""
    for name in ("<script>alert(1)</script>", "한국어 도구", "أداة", "🙂‮evil", "a\"b'c"):
        tag = {"subagentRunId": name}
        call = {"type": "TOOL_CALL_START", "toolCallId": name, "toolCallName": name, **tag}
        panel = show([started(), {"type": "SUBAGENT_STARTED", "name": name, **tag}, call, finished()])
        for part in (panel.track, panel.heads, panel.mini, panel.ticks):
            assert "<script" not in part
            assert "‮" not in part


# ── moving about ─────────────────────────────────────────────


def test_zoom_keeps_the_chosen_event_in_view(show: Show) -> None:
    """Closer in means closer to what is looked at; out again gives the run."""
    panel = show("nested-subagents", event=100)
    closer = query(panel.moves.zoom_in)
    assert float(closer["a"]) < 100 < float(closer["b"])
    assert float(closer["b"]) - float(closer["a"]) == pytest.approx(90, abs=2)
    assert panel.moves.zoom_out is None
    assert panel.moves.earlier is None
    inside = show("nested-subagents", event=100, a=80, b=120)
    assert query(inside.moves.zoom_out)["a"] < "80"
    assert query(inside.moves.everything) == {"panel": "timeline", "event": "100", "a": "0", "b": "180"}
    assert float(query(inside.moves.later)["a"]) > 80
    assert float(query(inside.moves.earlier)["b"]) < 120


def test_links_in_a_window_keep_the_window(show: Show) -> None:
    """A click on a bar selects it and moves nothing."""
    panel = show("nested-subagents", a=40, b=120)
    hrefs = re.findall(r'href="(/traces/x[^"]*)"', panel.track)
    assert hrefs
    for href in hrefs:
        chosen = query(href.replace("&amp;", "&"))
        assert (chosen["a"], chosen["b"]) == ("40", "120")


@pytest.mark.parametrize(
    "window",
    [
        {"a": 500.0, "b": 900.0},
        {"a": -50.0, "b": -10.0},
        {"a": 90.0, "b": 90.0},
        {"a": 120.0, "b": 40.0},
        {"a": float("nan"), "b": float("inf")},
        {"a": 1e300, "b": -1e300},
    ],
)
def test_an_impossible_window_becomes_the_nearest_possible_one(show: Show, window: dict[str, float]) -> None:
    """A link typed by hand is never an error."""
    for sample in ("nested-subagents", "nested-subagents-timed"):
        panel = show(sample, **window)
        assert panel.track
        assert "nan" not in panel.track + panel.ticks + panel.moves.words


# ── bounds ───────────────────────────────────────────────────


def test_a_crowded_trace_opens_around_the_chosen_event(show: Show) -> None:
    """Bars first; the whole run is one click away and counts in columns."""
    panel = show(crowd(400), event=600)
    assert not panel.far
    assert re.search(r"^1 lane, \d+ of 400 bars$", panel.count)
    assert query(panel.moves.everything)["b"] == "1201"
    whole = show(crowd(400), event=600, a=0, b=1201)
    assert whole.far
    assert whole.count == "1 lane, 400 bars in all, counted in columns"
    assert "Closer:" in whole.track
    assert whole.track.count('class="bar"') <= 1, "only the chosen item is drawn itself"


def test_no_view_is_larger_than_the_budget(show: Show) -> None:
    """Around, from afar and on either axis: under 1,500 elements."""
    events = [{**one, "timestamp": START + n * 7} for n, one in enumerate(crowd(700))]
    for chosen in ({}, {"event": 1000}, {"axis": "number"}, {"a": 0.0, "b": 15.0}, {"a": 1.0, "b": 4.0}):
        assert show(events, **chosen).elements <= 1500
    assert show(crowd(BARS), axis="number").elements <= 1500


def test_many_lanes_fold_and_nothing_is_silent(show: Show) -> None:
    """Twelve lanes at a time, with links to the rest and the number of quiet ones."""
    panel = show(team(40))
    assert len(panel.lanes) == LANES
    assert panel.before is None
    assert panel.behind is not None
    assert panel.behind.words == "29 lanes more"
    further = show(team(40), start=int(query(panel.behind.href)["start"]))
    assert further.before is not None
    assert further.before.words == "11 lanes before these"
    assert further.lanes[0].name.startswith("parent")
    assert further.lanes[1].name.startswith("worker 11")
    window = show(team(40), a=0, b=20)
    assert window.quiet == "36 lanes with nothing in this window"


def test_the_lane_of_the_chosen_event_is_on_the_page_that_opens(show: Show) -> None:
    """A link to an event of the thirtieth subagent shows that subagent."""
    panel = show(team(40), event=1 + 5 * 30 + 2)
    assert any(lane.name.startswith("worker 30") for lane in panel.lanes)


def test_many_findings_share_pins_that_say_how_many(show: Show) -> None:
    """Pins always stay; beyond sixty they are counted."""
    orphans = [{"type": "TEXT_MESSAGE_END", "messageId": f"x{n}"} for n in range(200)]
    panel = show([started(), *orphans, finished()], a=0, b=201)
    shared = [title for title in titles(panel) if "events with findings" in title]
    assert 0 < len(shared) <= SHARED
    assert sum(int(title.split()[0]) for title in shared) >= 200 - SHARED
    assert panel.elements <= 1500


def test_the_number_of_queries_does_not_grow_with_the_trace(show: Show, database: Database) -> None:
    """A window costs what it shows."""
    counted = [0]

    def count(*_args: Any) -> None:
        counted[0] += 1

    def queries(events: list[dict[str, Any]]) -> int:
        show(events, event=300)
        event.listen(database.engine, "before_cursor_execute", count)
        counted[0] = 0
        show(events, event=300)
        event.remove(database.engine, "before_cursor_execute", count)
        return counted[0]

    assert queries(crowd(900)) <= queries(crowd(200)) + 2


# ── edges ────────────────────────────────────────────────────


def test_one_event_is_enough(show: Show) -> None:
    """The smallest recording has a lane and a cursor."""
    panel = show([started()])
    assert panel.count == "1 lane, all 0 bars in view"
    assert panel.empty == ""


def test_no_event_at_all_is_said(show: Show) -> None:
    """An unchecked recording has an empty timeline, not a broken one."""
    assert "no record" in show(b"not an event\n").empty


def test_the_fragment_renders_with_everything_named(show: Show) -> None:
    """The template knows every field, writes no style attribute and hides no words."""
    templates = make_templates(ROOT / "templates", Assets(ROOT / "static"))
    templates.globals |= {"who": OPEN, "sharing": True}
    fragment = templates.get_template("fragments/_timeline.html")
    for panel in (
        show("nested-subagents-timed"),
        show(crowd(400), a=0, b=1201),
        show(team(40)),
        show(b"no\n"),
    ):
        html = fragment.render(panel=panel)
        assert "style=" not in html
        assert panel.empty or panel.count in html
        assert panel.empty or 'aria-label="Zoom in"' in html
