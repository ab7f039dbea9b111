"""Every AG-UI rule by example: `tests/cases/RULE.toml` holds a stream that breaks it and its near-miss.

A file has a `[fires]` and a `[near]` table (rules that never give a finding have `[quiet]` instead), each with a
`stream` (JSON lines), the exact `findings`, and `rejected_at` when the stream is rejected. Optional: `input` (the
RunAgentInput), `hex` (record number -> payload, where a line of text cannot hold it), `framing` (record number ->
the reader's notes), `head` (of the response) and `binary` (the stream is frames in hexadecimal, one a line).
`[[explain]]` tables assert the sentence for each reason a rule can have. Whole traces about more than one rule are in
`tests/cases/streams/`: each has its table under `[trace]`.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from webapp.core import Replay, Report
from webapp.core.evidence import ResponseHead
from webapp.core.reasons import REASONS
from webapp.core.rules import catalogue, rules_of
from webapp.core.teams.advice import REASONS as TEAMS_REASONS
from webapp.readers.protobuf.reader import ProtobufReader
from webapp.readers.read import read

CASES = Path(__file__).parents[2] / "cases"
FILES = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(CASES.glob("*.toml"))}
STREAMS = {
    path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(CASES.glob("streams/*"))
}
PARTS = [(name, part) for name, file in FILES.items() for part in ("fires", "near", "quiet") if part in file]
EXPLAINED = [(name, case) for name, file in FILES.items() for case in file.get("explain", [])]
ALWAYS = {"rule", "event", "severity"}
# what a finding says of itself when a case does not
DEFAULTS = {"count": 1, "label": None, "cause": None, "lane": None}
NEEDS_REQUEST = {"AGUI-INP-07", "AGUI-HAZ-09"}  # what breaks these is the recorded request beside the stream


def lines(case: dict[str, Any]) -> list[str]:
    """The stream's records; `LINE * 400` stands for 400 equal ones."""
    out = []
    for line in case["stream"].splitlines():
        text, _, times = line.rpartition(" * ")
        out += [text] * int(times) if text and times.isdigit() else [line] if line.strip() else []
    return out


def replay(case: dict[str, Any]) -> Report:
    judge = Replay("ag-ui", json.loads(case["input"]) if "input" in case else None)
    head = ResponseHead(**{"status": None, "content_type": None, **case["head"]}) if "head" in case else None
    if case.get("binary"):
        reader = ProtobufReader()
        for record in [*reader.feed(case["stream"].encode()), *reader.close()]:
            judge.feed(record.payload, None, record.framing)
        return judge.finish(head)
    framing, odd = case.get("framing", {}), case.get("hex", {})
    for number, line in enumerate(lines(case)):
        key = str(number)
        payload = bytes.fromhex(odd[key]) if key in odd else line.encode()
        judge.feed(payload, None, framing.get(key, framing.get("all", ())))
    return judge.finish(head)


def told(report: Report, wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The report's findings, cut to the members the case speaks of; count, label and cause always count."""
    names = {name for row in wanted for name in row} | ALWAYS | {"count", "label", "cause"}
    return [{name: value for name, value in f.public().items() if name in names} for f in report.findings]


def full(wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The case's findings with what they leave unsaid."""
    names = {name for row in wanted for name in row} | ALWAYS | {"count", "label", "cause"}
    return [{**{n: v for n, v in DEFAULTS.items() if n in names}, **row} for row in wanted]


def check(case: dict[str, Any]) -> None:
    report, wanted = replay(case), case.get("findings", [])
    assert told(report, wanted) == full(wanted)
    assert report.rejected_at == case.get("rejected_at")
    if "outcomes" in case:
        assert [run.outcome for run in report.runs] == case["outcomes"]


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_a_case_gives_exactly_its_findings(name: str, part: str) -> None:
    """A stream that breaks a rule gives that finding and no other; its near-miss gives none of it."""
    case = FILES[name][part]
    check(case)
    rules = {row[key] for row in case.get("findings", []) for key in ("rule", "label") if key in row}
    assert (name in rules) == (part == "fires")


@pytest.mark.parametrize("name", STREAMS)
def test_a_whole_stream_gives_exactly_its_findings(name: str) -> None:
    """Legal streams that look wrong give no finding; broken ones give one finding a defect."""
    check(STREAMS[name]["trace"])


@pytest.mark.parametrize(("name", "case"), EXPLAINED, ids=[f"{n}-{c['reason']}" for n, c in EXPLAINED])
def test_an_explanation_is_the_sentence_the_case_gives(name: str, case: dict[str, Any]) -> None:
    """For each reason a rule can have, the finding says why in the very words of the case."""
    found = next(f for f in replay(case).findings if name in (f.rule, f.label))
    assert (found.reason, found.message) == (case["reason"], case["message"])


def test_every_reason_is_asserted() -> None:
    """No sentence of the explanations goes untested, and none has a reason without a name."""
    assert {case["reason"] for _, case in EXPLAINED} == set(REASONS) - TEAMS_REASONS


@pytest.mark.parametrize("rule", rules_of("ag-ui"), ids=lambda rule: rule.id)
def test_every_rule_has_its_cases(rule: Any) -> None:
    """A rule of the catalogue has a firing case and a near-miss, or a quiet case when it gives no finding."""
    wanted = {"fires", "near"} if rule.shown in ("finding", "label") else {"quiet"}
    assert wanted <= FILES.get(rule.id, {}).keys()


@pytest.mark.parametrize("rule", rules_of("ag-ui"), ids=lambda rule: rule.id)
def test_the_example_on_a_rules_page_breaks_that_rule(rule: Any) -> None:
    """The stream a rule's page shows gives the finding the page is about."""
    beside = FILES[rule.id]["fires"]["input"] if rule.id in NEEDS_REQUEST else "null"
    judge = Replay("ag-ui", json.loads(beside))
    _, records, account = read([rule.stream.encode().replace(b"<E9>", b"\xe9")])
    for record in records:
        judge.feed(record.payload, None, record.framing)
    found = {name for f in judge.finish(account.head).findings for name in (f.rule, f.label)}
    assert (rule.id in found) == (rule.shown in ("finding", "label"))


def test_every_case_has_its_rule() -> None:
    """A file of cases is named after a rule of the catalogue."""
    assert FILES.keys() <= catalogue().keys()


@pytest.mark.parametrize("name", [name for name, part in PARTS if part == "fires"])
def test_a_firing_case_and_its_near_miss_differ_by_one_thing(name: str) -> None:
    """The two differ by one event, by one line changed, or by what stands beside the stream."""
    fires, near = FILES[name]["fires"], FILES[name]["near"]
    beside = [key for key in ("input", "framing", "hex", "head") if fires.get(key) != near.get(key)]
    only_fires = Counter(lines(fires)) - Counter(lines(near))
    only_near = Counter(lines(near)) - Counter(lines(fires))
    assert max(only_fires.total(), only_near.total()) <= (0 if beside and "hex" not in beside else 1)
    assert beside or lines(fires) != lines(near)
