"""Microsoft Teams' rows of the catalogue: all there, each with an example that is a recording."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from webapp.core import Replay
from webapp.core.advice import advise
from webapp.core.reasons import REASONS
from webapp.core.rules.model import Rule, families, rules_of
from webapp.core.teams import exchanges
from webapp.core.teams.advice import REASONS as TEAMS_REASONS
from webapp.core.teams.answers import ANSWERS

TEAMS = rules_of("teams")
PAGES = (
    "https://learn.microsoft.com/microsoftteams/platform/bots/",
    "https://learn.microsoft.com/azure/bot-service/rest-api/",
    "https://github.com/",
)
# what cannot be shown without another rule being broken beside it
COMPANIONS = {
    "TEAMS-018": {"TEAMS-051"},  # the answer that says so is a success with an error inside
    "TEAMS-051": {"TEAMS-018"},  # and the other way round
    "TEAMS-033": {"TEAMS-054"},  # the answer is a 500, and the end is sent again
    "TEAMS-036": {"TEAMS-020"},  # there must be a refusal to go on after
    "TEAMS-053": {"TEAMS-020"},
    "TEAMS-039": {"TEAMS-037"},  # a repeat that comes too soon
    "TEAMS-042": {"TEAMS-041"},  # the time limit itself
}
ON_A_TEST_CHANNEL = {"TEAMS-056"}
MAX_LINES = 12  # an example is read, not searched

each_rule = pytest.mark.parametrize("rule", TEAMS, ids=lambda rule: rule.id)


def test_the_rules_are_the_57_of_the_specification() -> None:
    """TEAMS-001 to TEAMS-057, in order, and no more."""
    assert [rule.id for rule in TEAMS] == [f"TEAMS-{number:03}" for number in range(1, 58)]


def test_slugs_are_unique() -> None:
    """A rule is known by its slug alone."""
    assert Counter(rule.slug for rule in TEAMS).most_common(1)[0][1] == 1
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.slug) for rule in TEAMS)


def test_families_hold_the_sections_of_the_specification() -> None:
    """The rules are filed as the specification files them."""
    ends = [(f.rules[0].id[-3:], f.rules[-1].id[-3:]) for f in families() if f.protocol == "teams"]
    assert ends == [
        ("001", "010"),
        ("011", "015"),
        ("016", "025"),
        ("026", "034"),
        ("035", "043"),
        ("044", "050"),
        ("051", "057"),
    ]


def test_a_refusal_is_never_fatal() -> None:
    """Teams' rows are errors at worst: that the service refused makes the trace rejected, not the row fatal."""
    assert {rule.severity for rule in TEAMS} == {"error", "warning", "info"}


def test_no_sentence_stands_twice() -> None:
    """Each rule is told in its own words."""
    told = Counter(
        sentence
        for rule in TEAMS
        for text in (rule.title, rule.explanation, rule.cause, rule.fix)
        for sentence in re.split(r"(?<=[.!?])\s+", text)
    )
    assert [sentence for sentence, count in told.items() if count > 1] == []


@each_rule
def test_a_rule_leads_to_a_public_page(rule: Rule) -> None:
    """The address is whole, and is that of a public page, issue or repository."""
    assert rule.spec_url == rule.spec
    assert rule.spec_url.startswith(PAGES)
    assert not re.search(r"\s", rule.spec_url)


@each_rule
def test_the_example_is_a_recording(rule: Rule) -> None:
    """The example holds exchange lines in the order of their calls, each no sooner than the one before."""
    lines = rule.stream.splitlines()
    calls = [exchanges.read(line.encode()) for line in lines]
    assert 0 < len(lines) <= MAX_LINES
    times = []
    for call in calls:
        assert call is not None
        assert call.call
        assert call.path_known
        assert call.answered in ("ok", "dropped", "refused", "lost")
        assert call.at is not None
        assert call.host.startswith("smba.") == (rule.id not in ON_A_TEST_CHANNEL)
        times.append(call.at)
    assert times == sorted(times)


@each_rule
def test_the_example_begins_its_streams_itself(rule: Rule) -> None:
    """Every id that a call names was issued by an answer before it, unless that is what the example shows."""
    issued: set[str] = set()
    for line in rule.stream.splitlines():
        call = exchanges.read(line.encode())
        assert call is not None
        if call.stream_id and rule.id not in ("TEAMS-011", "TEAMS-013"):
            assert call.stream_id in issued
        if call.issued:
            issued.add(call.issued)


@each_rule
def test_the_example_breaks_its_rule_and_no_other(rule: Rule) -> None:
    """The recording a rule's page shows gives the finding the page is about, and only what it cannot do without."""
    judge = Replay("teams")
    for line in rule.stream.splitlines():
        judge.feed(line.encode())
    found = {finding.rule for finding in judge.finish().findings}
    assert (rule.id in found) == (rule.shown == "finding")
    assert found - {rule.id} <= COMPANIONS.get(rule.id, set())


def test_the_answers_lead_to_rules() -> None:
    """Each row of the table of answers names rules of the catalogue, and no row is without one."""
    known = {rule.id for rule in TEAMS}
    assert all(row.rules and set(row.rules) <= known for row in ANSWERS)


@pytest.mark.parametrize("reason", sorted(TEAMS_REASONS))
def test_a_broken_prefix_has_advice_of_its_own(reason: str) -> None:
    """How a text fails to extend the one before decides what to change."""
    general = advise("TEAMS-020", None, "text")
    told = advise("TEAMS-020", reason, "text")
    assert reason in REASONS
    assert told.cause != general.cause
    assert told.fix != general.fix


def test_an_unknown_reason_gets_the_general_advice() -> None:
    """A reason that this version does not know falls back to the catalogue."""
    assert advise("TEAMS-020", "never-heard-of", "text") == advise("TEAMS-020", None, "text")
