"""The three clocks of one record, told apart: when it arrived, what its log line says, what the event itself says.

Rules of this file: words for one record; which clock a trace is laid out on is `page.Clock`'s.
"""

from __future__ import annotations

from webapp.views import dates, names
from webapp.views.page import Clock, Stamped

UNIX = 1e8  # seconds beyond this (1973) are a date
DAY = 86_400
NAMES = {"arrival": "arrived", "prefix": "log line", "event": "timestamp"}


def told(record: Stamped, clock: Clock) -> list[tuple[str, str]]:
    """(name, time) of every clock that the record has, arrival first."""
    known = (
        ("arrival", record.at),
        ("prefix", record.prefix_at),
        ("event", None if record.ts is None else record.ts / 1000),
    )
    return [
        (NAMES[source], _time(seconds, clock.kind == "time-of-day" and source != "event"))
        for source, seconds in known
        if seconds is not None
    ]


def line(record: Stamped, clock: Clock) -> str:
    """All of them in one line, when there are several; else the one, when it is a date or time of day."""
    times = told(record, clock)
    if len(times) > 1:
        return " · ".join(f"{name} {time}" for name, time in times)
    seconds = clock.read(record)
    if seconds is None or clock.kind not in ("unix", "time-of-day"):
        return ""
    return _time(seconds, clock.kind == "time-of-day")


def of_day(seconds: float) -> str:
    """`10:00:01.123`, and `00:00:01.000 (day 2)` after a midnight."""
    day, rest = divmod(round(seconds * 1000), DAY * 1000)
    hour, rest = divmod(rest, 3_600_000)
    minute, rest = divmod(rest, 60_000)
    text = f"{hour:02}:{minute:02}:{rest // 1000:02}.{rest % 1000:03}"
    return f"{text} (day {day + 1})" if day else text


def _time(seconds: float, time_of_day: bool) -> str:
    if time_of_day:
        return of_day(seconds)
    return dates.stamp(seconds) if seconds > UNIX else names.since(seconds)
