"""The seal: what was concluded about a recording before texts were taken out of it.

Rules of this file: the shape of a redacted file's first line, reading it and saying what is wrong with it. A seal may
come from anywhere, so nothing of it is trusted to have a size, a rule or a number that a page could stumble over. No
redaction: that is `webapp/redact`; which rules a redacted file cannot show is `core/blind.py`.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from webapp.core.findings import OUTCOMES, PARTIES, ROLES, SEVERITIES, TEAMS_OUTCOMES, Finding, Run, Skipped
from webapp.core.kinds import ProtocolName, Verdict
from webapp.core.rules import catalogue

KIND = "redacted"  # what the member `lanescope` says
VERSION = 1
LEVELS = ("structure", "personal")
MAX_BYTES = 16_000_000  # of the line as it is written: some 20,000 findings; readers have limits of their own

Name = Annotated[str, Meta(max_length=40)]
Number = Annotated[int, Meta(ge=0, le=2**31 - 1)]

NOT_WHOLE = "Its first line cannot be read, so nothing of the file is taken; get the redacted file once more."
_SLUG = re.compile(r"[a-z0-9-]{1,60}")
_KEY = re.compile(r"[A-Z][A-Z0-9-]{1,19}@[0-9]{1,10}(?:\.[0-9]{1,9})?")
_WORD = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,29}")


class Note(msgspec.Struct, frozen=True):
    """An artefact of the recording: see `readers.base.Artefact`; its line is one of a file nobody has any more."""

    kind: Name
    message: Annotated[str, Meta(max_length=2000)]


class SealedHead(msgspec.Struct, frozen=True):
    """Of the recorded response; nothing else of it is handed on."""

    status: Annotated[int, Meta(ge=0, le=999)] | None = None
    content_type: Annotated[str, Meta(max_length=200)] | None = None


class Seal(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a redacted file.

    level:    structure | personal: what was taken out
    engine:   version of the engine that judged; verdict, rejected_at, runs, findings, skipped_rules, events: its report
    records:  how many record lines follow
    removed:  kind of what was taken out -> how often
    clock:    of the times that follow: unix | relative | time-of-day | none
    input:    the `RunAgentInput` with the same texts taken out
    """

    level: Literal["structure", "personal"]
    protocol: ProtocolName
    engine: Annotated[str, Meta(max_length=20)]
    verdict: Verdict
    records: Number
    events: Number
    rejected_at: Number | None = None
    protocol_version: Name | None = None
    version_used: Annotated[str, Meta(max_length=10)] | None = None
    runs: list[Run] = []
    findings: list[Finding] = []
    skipped_rules: list[Skipped] = []
    removed: Annotated[dict[Name, Number], Meta(max_length=40)] = {}
    artefacts: Annotated[list[Note], Meta(max_length=200)] = []
    head: SealedHead | None = None
    clock: Literal["unix", "relative", "time-of-day", "none"] = "none"
    input: dict[str, Any] | None = None


class _Begin(msgspec.Struct):
    lanescope: str
    version: int


class Unsealed(ValueError):
    """The line is no seal that can be taken; `str()` is a sentence for the user."""


_read_begin = msgspec.json.Decoder(_Begin).decode
_read_seal = msgspec.json.Decoder(Seal).decode


def begins(line: bytes) -> bool:
    """Whether the beginning of a text says that it is a redacted file, of whatever version."""
    return _BEGINS.match(line) is not None


_BEGINS = re.compile(rb'\s*\{\s*"lanescope"\s*:\s*"redacted"\s*[,}]')


def read(line: bytes) -> Seal:
    """The seal in a file's first line. Raises Unsealed, and nothing else, whatever the line is."""
    try:
        begin = _read_begin(line)
        if begin.lanescope == KIND and begin.version > VERSION:
            raise Unsealed(
                f"This redacted file is of version {begin.version}, which a newer Lanescope wrote; this one reads "
                f"version {VERSION}. Update this installation, or ask for the file in version {VERSION}."
            )
        if begin.lanescope != KIND or begin.version < 1:
            raise Unsealed(NOT_WHOLE)
        seal = _read_seal(line)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise Unsealed(NOT_WHOLE) from error
    if fault := _fault(seal):
        raise Unsealed(
            f"Its first line {fault}, so nothing of the file is taken; get the redacted file once more."
        )
    return seal


def written(seal: Seal) -> bytes:
    """The line, without its end."""
    body = msgspec.to_builtins(seal)
    return msgspec.json.encode({"lanescope": KIND, "version": VERSION, **body})


def _fault(seal: Seal) -> str:
    """What is wrong with it, a clause; "" when nothing is."""
    if (seal.verdict == "rejected") != (seal.rejected_at is not None):
        return "has a verdict that does not fit the place of the rejection"
    if seal.rejected_at is not None and seal.rejected_at >= seal.records:
        return "names a rejection behind the last record"
    for finding in seal.findings:
        if fault := _fault_of(finding, seal):
            return fault
    outcomes = TEAMS_OUTCOMES if seal.protocol == "teams" else OUTCOMES
    for place, run in enumerate(seal.runs):
        if run.outcome not in outcomes or run.claimed not in (None, *outcomes) or run.run != place:
            return "has a run in an outcome that there is not"
        if not 0 <= run.first <= run.last < max(seal.records, 1):
            return "has a run at records that there are not"
    for skipped in seal.skipped_rules:
        if not _known(skipped.rule, seal):
            return f"names the rule {skipped.rule[:20]!a}, which this version does not know"
    return ""


def _fault_of(finding: Finding, seal: Seal) -> str:
    if not _known(finding.rule, seal):
        return f"names the rule {finding.rule[:20]!a}, which this version does not know"
    words = (finding.reason, finding.label, None if finding.item is None else finding.item.kind)
    rightly = (
        finding.severity in SEVERITIES
        and finding.party in PARTIES
        and finding.basis in ("confirmed", "predicted")
        and _SLUG.fullmatch(finding.slug) is not None
        and _KEY.fullmatch(finding.key) is not None
        and (finding.cause is None or _KEY.fullmatch(finding.cause) is not None)
        and (finding.item is None or len(finding.item.kind) <= 12)
        and all(word is None or _WORD.fullmatch(word) is not None for word in words)
        and 0 <= finding.count < 2**31
        and (finding.run is None or 0 <= finding.run < 2**31)
    )
    if not rightly:
        return f"has a finding, {finding.key[:30]!a}, that is not written as this version writes them"
    places = [finding.event, *(related.event for related in finding.related)]
    if not all(0 <= place < seal.records for place in places):
        return f"has a finding, {finding.key}, at a record that there is not"
    if len(places) > 1000 or any(related.role not in ROLES for related in finding.related):
        return f"has a finding, {finding.key}, that is not written as this version writes them"
    return ""


def _known(rule: str, seal: Seal) -> bool:
    row = catalogue().get(rule)
    return row is not None and row.protocol == seal.protocol
