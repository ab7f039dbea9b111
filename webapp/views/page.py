"""What every panel of one trace page may rely on: who, where, on which clock.

Rules of this file: one small frozen object, loaded with a fixed number of queries whatever the trace's size.
Nothing here depends on the panel; nothing here knows HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from webapp.storage.models import FindingRow, LaneRow, RunRow, Trace
from webapp.views import names

MAX_LISTED = 500  # lanes and runs a page knows by name; more are told by number
CLOCK_WORDS = {
    "arrival": "by arrival",
    "event": "by the event’s own clock; this file has no arrival times",
    "prefix": "by the log line’s prefix",
}


def many_lanes(trace: Trace) -> bool:
    """Whether a page knows only those lanes by name that are nearest to the chosen event."""
    return trace.lane_count > MAX_LISTED


@dataclass(frozen=True)
class Clock:
    """The one clock a trace's times are told on. kind: unix | relative | time-of-day | none."""

    kind: str
    source: str | None
    started: float | None

    @property
    def known(self) -> bool:
        return self.source is not None and self.kind != "none"

    def read(self, at: float | None, ts: int | None, prefix_at: float | None) -> float | None:
        """Seconds on this clock of a record with these three stamps; None when it has none."""
        if self.source == "arrival":
            return at
        if self.source == "event":
            return None if ts is None else ts / 1000
        return prefix_at if self.source == "prefix" else None

    def since(self, seconds: float | None) -> str:
        """`+9 ms` since the trace's first time; empty when the record has none."""
        if seconds is None or self.started is None:
            return ""
        return names.since(seconds - self.started)

    @property
    def words(self) -> str:
        return CLOCK_WORDS.get(self.source or "", "")


@dataclass(frozen=True)
class PageContext:
    """The page around a panel.

    event: the record number shown (always inside 0 … records-1; 0 when the trace is empty)
    lanes, runs: by ord, at most MAX_LISTED of each
    findings: those at the chosen record, worst first
    shared: read-only view through a share link
    """

    trace: Trace
    event: int
    lanes: dict[int, LaneRow]
    runs: Sequence[RunRow] = ()
    findings: Sequence[FindingRow] = ()
    shared: bool = False

    @cached_property
    def clock(self) -> Clock:
        trace = self.trace
        return Clock(trace.clock, trace.clock_source, trace.started)

    def lane_name(self, ord_: int) -> str:
        return names.lane_name(self.lanes.get(ord_)) if ord_ in self.lanes or ord_ == 0 else f"lane {ord_}"

    def lane_of(self, tag: str | None) -> LaneRow | None:
        """The lane with this `subagentRunId` (None: the parent agent)."""
        return next((lane for lane in self.lanes.values() if lane.tag == tag), None)

    @property
    def last(self) -> int:
        return max(0, self.trace.records - 1)

    def gone(self, seq: int) -> bool:
        """Whether record `seq` came after the client had stopped."""
        return self.trace.rejected_at is not None and seq > self.trace.rejected_at
