"""The rule catalogue as pages show it: protocols with their families and rules, and one rule.

Rules of this file: pure functions from the catalogue to frozen page contexts; no request, no database. The
rules' own texts stay in `core/rules`; here are only words that follow from severity, basis and party.
"""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from webapp.core.findings import party_words
from webapp.core.rules.model import Family, Rule, catalogue, families
from webapp.views.marks import marks, plain
from webapp.views.names import SEVERITY_WORD
from webapp.views.rules_answers import AnswerLine, answers_to
from webapp.views.rules_calls import Call, calls
from webapp.views.selection import Selection

_NOWHERE = Selection(base="")  # rule texts name no records, so no link is ever made from it
# protocol -> (anchor, title, one sentence)
_PARTS = {
    "ag-ui": ("ag-ui", "AG-UI", "Events of an agent’s run, as a client of the protocol takes them."),
    "teams": (
        "microsoft-teams",
        "Microsoft Teams streaming",
        "Calls that stream a reply, and what Teams answered. Without recorded answers a finding is “predicted”.",
    ),
}
_BASIS = {
    "spec": "The specification says so.",
    "client": "The reference client behaves so, where the specification’s text is silent or says otherwise.",
    "observed": "It does harm in real recordings; the specification’s text is silent.",
}
_TEAMS_BASIS = {
    "documented": "Microsoft’s documentation says so.",
    "observed": "It was seen in real traffic, in reports or in SDKs; the documentation is silent.",
    "inferred": "It follows from other rules; no recorded answer of Teams confirms it yet.",
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
_TEAMS_BY_SEVERITY = {
    "error": "The call is marked ▲. Where Teams refused it for good, or would refuse it, the trace counts as rejected "
    "from there; otherwise as nonconformant.",
    "warning": "The call is marked ●. Nothing stops, and the verdict is “Warnings” unless something worse was found.",
    "info": "The call is marked ○. It never changes the verdict.",
}
# rows whose finding does not stand at one offending event
_BY_RULE = {
    "AGUI-TRN-01": "One finding ▲ stands for the whole trace; nothing counts as rejected.",
    "AGUI-TRN-08": "One note ○ stands at the first event, for the whole response. It never changes the verdict.",
    "AGUI-TRN-09": "One note ○ stands at the first event, for the whole response. It never changes the verdict.",
    "AGUI-TRN-12": "One finding ● stands at the first event, for the whole response. Nothing else counts as wrong.",
    "AGUI-TRN-15": "The frame is marked ▲; a run that was open then has the outcome “truncated”.",
    "AGUI-TRN-10": "The last event is marked ▲; the run’s outcome is “truncated”, whatever the client said.",
    "AGUI-TRN-11": "The trace’s verdict is “Unchecked”, in red: no event means nothing could be judged.",
    "TEAMS-047": "The call is marked ▲ and the trace counts as rejected from there.",
    "TEAMS-056": "A note ○ stands once; the rules that were switched off are listed as not judged, with the reason.",
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
    """A family with its rules. code: `TXT`, or of Teams `001–010`; anchor: fragment of the page it stands under."""

    code: str
    anchor: str
    title: str
    about: Markup
    rules: tuple[RuleLine, ...]


@dataclass(frozen=True, slots=True)
class ProtocolPart:
    """The families of one protocol. total: number of their rules; protocol: as a trace has it."""

    protocol: str
    anchor: str
    title: str
    about: str
    families: tuple[FamilySection, ...]
    total: int


@dataclass(frozen=True, slots=True)
class RulesPage:
    """Everything `/rules` shows. total: number of rules."""

    parts: tuple[ProtocolPart, ...]
    total: int


@dataclass(frozen=True, slots=True)
class RulePage:
    """Everything `/rules/ID` shows.

    protocol: title of the part it stands in
    stream: the example, line ends made visible where they are the point; example: what the example is
    calls: the example of a Teams rule, call by call; answers: what Teams says when it is broken
    party: whose fault it usually is, empty where nothing is wrong
    since: protocol version, empty where there are none; source: what `spec_url` leads to
    traces_href: the traces in which the rule fired, empty when it makes no finding of its own
    previous, next: neighbours in the catalogue's order
    """

    id: str
    protocol: str
    slug: str
    severity: str
    word: str
    title: Markup
    head: str
    explanation: Markup
    cause: Markup
    fix: Markup
    stream: str
    calls: tuple[Call, ...]
    answers: tuple[AnswerLine, ...]
    example: str
    source: str
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
    """All families in their order, protocol by protocol, each with its rules in theirs."""
    parts = tuple(_part(protocol) for protocol in _PARTS)
    return RulesPage(parts=parts, total=sum(part.total for part in parts))


def _part(protocol: str) -> ProtocolPart:
    anchor, title, about = _PARTS[protocol]
    mine = tuple(_section(family) for family in families() if family.protocol == protocol)
    total = sum(len(section.rules) for section in mine)
    return ProtocolPart(protocol, anchor, title, about, mine, total)


def _section(family: Family) -> FamilySection:
    numbers = [rule.id.rpartition("-")[2] for rule in family.rules]
    return FamilySection(
        code=f"{numbers[0]}–{numbers[-1]}" if family.protocol == "teams" else family.code,
        anchor=family.code.lower(),
        title=family.title,
        about=marks(family.about, _NOWHERE),
        rules=tuple(_line(rule) for rule in family.rules),
    )


def rule_page(rule_id: str) -> RulePage | None:
    """One rule by its id as written in the catalogue; None when there is no such rule."""
    rule = catalogue().get(rule_id)
    if rule is None:
        return None
    family = next(family for family in families() if rule in family.rules)
    order = list(catalogue().values())
    at = order.index(rule)
    teams = rule.protocol == "teams"
    legal = rule.shown in ("note", "quiet") or rule.family == "HAZ" or (teams and rule.severity == "info")
    noun = "recording" if teams else "stream"
    return RulePage(
        id=rule.id,
        protocol=_PARTS[rule.protocol][1],
        slug=rule.slug,
        severity=rule.severity,
        word=SEVERITY_WORD[rule.severity],
        title=marks(rule.title, _NOWHERE),
        head=f"{rule.id}: {plain(rule.title)}",
        explanation=marks(rule.explanation, _NOWHERE),
        cause=marks(rule.cause, _NOWHERE),
        fix=marks(rule.fix, _NOWHERE),
        stream=_visible(rule.stream),
        calls=calls(rule.stream) if teams else (),
        answers=answers_to(rule.id) if teams else (),
        example=f"A {noun} in which it happens" if legal else f"A {noun} that breaks it",
        source="Read more" if teams else "Specification",
        spec_url=rule.spec_url,
        since=rule.since,
        basis=_TEAMS_BASIS[rule.basis] if teams else _BASIS[rule.basis],
        party="" if rule.shown == "quiet" else party_words(rule.party, rule.protocol),
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
    by_severity = _TEAMS_BY_SEVERITY if rule.protocol == "teams" else _BY_SEVERITY
    return _SHOWN.get(rule.shown) or _BY_RULE.get(rule.id) or by_severity[rule.severity]


def _visible(stream: str) -> str:
    """The example without its last line break; a carriage return, which no page shows, as its picture."""
    return stream.replace("\r", "␍").rstrip("\n")
