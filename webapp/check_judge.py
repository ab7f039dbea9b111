"""One recording read and judged for `lanescope check`, and its report as JSON.

Rules of this file: chunks in, a judged recording out. `Judged.public` is a public contract: docs/report.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from webapp.core import Replay
from webapp.core.agui.wire import delivered_events
from webapp.core.findings import Report
from webapp.core.records import Step
from webapp.core.teams.exchanges import Exchange
from webapp.errors import UserError
from webapp.ingest.choose import bounds
from webapp.ingest.cleaner import Cleaner
from webapp.ingest.clock import Clock
from webapp.ingest.incoming import Unread, prepared
from webapp.ingest.sealed_engine import engine_of, told
from webapp.readers.base import Account
from webapp.readers.detect import Detection, concluded, form_name
from webapp.readers.read import read
from webapp.settings import load_settings

NO_INPUT = "This is a Microsoft Teams recording, and a run input belongs to AG-UI only."


@dataclass(slots=True)
class Judged:
    """One trace: what the reader and the engine say, and what the application received when it was asked for."""

    source: str
    detection: Detection
    account: Account
    report: Report
    clock: Clock
    assembled: dict[str, Any] | None = None
    masked: int | None = None  # credentials, which no report shows; None: they were not looked for
    part: str = ""  # of a file that holds several streams

    @property
    def name(self) -> str:
        """`file.zip!member`: what a terminal calls it."""
        return f"{self.source}!{self.part}" if self.part else self.source

    def public(self) -> dict[str, Any]:
        """The report as one JSON object."""
        report = self.report
        out: dict[str, Any] = {
            "source": self.source,
            **({"part": self.part} if self.part else {}),
            "format": self.detection.form,
            "read_as": form_name(self.detection) if self.detection.form else None,
            "protocol": report.protocol,
            "protocol_version": report.protocol_version,
            "version_used": report.version_used,
            "engine": report.engine,
            "events": report.events,
            "verdict": report.verdict,
            "rejected_at": report.rejected_at,
            "runs": [{name: getattr(run, name) for name in run.__struct_fields__} for run in report.runs],
            "findings": [finding.public() for finding in report.findings],
            "artefacts": [
                {"kind": a.kind, "message": a.message, "line": a.line} for a in self.account.artefacts
            ],
            "masked": self.masked,
            "not_understood": self.account.not_understood,
            "skipped_rules": [{"rule": s.rule, "reason": s.reason} for s in report.skipped_rules],
            "clock": {"kind": self.clock.kind, "source": self.clock.source},
        }
        return {**out, **(self.assembled or {})}


def judge(
    source: str,
    chunks: Iterable[bytes],
    run_input: dict[str, Any] | None,
    *,
    assembled: bool,
    protocol: str | None = None,
    form: str | None = None,
) -> Judged:
    """Read and replay one recording. protocol, form: judge and read it so, whatever it looks like.

    Raises UserError when it is too large, or when a run input is given that it cannot have.
    """
    settings = load_settings()
    cleaner = Cleaner(settings.mask_secrets)
    detection, found, account = read(chunks, form, bounds(settings), cleaner.pieces, protocol)
    spoken = protocol or detection.protocol or "ag-ui"
    if spoken == "teams" and run_input is not None:
        raise UserError(NO_INPUT)
    records = prepared(cleaner.records(found, detection.form), account)
    run_input = cleaner.run_input(run_input)
    engine = Replay(
        spoken,
        run_input,
        max_depth=settings.max_depth,
        max_findings=settings.max_findings,
        head_missing=account.head_missing,
        unjudged=account.unjudged,
    )
    replay = engine_of(engine, account)
    if account.seal is not None:
        account.artefacts.append(told(account.seal))
    clock = Clock()
    delivered: list[dict[str, Any]] = []
    unread = Unread()
    seq = -1
    for seq, record in enumerate(records):
        step = replay.feed(record.payload, record.at, record.framing)
        if step.type is None:
            unread.add(record)
        clock.add(seq, record.at if step.at is None else step.at, step.ts, record.prefix_at)
        if assembled:
            delivered += _accepted(step) if spoken == "teams" else delivered_events(step, record.payload)
    clock.time_of_day = account.time_of_day
    report = replay.finish(account.head)
    if spoken == "teams":
        unread.tell(account)
    extra = (
        {"delivered": delivered, "messages": replay.messages(), "state": replay.state()}
        if assembled
        else None
    )
    return Judged(source, concluded(detection, seq + 1), account, report, clock, extra, cleaner.count)


def _accepted(step: Step) -> list[dict[str, Any]]:
    """The activity of an exchange the service took; of a recording without answers, every one the agent sent."""
    exchange: Exchange | None = step.event
    if exchange is None or exchange.kind == "inbound" or step.reached not in ("delivered", "sent"):
        return []
    return [exchange.body] if exchange.bodied else []
