"""The rule catalogue as pages show it: families with their rules, and one rule.

Rules of this file: pure functions from the catalogue to frozen page contexts; no request, no database. The
rules' own texts stay in `core/rules`; here are only words that follow from severity, basis and party.
"""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from webapp.core.findings import party_words
from webapp.core.rules.model import Rule, catalogue, families
from webapp.views.marks import marks, plain
from webapp.views.names import SEVERITY_WORD
from webapp.views.selection import Selection

_NOWHERE = Selection(base="")  # rule texts name no records, so no link is ever made from it
_BASIS = {
    "spec": "The specification says so.",
    "client": "The reference client behaves so, where the specification’s text is silent or says otherwise.",
    "observed": "It does harm in real recordings; the specification’s text is silent.",
}
_SHOWN = {
    "label": "It has no finding of its own: it stands as a hint on the finding it explains.",
    "note": "It is no finding: it stands as a note on the item it is about.",
    "quiet": "It is never reported: the stream is in order.",
}
_BY_SEVERITY = {
    "fatal": "A client stops at the event. It is marked ✖, the trace counts as rejected from there, and what "
    "follows is shown faded, because it never reached the user.",
    "error": "The event is marked ▲ and the trace counts as nonconformant. Clients take the event, so what "
    "follows was delivered.",
    "warning": "The event is marked ●. Nothing stops, and the verdict is “Warnings” unless something worse "
    "was found.",
    "info": "The event is marked ○. It never changes the verdict.",
}
# rows whose finding does not stand at one offending event
_BY_RULE = {
    "AGUI-TRN-01": "One finding ▲ stands for the whole trace; nothing counts as rejected.",
    "AGUI-TRN-10": "The last event is marked ▲; the run’s outcome is “truncated”, whatever the client said.",
    "AGUI-TRN-11": "The trace’s verdict is “Unchecked”, in red: no event means nothing could be judged.",
}


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One rule in a list. severity: also its class and symbol; word: how the severity is told."""

    id: str
    href: str
    severity: str
    word: str
    title: Markup


@dataclass(frozen=True, slots=True)
class FamilySection:
    """A family with its rules. anchor: fragment of the page it stands under."""

    code: str
    anchor: str
    title: str
    about: Markup
    rules: tuple[RuleLine, ...]


@dataclass(frozen=True, slots=True)
class RulesPage:
    """Everything `/rules` shows. total: number of rules."""

    families: tuple[FamilySection, ...]
    total: int


@dataclass(frozen=True, slots=True)
class RulePage:
    """Everything `/rules/ID` shows.

    stream: the example, line ends made visible where they are the point; example: what the example is
    traces_href: the traces in which the rule fired, empty when it makes no finding of its own
    previous, next: neighbours in the catalogue's order
    """

    id: str
    slug: str
    severity: str
    word: str
    title: Markup
    head: str
    explanation: Markup
    cause: Markup
    fix: Markup
    stream: str
    example: str
    spec_url: str
    since: str
    basis: str
    party: str
    shows: str
    family: str
    family_href: str
    traces_href: str
    previous: RuleLine | None
    next: RuleLine | None


def rules_page() -> RulesPage:
    """All families in their order, each with its rules in theirs."""
    sections = tuple(
        FamilySection(
            code=family.code,
            anchor=family.code.lower(),
            title=family.title,
            about=marks(family.about, _NOWHERE),
            rules=tuple(_line(rule) for rule in family.rules),
        )
        for family in families()
    )
    return RulesPage(families=sections, total=sum(len(section.rules) for section in sections))


def rule_page(rule_id: str) -> RulePage | None:
    """One rule by its id as written in the catalogue; None when there is no such rule."""
    rule = catalogue().get(rule_id)
    if rule is None:
        return None
    family = next(family for family in families() if rule in family.rules)
    order = list(catalogue().values())
    at = order.index(rule)
    legal = rule.shown in ("note", "quiet") or rule.family == "HAZ"
    return RulePage(
        id=rule.id,
        slug=rule.slug,
        severity=rule.severity,
        word=SEVERITY_WORD[rule.severity],
        title=marks(rule.title, _NOWHERE),
        head=f"{rule.id}: {plain(rule.title)}",
        explanation=marks(rule.explanation, _NOWHERE),
        cause=marks(rule.cause, _NOWHERE),
        fix=marks(rule.fix, _NOWHERE),
        stream=_visible(rule.stream),
        example="A stream in which it happens" if legal else "A stream that breaks it",
        spec_url=rule.spec_url,
        since=rule.since,
        basis=_BASIS[rule.basis],
        party=party_words(rule.party, "ag-ui" if rule.id.startswith("AGUI-") else "teams"),
        shows=_shows(rule),
        family=family.title,
        family_href=f"/rules#{family.code.lower()}",
        traces_href=f"/?q={rule.id}" if rule.shown == "finding" else "",
        previous=_line(order[at - 1]) if at else None,
        next=_line(order[at + 1]) if at + 1 < len(order) else None,
    )


def _line(rule: Rule) -> RuleLine:
    return RuleLine(
        id=rule.id,
        href=f"/rules/{rule.id}",
        severity=rule.severity,
        word=SEVERITY_WORD[rule.severity],
        title=marks(rule.title, _NOWHERE),
    )


def _shows(rule: Rule) -> str:
    """How a trace shows that the rule was broken."""
    return _SHOWN.get(rule.shown) or _BY_RULE.get(rule.id) or _BY_SEVERITY[rule.severity]


def _visible(stream: str) -> str:
    """The example without its last line break; a carriage return, which no page shows, as its picture."""
    return stream.replace("\r", "␍").rstrip("\n")
