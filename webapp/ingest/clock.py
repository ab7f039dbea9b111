"""The times a trace knows, and the one clock its items are laid out on.

Rules of this file: three clocks stay apart (arrival, a log's prefix, the events' own); one is chosen for the whole
trace in that order, never mixed. Times are kept sparsely, eight bytes a record.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence

UNIX_SECONDS = 1e8  # arrival times beyond this (1973) are dates, below it they count from a start
UNIX_MS = 1e11  # the same for event timestamps, in milliseconds


class Clock:
    """Times of one source by record number; the newest known time holds until the next one.

    time_of_day: arrival and prefix count from a midnight; may be set at the end
    """

    def __init__(self) -> None:
        self.time_of_day = False
        self._arrival = (array("l"), array("d"))
        self._prefix = (array("l"), array("d"))
        self._event = (array("l"), array("d"))

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
        for (numbers, times), column, unit in (
            (self._arrival, arrivals, 1),
            (self._prefix, prefixes, 1),
            (self._event, stamps, 1000),
        ):
            missing = column.count(None)
            if missing == len(column):
                continue
            numbers.extend(
                [n for n, time in zip(seqs, column, strict=True) if time is not None] if missing else seqs
            )
            times.extend([time / unit for time in column if time is not None])

    @property
    def source(self) -> str | None:
        """arrival | prefix | event | None: arrival wins, since nobody but the recorder sets it; then a log's times."""
        if self._arrival[0]:
            return "arrival"
        if self._prefix[0]:
            return "prefix"
        return "event" if self._event[0] else None

    @property
    def kind(self) -> str:
        """unix | relative | time-of-day | none."""
        source = self.source
        if source is None:
            return "none"
        if self.time_of_day and source != "event":
            return "time-of-day"
        limit = UNIX_MS / 1000 if source == "event" else UNIX_SECONDS
        return "unix" if self._chosen()[1][0] > limit else "relative"

    def span(self) -> tuple[float | None, float | None]:
        """The earliest and latest time, in seconds."""
        times = self._chosen()[1]
        return (min(times), max(times)) if times else (None, None)

    def when(self, seq: int) -> float | None:
        """The time that held at a record: its own, else the newest before it, else the first of all."""
        seqs, times = self._chosen()
        if not seqs:
            return None
        return times[max(0, bisect_right(seqs, seq) - 1)]

    def _chosen(self) -> tuple[array[int], array[float]]:
        return {"arrival": self._arrival, "prefix": self._prefix}.get(self.source or "", self._event)
