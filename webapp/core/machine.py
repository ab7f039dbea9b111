"""Total state tables: every (state, input) pair has a cell.

Rules of this file: the cell, the table and the check that none is missing. No protocol.

A cell names the state that follows and, when the pair is illegal, the rule it breaks. The following state of an
illegal cell is its *recovery*: chosen so that one defect gives one finding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Cell(NamedTuple):
    """What follows: the next state, and the broken rule's id (None when the pair is legal)."""

    next: str
    rule: str | None = None


class Table:
    """A total table. `columns[input][state]` is the cell; a missing or surplus pair is an error at import."""

    def __init__(
        self, name: str, states: Sequence[str], inputs: Sequence[str], cells: Mapping[tuple[str, str], Cell]
    ) -> None:
        wanted = {(state, given) for state in states for given in inputs}
        if wanted != set(cells):
            raise ValueError(f"table {name}: {sorted(wanted ^ set(cells))} missing or unknown")
        strange = {cell.next for cell in cells.values()} - set(states)
        if strange:
            raise ValueError(f"table {name}: unknown next states {sorted(strange)}")
        self.name, self.states, self.inputs, self.cells = name, tuple(states), tuple(inputs), dict(cells)
        self.columns: dict[str, dict[str, Cell]] = {
            given: {state: cells[state, given] for state in states} for given in inputs
        }

    def __getitem__(self, pair: tuple[str, str]) -> Cell:
        return self.cells[pair]
