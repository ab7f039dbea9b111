"""The findings of one trace: made here, merged here, counted here.

Rules of this file: it alone creates and changes findings. It knows severities from the catalogue and nothing about
any protocol's events.

Merging (contract of the report): equal rule, lane, cause and path (or item kind) become one finding whose `event` is
the first place and whose further places are `related` with the role `again`.
"""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.findings import MAX_RELATED, Finding, ItemRef, Related
from webapp.core.kinds import Basis, Party, Severity
from webapp.core.rules import catalogue

Place = tuple[int, str]  # (record number, role)


class Ledger:
    """limit: findings kept; further ones are counted in `left_out`, except the first fatal."""

    def __init__(self, limit: int = 10_000) -> None:
        self.limit = limit
        self.findings: list[Finding] = []
        self.new: list[Finding] = []  # of the current step
        self.amended: list[Finding] = []
        self.rejected_at: int | None = None
        self.rejected_by: Finding | None = None
        self.left_out = 0
        self.muted = False
        self.unjudged: dict[str, str] = {}  # rules the recording cannot show -> why
        self._merge: dict[tuple[object, ...], Finding] = {}
        self._merged_by: dict[str, tuple[object, ...]] = {}  # key of a finding -> what merges into it
        self._keys: dict[str, int] = {}  # rule and place -> findings there
        self._told: set[int] = set()  # ids of those in `new` and `amended`

    def add(
        self,
        rule: str,
        event: int,
        title: str,
        why: str = "",
        *,
        reason: str | None = None,
        run: int | None = None,
        lane: str | None = None,
        item: tuple[str, str] | None = None,
        path: str | None = None,
        label: str | None = None,
        related: Sequence[Place] = (),
        cause: str | None = None,
        severity: Severity | None = None,
        basis: Basis = "confirmed",
        party: Party | None = None,
        count: int = 1,
    ) -> Finding | None:
        """One rule broken at one place; merged into an earlier finding where they are one defect.

        Returns the finding that holds it; None while muted, beyond the limit, or of a rule that cannot be judged.
        """
        if self.muted or rule in self.unjudged:
            return None
        row = catalogue()[rule]
        level = severity or row.severity
        merge_key = (rule, level, lane, cause, path if path is not None else item and item[0], basis)
        old = self._merge.get(merge_key)
        if old is not None:
            self.again(old, event, count)
            return old
        if len(self.findings) >= self.limit and not (level == "fatal" and self.rejected_at is None):
            self.left_out += 1
            return None
        finding = Finding(
            key=self._key(rule, event),
            rule=rule,
            slug=row.slug,
            severity=level,
            event=event,
            title=title,
            why=why,
            reason=reason,
            run=run,
            lane=lane,
            item=None if item is None else ItemRef(*item),
            label=label,
            party=party or row.party,
            related=[Related(place, role) for place, role in related],
            cause=cause,
            after_rejection=self.rejected_at is not None and event > self.rejected_at,
            count=count,
            basis=basis,
        )
        self._merge[merge_key] = finding
        self._merged_by[finding.key] = merge_key
        self.findings.append(finding)
        self.new.append(finding)
        self._told.add(id(finding))
        if level == "fatal" and self.rejected_at is None:
            self.rejected_at = event
            self.rejected_by = finding
        return finding

    def amend(
        self,
        finding: Finding,
        *,
        reason: str | None = None,
        why: str | None = None,
        place: Place | None = None,
        cause: str | None = None,
    ) -> None:
        """Something was learnt later about an earlier finding."""
        if reason is not None:
            finding.reason = reason
        if why is not None:
            finding.why = why
        if place is not None and len(finding.related) < MAX_RELATED:
            finding.related.append(Related(*place))
        if cause is not None and cause != finding.key:
            finding.cause = cause
        self._touch(finding)

    def complete(self, finding: Finding) -> None:
        """Nothing is merged into it any more: what comes is another defect, though it looks equal."""
        self._merge.pop(self._merged_by[finding.key], None)

    def taken(self) -> tuple[list[Finding], list[Finding]]:
        """New and amended findings since the last call."""
        out = self.new, self.amended
        self.new, self.amended = [], []
        self._told.clear()
        return out

    def again(self, finding: Finding, event: int, count: int = 1) -> None:
        """The same defect at another place (or at `count` items of one place)."""
        if self.muted:
            return
        finding.count += count
        if len(finding.related) < MAX_RELATED:
            finding.related.append(Related(event, "again"))
        self._touch(finding)

    def _touch(self, finding: Finding) -> None:
        if id(finding) not in self._told:
            self._told.add(id(finding))
            self.amended.append(finding)

    def _key(self, rule: str, event: int) -> str:
        key = f"{rule}@{event}"
        number = self._keys[key] = self._keys.get(key, 0) + 1
        return key if number == 1 else f"{key}.{number}"
