"""One pass over a trace: the engine judges, the index folds, the database keeps.

Rules of this file: drive, batch, write, sum up. The steps are those of `judging`; what a row holds is decided in
`index`, what is wrong in the core.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice

from sqlalchemy.orm import Session

from webapp.core.findings import Report
from webapp.core.records import Record
from webapp.ingest.judging import Judging
from webapp.ingest.rows import item_rows, item_severities
from webapp.ingest.sealed_engine import Engine
from webapp.readers.base import Account
from webapp.storage import bulk
from webapp.storage.event_writer import EventWriter
from webapp.storage.models import Trace
from webapp.storage.timeline import write_density

BATCH = 5000  # items written at once
BATCH_BYTES = 4 * 1024 * 1024  # of rows held before they are written: some 5,000 ordinary events


def analyse(
    session: Session, trace: Trace, records: Iterable[Record], replay: Engine, account: Callable[[], Account]
) -> Report:
    """Judge `records`, write everything derived from them under `trace` and fill in its summary.

    trace: already flushed, so that it has its `pk`; account: gives the reader's account once records are used up.
    Nothing is committed.
    """
    pk = trace.pk
    judging = Judging(pk, replay)
    index = judging.index
    source = iter(records)
    with _collector_resting(), EventWriter(session) as events:
        while judging.add(source, BATCH_BYTES):
            _write(session, judging, events)
        told = account()
        report = judging.finish(told)
        _write(session, judging, events)
    bulk.set_severities(session, judging.severities(report))
    worst = item_severities(index.entries, report.findings)
    rows = item_rows(pk, index.entries, judging.clock, worst)
    while batch := list(islice(rows, BATCH)):
        bulk.add_items(session, batch)
    write_density(session, pk, report.records)
    bulk.add_lanes(session, judging.lanes())
    bulk.add_runs(session, judging.runs(report))
    bulk.add_findings(session, judging.findings(report))
    judging.sum_up(trace, report, told)
    session.flush()
    return report


def _write(session: Session, judging: Judging, events: EventWriter) -> None:
    """Write the rows that will not change."""
    segments, checkpoints = judging.index.bursts.segments, judging.index.checkpoints
    bulk.add_segments(session, segments)
    bulk.add_checkpoints(session, checkpoints)
    columns = judging.columns()
    if columns:  # the last, since they may still be on their way when this is done
        events.add(columns)
    segments.clear()
    checkpoints.clear()


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
