"""Every rule by example: `tests/cases/RULE.toml` holds a stream that breaks it and its near-miss.

A file has a `[fires]` and a `[near]` table (rules that never give a finding have `[quiet]` instead), each with a
`stream` (JSON lines), an optional `input` (the RunAgentInput), `rejected_at` when the stream is rejected, and the
exact `findings`. `[[explain]]` tables assert the sentence for each reason a rule can have.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from webapp.core import Replay, Report
from webapp.core.rules import catalogue

CASES = Path(__file__).parents[1] / "cases"
FILES = sorted(CASES.glob("*.toml"))
SHOWN = {rule.id: rule.shown for rule in catalogue().values()}


def load(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def replay(case: dict[str, Any]) -> Report:
    """Records are the stream's lines; `framing` (a list of notes a line) and raw text lines are allowed."""
    judge = Replay("ag-ui", json.loads(case["input"]) if "input" in case else None)
    lines = [line for line in case["stream"].splitlines() if line.strip()]
    framing = case.get("framing", [])
    for number, line in enumerate(lines):
        payload = b"" if line == "(empty)" else line.encode().decode("unicode_escape").encode("latin-1") if (
            case.get("bytes") and line.startswith("\\x")
        ) else line.encode()  # fmt: skip
        judge.feed(payload, None, tuple(framing[number]) if number < len(framing) else ())
    return judge.finish()


def told(report: Report, wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The report's findings, cut to the members the case speaks of."""
    names = {name for row in wanted for name in row} | {"rule", "event", "severity"}
    out = []
    for finding in report.findings:
        public = finding.public()
        out.append({name: public[name] for name in names if public[name] is not None})
    return out


def normal(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    names = {name for row in rows for name in row}
    return sorted(({"count": 1, **row} if "count" in names else row for row in rows), key=json.dumps)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
@pytest.mark.parametrize("part", ["fires", "near", "quiet"])
def test_a_case_gives_exactly_its_findings(path: Path, part: str) -> None:
    """A stream that breaks a rule gives that finding and no other; its near-miss gives none of it."""
    case = load(path).get(part)
    if case is None:
        return
    report = replay(case)
    wanted = case.get("findings", [])
    assert normal(told(report, wanted)) == normal(wanted)
    assert report.rejected_at == case.get("rejected_at")
    rules = {row["rule"] for row in wanted} | {row.get("label") for row in wanted}
    if part == "fires":
        assert path.stem in rules
    else:
        assert path.stem not in rules


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_an_explanation_is_the_sentence_the_case_gives(path: Path) -> None:
    """For each reason a rule can have, the finding says why in the very words of the case."""
    for case in load(path).get("explain", []):
        report = replay(case)
        found = [f for f in report.findings if f.rule == path.stem]
        assert [f.reason for f in found][:1] == [case["reason"]]
        assert found[0].message == case["message"]


@pytest.mark.parametrize("rule", sorted(catalogue()))
def test_every_rule_has_its_cases(rule: str) -> None:
    """A rule of the catalogue has a firing case and a near-miss, or a quiet case when it gives no finding."""
    path = CASES / f"{rule}.toml"
    assert path.exists(), f"tests/cases/{rule}.toml is missing"
    parts = load(path)
    if SHOWN[rule] in ("finding", "label"):
        assert {"fires", "near"} <= parts.keys()
    else:
        assert "quiet" in parts


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_a_firing_case_and_its_near_miss_differ_by_one_thing(path: Path) -> None:
    """The two streams differ by one event, or by one line changed."""
    parts = load(path)
    if "fires" not in parts or parts["fires"].get("input") != parts["near"].get("input"):
        return
    if parts["fires"].get("framing") != parts["near"].get("framing"):
        return
    a = [x for x in parts["fires"]["stream"].splitlines() if x.strip()]
    b = [x for x in parts["near"]["stream"].splitlines() if x.strip()]
    only_a, only_b = list(a), list(b)
    for line in a:
        if line in only_b:
            only_b.remove(line)
            only_a.remove(line)
    assert len(only_a) <= 1
    assert len(only_b) <= 1
