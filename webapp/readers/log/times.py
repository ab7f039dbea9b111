"""The time a log line begins with, in the many ways in which logs write it.

Rules of this file: text in, seconds out; no clock of its own, so nothing is guessed from today. A date without a year
or with its parts in an order nobody can know is left out, and the time of day stays. A time without a zone counts as
UTC: only differences matter.
"""

from __future__ import annotations

import re
from calendar import timegm
from typing import Any, NamedTuple

DAY = 86_400
REACH = 160  # characters from the beginning of a line in which its time is looked for

_ZONE = r"(?P<zone>\s?(?:Z|UTC|GMT)\b|\s?[+-]\d\d:?\d\d\b)?"
_CLOCK = r"(?P<h>\d{1,2}):(?P<m>\d\d):(?P<s>\d\d)(?:[.,:](?P<f>\d{1,9}))?"
_DATED = re.compile(
    r"(?<!\d)(?P<Y>\d{4})[-/.](?P<M>\d\d)[-/.](?P<D>\d\d)[T ]\s?" + _CLOCK + r"(?!\d)" + _ZONE
)
_WEB = re.compile(r"(?<!\d)(?P<D>\d\d)/(?P<N>[A-Z][a-z]{2})/(?P<Y>\d{4}):" + _CLOCK + _ZONE)
_NAMED = re.compile(
    r"(?<!\d)(?P<D>\d{1,2})[ -](?P<N>[A-Z][a-z]{2})[a-z]*[ -](?P<Y>\d{4})[ T]" + _CLOCK + _ZONE
)
_OF_DAY = re.compile(r"(?<![\d:.])" + _CLOCK + r"(?![\d:])\s?(?P<half>[AaPp][Mm]\b)?" + _ZONE)
# at the very beginning, or behind `ts=` and the like: seconds, milliseconds, microseconds or nanoseconds since 1970
_EPOCH = re.compile(
    r"(?:^\s*[\[(]?|\b(?:ts|time|timestamp|t|at)[=:]\s?\"?)(?P<n>\d{10}(?:\d{3}|\d{6}|\d{9})?)(?:\.(?P<f>\d{1,9}))?(?![\d-])"
)
_MONTHS = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), 1
    )
}


class Time(NamedTuple):
    """seconds: unix, or since midnight when not dated; zone: as written, offset in seconds; None: none written."""

    seconds: float
    dated: bool
    zone: int | None
    start: int = 0
    end: int = 0


def find(text: str) -> Time | None:
    """The first time in the beginning of a line, with its place; None: there is none."""
    head = text[:REACH]
    best: Time | None = None
    for pattern in (_DATED, _WEB, _NAMED, _EPOCH):
        match = pattern.search(head)
        if match is not None and (best is None or match.start() < best.start):
            found = _epoch(match) if pattern is _EPOCH else _dated(match)
            best = found or best
    if best is not None:
        return best
    match = _OF_DAY.search(head)
    return None if match is None else _of_day(match)


def member(value: Any) -> Time | None:
    """The time that a member of a JSON log holds: text, or a number since 1970 in whatever unit."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _number(float(value))
    if not isinstance(value, str) or len(value) > REACH:
        return None
    try:
        return _number(float(value))
    except (ValueError, OverflowError):
        return find(value)


def _number(value: float) -> Time | None:
    for limit, unit in ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (1e20, 1e9)):
        if 1e8 * unit <= value < limit:
            return Time(value / unit, True, 0)
    return None


def _epoch(match: re.Match[str]) -> Time | None:
    digits, fraction = match["n"], match["f"]
    seconds: float = int(digits[:10]) + (
        int(digits[10:]) / 10 ** (len(digits) - 10) if len(digits) > 10 else 0
    )
    if fraction and len(digits) == 10:
        seconds += _part(fraction)
    if not 1e8 <= seconds < 1e11:
        return None
    return Time(seconds, True, 0, match.start(), match.end())


def _part(digits: str | None) -> float:
    return int(digits) / 10 ** len(digits) if digits else 0.0


def _clock(match: re.Match[str]) -> float | None:
    hour, minute, second = int(match["h"]), int(match["m"]), int(match["s"])
    if hour > 23 or minute > 59 or second > 60:
        return None
    return hour * 3600 + minute * 60 + second + _part(match["f"])


def _dated(match: re.Match[str]) -> Time | None:
    clock = _clock(match)
    groups = match.groupdict()
    month = int(groups["M"]) if groups.get("M") else _MONTHS.get(groups.get("N") or "", 0)
    year, day = int(match["Y"]), int(match["D"])
    if clock is None or not 1 <= month <= 12 or not 1 <= day <= 31 or year < 1970:
        return None
    zone = _zone(match["zone"])
    at = timegm((year, month, day, 0, 0, 0)) + clock - (zone or 0)
    return Time(at, True, zone, match.start(), match.end())


def _of_day(match: re.Match[str]) -> Time | None:
    clock = _clock(match)
    if clock is None:
        return None
    half = (match["half"] or "").lower()
    if half:
        hour = int(match["h"])
        if not 1 <= hour <= 12:
            return None
        clock += {"am": -12 * 3600 if hour == 12 else 0, "pm": 0 if hour == 12 else 12 * 3600}[half]
    zone = _zone(match["zone"])
    return Time((clock - (zone or 0)) % DAY, False, zone, match.start(), match.end())


def _zone(text: str | None) -> int | None:
    if not text:
        return None
    text = text.strip()
    if text[0] not in "+-":
        return 0
    digits = text[1:].replace(":", "")
    offset = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return -offset if text[0] == "-" else offset


class Times:
    """The times of one log, made one clock: either all have their date or none.

    zones: the offsets that were written; what is said about them is `notes`.
    """

    def __init__(self) -> None:
        self.dated: bool | None = None  # None: no time yet
        self.zones: set[int] = set()
        self.bare = False  # some time had no zone

    def take(self, time: Time | None) -> float | None:
        """The time as it is told: seconds since 1970, or since midnight."""
        if time is None:
            return None
        if self.dated is None:
            self.dated = time.dated
        elif self.dated and not time.dated:
            return None
        if time.zone is None:
            self.bare = True
        elif len(self.zones) < 50:
            self.zones.add(time.zone)
        return time.seconds if self.dated else time.seconds % DAY

    def notes(self) -> list[tuple[str, str]]:
        """Artefacts: (kind, sentence)."""
        out = []
        if self.dated is False:
            out.append(
                (
                    "time-of-day",
                    "The log lines tell the time of day and no whole date; times count from midnight.",
                )
            )
        if len(self.zones) > 1:
            listed = ", ".join(zone_words(zone) for zone in sorted(self.zones)[:5])
            out.append(
                (
                    "time-zones",
                    f"The log lines are in several time zones ({listed}); all were brought to UTC.",
                )
            )
        if self.zones and self.bare:
            out.append(
                (
                    "time-zone-missing",
                    "Some log lines name their time zone and some do not; those count as UTC.",
                )
            )
        return out


def zone_words(offset: int) -> str:
    """`UTC`, `+02:00`."""
    if not offset:
        return "UTC"
    sign, size = "-" if offset < 0 else "+", abs(offset)
    return f"{sign}{size // 3600:02}:{size % 3600 // 60:02}"
