"""Points in time as recordings write them. Rules of this file: text and numbers in, seconds out; no clock is read."""

from __future__ import annotations

import calendar
import math
import re
from typing import Any

_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9})\d*)?)?\s*(Z|[+-]\d\d:?\d\d)?",
    re.IGNORECASE,
)


FAR = 1e12  # seconds; beyond it a number is no time in seconds (milliseconds since 1970, or nonsense)


def seconds(value: Any) -> float | None:
    """A number of seconds nearer than FAR, or None. Truth values are no numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and abs(number) < FAR else None


def iso_seconds(value: Any) -> float | None:
    """Unix seconds of an ISO 8601 date and time (no zone: UTC), or None when it is none."""
    found = _ISO.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 64 else None
    if found is None:
        return None
    year, month, day, hour, minute = (int(part) for part in found.group(1, 2, 3, 4, 5))
    if not (year >= 1 and 1 <= month <= 12 and 1 <= day <= 31 and hour <= 24 and minute <= 59):
        return None
    try:
        whole = calendar.timegm((year, month, day, hour, minute, int(found[6] or 0)))
    except ValueError:
        return None
    zone = found[8]
    if zone and zone.upper() != "Z":
        ahead = int(zone[1:3]) * 3600 + int(zone[-2:]) * 60
        whole += ahead if zone[0] == "-" else -ahead
    return whole + float(f"0.{found[7] or 0}")
