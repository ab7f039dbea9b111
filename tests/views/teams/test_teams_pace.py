"""The Timeline of a Teams recording on stored traces: its lanes, pace, clock, words and bounds."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.teams.script import lines
from tests.views.conftest import around
from tests.views.teams.conftest import Tell
from webapp.ingest.upload import ingest
from webapp.settings import load_settings
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.views.panels.pace import CALLS, build
from webapp.views.panels.timeline import TimelinePanel
from webapp.views.selection import Selection

GOOD = """
+0.0  informative 1 "Reading…" -> 201 S (+0.3)
+1.6  informative 2 "Checking…" @S -> 202
+3.2  streaming 3 "You have" @S -> 202
+4.9  streaming 4 "You have 12 days" @S -> 202
+6.5  final "You have 12 days left." @S -> 202
"""
Show = Callable[..., TimelinePanel]


@pytest.fixture
def show(database: Database, tmp_path: Path) -> Show:
    """Store a script and build the panel as the page would."""

    def panel(script: str, **chosen: object) -> TimelinePanel:
        body = b"\n".join(lines(script)) + b"\n"
        id_ = ingest(database, [body], name="t", settings=load_settings(data_dir=tmp_path)).id
        with database.session() as session:
            trace = traces.get(session, id_)
            assert trace is not None
            event = chosen.get("event")
            page = around(session, trace, event if isinstance(event, int) else None)
            return build(session, trace, Selection(f"/traces/{id_}", "timeline", **chosen), page)  # type: ignore[arg-type]

    return panel


def said(panel: TimelinePanel) -> str:
    return "; ".join(f"{lane.name}: {', '.join(lane.items)}" for lane in panel.lanes)


def test_a_stream_is_a_lane_with_its_outcome_and_its_clock(show: Show) -> None:
    """The clock starts with the start's answer and tells what of the two minutes was left."""
    panel = show(GOOD)
    assert panel.by_time
    assert "stream 1, finished · 5 calls" in said(panel)
    assert "of two minutes not used" in said(panel)
    assert "status lines only, #0–2" in said(panel)
    assert panel.count == "1 stream, all 5 exchanges in view"


def test_requests_less_than_a_second_apart_are_a_burst(show: Show) -> None:
    """A burst is shaded and told in words; well-paced requests are not."""
    assert "more than one a second" not in said(show(GOOD))
    burst = GOOD.replace("+3.2", "+1.9").replace("+4.9", "+2.2")
    assert "3 requests in 600 ms: more than one a second" in said(show(burst))


def test_a_silence_is_told_and_a_long_one_warns(show: Show) -> None:
    """Clients give up after some 45 seconds."""
    assert "40 s without a call" in said(show(GOOD.replace("+4.9", "+43.2").replace("+6.5", "+45.0")))
    late = said(show(GOOD.replace("+4.9", "+53.2").replace("+6.5", "+55.0")))
    assert "50 s without a call; some clients give up after about 45 s" in late


def test_a_stream_past_two_minutes_says_how_far(show: Show) -> None:
    """The clock runs over: the words name the excess."""
    script = GOOD.replace("+6.5", "+131.3").replace('left." @S -> 202', 'left." @S -> E403-TIME')
    assert "11 s past the two minutes" in said(show(script))


def test_a_stream_that_teams_ended_early_has_no_time_left(show: Show) -> None:
    """The service's clock decides: what the recording's times leave of the two minutes is not called unused."""
    script = GOOD.replace('left." @S -> 202', 'left." @S -> E403-TIME')
    told = said(show(script))
    assert "Teams ended it after 6.2 s" in told
    assert "not used" not in told


def test_what_lies_outside_of_streams_has_a_lane_of_its_own(show: Show) -> None:
    """Plain messages stand in the chat's lane, which is there only when something is in it."""
    assert "the chat" not in said(show(GOOD))
    assert "the chat, outside the streams" in said(show(GOOD + '+9 message "By the way" -> 201 m1\n'))


def test_without_times_the_axis_counts_exchanges_and_says_so(show: Show) -> None:
    """Pace and the two minutes cannot be told without times."""
    untimed = "\n".join(line.decode().replace('"at": ', '"when": ') for line in lines(GOOD))
    panel = show(untimed)
    assert not panel.by_time
    assert "No request times" in panel.note
    assert "two minutes not used" not in said(panel)


def test_a_long_recording_opens_around_the_chosen_exchange_and_stays_small(show: Show) -> None:
    """Thousands of exchanges cost a window of them; from afar columns count them."""
    start = '+0.0 streaming 1 "a" -> 201 S\n'
    many = start + "".join(
        f'+{n * 1.6:.1f} streaming {n + 1} "a{"b" * 3}" @S -> 202\n' for n in range(1, CALLS * 3)
    )
    near = show(many, event=CALLS)
    assert not near.far
    assert near.elements < 1500
    far = show(many, a=0.0, b=CALLS * 3 * 1.6)
    assert far.far
    assert far.elements < 1500
    assert not re.search(r"aria-label=\"chunk", str(far.track))


def test_two_streams_of_one_id_are_two_lanes(show: Show) -> None:
    """A service that gives an id out once more, or two chats with the same one: no stream hides another."""
    again = """
    +20.0  streaming 1 "You" -> 201 S
    +22.0  streaming 2 "You have" @S -> 202
    +24.0  final "You have 12 days." @S -> 202
    """
    panel = said(show(GOOD + again))
    assert "stream 1, finished · 5 calls" in panel
    assert "stream 2, finished · 3 calls" in panel
    assert panel.count("status lines only") == 1


def test_a_stop_that_the_agent_kept_to_is_drawn_as_the_ladder_draws_it(tell: Tell, page: Any) -> None:
    """Grey, not red: nobody's fault. A call sent after the Stop is one, and red in both."""
    kept = '+0.0 streaming 1 "The" -> 201 S\n+1.5 streaming 2 "The end" @S -> E403-STOP\n'
    html = page(tell(kept), panel="timeline")
    track = html[html.index('class="tlmain"') : html.index('class="legend foot"')]
    assert "pc-stopped" in track
    assert "pc-refused" not in track
    assert "stopped by the user" in html[html.index('class="legend foot"') :]
    assert "as-fatal" not in page(tell(kept), panel="sequence")
    html = page(tell(kept + '+3.0 streaming 3 "The end." @S -> E403-STOP\n'), panel="timeline")
    assert "pc-refused" in html[html.index('class="tlmain"') : html.index('class="legend foot"')]
