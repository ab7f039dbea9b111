"""Cause and fix are narrowed by what the trace shows."""

from __future__ import annotations

import pytest

from webapp.core.advice import advise
from webapp.core.reasons import REASONS
from webapp.core.rules import catalogue


def test_a_known_reason_replaces_the_general_advice() -> None:
    """Arguments after the call's own end: the fix names that end, not ids in general."""
    assert "TOOL_CALL_END" in advise("AGUI-TOL-02", "own-end", "tool").fix
    assert advise("AGUI-TOL-02", "own-end", "tool") != advise("AGUI-TOL-02", "never-opened", "tool")


def test_without_a_reason_the_catalogue_speaks() -> None:
    """A finding whose reason narrows nothing gets the catalogue's cause and fix."""
    row = catalogue()["AGUI-ENV-04"]
    assert advise("AGUI-ENV-04", None, None) == (row.cause, row.fix)


@pytest.mark.parametrize("rule", sorted(catalogue()))
def test_every_rule_and_reason_gives_whole_sentences(rule: str) -> None:
    """No combination leaves a gap in a sentence."""
    for reason in (None, *REASONS):
        for kind in (None, "text", "tool", "reasoning", "span", "step", "subagent", "run"):
            cause, fix = advise(rule, reason, kind)
            assert cause.endswith(".")
            assert fix.endswith(".")
            assert "``" not in cause + fix
            assert "{start}" not in cause + fix
            assert "{end}" not in cause + fix


def test_an_unknown_rule_gives_no_words() -> None:
    """A stored finding of a rule that no longer exists is shown without advice."""
    assert advise("AGUI-OLD-01", None, None) == ("", "")
