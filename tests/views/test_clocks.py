"""The clocks of one record, told apart."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from webapp.views.clocks import line, of_day, told
from webapp.views.page import Clock


@dataclass
class Stamp:
    at: float | None = None
    ts: int | None = None
    prefix_at: float | None = None


def test_every_clock_that_a_record_has_is_named() -> None:
    """Arrival, the log line, the event's own; never mixed."""
    record = Stamp(0.25, 1_788_249_600_000, 1_788_249_600.5)
    assert told(record, Clock("relative", "arrival", 0.0)) == [
        ("arrived", "+250 ms"),
        ("log line", "2026-09-01 08:00:00.500+00:00"),
        ("timestamp", "2026-09-01 08:00:00.000+00:00"),
    ]


def test_one_line_tells_them_all() -> None:
    """And is empty where nothing is known or the time counts from a start."""
    of_log = Clock("time-of-day", "prefix", 36_000.0)
    both = Stamp(None, 1_788_249_600_000, 36_001.0)
    assert line(both, of_log) == "log line 10:00:01.000 · timestamp 2026-09-01 08:00:00.000+00:00"
    assert line(Stamp(prefix_at=36_001.0), of_log) == "10:00:01.000"
    assert line(Stamp(at=1.0), Clock("relative", "arrival", 0.0)) == ""
    assert line(Stamp(), Clock("none", None, None)) == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "00:00:00.000"), (86_399.9996, "00:00:00.000 (day 2)"), (86_400 + 1.5, "00:00:01.500 (day 2)")],
)
def test_a_time_of_day_counts_its_days(seconds: float, text: str) -> None:
    """Midnight makes the second day."""
    assert of_day(seconds) == text


def test_the_words_say_that_there_is_no_date() -> None:
    """Beside the clock that the page uses."""
    assert "no date" in Clock("time-of-day", "prefix", 0.0).words
    assert "no date" not in Clock("unix", "prefix", 0.0).words
