"""Dates in words, in the server's time zone."""

from __future__ import annotations

from datetime import datetime

import pytest

from webapp.views import dates
from webapp.views.dates import ago

NOON = datetime(2026, 11, 29, 12, 0).timestamp()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "now"),
        (0, "now"),
        (59, "now"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (11 * 3600, "11 h"),
        (13 * 3600, "yesterday"),
        (36 * 3600 - 1, "yesterday"),
        (2 * 86400, "27 Nov"),
        (400 * 86400, "25 Oct 2025"),
    ],
)
def test_how_long_ago(seconds: float, words: str) -> None:
    """Minutes, hours, yesterday, then the day; the year only when it is another."""
    assert ago(NOON - seconds, NOON) == words


def test_yesterday_begins_after_a_night_not_at_midnight() -> None:
    """At one in the morning, what came at eleven is two hours old."""
    night = datetime(2026, 11, 29, 1, 0).timestamp()
    assert ago(night - 2 * 3600, night) == "2 h"


def test_dates_are_told_as_people_write_them() -> None:
    """A day, a moment, an exact time; what is no date is nothing."""
    assert dates.day(NOON) == "29 Nov 2026"
    assert dates.moment(NOON) == "29 Nov 2026, 12:00"
    assert dates.exact(NOON).startswith("2026-11-29 12:00:00")
    assert dates.stamp(0.25) == "1970-01-01 00:00:00.250+00:00"
    assert dates.stamp(1e300) == ""
