"""A trace in which no rule is broken, and whose stream Teams ended all the same: it is never shown as a pass.

Rules of this file: pure; from the verdict and how many streams ended in which way to the look and the words. The
verdict itself is not touched: it is the protocol's, and its word stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.storage.models import RunRow
from webapp.views import names
from webapp.views.teams import words

LOOK = "unsettled"  # a look of `macros/verdict.html`, in the place of the verdict's own
_BAD = ("refused", "expired")  # outcomes that are no success of the reply, the worst first
_PASSES = ("conformant", "warnings")


@dataclass(frozen=True, slots=True)
class Ended:
    """What stands beside the verdict: `Stream refused`, `2 of 3 streams refused`."""

    words: str
    hue: str
    icon: str


def numbers(runs: Sequence[RunRow]) -> dict[str, int]:
    """How many streams ended in which way."""
    out: dict[str, int] = {}
    for run in runs:
        out[run.outcome] = out.get(run.outcome, 0) + 1
    return out


def ended(verdict: str, protocol: str, outcomes: Mapping[str, int]) -> Ended | None:
    """The bad end that the verdict does not say; None where it says it, or there is none."""
    if protocol != "teams" or verdict not in _PASSES:
        return None
    bad = next((name for name in _BAD if outcomes.get(name)), None)
    if bad is None:
        return None
    word, hue, icon = words.OUTCOMES[bad]
    whole = sum(outcomes.values())
    many = f"{names.count(outcomes[bad])} of {names.plural(whole, 'stream')}" if whole > 1 else "Stream"
    return Ended(f"{many} {word}", hue, icon)


def look(verdict: str, protocol: str, outcomes: Mapping[str, int]) -> str:
    """How the verdict is drawn: as itself, or without the tick and the green of a pass."""
    bad = ended(verdict, protocol, outcomes)
    return LOOK if bad is not None and verdict == "conformant" else verdict
