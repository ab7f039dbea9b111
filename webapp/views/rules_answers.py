"""What Teams answers, and what it means: the table of answers as a page, and the answers one rule is about.

Rules of this file: pure functions from `core.teams.answers` to frozen page contexts. The words on each answer are
its row's; here is only how a row is headed.
"""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from webapp.core.rules.model import catalogue
from webapp.core.teams.answers import ANSWERS, Answer
from webapp.views.marks import marks
from webapp.views.selection import Selection

HREF = "/rules/answers"
_NOWHERE = Selection(base="")  # titles of rules name no records
# rows that stand for more than the one status they have as an example
_STATUS = {"E5XX": "5xx", "E-CONNECTOR": "401, 403, 404", "E-OTHER": "any other"}


@dataclass(frozen=True, slots=True)
class LookAt:
    """A rule to look at: its id, address and title."""

    id: str
    href: str
    title: Markup


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One answer. key: also the anchor; status: as a heading; code, message: as on the wire, either may be empty."""

    key: str
    href: str
    status: str
    code: str
    message: str
    title: str
    meaning: Markup
    rules: tuple[LookAt, ...]


def answers() -> tuple[AnswerLine, ...]:
    """All answers in the table's order: by status, the unknown ones last."""
    return tuple(_line(row) for row in ANSWERS)


def answers_to(rule_id: str) -> tuple[AnswerLine, ...]:
    """The answers that lead to this rule."""
    return tuple(_line(row) for row in ANSWERS if rule_id in row.rules)


def _line(row: Answer) -> AnswerLine:
    rules = catalogue()
    return AnswerLine(
        key=row.key,
        href=f"{HREF}#{row.key}",
        status=_STATUS.get(row.key, str(row.status)),
        code=row.code,
        message=row.message,
        title=row.title[:1].upper() + row.title[1:],
        meaning=marks(row.meaning, _NOWHERE),
        rules=tuple(LookAt(each, f"/rules/{each}", marks(rules[each].title, _NOWHERE)) for each in row.rules),
    )
