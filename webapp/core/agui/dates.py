"""ISO 8601 dates as epoch milliseconds, without a clock.

Rules of this file: arithmetic only. A date without an offset is read as UTC; what is no date is None.
"""

from __future__ import annotations

import re

_DATE = re.compile(
    r"([+-]?\d{4,6})-(\d\d)-(\d\d)"
    r"(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|z|[+-]\d\d(?::?\d\d)?)?)?"
)
_MONTH = re.compile(r"\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)", re.IGNORECASE)
_YEAR = re.compile(r"\b\d{4}\b")
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
DAY = 86_400_000


def epoch_ms(text: str) -> int | None:
    """Milliseconds since 1970, or None when the text is no ISO 8601 date."""
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day = (int(found[n]) for n in (1, 2, 3))
    hour, minute, second = (int(found[n] or 0) for n in (4, 5, 6))
    if not 1 <= month <= 12 or not 1 <= day <= _DAYS[month - 1] or hour > 24 or minute > 59 or second > 60:
        return None
    fraction = int((found[7] or "0").ljust(3, "0")[:3])
    offset = 0
    if found[8] and found[8] not in "Zz":
        digits = found[8][1:].replace(":", "").ljust(4, "0")
        offset = (int(digits[:2]) * 60 + int(digits[2:])) * (-1 if found[8][0] == "-" else 1)
    clock = ((hour * 60 + minute - offset) * 60 + second) * 1000 + fraction
    return _days(year, month, day) * DAY + clock


def looks_like_date(text: str) -> bool:
    """Whether a client is likely to read it as a date, ISO 8601 or not (`Tue, 01 Jan 2030 10:00:00 GMT`)."""
    return epoch_ms(text) is not None or bool(_MONTH.search(text) and _YEAR.search(text))


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the Gregorian calendar."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468
