"""The report of a stored trace, with the member names that `lanescope check --format json` prints.

Rules of this file: rows in, one dictionary out. The names are a public contract, see docs/report.md.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from webapp.storage import findings, items
from webapp.storage.models import RunRow, Trace


def report(session: Session, trace: Trace) -> dict[str, Any]:
    """The whole report. Findings beyond the limit kept at upload are counted, not listed."""
    return {
        "source": trace.source,
        "format": trace.format or None,
        "read_as": trace.read_as or None,
        "protocol": trace.protocol,
        "protocol_version": trace.protocol_version,
        "version_used": trace.version_used,
        "engine": trace.engine,
        "events": trace.events,
        "verdict": trace.verdict,
        "rejected_at": trace.rejected_at,
        "runs": [_run(row) for row in items.runs(session, trace.pk)],
        "findings": [findings.to_finding(row).public() for row in findings.all_of(session, trace.pk)],
        "artefacts": trace.artefacts,
        "masked": trace.masked,
        "not_understood": trace.not_understood,
        "skipped_rules": trace.skipped_rules,
        "clock": {"kind": trace.clock, "source": trace.clock_source},
    }


def _run(row: RunRow) -> dict[str, Any]:
    return {
        "run": row.ord,
        "thread_id": row.thread_id,
        "run_id": row.run_id,
        "outcome": row.outcome,
        "claimed": row.claimed,
        "first": row.first,
        "last": row.last,
    }
