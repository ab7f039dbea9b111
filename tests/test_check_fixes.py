"""`lanescope check`: below which findings the text form prints what to change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import lanescope
from tests.core.teams.script import lines
from webapp.check_text import NO_FIX
from webapp.core.rules import catalogue

OPEN = '+0.0 streaming 1 "You" -> 201 S\n'
END = '+8.0 final "You have 12 days." @S -> 202\n'


def printed(at: Path, script: str) -> list[str]:
    """The lines of the report on a script, without the sentences."""
    _, out, _ = lanescope("check", "-", cwd=at, given=b"\n".join(lines(script)))
    return [line.strip() for line in out.splitlines() if line.strip().startswith(("▲", "●", "○", "Fix:"))]


@pytest.mark.parametrize(
    ("script", "rule", "fix"),
    [
        (f'{OPEN}+1.6 final 2 "You." @S -> 202', "● warning #1 TEAMS-027 end-without-sequence", "Leave"),
        (
            f'{OPEN}+1.6 streaming 3 "You have" @S -> 202\n{END}',
            "○ info #1 TEAMS-019 no-gap",
            "Number an update",
        ),
        (
            f'{OPEN}+1.6 streaming 1 "You have" @S -> 202\n{END}',
            "▲ error #1 TEAMS-018 sequence-increases",
            "",
        ),
    ],
)
def test_a_finding_has_its_fix(tmp_path: Path, script: str, rule: str, fix: str) -> None:
    """Warnings and notes have one as errors do."""
    first, second = printed(tmp_path, script)
    assert first == rule
    assert second.startswith(f"Fix: {fix}")


def test_a_note_of_a_rule_about_errors_has_none(tmp_path: Path) -> None:
    """The right thing after the time limit is told without advice to do otherwise."""
    script = f'{OPEN}+131.0 final "You." @S -> E403-TIME\n+132.5 edit "You." @S -> 200'
    told = printed(tmp_path, script)
    assert [line.split()[0] for line in told] == ["▲", "Fix:", "○"]


def test_a_consequence_has_none(tmp_path: Path) -> None:
    """The fix stands with its cause."""
    script = f'{OPEN}+1.6 streaming "You have" @S -> 202\n+3.2 streaming 3 "You have 12" @S -> 202\n{END}'
    told = printed(tmp_path, script)
    assert [line.split()[0] for line in told] == ["▲", "Fix:", "○"]
    assert told[2].endswith("follows from TEAMS-017@1")


def test_rows_without_a_fix_are_known_by_their_words() -> None:
    """Were the catalogue worded anew, they would be printed as something to do."""
    assert NO_FIX in {row.fix for row in catalogue().values()}
