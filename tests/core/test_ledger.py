"""Findings are named, merged and handed over without looking through all there are."""

from __future__ import annotations

from webapp.core.ledger import Ledger


def test_findings_of_one_rule_and_place_have_keys_of_their_own() -> None:
    """The first is `rule@event`, further ones are numbered; another place begins again."""
    ledger = Ledger()
    keys = []
    for lane in ("a", "b", "c"):
        finding = ledger.add("AGUI-TXT-02", 7, "why", lane=lane)
        keys.append(None if finding is None else finding.key)
    other = ledger.add("AGUI-TXT-02", 8, "why", lane="d")
    assert keys == ["AGUI-TXT-02@7", "AGUI-TXT-02@7.2", "AGUI-TXT-02@7.3"]
    assert other is not None
    assert other.key == "AGUI-TXT-02@8"


def test_a_finding_is_handed_over_once_a_step() -> None:
    """New ones are not amended in their own step; later each amended one is told once, and again in the next step."""
    ledger = Ledger()
    first = ledger.add("AGUI-TXT-02", 1, "why", lane="a")
    assert first is not None
    ledger.again(first, 2)
    assert ledger.taken() == ([first], [])
    ledger.again(first, 3)
    ledger.amend(first, why="more")
    assert ledger.taken() == ([], [first])
    ledger.again(first, 4)
    assert ledger.taken() == ([], [first])


def test_a_step_with_many_findings_looks_at_none_of_them_again() -> None:
    """Ten thousand lanes that break one rule at one place are ten thousand findings, each made at once."""
    ledger = Ledger(limit=20_000)
    made = [ledger.add("AGUI-TXT-02", 1, "why", lane=str(number)) for number in range(20_000)]
    for finding in made:
        assert finding is not None
        ledger.again(finding, 2)
    new, amended = ledger.taken()
    assert (len(new), len(amended), len({finding.key for finding in new})) == (20_000, 0, 20_000)
