"""Playing a trace back: how long lies between its records, and at which of them a page stops to show itself.

Rules of this file: times and numbers, no payloads; a call looks at READ records at most, so that a trace of any size
begins to play at once. Records that only add text are passed over while they follow each other within BEAT seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from webapp.storage import events, playback
from webapp.storage.models import Trace
from webapp.storage.playback import Beat
from webapp.views import filters, names, run_list, vocabulary
from webapp.views.page import Clock, PageContext, Stamped, load
from webapp.views.selection import Selection

STEP = 0.1  # seconds between two records of a trace without times
BEAT = 0.1  # seconds of the trace within which text that grows is one stop
READ = 10_000  # records a call looks at
SEARCHED = 500  # and at most so many that pass a filter
MAX_STOPS = 500
CLOCKS = {
    "arrival": "arrival times",
    "event": "the events' own timestamps",
    "prefix": "the times of the log lines",
}


class Pace:
    """How long to wait before each record, in seconds of the trace's own clock.

    The newest time holds until a later one: a record without a time, or with one that runs backwards, has no wait.
    """

    def __init__(self, clock: Clock, since: Stamped | None = None) -> None:
        self._clock = clock
        self._now = None if since is None else clock.read(since)

    def wait(self, record: Stamped) -> float:
        """Seconds between the record before and this one; 0 for the first."""
        if not self._clock.known:
            return STEP
        time = self._clock.read(record)
        before = self._now
        if time is None or (before is not None and time <= before):
            return 0.0
        self._now = time
        return 0.0 if before is None else time - before


def clock_of(trace: Trace) -> Clock:
    return Clock(trace.clock, trace.clock_source, trace.started, vocabulary.of(trace.protocol).arrival)


def clock_words(clock: Clock) -> str:
    """`arrival times`; what a trace without times is paced by."""
    if not clock.known:
        return f"no times recorded, {names.duration(STEP)} for each record"
    return CLOCKS[clock.source or ""]


@dataclass(frozen=True, slots=True)
class Stops:
    """Where a play-back goes next. stops: (record number, milliseconds since the stop before, of the trace's time).

    next: number to go on from, None when there is nothing behind these; end: what is said there, without a full stop;
    note: what sets the pace where no time does, else ""
    """

    stops: Sequence[tuple[int, int]]
    next: int | None
    end: str
    note: str = ""


def stops(session: Session, trace: Trace, asked: Selection, after: int, count: int) -> Stops:
    """The stops behind record `after`; under the Events panel's filter only records that pass it."""
    sel = filters.split(asked, vocabulary.of(trace.protocol))
    page = load(session, trace, after)
    clock = page.clock
    since = playback.before(session, trace.pk, after, clock.source or "") if clock.known else None
    beats: Sequence[Beat | events.Line]
    if sel.panel == "events" and sel.filtered:
        wanted = filters.wanted(sel, page)
        beats = events.window(session, trace.pk, start=after + 1, limit=SEARCHED, filters=wanted)
        more = len(beats) == SEARCHED
    else:
        beats = playback.beats(session, trace.pk, after, READ)
        more = len(beats) == READ
    note = "" if clock.known else clock_words(clock)
    made = gathered(beats, Pace(clock, since), min(max(count, 1), MAX_STOPS))
    if made and (more or made[-1][0] != beats[-1].seq):
        return Stops(made, made[-1][0], "", note)
    return Stops(made, None, ending(trace, page), note)


def gathered(beats: Iterable[Beat | events.Line], pace: Pace, count: int) -> list[tuple[int, int]]:
    """(record number, milliseconds since the stop before) of at most `count` stops; the last record always is one."""
    out: list[tuple[int, int]] = []
    passed = 0.0  # seconds since the last stop
    left: int | None = None  # the newest record that was passed over
    for beat in beats:
        passed += pace.wait(beat)
        if beat.change == "grew" and beat.severity is None and passed < BEAT:
            left = beat.seq
            continue
        out.append((beat.seq, round(passed * 1000)))
        passed, left = 0.0, None
        if len(out) == count:
            return out
    if left is not None:
        out.append((left, round(passed * 1000)))
    return out


def ending(trace: Trace, page: PageContext) -> str:
    """`End of the recording: rejected at #12`; else how the last run ended."""
    if trace.status == "live":
        return "End of what is recorded so far"
    if trace.rejected_at is not None or not page.runs or trace.run_count > len(page.runs):
        said = names.verdict_words(trace)[2:]
        return f"End of the recording: {said[:1].lower()}{said[1:]}"
    which = f", last {page.words.run}" if trace.run_count > 1 else ""
    how = run_list.outcome(page.runs[-1].outcome, trace.protocol)[0]
    return f"End of the recording{which}: {how}"
