"""What an upload and a live recording go through alike: records judged and folded, and the rows that follow from them.

Rules of this file: one trace, no session. It judges and makes rows; `analyse` writes them once at the end,
`live/derived` again and again while they change.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from webapp.core.findings import Report
from webapp.core.records import Record
from webapp.ingest import rows
from webapp.ingest.clock import Clock
from webapp.ingest.incoming import Unread
from webapp.ingest.index import AT, HEAD, PREFIX, SEQ, TS, Indexer, Row
from webapp.ingest.sealed_engine import Engine, Sealed, length
from webapp.readers.base import Account
from webapp.storage.models import Trace

ROW_COST = 600  # bytes a row's tuple takes beside its payload


class Judging:
    """`add` records and take their rows with `columns`, again and again; then `finish`, once.

    records: how many were added; told: of these, how many gave a finding or changed one; index: holds the other rows.
    """

    def __init__(self, trace: int, engine: Engine) -> None:
        self.records = 0
        self.told = 0
        self.clock = Clock()
        self.index = Indexer(
            trace, engine.held, engine.state_now, length if isinstance(engine, Sealed) else len
        )
        self._trace = trace
        self._engine = engine
        self._unread = Unread()
        self._heads = 0

    def add(self, records: Iterable[Record], most: float = float("inf")) -> bool:
        """Judge them, until their rows take more than `most` bytes. Whether some may be left."""
        feed, index, unread = self._engine.feed, self.index.add, self._unread
        count = told = held = 0
        try:
            for record in records:
                step = feed(record.payload, record.at, record.framing)
                if step.type is None:
                    unread.add(record)
                if step.findings or step.amended:
                    told += 1
                index(record, step)
                count += 1
                held += ROW_COST + len(record.payload)
                if held > most:
                    return True
        finally:
            self.records += count
            self.told += told
        return False

    def columns(self) -> list[tuple[Any, ...]]:
        """The rows of `events` since the last call, by column; [] where there are none."""
        columns = list(zip(*self.index.events, strict=True))
        self.index.events.clear()
        if columns:
            self.clock.extend(columns[SEQ], columns[AT], columns[TS], columns[PREFIX])
            self._heads += sum(columns[HEAD])
        return columns

    def finish(self, account: Account) -> Report:
        """The end of the recording; account: of the reader, which is done. The last rows can be taken then."""
        report = self._engine.finish(account.head)
        if report.protocol == "teams":
            self._unread.tell(account)
        self.index.finish()
        return report

    # ── what follows from the report ─────────────────────────

    def severities(self, report: Report) -> list[tuple[int | None, int, int]]:
        """See `rows.severities`."""
        return rows.severities(self._trace, self.index.hits, report.findings)

    def findings(self, report: Report) -> list[dict[str, Any]]:
        return [rows.finding_row(self._trace, ord_, finding) for ord_, finding in enumerate(report.findings)]

    def runs(self, report: Report) -> list[Row]:
        return [rows.run_row(self._trace, run) for run in report.runs]

    def lanes(self) -> list[Row]:
        return self.index.lanes.rows(self._trace)

    def sum_up(self, trace: Trace, report: Report, account: Account) -> None:
        """Fill in the trace's own row."""
        trace.heads = self._heads
        self.clock.time_of_day = account.time_of_day
        rows.sum_up(trace, self.index, self.clock, report, account)
