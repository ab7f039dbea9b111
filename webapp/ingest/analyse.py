"""One pass over a trace: the engine judges, the index folds, the database keeps.

Rules of this file: drive, batch, write, sum up. What a row holds is decided in `index`, what is wrong in the core.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice

from sqlalchemy.orm import Session

from webapp.core.findings import Report
from webapp.core.records import Record
from webapp.ingest.clock import Clock
from webapp.ingest.incoming import Unread
from webapp.ingest.index import AT, HEAD, PREFIX, SEQ, TS, Indexer
from webapp.ingest.rows import finding_row, item_rows, item_severities, run_row, severities, sum_up
from webapp.ingest.sealed_engine import Engine, Sealed, length
from webapp.readers.base import Account
from webapp.storage import bulk
from webapp.storage.event_writer import EventWriter
from webapp.storage.models import Trace
from webapp.storage.timeline import write_density

BATCH = 5000  # items written at once
ROW_COST = 600  # bytes a row's tuple takes beside its payload
BATCH_BYTES = 4 * 1024 * 1024  # of rows held before they are written: some 5,000 ordinary events


def analyse(
    session: Session, trace: Trace, records: Iterable[Record], replay: Engine, account: Callable[[], Account]
) -> Report:
    """Judge `records`, write everything derived from them under `trace` and fill in its summary.

    trace: already flushed, so that it has its `pk`; account: gives the reader's account once records are used up.
    Nothing is committed.
    """
    pk = trace.pk
    sealed = isinstance(replay, Sealed)
    index = Indexer(pk, replay.held, replay.state_now, length if sealed else len)
    feed, add = replay.feed, index.add
    unread = Unread()
    pending = 0
    with _collector_resting(), EventWriter(session) as events:
        writer = _Writer(session, index, events)
        for record in records:
            step = feed(record.payload, record.at, record.framing)
            if step.type is None:
                unread.add(record)
            add(record, step)
            pending += ROW_COST + len(record.payload)
            if pending > BATCH_BYTES:
                writer.write()
                pending = 0
        told = account()
        report = replay.finish(told.head)
        if report.protocol == "teams":
            unread.tell(told)
        index.finish()
        writer.write()
    bulk.set_severities(session, severities(pk, index.hits, report.findings))
    worst = item_severities(index.entries, report.findings)
    rows = item_rows(pk, index.entries, writer.clock, worst)
    while batch := list(islice(rows, BATCH)):
        bulk.add_items(session, batch)
    write_density(session, pk, report.records)
    bulk.add_lanes(session, index.lanes.rows(pk))
    bulk.add_runs(session, [run_row(pk, run) for run in report.runs])
    bulk.add_findings(session, [finding_row(pk, ord_, f) for ord_, f in enumerate(report.findings)])
    trace.heads = writer.heads
    writer.clock.time_of_day = told.time_of_day
    sum_up(trace, index, writer.clock, report, told)
    session.flush()
    return report


class _Writer:
    """Writes what the index holds and takes what the end needs from the rows that go by."""

    def __init__(self, session: Session, index: Indexer, events: EventWriter) -> None:
        self.clock = Clock()
        self.heads = 0
        self._session = session
        self._events = events
        self._index = index

    def write(self) -> None:
        index = self._index
        events, segments, checkpoints = index.events, index.bursts.segments, index.checkpoints
        bulk.add_segments(self._session, segments)
        bulk.add_checkpoints(self._session, checkpoints)
        if events:  # the last, since they may still be on their way when this is done
            values = list(zip(*events, strict=True))
            self.clock.extend(values[SEQ], values[AT], values[TS], values[PREFIX])
            self.heads += sum(values[HEAD])
            self._events.add(values)
        for rows in (events, segments, checkpoints):
            rows.clear()


@contextmanager
def _collector_resting() -> Iterator[None]:
    """No garbage collection during a pass: nothing here makes cycles, and looking for them costs a third."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
