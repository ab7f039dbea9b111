"""A trace in which no rule is broken, and which is no pass all the same: Teams ended its stream, or the recording was
stopped in the middle of a run.

Rules of this file: pure; from the verdict and how many streams ended in which way to the look and the words. The
verdict itself is not touched: it is the protocol's, and its word stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.storage import traces
from webapp.storage.models import RunRow, Trace
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


STOPPED = Ended("Recording stopped", "none", "gone")


def numbers(runs: Sequence[RunRow]) -> dict[str, int]:
    """How many streams ended in which way."""
    out: dict[str, int] = {}
    for run in runs:
        out[run.outcome] = out.get(run.outcome, 0) + 1
    return out


def stopped(trace: Trace) -> bool:
    """Whether the recording was ended before the stream was, as far as its row tells; a run may have ended before."""
    return trace.verdict in _PASSES and traces.stopped(trace)


def ended(trace: Trace, outcomes: Mapping[str, int]) -> Ended | None:
    """The bad end that the verdict does not say; None where it says it, or there is none."""
    if trace.verdict not in _PASSES:
        return None
    if trace.protocol != "teams":
        return STOPPED if outcomes.get("truncated") and stopped(trace) else None
    bad = next((name for name in _BAD if outcomes.get(name)), None)
    if bad is None:
        return None
    word, hue, icon = words.OUTCOMES[bad]
    whole = sum(outcomes.values())
    many = f"{names.count(outcomes[bad])} of {names.plural(whole, 'stream')}" if whole > 1 else "Stream"
    return Ended(f"{many} {word}", hue, icon)


def look(trace: Trace, outcomes: Mapping[str, int]) -> str:
    """How the verdict is drawn: as itself, or without the tick and the green of a pass."""
    bad = ended(trace, outcomes)
    return LOOK if bad is not None and trace.verdict == "conformant" else trace.verdict
