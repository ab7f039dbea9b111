"""Where the play-back of a page stops, and how long lies between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.streams import finished, message, started
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.storage.playback import Beat
from webapp.views import playback
from webapp.views.page import Clock
from webapp.views.playback import STEP, Pace, Stops, gathered
from webapp.views.selection import Selection

Store = Callable[..., str]
TIMED = Clock("unix", "event", 0.0)
UNTIMED = Clock("none", None, None)
T0 = 1_764_000_000_000


def beat(seq: int, ts: int | None, change: str | None = None, severity: int | None = None) -> Beat:
    return Beat(seq, change, severity, None, ts, None)


def timed(events: list[dict[str, Any]], *times: int) -> list[dict[str, Any]]:
    return [{**event, "timestamp": T0 + time} for event, time in zip(events, times, strict=True)]


def stops(database: Database, id_: str, after: int, count: int = 100, **chosen: Any) -> Stops:
    with database.session() as session:
        trace = traces.get(session, id_)
        assert trace is not None
        return playback.stops(session, trace, Selection("/traces/x", **chosen), after, count)


@pytest.mark.parametrize(
    ("times", "waits"),
    [
        ([1000, 1500, 4000], [0, 0.5, 2.5]),
        ([1000, None, 2000], [0, 0, 1.0]),  # the newest time holds
        ([None, 1000, 1500], [0, 0, 0.5]),
        ([1000, 400, 1200], [0, 0, 0.2]),  # a clock that runs backwards is waited out
    ],
)
def test_a_wait_is_the_time_since_the_newest_record(times: list[int | None], waits: list[float]) -> None:
    """In seconds of the trace's own clock, never less than nothing, in sum what the recording took."""
    pace = Pace(TIMED)
    assert [round(pace.wait(beat(n, time)), 6) for n, time in enumerate(times)] == waits


def test_without_times_every_record_takes_a_step() -> None:
    """A fixed one, which is said."""
    pace = Pace(UNTIMED)
    assert [pace.wait(beat(n, 5)) for n in range(3)] == [STEP] * 3
    assert playback.clock_words(UNTIMED) == "no times recorded, 100 ms for each record"


def test_growing_text_stops_ten_times_a_second() -> None:
    """However many pieces it comes in; nothing of the time is lost, and the last piece is a stop."""
    pieces = [beat(n, n * 10, "grew") for n in range(1000)]
    made = gathered(pieces, Pace(TIMED), 5000)
    assert 90 <= len(made) <= 101
    assert made[-1][0] == 999
    assert sum(wait for _, wait in made) == 9990


def test_what_is_no_growing_text_is_a_stop_of_its_own() -> None:
    """A faulty piece too, at whatever pace."""
    beats = [beat(0, 0, "opened"), beat(1, 1, "grew"), beat(2, 2, "grew", severity=0), beat(3, 3, "closed")]
    assert gathered(beats, Pace(TIMED), 100) == [(0, 0), (2, 2), (3, 1)]


def test_stops_go_on_where_they_ended(database: Database, keep: Store) -> None:
    """Asked for in small portions they are the same as all at once."""
    events = timed([started(), *message("m", "a", "b", "c"), finished()], 0, 10, 20, 500, 900, 910, 920)
    id_ = keep(events)
    whole = stops(database, id_, 0)
    assert [seq for seq, _ in whole.stops] == [1, 3, 4, 5, 6]
    assert [wait for _, wait in whole.stops] == [10, 490, 400, 10, 10]
    assert (whole.next, whole.end, whole.note) == (None, "End of the recording: finished", "")
    parts: list[tuple[int, int]] = []
    after: int | None = 0
    while after is not None:
        part = stops(database, id_, after, count=1)
        parts += part.stops
        after = part.next
    assert parts == list(whole.stops)


def test_behind_the_last_record_there_is_the_end(database: Database, keep: Store) -> None:
    """From a number the trace does not have, too."""
    id_ = keep("pydantic-parallel")
    for after in (39, 4000):
        found = stops(database, id_, after)
        assert (list(found.stops), found.next) == ([], None)
        assert found.end == "End of the recording: rejected at #12"


def test_many_records_are_read_in_portions(
    database: Database, keep: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call looks at READ records: the last of them is a stop, so that the next call goes on there."""
    monkeypatch.setattr(playback, "READ", 4)
    pieces = [f"{n} " for n in range(20)]
    events = [started(), *message("m", *pieces), finished()]
    id_ = keep(timed(events, *range(len(events))))
    first = stops(database, id_, 1)
    assert ([seq for seq, _ in first.stops], first.next) == ([5], 5)


def test_under_a_filter_only_what_passes_it_is_a_stop(database: Database, keep: Store) -> None:
    """In the Events panel, which would drop the filter else; other panels have none."""
    id_ = keep(timed([started(), *message("m", "a"), finished()], 0, 100, 200, 300, 400))
    assert [seq for seq, _ in stops(database, id_, 0, q="type:TEXT_MESSAGE_END").stops] == [3]
    both = stops(database, id_, 0, q="type:TEXT_MESSAGE_END", panel="conversation")
    assert [seq for seq, _ in both.stops] == [1, 2, 3, 4]


def test_without_times_the_pace_is_said(database: Database, keep: Store) -> None:
    """So that nobody takes it for the agent's."""
    assert stops(database, keep([started(), finished()]), 0).note.startswith("no times recorded")
