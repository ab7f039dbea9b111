"""What a trace comes down to: its first causes and the records that matter to them.

Rules of this file: a few bounded lookups; texts keep the engine's two marks. The ticket and the report tell the same
things from here; neither judges again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from webapp.core.advice import advise
from webapp.core.records import AFTER, REFUSED
from webapp.core.rules.model import catalogue
from webapp.core.teams.exchanges import Exchange
from webapp.storage import causes as stored
from webapp.storage import events, findings, items
from webapp.storage.models import FindingRow, ItemRow, Trace
from webapp.views import cards, content, names
from webapp.views.cards import Place
from webapp.views.page import PageContext
from webapp.views.teams import calls, words

FOLLOWERS = 5  # consequences listed under a cause
AGAIN = 5  # further places of a merged finding that are listed
STEPS = 8  # records of one cause that are told as its story
_BREAK = re.compile(r"\s*[\r\n]\s*")
_ROLE_WORDS = {
    "opened": "opens",
    "closed": "closes",
    "closed_by": "ends it",
    "again": "the same again",
    "expected": "was expected",
    "later": "comes too late",
    "answer": "answers",
    "previous": "before",
}


@dataclass(frozen=True, slots=True)
class Cause:
    """One finding that follows from no other.

    title, why, fix: with marks; steps: its record and those it names, in order, repeats aside; again: repeats;
    again_more, follows_more: how many are not listed
    """

    event: int
    severity: str
    word: str
    title: str
    why: str
    fix: str
    party: str
    rule: str
    spec_url: str
    basis: str
    steps: Sequence[Place]
    again: Sequence[int]
    again_more: int
    follows: Sequence[Place]
    follows_more: int


@dataclass(frozen=True, slots=True)
class Matter:
    """A record that matters. role: why; raw: as received on one line, `hidden` characters of it left out.

    Of an exchange with Teams, item is its answer and raw the text that was sent.
    """

    event: int
    type: str
    lane: str
    lane_cls: str
    item: str
    role: str
    when: str
    severity: str
    refused: bool
    gone: bool
    raw: str
    hidden: int


def first_causes(
    session: Session, trace: Trace, first: FindingRow | None, limit: int
) -> tuple[list[FindingRow], int]:
    """At most `limit` causes, the headline's in front, then the worst; and how many there are besides."""
    known = stored.window(session, trace.pk, None, 0, limit + 1)
    rows = [row for row in known if first is None or row.key != first.key]
    if first is not None:
        rows.insert(0, first)
    total = sum(stored.counts(session, trace.pk).values())
    return rows[:limit], max(0, total - min(len(rows), limit))


def tell(session: Session, trace: Trace, row: FindingRow) -> Cause:
    """One cause with what the catalogue says of it."""
    rule = catalogue().get(row.rule)
    severity = names.SEVERITY[row.severity]
    again = findings.repeats(row)[:AGAIN]
    behind = stored.followers(session, trace.pk, [row.key], FOLLOWERS + 1).get(row.key, [])
    count = 0
    if len(behind) > FOLLOWERS:
        count = stored.follower_counts(session, trace.pk, [row.key])[row.key]
    return Cause(
        event=row.event,
        severity=severity,
        word=names.SEVERITY_WORD[severity],
        title=row.title,
        why=cards.why(row),
        fix=advise(row.rule, row.reason, row.item_kind).fix,
        party=names.whose_side(row.party, trace),
        rule=row.rule,
        spec_url=rule.spec_url if rule is not None else "",
        basis=row.basis,
        steps=_steps(trace, row, severity),
        again=again,
        again_more=max(0, row.count - 1 - len(again)),
        follows=[cards.place(each) for each in behind[:FOLLOWERS]],
        follows_more=max(0, count - FOLLOWERS),
    )


def _steps(trace: Trace, row: FindingRow, severity: str) -> list[Place]:
    here = "refused" if row.event == trace.rejected_at else "the cause"
    named = [(event, role) for event, role in row.related if role != "again" and event != row.event]
    steps = [Place("", event, _ROLE_WORDS.get(role, role)) for event, role in named[: STEPS - 1]]
    return sorted([*steps, Place(severity, row.event, here)], key=lambda step: step.event)


def matters(
    session: Session, trace: Trace, page: PageContext, causes: Sequence[FindingRow], limit: int
) -> tuple[list[Matter], int]:
    """The causes' records and those they name, in order, at most `limit`; and how many are left out.

    When there are too many, records of earlier causes and of nearer roles stay.
    """
    roles: dict[int, str] = {}
    severities: dict[int, str] = {}
    for row in causes:
        roles.setdefault(row.event, "here")
        severities.setdefault(row.event, names.SEVERITY[row.severity])
        near = sorted(row.related, key=lambda pair: pair[1] == "again")
        for event, role in near:
            roles.setdefault(event, _ROLE_WORDS.get(role, role))
            if role == "again":
                severities.setdefault(event, names.SEVERITY[row.severity])
    kept = list(roles)[:limit]
    exchanges = calls.load(session, trace.pk, kept, page.event) if trace.protocol == "teams" else {}
    lines = events.some(session, trace.pk, kept)
    known = items.by_ords(session, trace.pk, [line.item for line in lines.values()])
    out = []
    for seq in sorted(lines):
        line = lines[seq]
        item = known.get(line.item) if line.item is not None else None
        raw, hidden = line.raw, max(0, line.size - len(line.raw))
        if seq in exchanges:  # what matters of a call is its text, not the address before it
            text = exchanges[seq].text or "no text"
            raw, hidden = text[: len(line.raw)], max(0, len(text) - len(line.raw))
        out.append(
            Matter(
                event=seq,
                type=_type(trace, line, exchanges),
                lane=content.showable(page.lane_name(line.lane)),
                lane_cls=names.lane_class(line.lane),
                item=_item(trace, line, item, exchanges),
                role=roles[seq],
                when=page.clock.since(page.clock.read(line)),
                severity=severities.get(seq, ""),
                refused=line.reached == REFUSED,
                gone=line.reached == AFTER,
                raw=content.showable(_BREAK.sub(" ", raw)),
                hidden=hidden,
            )
        )
    return out, len(roles) - len(out)


def _type(trace: Trace, line: events.Line, exchanges: Mapping[int, Exchange]) -> str:
    if trace.protocol == "teams":
        return words.kind_of(line.type, exchanges.get(line.seq))
    return content.showable(line.type or "not an event")


def _item(trace: Trace, line: events.Line, item: ItemRow | None, exchanges: Mapping[int, Exchange]) -> str:
    if trace.protocol == "teams":
        return words.answer_of(exchanges.get(line.seq), line.reached)
    return content.showable(names.clip(names.item_name(item), 80)) if item is not None else ""
