"""What the engine concludes: findings, runs, the report and its verdict.

Rules of this file: data and the few pure functions that derive one from the other. Field names of `Finding`, `Run`
and `Report` are the public contract of `lanescope check --format json`; see docs/report.md before you touch one.

Texts use two marks and no other markup: `#12` names a record, a `backticked` word is an id or event name. Pages
turn them into links and code; a terminal shows them as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import msgspec

from webapp.core import kinds

if TYPE_CHECKING:
    from webapp.core.kinds import Basis, Outcome, Party, Severity
else:  # `seal` reads findings from anywhere and says itself which of these words is wrong: msgspec is not to check them
    Basis = Outcome = Party = Severity = str

SEVERITIES: tuple[kinds.Severity, ...] = get_args(kinds.Severity)  # worst first
VERDICTS: tuple[str, ...] = get_args(kinds.Verdict)
OUTCOMES: tuple[kinds.AguiOutcome, ...] = get_args(kinds.AguiOutcome)
TEAMS_OUTCOMES: tuple[kinds.TeamsOutcome, ...] = get_args(kinds.TeamsOutcome)
PARTIES: tuple[str, ...] = get_args(kinds.Party)  # whose fault; words in `party_words`
ROLES: tuple[str, ...] = get_args(kinds.Role)
MAX_RELATED = 200  # further places of a merged finding that are listed; `count` has them all


class Related(msgspec.Struct, gc=False):
    """Another record that matters to a finding; `role` is one of ROLES."""

    event: int
    role: str


class ItemRef(msgspec.Struct, gc=False):
    kind: str
    id: str


class Finding(msgspec.Struct, kw_only=True, gc=False):
    """One rule broken at one place (or at `count` places that have one cause).

    key: `RULE@event`, stable, used in URLs; title: what, one clause without a full stop; why: how it came about,
    whole sentences (may be empty); reason: the explanation's kind, from `reasons.REASONS`;
    cause: key of the finding this one follows from.
    """

    key: str
    rule: str
    slug: str
    severity: Severity
    event: int
    title: str
    why: str = ""
    reason: str | None = None
    run: int | None = None
    lane: str | None = None
    item: ItemRef | None = None
    label: str | None = None
    party: Party = "producer"
    related: list[Related] = []
    cause: str | None = None
    after_rejection: bool = False
    count: int = 1
    basis: Basis = "confirmed"

    @property
    def message(self) -> str:
        """The finding in whole sentences: what, then why."""
        head = self.title[:1].upper() + self.title[1:]
        return f"{head}. {self.why}" if self.why else f"{head}."

    def public(self) -> dict[str, Any]:
        """The finding as `lanescope check --format json` prints it."""
        return {
            "key": self.key,
            "rule": self.rule,
            "slug": self.slug,
            "severity": self.severity,
            "event": self.event,
            "run": self.run,
            "lane": self.lane,
            "item": None if self.item is None else {"kind": self.item.kind, "id": self.item.id},
            "message": self.message,
            "label": self.label,
            "party": self.party,
            "related": [{"event": r.event, "role": r.role} for r in self.related],
            "cause": self.cause,
            "after_rejection": self.after_rejection,
            "count": self.count,
            "basis": self.basis,
        }


class Run(msgspec.Struct, kw_only=True, gc=False):
    """One run. run: number from 0; claimed: what its terminal event said, when the outcome differs."""

    run: int
    thread_id: str | None = None
    run_id: str | None = None
    outcome: Outcome = "open"
    claimed: Outcome | None = None
    first: int = 0
    last: int = 0


class Skipped(msgspec.Struct, gc=False):
    """A rule that could not be judged, and why; it neither fired nor passed."""

    rule: str
    reason: str


class Report(msgspec.Struct, kw_only=True):
    """The engine's final word on one trace (the reader adds source, format, artefacts)."""

    protocol: kinds.ProtocolName
    protocol_version: str | None  # as the trace declares it
    engine: str
    events: int
    records: int
    verdict: kinds.Verdict
    rejected_at: int | None
    runs: list[Run]
    findings: list[Finding]
    skipped_rules: list[Skipped]
    findings_left_out: int = 0  # beyond the limit on findings
    version_used: str | None = None  # the version the trace needs for what it uses; None when nothing tells


def party_words(party: str, protocol: str) -> str:
    """Whose side a fault is on, as a reader is told."""
    words = {"producer": "Agent’s side", "application": "Application’s side", "capture": "The recording"}
    return words.get(party) or ("Teams" if protocol == "teams" else "The transport")


def verdict_of(events: int, rejected_at: int | None, findings: list[Finding]) -> kinds.Verdict:
    """The verdict of a trace; zero events is never a pass."""
    if events == 0:
        return "unchecked"
    if rejected_at is not None:
        return "rejected"
    present = {f.severity for f in findings}
    if present & {"fatal", "error"}:
        return "nonconformant"
    return "warnings" if "warning" in present else "conformant"
