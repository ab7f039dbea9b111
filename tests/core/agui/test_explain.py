"""One slip in a legal stream is one defect, and whatever is said about it reads well.

The slips are made in `tests/cases/streams/legal-tour.toml`: every event in turn is left out, sent twice, misspelt,
sent with an empty or snake_case member, or is the last one that was recorded.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from webapp.core import Finding, Replay, Report, lookalikes
from webapp.core.findings import ROLES
from webapp.core.reasons import REASONS

TOUR = Path(__file__).parents[2] / "cases" / "streams" / "legal-tour.toml"
LINES = tomllib.loads(TOUR.read_text(encoding="utf-8"))["trace"]["stream"].splitlines()
Slip = Callable[[list[str], int], list[str]]


def _snake(line: str) -> str:
    return json.dumps(
        {re.sub("([A-Z])", r"_\1", key).lower(): value for key, value in json.loads(line).items()}
    )


def _misspelt(line: str) -> str:
    return line.replace(json.loads(line)["type"], json.loads(line)["type"].lower(), 1)


def _emptied(line: str) -> str:
    event = json.loads(line)
    return json.dumps({**event, list(event)[1]: None})


SLIPS: dict[str, Slip] = {
    "left out": lambda lines, at: [*lines[:at], *lines[at + 1 :]],
    "sent twice": lambda lines, at: [*lines[:at], lines[at], *lines[at:]],
    "misspelt": lambda lines, at: [*lines[:at], _misspelt(lines[at]), *lines[at + 1 :]],
    "emptied": lambda lines, at: [*lines[:at], _emptied(lines[at]), *lines[at + 1 :]],
    "snake": lambda lines, at: [*lines[:at], _snake(lines[at]), *lines[at + 1 :]],
    "cut": lambda lines, at: lines[: at + 1],
}


def judged(lines: list[str]) -> Report:
    judge = Replay("ag-ui")
    for line in lines:
        judge.feed(line.encode(), None, ("sse",))
    return judge.finish()


def told(slip: str) -> list[tuple[int, Finding]]:
    return [(at, f) for at in range(len(LINES)) for f in judged(SLIPS[slip](LINES, at)).findings]


each_slip = pytest.mark.parametrize("slip", SLIPS)


@each_slip
def test_one_slip_has_one_root(slip: str) -> None:
    """At most one finding stands on its own; the others name the finding they follow from."""
    roots = [at for at, finding in told(slip) if finding.cause is None]
    assert sorted(set(roots)) == roots


@each_slip
def test_a_sentence_reads_well(slip: str) -> None:
    """Whole sentences, nothing left unfilled, marks in pairs."""
    for _, finding in told(slip):
        text = finding.message
        assert text[0] in "`#" or text[0].isupper()
        assert text.endswith(".")
        assert "None" not in text
        assert "  " not in text
        assert "{" not in re.sub(r"`[^`]*`", "", text)
        assert text.count("`") % 2 == 0
        assert not finding.title.endswith(".")


@each_slip
def test_a_finding_leans_on_what_exists(slip: str) -> None:
    """Reasons and roles are known ones, causes are findings of the same report, places are records of the trace."""
    for at in range(len(LINES)):
        lines = SLIPS[slip](LINES, at)
        report = judged(lines)
        keys = {finding.key for finding in report.findings}
        for finding in report.findings:
            assert finding.reason is None or finding.reason in REASONS
            assert finding.cause is None or (finding.cause in keys and finding.cause != finding.key)
            assert {related.role for related in finding.related} <= set(ROLES)
            assert all(0 <= related.event < len(lines) for related in finding.related)
            assert all(int(number) < len(lines) for number in re.findall(r"#(\d+)", finding.message))


def test_a_finding_learns_later_in_a_step_that_says_so() -> None:
    """When the opener of an orphan arrives, the step carries the amended finding."""
    judge = Replay("ag-ui")
    lines = [
        '{"type":"RUN_STARTED","threadId":"t-1","runId":"r-1"}',
        '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1","delta":"Hi"}',
        '{"type":"TEXT_MESSAGE_START","messageId":"m-1"}',
    ]
    steps = [judge.feed(line.encode()) for line in lines]
    assert [f.rule for f in steps[1].findings] == ["AGUI-TXT-02"]
    assert [f.reason for f in steps[2].amended] == ["opens-later"]


def test_a_lookalike_is_found_among_any_number_and_each_id_is_folded_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A trace full of orphans stays linear: an id is folded when it comes and when it is asked for, never again."""
    folded: list[str] = []
    fold = lookalikes._fold
    monkeypatch.setattr(lookalikes, "_fold", lambda text: folded.append(text) or fold(text))
    judge = Replay("ag-ui")
    judge.feed(b'{"type":"RUN_STARTED","threadId":"t-1","runId":"r-1"}')
    for number in range(500):
        judge.feed(f'{{"type":"TEXT_MESSAGE_START","messageId":"M-{number}"}}'.encode())
    for number in range(500):
        judge.feed(f'{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-{number}","delta":"x"}}'.encode())
    finding = judge.finish().findings[0]
    assert (finding.reason, finding.count) == ("lookalike", 500)
    assert len(folded) <= 1_500
