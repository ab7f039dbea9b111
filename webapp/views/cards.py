"""What one finding says wherever it is told whole: title, why, fix, whose side, where again.

Rules of this file: from a stored finding and the catalogue to a card; no database, nothing is judged again. The
inspector and the Findings panel show cards; banner, ticket and report take their sentences from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from webapp.core.advice import advise
from webapp.core.rules.model import catalogue
from webapp.storage.models import FindingRow
from webapp.views import names
from webapp.views.page import PageContext

_NO_LIFE = Markup("")


@dataclass(frozen=True, slots=True)
class Place:
    """A record in a list of a card: severity word, number, what it says."""

    severity: str
    event: int
    words: str


@dataclass(frozen=True, slots=True)
class Card:
    """One finding. why, fix, title: with marks; again, follows: places; cause: what this one follows from.

    said: the service's own words in the answer to the record, "" = none are recorded
    """

    key: str
    severity: str
    word: str
    title: str
    rule: str
    label: str
    basis: str
    party: str
    why: str
    fix: str
    again: Sequence[Place]
    here_again: int | None = None
    again_more: int = 0
    follows: Sequence[Place] = ()
    follows_more: int = 0
    cause: Place | None = None
    life: Markup = _NO_LIFE
    said: str = ""


def card(row: FindingRow, page: PageContext, again: Sequence[int]) -> Card:
    """again: those further places that are listed."""
    severity = names.SEVERITY[row.severity]
    return Card(
        key=row.key,
        severity=severity,
        word=names.SEVERITY_WORD[severity],
        title=row.title,
        rule=row.rule,
        label=row.label or "",
        basis=row.basis if row.basis != "confirmed" else "",
        party=names.whose_side(row.party, page.trace),
        why=why(row),
        fix=advise(row.rule, row.reason, row.item_kind).fix,
        again=[
            Place(severity, event, "the same; not reached" if page.gone(event) else "the same")
            for event in again
        ],
    )


def place(row: FindingRow) -> Place:
    """A finding in a list: that of a cause, or of what follows from it."""
    return Place(names.SEVERITY[row.severity], row.event, row.title)


def why(row: FindingRow) -> str:
    """How it came about; where the engine could not tell, what the rule says."""
    rule = catalogue().get(row.rule)
    return row.why or (rule.explanation if rule is not None else "")
