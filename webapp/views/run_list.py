"""The runs of a trace in a list: which, how each ended, from where to where.

Rules of this file: words and looks of an outcome, and nothing about verdicts. Cancelled and interrupted are neither
success nor failure, so they have a sign and a colour of their own. Bounded: MAX_RUNS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webapp.storage.models import RunRow
from webapp.views import names
from webapp.views.content import showable
from webapp.views.page import PageContext
from webapp.views.selection import Selection
from webapp.views.teams import words as streams

MAX_RUNS = 40

# outcome -> (words, hue, icon)
OUTCOMES = {
    "success": ("finished", "ok", "ok"),
    "interrupted": ("paused for an answer", "info", "info"),
    "cancelled": ("cancelled: neither success nor failure", "none", "gone"),
    "failed": ("failed, and said so", "error", "error"),
    "rejected": ("rejected", "fatal", "fatal"),
    "truncated": ("never ended", "error", "gone"),
    "open": ("still running", "info", "live"),
}
BRIEF = {
    "interrupted": "paused",
    "cancelled": "cancelled",
    "failed": "failed",
    "truncated": "cut off",
    "open": "running",
}

# after "1 run, "
CLAUSES = {
    "success": "finished",
    "interrupted": "paused for an answer",
    "cancelled": "cancelled, neither finished nor failed",
    "failed": "which failed and said so",
    "truncated": "which never ended",
    "open": "still running",
    "rejected": "rejected",
}


@dataclass(frozen=True, slots=True)
class RunEntry:
    """id: as named; words, brief, hue, icon: the outcome; claimed: what its end said, "" = the same."""

    id: str
    words: str
    brief: str
    hue: str
    icon: str
    claimed: str
    first: int
    last: int
    href: str
    current: bool


def entries(page: PageContext, sel: Selection) -> list[RunEntry]:
    """The first MAX_RUNS runs in order."""
    return [_entry(run, page, sel) for run in page.runs[:MAX_RUNS]]


def outcome(run: str, protocol: str) -> tuple[str, str, str, str]:
    """Words, hue, icon and brief words of an outcome: `open` is another thing for a run than for a stream."""
    teams = protocol == "teams"
    words, hue, icon = (streams.OUTCOMES if teams else OUTCOMES).get(run, (run, "none", "info"))
    return words, hue, icon, (streams.BRIEF if teams else BRIEF).get(run, words)


def _entry(run: RunRow, page: PageContext, sel: Selection) -> RunEntry:
    words, hue, icon, brief = outcome(run.outcome, page.trace.protocol)
    claimed = run.claimed if run.claimed and run.claimed != run.outcome else ""
    return RunEntry(
        id=_name(run, page),
        words=words,
        brief=brief,
        hue=hue,
        icon=icon,
        claimed=claimed,
        first=run.first,
        last=run.last,
        href=sel.href(event=run.first, start=None),
        current=run.first <= page.event <= run.last,
    )


def _name(run: RunRow, page: PageContext) -> str:
    if page.trace.protocol == "teams":
        known = f" · {showable(names.short_id(run.run_id, 20))}" if run.run_id else ", no id known"
        return f"stream {run.ord + 1}{known}"
    return showable(names.short_id(run.run_id, 28)) if run.run_id else "without an id"


def counted(runs: list[RunRow], protocol: str = "ag-ui") -> str:
    """`2 finished, 1 cancelled`: how several runs ended, most frequent first."""
    numbers: dict[str, int] = {}
    for run in runs:
        numbers[run.outcome] = numbers.get(run.outcome, 0) + 1
    return summed(numbers, protocol)


def summed(numbers: Mapping[str, int], protocol: str = "ag-ui") -> str:
    """The same from numbers by outcome."""
    told: dict[str, int] = {}
    for run, number in numbers.items():
        word = outcome(run, protocol)[3]
        told[word] = told.get(word, 0) + number
    ordered = sorted(told.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{names.count(number)} {word}" for word, number in ordered)
