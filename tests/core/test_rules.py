"""The catalogue's texts: complete, short enough to read, and named as in the specification's list.

What holds of Microsoft Teams' rows alone is in `test_rules_teams.py`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from webapp.core import Replay
from webapp.core.findings import PARTIES, SEVERITIES
from webapp.core.rules.model import Rule, catalogue, families, rules_of

RULES = list(catalogue().values())
AGUI = rules_of("ag-ui")
SPEC = dict(line.split() for line in (Path(__file__).parent / "spec_rules.txt").read_text().splitlines())
FAMILIES = ["TRN", "ENV", "CMP", "VER", "RUN", "USG", "STP", "TXT", "TOL"]
TEAMS_FAMILIES = [
    "TEAMS-SHAPE",
    "TEAMS-START",
    "TEAMS-CONTINUE",
    "TEAMS-FINAL",
    "TEAMS-PACE",
    "TEAMS-ENDS",
    "TEAMS-ANSWERS",
]
FAMILIES += ["RSN", "ENC", "CHK", "STA", "MSG", "ACT", "SUB", "INT", "INP", "MET", "PAS", "HAZ"]
WARNED_ADVICE = [
    "TRN-12",
    "TRN-18",
    "ENV-20",
    "ENV-21",
    "RUN-15",
    "TXT-08",
    "TOL-11",
    "TOL-12",
    "TOL-13",
    "CHK-15",
    "STA-06",
    "ENC-07",
    "PAS-01",
    "SUB-11",
    "MSG-03",
    "MSG-04",
    "MSG-08",
    "SUB-13",
]
LABELS = {"AGUI-CHK-11", "AGUI-CHK-12", "AGUI-ENV-16", "AGUI-ENV-17", "AGUI-ENC-09"}
QUIET = {
    "TEAMS-057",
    "AGUI-TRN-06",
    "AGUI-CHK-16",
    "AGUI-SUB-14",
    "AGUI-SUB-15",
    "AGUI-STA-07",
    "AGUI-ACT-08",
    "AGUI-PAS-04",
}
NOTES = {"AGUI-MSG-01", "AGUI-MSG-05", "AGUI-MSG-06", "AGUI-VER-04", "AGUI-STA-08"}
# rows that only the raw bytes of an SSE response can break
SSE_TEXTS = {f"AGUI-TRN-{number}" for number in ("01", "02", "03", "04", "06", "07", "11", "17")} | {
    "AGUI-HAZ-11"
}
HEADED = {f"AGUI-TRN-{number}" for number in ("08", "09", "12")}  # the text of a response with its head
BINARY = {f"AGUI-TRN-{number}" for number in ("13", "14", "15", "16")}  # frames in hexadecimal
MAX_WORDS = 45  # a sentence; longer ones are not read under pressure

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
each_agui_rule = pytest.mark.parametrize("rule", AGUI, ids=lambda rule: rule.id)


def texts(rule: Rule) -> tuple[str, ...]:
    return rule.title, rule.explanation, rule.cause, rule.fix


def test_families_stand_in_their_order() -> None:
    """AG-UI comes first, from the transport to the hazards; then comes Teams, from a request's shape to the answers."""
    codes = [family.code for family in families()]
    assert codes[: len(FAMILIES)] == FAMILIES
    assert codes[len(FAMILIES) :] == TEAMS_FAMILIES


def test_ids_are_unique_and_stand_in_their_family() -> None:
    """No rule is told twice, each knows its family, and an AG-UI rule stands in the one its id names."""
    told = [(rule, family) for family in families() for rule in family.rules]
    assert len(told) == len(RULES)
    assert all((rule.family, rule.protocol) == (family.code, family.protocol) for rule, family in told)
    assert all(rule.id.split("-")[1] == rule.family for rule in AGUI)


def test_the_checked_in_list_is_the_whole_of_the_specification() -> None:
    """The list the slugs are compared with holds all 212 rules."""
    assert len(SPEC) == 212


def test_the_catalogue_is_the_list() -> None:
    """Every rule of the specification is in the catalogue."""
    assert SPEC.keys() - {rule.id for rule in AGUI} == set()


def test_what_a_carrier_does_not_show_is_skipped_with_a_reason() -> None:
    """Rules about heads, frames and sizes neither fire nor pass where nothing is recorded of these."""
    skipped = {skip.rule: skip.reason for skip in Replay("ag-ui").finish().skipped_rules}
    assert skipped.keys() >= HEADED | BINARY
    assert all(reason.endswith(".") for reason in skipped.values())


def test_families_say_what_they_guard() -> None:
    """Each family has a title and a sentence about it."""
    assert all(family.title and family.about.endswith(".") for family in families())


@each_rule
def test_a_rule_is_complete(rule: Rule) -> None:
    """A row has every text, each in whole sentences but the title, which is one clause."""
    assert all(text.strip() == text and text for text in texts(rule))
    assert not rule.title.endswith(".")
    assert all(text.endswith(".") for text in texts(rule)[1:])
    assert all(text.count("`") % 2 == 0 for text in texts(rule))


@each_agui_rule
def test_a_rule_is_named_as_in_the_specification(rule: Rule) -> None:
    """Id and slug are those of the checked-in list; hazards are not in it and come from observation."""
    if rule.family == "HAZ":
        assert rule.id not in SPEC
        assert (rule.basis, rule.severity) == ("observed", "warning")
    else:
        assert SPEC[rule.id] == rule.slug


@each_rule
def test_a_rule_has_known_words(rule: Rule) -> None:
    """Severity, party, basis, version and the way it is shown come from short lists."""
    teams = rule.protocol == "teams"
    assert rule.severity in SEVERITIES
    assert rule.party in PARTIES
    assert rule.basis in (("documented", "observed", "inferred") if teams else ("spec", "client", "observed"))
    assert rule.since in (("",) if teams else ("1.0", "1.1"))
    assert rule.shown in ("finding", "label", "note", "quiet")


@each_rule
def test_sentences_are_short(rule: Rule) -> None:
    """No sentence is longer than a tired reader can hold."""
    sentences = [s for text in texts(rule) for s in re.split(r"(?<=[.!?])\s+", text)]
    assert max(len(sentence.split()) for sentence in sentences) <= MAX_WORDS


@each_rule
def test_texts_name_no_records(rule: Rule) -> None:
    """A rule is about no trace, so its texts have no `#12` that pages would turn into a link."""
    assert not any(re.search(r"#\d", text) for text in texts(rule))


@each_agui_rule
def test_the_specification_link_is_well_formed(rule: Rule) -> None:
    """The link leads to one page and anchor of the published specification; a hazard has none."""
    if rule.family == "HAZ":
        assert rule.spec_url == ""
        return
    assert re.fullmatch(r"https://docs\.ag-ui\.com/spec/1\.[01]/[a-z/-]+#[a-z0-9_-]+", rule.spec_url)


@each_agui_rule
def test_the_example_is_a_stream(rule: Rule) -> None:
    """The example holds JSON objects, one a line, or the text of an SSE response."""
    lines = rule.stream.splitlines()
    assert lines
    if rule.id in HEADED:
        assert re.match(r"HTTP/1\.1 \d{3} [^\n]+\ncontent-type: [^\n]+\n\n", rule.stream)
    elif rule.id in BINARY:
        assert all(re.fullmatch(r"[0-9a-f]{2}( [0-9a-f]{2})*", line) for line in lines)
    elif rule.id in SSE_TEXTS:
        assert all(not line or re.match(r"(data|event|id|retry)?:", line) for line in lines)
    else:
        assert all(isinstance(json.loads(line), dict) for line in lines)


def test_only_the_line_ending_rule_has_carriage_returns() -> None:
    """An example's line ends are its own, so that it breaks its rule and no other."""
    assert {rule.id for rule in RULES if "\r" in rule.stream} == {"AGUI-TRN-01"}


def test_advice_is_a_warning_only_where_agreed() -> None:
    """Rows the specification only advises are notes, but for the agreed list."""
    assert {catalogue()[f"AGUI-{name}"].severity for name in WARNED_ADVICE} == {"warning"}
    for quiet in ("TRN-11", "TRN-17", "ENV-16", "ENV-17", "TOL-08", "TOL-20", "TOL-21"):
        assert catalogue()[f"AGUI-{quiet}"].severity == "info"


def test_the_verdict_follows_the_client_where_it_differs() -> None:
    """Unknown words of closed sets end the run, a missing discriminator only warns; both say why."""
    rules = catalogue()
    assert {rules[f"AGUI-{name}"].severity for name in ("ENV-07", "ENC-03")} == {"fatal"}
    assert rules["AGUI-ENV-09"].severity == "warning"
    assert {rules[f"AGUI-{name}"].basis for name in ("ENV-07", "ENC-03", "ENV-09")} == {"client"}


def test_rules_that_make_no_finding_say_so() -> None:
    """Labels, notes and tolerated rows are told apart from findings."""
    shown = {kind: {rule.id for rule in RULES if rule.shown == kind} for kind in ("label", "quiet", "note")}
    assert shown == {"label": LABELS, "quiet": QUIET, "note": NOTES}
    assert all("hint on" in catalogue()[rule_id].explanation for rule_id in LABELS)
    assert all("Nothing is wrong" in catalogue()[rule_id].explanation for rule_id in QUIET)
