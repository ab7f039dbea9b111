"""The times a trace knows, and the one clock its items are laid out on.

Rules of this file: three clocks stay apart (arrival, a log's prefix, the events' own); one is chosen for the whole
trace in that order, never mixed. Times are kept sparsely, eight bytes a record; nothing here goes through all of them,
since a live recording asks again and again.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence

UNIX_SECONDS = 1e8  # arrival times beyond this (1973) are dates, below it they count from a start
UNIX_MS = 1e11  # the same for event timestamps, in milliseconds


class _Times:
    """Of one source: numbers of records, their times, and the earliest and latest of these."""

    __slots__ = ("first", "last", "seqs", "times")

    def __init__(self) -> None:
        self.seqs = array("l")
        self.times = array("d")
        self.first = float("inf")
        self.last = float("-inf")


class Clock:
    """Times of one source by record number; the newest known time holds until the next one.

    time_of_day: arrival and prefix count from a midnight; may be set at the end
    """

    def __init__(self) -> None:
        self.time_of_day = False
        self._arrival = _Times()
        self._prefix = _Times()
        self._event = _Times()

    def add(self, seq: int, at: float | None, ts: int | None, prefix: float | None = None) -> None:
        """The times of one record. at, prefix: seconds; ts: milliseconds."""
        self.extend((seq,), (at,), (ts,), (prefix,))

    def extend(
        self,
        seqs: Sequence[int],
        arrivals: Sequence[float | None],
        stamps: Sequence[int | None],
        prefixes: Sequence[float | None],
    ) -> None:
        """The times of many records in order, a column each; None where a record has none."""
        for known, column, unit in (
            (self._arrival, arrivals, 1),
            (self._prefix, prefixes, 1),
            (self._event, stamps, 1000),
        ):
            missing = column.count(None)
            if missing == len(column):
                continue
            known.seqs.extend(
                [n for n, time in zip(seqs, column, strict=True) if time is not None] if missing else seqs
            )
            times = [time / unit for time in column if time is not None]
            known.times.extend(times)
            known.first = min(known.first, min(times))
            known.last = max(known.last, max(times))

    @property
    def source(self) -> str | None:
        """arrival | prefix | event | None: arrival wins, since nobody but the recorder sets it; then a log's times."""
        if self._arrival.seqs:
            return "arrival"
        if self._prefix.seqs:
            return "prefix"
        return "event" if self._event.seqs else None

    @property
    def kind(self) -> str:
        """unix | relative | time-of-day | none."""
        source = self.source
        if source is None:
            return "none"
        if self.time_of_day and source != "event":
            return "time-of-day"
        limit = UNIX_MS / 1000 if source == "event" else UNIX_SECONDS
        return "unix" if self._chosen().times[0] > limit else "relative"

    def span(self) -> tuple[float | None, float | None]:
        """The earliest and latest time, in seconds."""
        known = self._chosen()
        return (known.first, known.last) if known.times else (None, None)

    def when(self, seq: int) -> float | None:
        """The time that held at a record: its own, else the newest before it, else the first of all."""
        known = self._chosen()
        seqs = known.seqs
        if not seqs:
            return None
        if len(seqs) > seq and seqs[seq] == seq:  # so far every record has one
            return known.times[seq]
        return known.times[max(0, bisect_right(seqs, seq) - 1)]

    def _chosen(self) -> _Times:
        if self._arrival.seqs:
            return self._arrival
        return self._prefix if self._prefix.seqs else self._event
