"""How much of a long product runs: a slice of it in `make test`, all of it in `make fuzz`, which sets FUZZ=1.

Rules of this file: choosing, and no expectation. A slice leaves out pairs only: each row and each column of the product
is in it at least once, and it is the same one every time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

Thing = TypeVar("Thing")
WHOLE = os.environ.get("FUZZ") == "1"


def every(things: Iterable[Thing], of: int, turn: int) -> list[Thing]:
    """Every `of`-th thing from number `turn` on, or all of them: with the turns 0 to `of` - 1 each is there once."""
    found = list(things)
    return found if WHOLE else found[turn % of :: of]


def examples(few: int) -> int:
    """How many random examples: few, or twenty times as many."""
    return few * 20 if WHOLE else few
