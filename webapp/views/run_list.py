"""The runs of a trace in a list: which, how each ended, from where to where.

Rules of this file: words and looks of an outcome, and nothing about verdicts. Cancelled and interrupted are neither
success nor failure, so they have a sign and a colour of their own. Bounded: MAX_RUNS.
"""

from __future__ import annotations

from dataclasses import dataclass

from webapp.storage.models import RunRow
from webapp.views import names
from webapp.views.content import showable
from webapp.views.page import PageContext
from webapp.views.selection import Selection

MAX_RUNS = 40

# outcome -> (words, hue, icon)
OUTCOMES = {
    "success": ("finished", "ok", "ok"),
    "interrupted": ("paused for an answer", "info", "info"),
    "cancelled": ("cancelled: neither success nor failure", "none", "gone"),
    "failed": ("failed, and said so", "error", "error"),
    "rejected": ("rejected", "fatal", "fatal"),
    "truncated": ("never ended", "error", "gone"),
    "open": ("never ended", "none", "gone"),
}
BRIEF = {
    "interrupted": "paused",
    "cancelled": "cancelled",
    "failed": "failed",
    "truncated": "cut off",
    "open": "open",
}

# after "1 run, "
CLAUSES = {
    "success": "finished",
    "interrupted": "paused for an answer",
    "cancelled": "cancelled, neither finished nor failed",
    "failed": "which failed and said so",
    "truncated": "which never ended",
    "open": "which never ended",
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


def _entry(run: RunRow, page: PageContext, sel: Selection) -> RunEntry:
    words, hue, icon = OUTCOMES.get(run.outcome, (run.outcome, "none", "info"))
    claimed = run.claimed if run.claimed and run.claimed != run.outcome else ""
    return RunEntry(
        id=showable(names.short_id(run.run_id, 28)) if run.run_id else "without an id",
        words=words,
        brief=BRIEF.get(run.outcome, words),
        hue=hue,
        icon=icon,
        claimed=claimed,
        first=run.first,
        last=run.last,
        href=sel.href(event=run.first, start=None),
        current=run.first <= page.event <= run.last,
    )


def counted(runs: list[RunRow]) -> str:
    """`2 finished, 1 cancelled`: how several runs ended, most frequent first."""
    numbers: dict[str, int] = {}
    for run in runs:
        word = BRIEF.get(run.outcome, OUTCOMES.get(run.outcome, (run.outcome,))[0])
        numbers[word] = numbers.get(word, 0) + 1
    ordered = sorted(numbers.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{names.count(number)} {word}" for word, number in ordered)
