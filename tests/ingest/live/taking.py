"""A recorder whose rounds a test takes one by one, and what the tables hold of a trace.

Rules of this file: no assertion; rows are compared without the trace they belong to and without when they came.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence, Set
from functools import cache
from typing import Any

import sqlalchemy as sa

from webapp.core import Replay
from webapp.core.records import Record
from webapp.ingest.clock import Clock
from webapp.ingest.index import AT, PREFIX, SEQ, TS, Indexer
from webapp.ingest.live.handle import Live
from webapp.ingest.live.recorder import Recorder
from webapp.ingest.rows import finding_row, item_rows, item_severities, run_row, severities
from webapp.ingest.signals import Signal
from webapp.settings import Settings, load_settings
from webapp.storage import captures, originals
from webapp.storage import traces as repository
from webapp.storage.db import Database
from webapp.storage.models import Base, Capture, Trace

CLOCKS = {
    "trace",
    "at",
    "t0",
    "t1",
}  # columns that differ between a recording and an upload of the same bytes
DERIVED = tuple(table.__table__ for table in repository.DERIVED)
SUMMARY = tuple(
    column.name
    for column in Trace.__table__.columns
    if column.name
    not in {
        "pk", "id", "name", "source", "created", "clock", "clock_source", "started", "ended", "read_because",
        "upload_notes",
    }
)  # fmt: skip
Rows = dict[str, list[tuple[Any, ...]]]


class Heard:
    """Signals that are collected."""

    def __init__(self) -> None:
        self.all: list[Signal] = []

    def start(self, *_: Any) -> None: ...

    def publish(self, signal: Signal) -> None:
        self.all.append(signal)

    def stop(self) -> None: ...


class Taking:
    """A recorder that works when it is told to."""

    def __init__(self, database: Database, settings: Settings | None = None) -> None:
        self.database = database
        self.settings = settings or load_settings()
        self.heard = Heard()
        self.recorder = Recorder(database, self.settings, self.heard)

    def begin(self, **more: Any) -> Live:
        told = {"name": "n", "source": "s", "kind": "push", **more}
        return asyncio.run(self.recorder.begin(**told))

    def round(self) -> None:
        """One round of the recorder's thread, failing as it fails there."""
        self.recorder._round()

    def record(self, pieces: Iterable[bytes], every: int = 3, **more: Any) -> Live:
        """A whole recording; a round after every so many pieces."""
        live = self.begin(**more)
        for number, piece in enumerate(pieces):
            assert live.write(piece, 1000.0 + number)
            if number % every == 0:
                self.round()
        self.end(live)
        return live

    def end(self, live: Live, reason: str = "") -> None:
        live.stop(reason)
        self.round()
        while self.recorder._bench.due:
            self.round()

    def trace(self, public: str) -> Trace:
        with self.database.session() as session:
            trace = repository.get(session, public)
            assert trace is not None
            return trace

    def capture(self, public: str) -> Capture:
        with self.database.session() as session:
            trace = repository.get(session, public)
            assert trace is not None
            capture = captures.get(session, trace.pk)
            assert capture is not None
            return capture

    def text(self, public: str) -> bytes:
        with self.database.session() as session:
            trace = repository.get(session, public)
            assert trace is not None
            return b"".join(originals.whole(session, trace.pk))


@cache
def _rows_of(table: Any, leave: frozenset[str]) -> sa.Select[Any]:
    """Made once: the columns are many, and a test asks for the same ones hundreds of times."""
    columns = [column for column in table.c if column.name not in leave]
    order = [column for column in table.primary_key.columns if column.name != "trace"]
    return sa.select(*columns).where(table.c.trace == sa.bindparam("pk")).order_by(*order)


def _asked(database: Database, public: str, tables: Iterable[Any], leave: Set[str]) -> Rows:
    with database.session() as session:
        trace = repository.get(session, public)
        assert trace is not None
        return {
            table.name: [
                tuple(row) for row in session.execute(_rows_of(table, frozenset(leave)), {"pk": trace.pk})
            ]
            for table in tables
        }


def table_rows(
    database: Database, public: str, table: Any, leave: Set[str] = CLOCKS
) -> list[tuple[Any, ...]]:
    return _asked(database, public, [table], leave)[table.name]


def derived(database: Database, public: str, leave: Set[str] = CLOCKS) -> Rows:
    """Every table that analysis writes."""
    return _asked(database, public, DERIVED, leave)


def summary(database: Database, public: str) -> dict[str, Any]:
    with database.session() as session:
        trace = repository.get(session, public)
        assert trace is not None
        return {name: getattr(trace, name) for name in SUMMARY}


def lines_of(database: Database, public: str) -> list[tuple[int, int, bytes]]:
    """The lines of the original as the Source panel counts them."""
    with database.session() as session:
        trace = repository.get(session, public)
        assert trace is not None
        return list(originals.lines(session, trace.pk, 1, 100_000))


def expected(protocol: str, records: Sequence[Record], run_input: Any = None) -> Rows:
    """What the engine says of the records so far, as rows of those tables that hold it."""
    replay = Replay(protocol, run_input)
    index, clock = Indexer(0, replay.held, replay.state_now), Clock()
    for record in records:
        index.add(record, replay.feed(record.payload, record.at, record.framing))
    for row in index.events:
        clock.add(row[SEQ], row[AT], row[TS], row[PREFIX])
    report = replay.so_far()
    worst = {seq: severity for severity, _, seq in severities(0, {}, report.findings)}
    bursts = [*index.bursts.segments, *index.bursts.unfinished()]
    items = item_rows(0, index.entries, clock, item_severities(index.entries, report.findings))
    named = {table.name: table for table in Base.metadata.sorted_tables}
    findings = [finding_row(0, ord_, finding) for ord_, finding in enumerate(report.findings)]
    columns = [column.name for column in named["findings"].columns]
    rows = {
        "events": [(*row[:11], worst.get(row[SEQ]), *row[12:]) for row in index.events],
        "segments": bursts,
        "items": list(items),
        "lanes": index.lanes.rows(0),
        "runs": [run_row(0, run) for run in report.runs],
        "findings": [tuple(finding[name] for name in columns) for finding in findings],
    }
    return {name: [_without(named[name], row) for row in found] for name, found in rows.items()}


def _without(table: Any, row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(value for column, value in zip(table.columns, row, strict=True) if column.name != "trace")
