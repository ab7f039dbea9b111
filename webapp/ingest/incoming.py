"""Records on their way from the reader to the engine: what has to be known before the first, and one clock for all.

Rules of this file: records go through one by one, in order. Times of day have no date: where they jump back by more
than half a day, midnight has passed. Nothing else about them is changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import msgspec

from webapp.core.records import Record
from webapp.readers.base import MAX_STRAYS, Account, Artefact, Stray
from webapp.readers.tally import STRAY_CHARS

DAY = 86_400
HALF = DAY / 2


class Midnight:
    """Seconds since midnight to seconds since the first midnight. days: midnights that have passed."""

    def __init__(self) -> None:
        self.days = 0
        self._last: float | None = None

    def add(self, seconds: float) -> float:
        """One time, in order. A time shortly before the last one is a disorder, not a day."""
        last, days = self._last, self.days
        if last is not None:
            if seconds < last - HALF:
                days = self.days = self.days + 1
            elif seconds > last + HALF and days:
                return seconds + (days - 1) * DAY  # a line from before midnight that comes late
        self._last = seconds
        return seconds + days * DAY


def prepared(records: Iterable[Record], account: Account) -> Iterator[Record]:
    """The same records, times of day made one clock; the account says so where midnight has passed.

    The first record has been read when this returns, so that `account.head_missing` is known.
    """
    source = iter(records)
    first = next(source, None)
    return iter(()) if first is None else _steady(chain((first,), source), account)


def _steady(records: Iterable[Record], account: Account) -> Iterator[Record]:
    arrival, prefix = Midnight(), Midnight()
    for record in records:
        if account.time_of_day and (record.at is not None or record.prefix_at is not None):
            record = msgspec.structs.replace(
                record,
                at=None if record.at is None else arrival.add(record.at),
                prefix_at=None if record.prefix_at is None else prefix.add(record.prefix_at),
            )
        yield record
    days = max(arrival.days, prefix.days)
    if days:
        passed = "Midnight passes" if days == 1 else f"Midnight passes {days:,} times"
        account.artefacts.append(
            Artefact(
                "midnight",
                f"{passed} in the recording, which tells the time of day alone; days were counted on.",
            )
        )


class Unread:
    """Records that no engine makes anything of: in a Teams recording, what is neither a call nor an activity.

    No rule looks at them, so their lines are told as not understood. AG-UI's engine has findings for such records.
    """

    def __init__(self) -> None:
        self._lines = 0
        self._last = 0  # line of the newest
        self._strays: list[Stray] = []

    def add(self, record: Record) -> None:
        """One record whose step has no type."""
        if record.line == self._last:
            return
        self._last = record.line
        self._lines += 1
        if len(self._strays) < MAX_STRAYS:
            text = record.payload[: STRAY_CHARS * 4].decode("utf-8", "replace")[:STRAY_CHARS]
            self._strays.append(Stray(record.line, record.offset, text))

    def tell(self, account: Account) -> None:
        """Move their lines in the account of a reader that is done."""
        moved = min(self._lines, account.records)
        account.records -= moved
        account.not_understood += moved
        known = {stray.line for stray in account.strays}
        account.strays += [stray for stray in self._strays[:moved] if stray.line not in known]
        account.strays.sort(key=lambda stray: stray.line)
        del account.strays[MAX_STRAYS:]
