"""Records that are missing in the middle of a recording: what they may have held, nobody is blamed for.

Rules of this file: which rules a record shows by itself, and which look no further back than to the start of their run.
All others are not judged behind a gap, since what they miss may have been in it.
"""

from __future__ import annotations

from functools import cache

from webapp.core.rules import catalogue

GAP = "Bytes are missing in the recording, and what this rule misses may have been in them."


def _numbered(family: str, *numbers: int) -> frozenset[str]:
    return frozenset(f"AGUI-{family}-{number:02}" for number in numbers)


# what is wrong with one record, whatever was before it
_ALONE = (
    _numbered("TRN", *range(1, 10), *range(12, 19))
    | _numbered("ENV", *range(1, 11), 12, 13, 14, 16, 17, 19, 20, 21)
    | _numbered("CMP", 1, 2, 4, 5, 6)
    | _numbered("VER", 2, 3, 4)
    | _numbered("RUN", 6, 12, 13, 14, 15, 16, 18)
    | _numbered("USG", 1, 2, 3, 4, 5, 6, 7)
    | _numbered("TOL", 9, 10, 21)
    | _numbered("ENC", 3, 5, 8)
    | _numbered("CHK", 14, 16, 17)
    | _numbered("STA", 1, 2, 3, 7, 8)
    | _numbered("MSG", 2, 7)
    | _numbered("ACT", 7, 8)
    | _numbered("SUB", 7, 8, 9)
    | _numbered("INT", 1, 2, 3, 5)
    | _numbered("MET", 1, 2)
    | _numbered("PAS", 2, 4)
    | _numbered("HAZ", 8)
)
# what the run at hand shows from its start on: judged again from the next `RUN_STARTED`
OF_A_RUN = (
    _numbered("RUN", 1, 2, 3, 4, 5, 7, 8)
    | _numbered("STP", 1, 2, 3, 4)
    | _numbered("TXT", 1, 2, 3, 4, 5)
    | _numbered("TOL", 1, 2, 3, 4, 5, 8)
    | _numbered("RSN", *range(1, 9))
    | _numbered("CHK", *range(1, 14), 15)
    | _numbered("SUB", *range(1, 7), 10, 11, 12, 13, 14, 15, 16)
    | _numbered("TRN", 10)
)


@cache
def behind() -> tuple[str, ...]:
    """Rules that are not judged behind a gap."""
    return tuple(rule for rule in catalogue() if rule.startswith("AGUI-") and rule not in _ALONE)
