"""One clock a trace: which, of what kind, and what time held when."""

from __future__ import annotations

import pytest

from webapp.ingest.clock import Clock


def test_no_times_are_no_clock() -> None:
    """Then pages use record numbers."""
    clock = Clock()
    clock.add(0, None, None)
    assert (clock.kind, clock.source, clock.span(), clock.when(0)) == ("none", None, (None, None), None)


@pytest.mark.parametrize(
    ("at", "ts", "kind", "source", "first"),
    [
        (None, 1_795_982_659_908, "unix", "event", 1_795_982_659.908),
        (None, 250, "relative", "event", 0.25),
        (1_795_982_659.5, 250, "unix", "arrival", 1_795_982_659.5),
        (0.0, 1_795_982_659_908, "relative", "arrival", 0.0),
    ],
)
def test_arrival_wins_and_large_numbers_are_dates(
    at: float | None, ts: int, kind: str, source: str, first: float
) -> None:
    """Arrival is the recorder's own; small numbers count from a start."""
    clock = Clock()
    clock.add(0, at, ts)
    assert (clock.kind, clock.source, clock.span()[0]) == (kind, source, first)


def test_the_newest_known_time_holds() -> None:
    """Records without a time have that of the one before; those before the first have the first."""
    clock = Clock()
    clock.extend((1, 2, 5), (None,) * 3, (None, 1000, 3000), (None,) * 3)
    assert [clock.when(seq) for seq in (0, 2, 4, 5, 9)] == [1.0, 1.0, 1.0, 3.0, 3.0]


def test_a_clock_that_runs_backwards_has_a_span_all_the_same() -> None:
    """Earliest and latest, not first and last."""
    clock = Clock()
    clock.extend((0, 1, 2), (None,) * 3, (5000, 2000, 3000), (None,) * 3)
    assert clock.span() == (2.0, 5.0)


@pytest.mark.parametrize(
    ("at", "ts", "prefix", "of_day", "told"),
    [
        (None, 250, 36_000.0, True, ("time-of-day", "prefix", 36_000.0)),
        (None, 250, 1_788_249_600.0, False, ("unix", "prefix", 1_788_249_600.0)),
        (1.5, 250, 36_000.0, False, ("relative", "arrival", 1.5)),
        (36_000.5, None, None, True, ("time-of-day", "arrival", 36_000.5)),
        (None, 250, None, True, ("relative", "event", 0.25)),
    ],
)
def test_a_log_prefix_comes_after_arrival_and_before_the_events_own_time(
    at: float | None, ts: int | None, prefix: float | None, of_day: bool, told: tuple[str, str, float]
) -> None:
    """The log's times are the recorder's, the event's those of whoever made it; a time of day is no date."""
    clock = Clock()
    clock.add(0, at, ts, prefix)
    clock.time_of_day = of_day
    assert (clock.kind, clock.source, clock.span()[0]) == told
    assert clock.when(0) == told[2]
