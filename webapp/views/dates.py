"""Dates and times of day in words, in the server's time zone.

Rules of this file: unix seconds in, words out; what now is comes in too. Times inside a recording are told by
`names.since` and `names.duration`.
"""

from __future__ import annotations

from datetime import UTC, datetime


def day(seconds: float) -> str:
    """`6 Dec 2026`."""
    then = local(seconds)
    return f"{then.day} {then:%b %Y}"


def moment(seconds: float) -> str:
    """`6 Dec 2026, 14:05`."""
    return f"{day(seconds)}, {local(seconds):%H:%M}"


def until(seconds: float) -> str:
    """`6 Dec 2026, 14:05 CET`: for those who may be in another time zone."""
    return f"{moment(seconds)} {local(seconds):%Z}"


def exact(seconds: float) -> str:
    """`2026-12-06 14:05:09 CET`."""
    return local(seconds).strftime("%Y-%m-%d %H:%M:%S %Z")


def stamp(seconds: float) -> str:
    """`2026-12-06 13:05:09.250+00:00`: of a record, in UTC; empty for what is no date."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(sep=" ", timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return ""


def ago(then: float, now: float) -> str:
    """How long ago, in the coarsest unit that still helps: `now`, `2 min`, `3 h`, `yesterday`, `27 Nov`."""
    seconds = max(0.0, now - then)
    if seconds < 60:
        return "now"
    if seconds < 3600:
        return f"{int(seconds // 60)} min"
    made, today = local(then), local(now)
    days = (today.date() - made.date()).days
    if days == 0 or seconds < 6 * 3600:
        return f"{int(seconds // 3600)} h"
    if days == 1:
        return "yesterday"
    return f"{made.day} {made:%b}" if made.year == today.year else day(then)


def local(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds).astimezone()
