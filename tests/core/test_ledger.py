"""Findings are named, merged and handed over without looking through all there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.counting import LINEAR, steps
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


class Asked(dict[Any, Any]):
    """A dictionary that counts its look-ups and cannot be gone through."""

    asked = 0

    def get(self, key: Any, default: Any = None) -> Any:
        self.asked += 1
        return super().get(key, default)

    def __iter__(self) -> Iterator[Any]:
        raise AssertionError("all findings are gone through")

    values = items = keys = __iter__  # type: ignore[assignment]


def test_a_step_with_many_findings_looks_at_none_of_them_again() -> None:
    """Thousands of lanes that break one rule at one place: one look-up of the key and one of the merge for each."""
    ledger = Ledger(limit=2_000)
    ledger._keys, ledger._merge = keys, merge = Asked(), Asked()
    made = [ledger.add("AGUI-TXT-02", 1, "why", lane=str(number)) for number in range(2_000)]
    for finding in made:
        assert finding is not None
        ledger.again(finding, 2)
    new, amended = ledger.taken()
    assert (len(new), len(amended), len({finding.key for finding in new})) == (2_000, 0, 2_000)
    assert (keys.asked, merge.asked) == (2_000, 2_000)


def test_twice_the_findings_are_twice_the_work() -> None:
    """New ones, those merged into another, those amended later, and those beyond the limit."""

    def work(number: int) -> int:
        ledger = Ledger(limit=number)

        def judged() -> None:
            made = [ledger.add("AGUI-TXT-02", 1, "why", lane=str(lane)) for lane in range(2 * number)]
            ledger.taken()
            for lane, finding in enumerate(made[:number]):
                assert finding is not None
                ledger.add("AGUI-TXT-02", 2, "why", lane=str(lane))
                ledger.amend(finding, why="more")

        return steps(judged)

    assert work(200) < LINEAR * work(100)
