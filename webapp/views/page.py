"""What every panel of one trace page may rely on: who, where, on which clock.

Rules of this file: one small frozen object, loaded with a fixed number of queries whatever the trace's size.
Nothing here depends on the panel; nothing here knows HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from sqlalchemy.orm import Session

from webapp.storage import items
from webapp.storage.items import StoredLane
from webapp.storage.models import FindingRow, RunRow, Trace
from webapp.views import names, unsettled, vocabulary
from webapp.views.teams.words import stream_name
from webapp.views.vocabulary import Words

MAX_LISTED = 500  # lanes and runs a page knows by name; more are told by number
CLOCK_WORDS = {
    "arrival": "by arrival",
    "event": "by the event’s own clock; this file has no arrival times",
    "prefix": "by the log line’s prefix",
}
CLOCK_BRIEF = {
    "arrival": "by arrival",
    "event": "by the event’s own clock",
    "prefix": "by the log’s own times",
}


_BROUGHT_TO_AN_END = ("refused", "expired", "stopped")  # outcomes of a stream that one wants to see first


class Stamped(Protocol):
    """A record's three times, as `EventRow` has them: seconds, milliseconds, seconds."""

    @property
    def at(self) -> float | None: ...

    @property
    def ts(self) -> int | None: ...

    @property
    def prefix_at(self) -> float | None: ...


@dataclass(frozen=True)
class Clock:
    """The one clock a trace's times are told on. kind: unix | relative | time-of-day | none."""

    kind: str
    source: str | None
    started: float | None
    arrival: str = CLOCK_WORDS["arrival"]

    @property
    def known(self) -> bool:
        return self.source is not None and self.kind != "none"

    def read(self, record: Stamped) -> float | None:
        """Seconds on this clock of a record; None when it has none."""
        if self.source == "arrival":
            return record.at
        if self.source == "event":
            return None if record.ts is None else record.ts / 1000
        return record.prefix_at if self.source == "prefix" else None

    def since(self, seconds: float | None) -> str:
        """`+9 ms` since the trace's first time; empty when the record has none."""
        if seconds is None or self.started is None:
            return ""
        return names.since(seconds - self.started)

    def apart(self, records: Sequence[Stamped | None]) -> list[str]:
        """`since` of records that stand under each other, exact enough to tell neighbours apart; None is ""."""
        times = [None if record is None else self.read(record) for record in records]
        started = self.started
        return names.apart([None if t is None or started is None else t - started for t in times])

    @property
    def words(self) -> str:
        said = self.arrival if self.source == "arrival" else CLOCK_WORDS.get(self.source or "", "")
        return f"{said}; the recording has the time of day, no date" if self.kind == "time-of-day" else said

    @property
    def brief(self) -> str:
        return self.arrival if self.source == "arrival" else CLOCK_BRIEF.get(self.source or "", "")


@dataclass(frozen=True)
class PageContext:
    """The page around a panel.

    event: the record number shown (always inside 0 … records-1; 0 when the trace is empty)
    lanes, runs: by ord, at most MAX_LISTED of each
    findings: those at the chosen record, worst first
    shared: read-only view through a share link
    rows: most rows of a list that follows its newest record, 0 = as many as it has otherwise
    """

    trace: Trace
    event: int
    lanes: dict[int, StoredLane]
    runs: Sequence[RunRow] = ()
    findings: Sequence[FindingRow] = ()
    shared: bool = False
    rows: int = 0

    @cached_property
    def clock(self) -> Clock:
        trace = self.trace
        return Clock(trace.clock, trace.clock_source, trace.started, self.words.arrival)

    @property
    def words(self) -> Words:
        """What things are called in this trace's protocol."""
        return vocabulary.of(self.trace.protocol)

    def lane_name(self, ord_: int) -> str:
        if self.trace.protocol == "teams":
            return stream_name(ord_)
        return names.lane_name(self.lanes.get(ord_)) if ord_ in self.lanes or ord_ == 0 else f"lane {ord_}"

    def lane_of(self, tag: str | None) -> StoredLane | None:
        """The lane with this `subagentRunId` (None: the parent agent)."""
        return next((lane for lane in self.lanes.values() if lane.tag == tag), None)

    @property
    def last(self) -> int:
        return max(0, self.trace.records - 1)

    @property
    def stop(self) -> int:
        """The record at which the client stopped; one behind the last when it did not."""
        return self.trace.records if self.trace.rejected_at is None else self.trace.rejected_at

    @property
    def stops(self) -> bool:
        """Whether nothing is delivered after a rejection; Teams takes what comes next as if nothing had been."""
        return self.trace.protocol != "teams"

    def gone(self, seq: int) -> bool:
        """Whether record `seq` came after the client had stopped."""
        return self.stops and self.trace.rejected_at is not None and seq > self.trace.rejected_at


def opens_at(session: Session, trace: Trace) -> int:
    """The record a page opens at: of a recording that was stopped in a run its last one; else the first cause; in a
    Teams recording without one the end of the first stream that Teams or the user brought to an end; else the first."""
    teams = trace.protocol == "teams"
    if not teams and not unsettled.stopped(trace):
        return trace.headline_event or 0
    if teams and trace.headline_event is not None:
        return trace.headline_event
    runs = items.runs(session, trace.pk, limit=MAX_LISTED)
    if not teams:
        stopped = unsettled.ended(trace, unsettled.numbers(runs)) is not None
        return max(0, trace.records - 1) if stopped else trace.headline_event or 0
    ended = (run.last for outcome in _BROUGHT_TO_AN_END for run in runs if run.outcome == outcome)
    return next(ended, 0)


def load(session: Session, trace: Trace, event: int, *, shared: bool = False) -> PageContext:
    """The page at a record (or the nearest to it), without its findings.

    Of more than MAX_LISTED lanes it knows those by name that are nearest to the record.
    """
    event = min(max(event, 0), max(0, trace.records - 1))
    near = event if trace.lane_count > MAX_LISTED else None
    lanes = {row.ord: row for row in items.lanes(session, trace.pk, limit=MAX_LISTED, around=near)}
    return PageContext(trace, event, lanes, items.runs(session, trace.pk, limit=MAX_LISTED), shared=shared)
