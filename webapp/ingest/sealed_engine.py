"""The engine of a redacted file: records are replayed for their order, items and lanes; the findings are the seal's.

Rules of this file: what the seal says takes the place of what the engine would say of records without their texts.
A replay cannot invent or hide a finding here, and what redaction did to a record cannot reject it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, cast

import msgspec

from webapp.core.blind import blind
from webapp.core.evidence import ResponseHead
from webapp.core.findings import Finding, Related, Report, Skipped
from webapp.core.kinds import Reached
from webapp.core.records import Item, Step
from webapp.core.replay import Replay
from webapp.core.seal import Seal
from webapp.errors import BadInput
from webapp.readers.base import Account, Artefact
from webapp.redact import marked, marker

TAKEN_OUT = {
    "structure": "Texts were taken out (structure only).",
    "personal": "Personal data and secrets were taken out.",
}


class Engine(Protocol):
    """What is used of a `core.Replay`."""

    def feed(self, raw: bytes, at: float | None = None, framing: Sequence[str] = ()) -> Step: ...

    def finish(self, head: ResponseHead | None = None) -> Report: ...

    def held(self) -> list[tuple[str, str]]: ...

    def state_now(self) -> Any: ...

    def messages(self) -> list[dict[str, Any]]: ...

    def state(self) -> Any: ...

    def stopped_here(self, reason: str) -> None: ...


def length(text: str) -> int:
    """Characters of a text, those behind its marker when it was taken out."""
    count = marked(text)
    return len(text) if count is None else count


class Sealed:
    """A replay whose findings are the seal's. Raises BadInput at the end, when the file turned out not to be whole."""

    def __init__(self, replay: Replay, seal: Seal, account: Account) -> None:
        self._replay = replay
        self._seal = seal
        self._account = account
        self._seq = -1
        self._here: dict[int, list[Finding]] = {}
        for finding in seal.findings:
            self._here.setdefault(finding.event, []).append(finding)
        self._again: dict[int, list[Finding]] = {}
        for finding in seal.findings:
            for related in finding.related:
                if related.role == "again":
                    again = msgspec.structs.replace(finding, related=[Related(related.event, "again")])
                    self._again.setdefault(related.event, []).append(again)

    def feed(self, raw: bytes, at: float | None = None, framing: Sequence[str] = ()) -> Step:
        """As `Replay.feed`; how far the record came, and what is wrong with it, the seal knows."""
        self._seq = seq = self._seq + 1
        note = framing[0].split() if framing else []
        step = self._replay.feed(raw, at)
        if len(note) > 1:
            step.reached = cast(Reached, note[1])
        step.findings = self._here.get(seq, ())
        step.amended = self._again.get(seq, ())
        if step.item is not None:
            counted = len(step.delta or "")
            if len(note) > 2 and marked(getattr(step.event, "text", None) or "") is not None:
                step.delta = marker(int(note[2]))  # of cumulative texts a marker does not tell what is new
            if step.delta and (more := length(step.delta) - counted):
                self._count(step.item, more)
        for emitted in step.synthesized:
            if emitted.delta and (more := length(emitted.delta) - len(emitted.delta)):
                self._count(emitted.item, more)
        return step

    def finish(self, head: ResponseHead | None = None) -> Report:
        """The seal's report; `engine` is the one that judged."""
        if self._account.refused:
            raise BadInput(self._account.refused)
        report, seal = self._replay.finish(head), self._seal
        known = {skipped.rule for skipped in seal.skipped_rules} | {found.rule for found in seal.findings}
        reason = TAKEN_OUT[seal.level]
        more = [Skipped(rule, reason) for rule in blind(seal.protocol, seal.level) if rule not in known]
        return msgspec.structs.replace(
            report,
            protocol_version=seal.protocol_version,
            version_used=seal.version_used,
            engine=seal.engine,
            events=seal.events,
            verdict=seal.verdict,
            rejected_at=seal.rejected_at,
            runs=seal.runs,
            findings=seal.findings,
            skipped_rules=[*seal.skipped_rules, *more],
            findings_left_out=0,
        )

    def held(self) -> list[tuple[str, str]]:
        return self._replay.held()

    def state_now(self) -> Any:
        return self._replay.state_now()

    def messages(self) -> list[dict[str, Any]]:
        return self._replay.messages()

    def state(self) -> Any:
        return self._replay.state()

    def stopped_here(self, reason: str) -> None:
        """Nothing: where the recording stopped is in the seal."""

    def _count(self, item: Item, more: int) -> None:
        item.chars = max(item.chars + more, 0)


def engine_of(replay: Replay, account: Account) -> Engine:
    """The engine for one reading, whose first record has been read. Raises BadInput for a file that is refused."""
    if account.refused:
        raise BadInput(account.refused)
    return replay if account.seal is None else Sealed(replay, account.seal, account)


def told(seal: Seal) -> Artefact:
    """What a report says that has no page around it."""
    by = f"The verdict is the one sealed before that, by engine {seal.engine}, as the file says."
    return Artefact("redacted", f"{TAKEN_OUT[seal.level]} {by}")
