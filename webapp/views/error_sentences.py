"""The page of an error sentence: what it means, which rule it is, causes in order, what to capture.

Rules of this file: pure functions from a text to a frozen page context. Nothing is stored, and nothing of the text goes
into an address; the wordings are in `core.errors`.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from markupsafe import Markup

from webapp.core.errors import Known, by_name, look_up
from webapp.core.rules.model import Rule, catalogue
from webapp.core.teams.answers import BY_KEY
from webapp.views.marks import marks
from webapp.views.recipes import HREF as CAPTURE
from webapp.views.recipes import RECIPES, Recipe
from webapp.views.rules_answers import HREF as ANSWERS
from webapp.views.selection import Selection

HREF = "/errors"
MAX_TEXT = 20_000  # characters of the question that are looked at
MAX_ABOUT = 20  # names in an address that are looked at
_NOWHERE = Selection(base="")  # these texts name no records
_CAPTURE = {
    "ag-ui": "The sentence names the event at which a client stopped. What led there is in the stream: record the "
    "response of the same run and open it here.",
    "teams": "The sentence is one answer. Which call of which stream got it, and what was sent before, is in the "
    "calls: "
    "record them with their answers and open them here.",
}
_HELP = {"ag-ui": ("browser", "curl", "python", "typescript"), "teams": ("teams", "teams-logs")}


@dataclass(frozen=True, slots=True)
class RuleLink:
    id: str
    href: str
    title: Markup
    severity: str


@dataclass(frozen=True, slots=True)
class Cause:
    """cause, fix: sentences; fix may be empty."""

    cause: Markup
    fix: Markup


@dataclass(frozen=True, slots=True)
class Sentence:
    """One known sentence. said: as it stands in the text, "" where none was given.

    answer: (address, words) of the service's answer, or None
    """

    said: str
    protocol: str
    means: Markup
    rules: tuple[RuleLink, ...]
    causes: tuple[Cause, ...]
    ids: tuple[tuple[str, str], ...]
    answer: tuple[str, str] | None
    capture: str
    recipes: tuple[Recipe, ...]


@dataclass(frozen=True, slots=True)
class ErrorPage:
    """text: as it was asked; asked: there was one; sentences: those that are known, in the text's order

    share: address of the same explanation without a word of the text, "" for none
    """

    text: str
    asked: bool
    sentences: tuple[Sentence, ...]
    share: str = ""
    recipes_href: str = CAPTURE


def page(text: str) -> ErrorPage:
    """What is known of a text; of one that is too long only its beginning is looked at."""
    text = text[:MAX_TEXT].strip()
    return _page(text, look_up(text))


def shared(about: str) -> ErrorPage:
    """The same by the names of wordings, `first,second`: what an address may hold, since a text may hold secrets."""
    return _page("", by_name(about.split(",")[:MAX_ABOUT]))


def _page(text: str, known: tuple[Known, ...]) -> ErrorPage:
    share = (
        f"{HREF}?{urlencode({'about': ','.join(one.wording.name for one in known)}, safe=',')}"
        if known
        else ""
    )
    return ErrorPage(text, bool(text or known), tuple(_sentence(one) for one in known), share)


def _sentence(known: Known) -> Sentence:
    wording = known.wording
    rules = [catalogue()[rule] for rule in wording.rules if rule in catalogue()]
    row = BY_KEY.get(wording.answer or "")
    return Sentence(
        said=known.said,
        protocol={"ag-ui": "AG-UI", "teams": "Microsoft Teams"}[wording.protocol],
        means=marks(wording.means, _NOWHERE),
        rules=tuple(_link(rule) for rule in rules),
        causes=tuple(Cause(marks(each.cause, _NOWHERE), marks(each.fix, _NOWHERE)) for each in known.causes),
        ids=known.ids,
        answer=None if row is None else (f"{ANSWERS}#{row.key}", f"{row.status} {row.title}"),
        capture=_CAPTURE[wording.protocol],
        recipes=tuple(recipe for recipe in RECIPES if recipe.anchor in _HELP[wording.protocol]),
    )


def _link(rule: Rule) -> RuleLink:
    return RuleLink(rule.id, f"/rules/{rule.id}", marks(rule.title, _NOWHERE), rule.severity)
