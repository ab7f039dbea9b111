"""What is known only at the end: rows of items, runs and findings, and the trace's summary.

Rules of this file: pure; from the index, the clock and the engine's report to values. No session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from webapp.core.evidence import ResponseHead
from webapp.core.findings import Finding, Report, Run
from webapp.ingest.clock import Clock
from webapp.ingest.index import Entry, Indexer, Row
from webapp.readers.base import Account, Artefact
from webapp.storage.findings import SEVERITY_NUMBER
from webapp.storage.models import Trace
from webapp.storage.storable import storable


def _text(value: str | None) -> str | None:
    return None if value is None else storable(value)


def severities(
    trace: int, written: Mapping[int, int], findings: Sequence[Finding]
) -> list[tuple[int | None, int, int]]:
    """(severity, trace, seq) where the worst finding of a record differs from what was written on the way."""
    worst: dict[int, int] = {}
    for finding in findings:
        level = SEVERITY_NUMBER[finding.severity]
        places = [finding.event, *(r.event for r in finding.related if r.role == "again")]
        for seq in places:
            worst[seq] = min(level, worst.get(seq, level))
    changed = [(level, trace, seq) for seq, level in worst.items() if written.get(seq) != level]
    return [*changed, *((None, trace, seq) for seq in written if seq not in worst)]


def item_severities(entries: Mapping[int, Entry], findings: Sequence[Finding]) -> dict[int, int]:
    """Worst finding of each item: of several with one id, the newest there was at the finding's place."""
    wanted = {(f.item.kind, f.item.id) for f in findings if f.item is not None}
    named: dict[tuple[str, str], list[int]] = {}
    if wanted:
        for ord_, entry in entries.items():
            name = (entry.item.kind, entry.item.id)
            if name in wanted:
                named.setdefault(name, []).append(ord_)
    worst: dict[int, int] = {}
    for finding in findings:
        if finding.item is None:
            continue
        ords = named.get((finding.item.kind, finding.item.id), [])
        there = [ord_ for ord_ in ords if entries[ord_].item.first <= finding.event]
        if there:
            level = SEVERITY_NUMBER[finding.severity]
            worst[there[-1]] = min(level, worst.get(there[-1], level))
    return worst


def item_rows(
    trace: int, entries: Mapping[int, Entry], clock: Clock, worst: Mapping[int, int]
) -> Iterator[Row]:
    """Tuples in the order of `ItemRow`'s columns. worst: as `item_severities` gives them, of all entries."""
    when = clock.when
    for ord_, entry in entries.items():
        item = entry.item
        ended = item.last if item.closed is None else item.closed
        t0, t1 = when(item.first), when(ended)
        yield (
            trace,
            ord_,
            item.kind,
            storable(item.id),
            entry.lane,
            item.run,
            _text(item.name),
            _text(item.parent),
            item.via,
            item.state,
            entry.number,
            item.first,
            item.last,
            item.opened,
            item.closed,
            item.closed_by,
            item.gone,
            item.result,
            item.count,
            item.chars,
            entry.seen,
            t0,
            t1 if t0 is None or t1 is None else max(t0, t1),  # clocks run backwards now and then, bars do not
            worst.get(ord_),
        )


def run_row(trace: int, run: Run) -> Row:
    """A tuple in the order of `RunRow`'s columns."""
    thread, run_id = _text(run.thread_id), _text(run.run_id)
    return (trace, run.run, thread, run_id, run.outcome, run.claimed, run.first, run.last)


def finding_row(trace: int, ord_: int, finding: Finding) -> dict[str, Any]:
    """The columns of `FindingRow`."""
    item = finding.item
    return {
        "trace": trace,
        "ord": ord_,
        "key": finding.key,
        "rule": finding.rule,
        "slug": finding.slug,
        "severity": SEVERITY_NUMBER[finding.severity],
        "event": finding.event,
        "title": storable(finding.title),
        "why": storable(finding.why),
        "reason": finding.reason,
        "run": finding.run,
        "lane": _text(finding.lane),
        "item_kind": None if item is None else item.kind,
        "item_id": None if item is None else storable(item.id),
        "label": finding.label,
        "party": finding.party,
        "related": [[r.event, r.role] for r in finding.related],
        "cause": finding.cause,
        "after_rejection": finding.after_rejection,
        "count": finding.count,
        "basis": finding.basis,
    }


def sum_up(trace: Trace, index: Indexer, clock: Clock, report: Report, account: Account) -> None:
    """Fill in what the list of traces and the banner show."""
    trace.protocol = report.protocol
    trace.protocol_version = (
        None if report.protocol_version is None else storable(report.protocol_version)[:40]
    )
    trace.version_used = report.version_used
    trace.engine = report.engine
    trace.verdict = report.verdict
    trace.rejected_at = report.rejected_at
    trace.records = report.records
    trace.events = report.events
    trace.lines = account.lines
    trace.not_understood = account.not_understood
    trace.strays = [stray.line for stray in account.strays]
    trace.artefacts = [artefact_row(artefact) for artefact in account.artefacts]
    trace.head = head_row(account.head)
    trace.skipped_rules = [{"rule": s.rule, "reason": s.reason} for s in report.skipped_rules]
    trace.clock, trace.clock_source = clock.kind, clock.source
    trace.started, trace.ended = clock.span()

    levels = Counter(finding.severity for finding in report.findings)
    trace.fatals, trace.errors = levels["fatal"], levels["error"]
    trace.warnings, trace.infos = levels["warning"], levels["info"]
    trace.run_count = len(report.runs)
    trace.lane_count = len(index.lanes.all)
    trace.item_count = len(index.entries)
    trace.types = index.types
    # a message opened and closed without a word shows nothing, and loses nothing
    texts = [entry for entry in index.entries.values() if entry.item.kind == "text" and entry.item.chars]
    trace.messages = len(texts)
    trace.messages_seen = sum(1 for entry in texts if entry.seen)

    first = first_cause(report)
    trace.headline = "" if first is None else storable(first.title)
    trace.headline_event = None if first is None else first.event
    trace.headline_party = None if first is None else first.party


def artefact_row(artefact: Artefact) -> dict[str, Any]:
    """An artefact as it is stored."""
    return {"kind": artefact.kind, "message": storable(artefact.message), "line": artefact.line}


def head_row(head: ResponseHead | None) -> dict[str, Any] | None:
    """A response head as it is stored: no values but the status and the content type."""
    if head is None:
        return None
    kind = None if head.content_type is None else storable(head.content_type)[:200]
    return {
        "status": head.status,
        "content_type": kind,
        "headers": [storable(name)[:100] for name in head.headers],
    }


def first_cause(report: Report) -> Finding | None:
    """The finding to look at first: where the client stops; else of those that follow from no other the worst, then
    the earliest."""
    stops = [f for f in report.findings if f.severity == "fatal" and f.event == report.rejected_at]
    causes = stops or [finding for finding in report.findings if finding.cause is None]
    return min(causes, key=lambda f: (SEVERITY_NUMBER[f.severity], f.event), default=None)
