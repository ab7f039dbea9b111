"""What follows from a live recording so far, written again and again until it ends.

Rules of this file: one trace; the rows that an upload writes once are compared with what was written, and only what
differs is written. At the end the tables hold exactly what an upload of the same bytes would have given.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

import msgspec
from sqlalchemy.orm import Session

from webapp.core.findings import Report
from webapp.core.records import Record
from webapp.core.replay import Replay
from webapp.ingest.index import ITEM, SNAPSHOT, SYNTHS, TYPE, Row
from webapp.ingest.judging import Judging
from webapp.ingest.rows import item_rows, item_severities
from webapp.ingest.sealed_engine import Sealed, engine_of
from webapp.readers.base import Account
from webapp.storage import bulk, live_rows
from webapp.storage.models import Trace

WHOLE_EVERY = 2.0  # seconds between looks at all items, not only those that were spoken of


class Derived:
    """`add` records, then `write`; `finish` once. records: how many were added.

    account: of the reader, which has given its first record. Raises BadInput, here and from `finish`, for a redacted
    file that is refused.
    """

    def __init__(self, trace: int, replay: Replay, account: Account) -> None:
        self._pk = trace
        self._replay = replay
        self._engine = engine_of(replay, account)
        self._sealed = isinstance(self._engine, Sealed)
        self._judging = Judging(trace, self._engine)
        self._burst: int | None = None  # first record of the burst that was written unfinished
        self._written: dict[int, int] = {}  # items.ord -> hash of its row
        self._open: set[int] = set()  # items that an event of another one may still change
        self._worst: dict[int, int] = {}  # items.ord -> worst severity; only new findings change it
        self._runs: list[Row] = []
        self._lanes: list[Row] = []
        self._written_told = 0  # `Judging.told` when findings were written
        self._looked = 0.0  # when all items were looked at
        self._counted = 0  # records when the density was counted

    @property
    def records(self) -> int:
        return self._judging.records

    def add(self, records: Iterable[Record]) -> None:
        """Judge them; nothing is written."""
        self._judging.add(records)

    def write(self, session: Session, trace: Trace, account: Account) -> None:
        """Bring the tables up to what was added."""
        now = time.monotonic()
        whole = now - self._looked > WHOLE_EVERY
        self._write(session, trace, account, self._so_far(), whole=whole)
        if whole:
            self._looked = now
            if self.records > self._counted:
                live_rows.replace_density(session, self._pk, self.records)
                self._counted = self.records

    def stopped_here(self, reason: str) -> None:
        """The recording was ended, not the stream: see `Replay.stopped_here`."""
        self._engine.stopped_here(reason)

    def finish(self, session: Session, trace: Trace, account: Account) -> Report:
        """The recording ended: the same, with the rules about its end."""
        report = self._judging.finish(account)
        self._written_told = -1
        self._write(session, trace, account, report, whole=True)
        live_rows.replace_density(session, self._pk, self.records)
        return report

    def _so_far(self) -> Report:
        """Of a redacted file nothing is concluded before it is known to be whole."""
        report = self._replay.so_far()
        if not self._sealed:
            return report
        return msgspec.structs.replace(report, verdict="unchecked", rejected_at=None, runs=[], findings=[])

    # ── what is written ──────────────────────────────────────

    def _write(
        self, session: Session, trace: Trace, account: Account, report: Report, *, whole: bool
    ) -> None:
        judging, index, pk = self._judging, self._judging.index, self._pk
        touched = self._touched(index.events, whole)
        if columns := judging.columns():
            bulk.add_events(session, columns)
        bulk.add_checkpoints(session, index.checkpoints)
        partial = index.bursts.unfinished()
        live_rows.replace_burst(session, pk, self._burst, [*index.bursts.segments, *partial])
        self._burst = index.bursts.begun if partial else None
        index.checkpoints.clear()
        index.bursts.segments.clear()
        if judging.told != self._written_told:
            changed = judging.severities(report)
            bulk.set_severities(session, changed)
            for severity, _, seq in changed:
                if severity is None:
                    del index.hits[seq]
                else:
                    index.hits[seq] = severity
            live_rows.replace_findings(session, pk, judging.findings(report))
            self._written_told = judging.told
        self._items(session, report, touched)
        runs = judging.runs(report)
        if runs != self._runs:
            live_rows.replace_runs(session, pk, runs)
            self._runs = runs
        lanes = judging.lanes()
        if lanes != self._lanes:
            live_rows.replace_lanes(session, pk, lanes)
            self._lanes = lanes
        judging.sum_up(trace, report, account)
        session.flush()

    def _touched(self, events: list[Row], whole: bool) -> set[int] | None:
        """The items whose rows may differ from what was written; None: any. A finding may be about any item."""
        if whole or self._judging.told != self._written_told or any(row[TYPE] == SNAPSHOT for row in events):
            return None
        touched = {row[ITEM] for row in events if row[ITEM] is not None}
        for row in events:
            if row[SYNTHS]:
                touched.update(int(part.partition(":")[2]) for part in row[SYNTHS].split(";"))
        return touched | self._open

    def _items(self, session: Session, report: Report, touched: set[int] | None) -> None:
        entries = self._judging.index.entries
        chosen = entries if touched is None else {ord_: entries[ord_] for ord_ in sorted(touched)}
        rows, known = [], []
        if touched is None:
            self._worst = item_severities(entries, report.findings)
        for row in item_rows(self._pk, chosen, self._judging.clock, self._worst):
            ord_, made = row[1], hash(row)
            if self._written.get(ord_) == made:
                continue
            if ord_ in self._written:
                known.append(ord_)
            self._written[ord_] = made
            rows.append(row)
        live_rows.replace_items(session, self._pk, rows, known)
        if touched is None:
            self._open = set()
        for ord_, entry in chosen.items():
            item = entry.item
            if item.state in ("open", "phantom") or (item.kind == "tool" and item.result is None):
                self._open.add(ord_)
            else:
                self._open.discard(ord_)
