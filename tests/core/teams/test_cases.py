"""Every Teams rule by example: `tests/cases/teams/RULE.toml` holds a recording that breaks it and its near-miss.

A file has a `[fires]` and a `[near]` table (TEAMS-057 has `[quiet]`), each with a `script` (see `script.py`), the exact
`findings` (`cause = "none"`: it follows from no other), and where it matters `rejected_at`, `verdict`, `outcomes` and
`skipped`. `[[more]]` tables are further cases of the same rule. Whole recordings about more than one rule are in
`tests/cases/teams/streams/`.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.core.teams.script import judge
from webapp.core import Report
from webapp.core.rules import Rule, catalogue, rules_of

CASES = Path(__file__).parents[2] / "cases" / "teams"
FILES = {
    path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(CASES.glob("TEAMS-*.toml"))
}
STREAMS = {
    path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
    for path in sorted(CASES.glob("streams/*.toml"))
}
PARTS = [
    (name, part, number)
    for name, file in FILES.items()
    for part in ("fires", "near", "quiet", "more")
    for number in range(len(file.get(part, [])) if part == "more" else part in file)
]
ALWAYS = {"rule", "event", "severity", "count"}


def told(report: Report, wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The report's findings in order of place and rule, each cut to the members that the case's row has."""
    rows = sorted(report.findings, key=lambda f: (f.event, f.rule, f.severity))
    full = [{**f.public(), "reason": f.reason, "cause": f.cause or "none"} for f in rows]
    names = [ALWAYS | row.keys() for row in wanted] + [ALWAYS] * len(full)
    return [
        {name: value for name, value in row.items() if name in some}
        for row, some in zip(full, names, strict=False)
    ]


def check(case: dict[str, Any]) -> Report:
    report = judge(case["script"])
    wanted = [{"count": 1, **row} for row in case.get("findings", [])]
    wanted.sort(key=lambda row: (row["event"], row["rule"], row["severity"]))
    assert told(report, wanted) == wanted
    assert report.rejected_at == case.get("rejected_at")
    if "outcomes" in case:
        assert [run.outcome for run in report.runs] == case["outcomes"]
    if "verdict" in case:
        assert report.verdict == case["verdict"]
    for rule in case.get("skipped", []):
        assert rule in {skipped.rule for skipped in report.skipped_rules}
    return report


@pytest.mark.parametrize(("name", "part", "number"), PARTS)
def test_a_case_gives_exactly_its_findings(name: str, part: str, number: int) -> None:
    """A recording that breaks a rule gives that finding and no other; its near-miss gives none of it."""
    found = FILES[name][part]
    case = found[number] if part == "more" else found
    report = check(case)
    rules = {finding.rule for finding in report.findings}
    if part == "fires":
        assert name in rules
    elif part in ("near", "quiet"):
        assert name not in rules


@pytest.mark.parametrize("name", STREAMS)
def test_a_whole_recording_gives_exactly_its_findings(name: str) -> None:
    """Recordings about more than one rule, judged whole."""
    check(STREAMS[name]["trace"])


def test_every_rule_has_its_cases() -> None:
    """No rule of the catalogue is without a firing case and a near-miss; the retired one has a quiet case."""
    rules = {rule for rule in catalogue() if rule.startswith("TEAMS-")}
    lacking = [rule for rule in rules if not {"fires", "near"} <= FILES.get(rule, {}).keys()]
    assert [rule for rule in lacking if "quiet" not in FILES.get(rule, {})] == []
    assert set(FILES) == rules


@pytest.mark.parametrize("rule", rules_of("teams"), ids=lambda rule: rule.id)
def test_the_example_on_a_rules_page_breaks_that_rule(rule: Rule) -> None:
    """The recording a rule's page shows gives the finding the page is about."""
    found = {finding.rule for finding in judge(rule.stream).findings}
    assert (rule.id in found) == (rule.shown == "finding")
