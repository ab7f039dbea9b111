"""Recordings of real agents: what each must say, and nothing beside it.

The files are one exchange a line, as SDKs sent them to a stand-in connector that enforces the documented contract.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from webapp.core import Replay, Report

SAMPLES = Path(__file__).parents[2] / "samples" / "teams"
# rule, severity, records (from 0); then outcome, verdict, rejected_at
SAID: dict[str, tuple[list[tuple[str, str, list[int]]], str, str, int | None]] = {
    "tpy21-good": ([], "finished", "conformant", None),
    "tpy21-stop": ([], "stopped", "conformant", None),
    "tpy21-expiry-short": (
        [("TEAMS-041", "error", [2]), ("TEAMS-042", "info", [3])],
        "edited",
        "nonconformant",
        None,
    ),
    "tjs21-emit-during-close": (
        [("TEAMS-031", "error", [4]), ("TEAMS-035", "error", [4]), ("TEAMS-037", "warning", [3, 4])],
        "finished",
        "rejected",
        4,
    ),
    # its chunks are 1.01 s apart: inside the limit, and nearer to it than recommended, which is a note (038)
    "agjs18-rate-tokens": (
        [("TEAMS-027", "warning", [5]), ("TEAMS-038", "info", [5])],
        "finished",
        "warnings",
        None,
    ),
    "agpy19-citation-bracket": ([("TEAMS-020", "error", [1])], "refused", "rejected", 1),
    "tai17bb233-good-strict": (
        [
            ("TEAMS-005", "error", [0, 1, 2, 3, 4]),
            ("TEAMS-016", "error", [1, 2, 3]),
            ("TEAMS-026", "error", [4]),
        ],
        "refused",
        "rejected",
        0,
    ),
    "agpy19-group": (
        [
            ("TEAMS-016", "error", [1, 2, 3]),
            ("TEAMS-026", "error", [4]),
            ("TEAMS-046", "error", [0, 1, 2, 3, 4]),
        ],
        "refused",
        "rejected",
        0,
    ),
}


def replayed(name: str) -> tuple[Replay, Report]:
    replay = Replay("teams")
    for line in (SAMPLES / f"{name}.exchanges.jsonl").read_bytes().splitlines():
        replay.feed(line)
    return replay, replay.finish()


def places(finding: Any) -> list[int]:
    return [finding.event, *(other.event for other in finding.related if other.role == "again")]


def test_every_sample_is_judged() -> None:
    """No file lies there unused."""
    assert {path.name.removesuffix(".exchanges.jsonl") for path in SAMPLES.iterdir()} == SAID.keys()


@pytest.mark.parametrize("name", SAID)
def test_a_sample_says_what_it_must(name: str) -> None:
    """Findings, severities, places, outcome, verdict and the place of the rejection, exactly."""
    findings, outcome, verdict, rejected_at = SAID[name]
    _, report = replayed(name)
    told = sorted((finding.rule, finding.severity, places(finding)) for finding in report.findings)
    assert told == findings
    assert [run.outcome for run in report.runs] == [outcome]
    assert (report.verdict, report.rejected_at) == (verdict, rejected_at)
    assert all(finding.basis == "confirmed" for finding in report.findings)


@pytest.mark.parametrize("name", SAID)
def test_a_samples_rules_were_all_judged(name: str) -> None:
    """These recordings have answers, times and bodies, so nothing is skipped."""
    assert replayed(name)[1].skipped_rules == []


def test_the_user_holds_the_edited_text() -> None:
    """After the time limit the edit is what is on screen; after a Stop, what was shown before it."""
    (edited,) = replayed("tpy21-expiry-short")[0].messages()
    (stopped,) = replayed("tpy21-stop")[0].messages()
    assert edited["content"].endswith("Seven are closed and five wait for review.")
    assert stopped["content"] == "The quarterly report "
