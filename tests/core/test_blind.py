"""The rules that a recording without its texts cannot show: the table, held to what the engine makes of its cases."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.core.agui.test_cases import FILES, lines, replay
from tests.core.teams import script
from webapp.core import Replay
from webapp.core.blind import BLIND, blind
from webapp.core.evidence import ResponseHead
from webapp.core.rules import catalogue
from webapp.redact import redactor

# what these two say of an example follows from a rule of the table, which no longer told them which stream it is
FOLLOW = {"TEAMS-030", "TEAMS-045"}
CASES = Path(__file__).parents[1] / "cases"


def reports(case: dict[str, Any]) -> tuple[set[str], set[str]]:
    """What the engine finds in an AG-UI case: as it is, and when the texts are out."""
    red = redactor("ag-ui", "structure")
    framing, odd = case.get("framing", {}), case.get("hex", {})
    made = []
    for number, line in enumerate(lines(case)):
        key = str(number)
        payload = bytes.fromhex(odd[key]) if key in odd else line.encode()
        made.append((red.record(payload) or payload, framing.get(key, framing.get("all", ()))))
    given = red.value(json.loads(case["input"])) if "input" in case else None
    judge = Replay("ag-ui", given if isinstance(given, dict) else None)
    for payload, notes in made:
        judge.feed(payload, None, notes)
    head = ResponseHead(**{"status": None, "content_type": None, **case["head"]}) if "head" in case else None
    return {f.rule for f in replay(case).findings}, {f.rule for f in judge.finish(head).findings}


def teams_reports(text: str) -> tuple[set[str], set[str]]:
    red = redactor("teams", "structure")
    whole = script.lines(text)
    return _teams(whole), _teams([red.record(line) or line for line in whole])


def _teams(payloads: list[bytes]) -> set[str]:
    judge = Replay("teams")
    for payload in payloads:
        judge.feed(payload)
    return {finding.rule for finding in judge.finish().findings}


def cases() -> Iterator[tuple[str, str, set[str], set[str]]]:
    """(rule, fires | near | quiet, found in it, found when its texts are out)."""
    for name, file in FILES.items():
        for part in ("fires", "near", "quiet"):
            if part in file and not file[part].get("binary"):
                yield name, part, *reports(file[part])
    for path in sorted(CASES.glob("teams/*.toml")):
        file = tomllib.loads(path.read_text(encoding="utf-8"))
        for part in ("fires", "near", "quiet"):
            if part in file and "script" in file[part]:
                yield path.stem, part, *teams_reports(file[part]["script"])


@pytest.fixture(scope="module")
def unsure() -> set[str]:
    """Rules that an example breaks and its redacted form does not, or the other way round."""
    found: set[str] = set()
    for _, _, before, after in cases():
        found |= before ^ after
    return {rule for rule in found - FOLLOW if catalogue()[rule].shown == "finding"}


def test_the_table_has_every_rule_that_redaction_hides_or_invents(unsure: set[str]) -> None:
    """No example of any rule is judged otherwise without its texts, but by rules of the table."""
    assert unsure - {*BLIND["ag-ui"], *BLIND["teams"]} == set()


def test_the_table_has_no_other(unsure: set[str]) -> None:
    """A rule is not called unjudged without an example that shows it."""
    assert {*BLIND["ag-ui"], *BLIND["teams"]} - unsure == set()


@pytest.mark.parametrize("protocol", ["ag-ui", "teams"])
def test_every_rule_of_the_table_is_one_of_its_protocol(protocol: str) -> None:
    for rule in blind(protocol, "structure"):
        assert catalogue()[rule].protocol == protocol
    assert blind(protocol, "personal") == ()
