"""The end of a run as the application sees it: outcome, usage, what is left to do.

Rules of this file: the order in which the rules about a finished run are asked, and RUN-15. A run whose finish a
client never reached (the stream was rejected before) or whose beginning is not recorded is not judged.
Source: events/lifecycle.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from webapp.core.agui import events as e
from webapp.core.agui import (
    hazards_finish,
    interrupts,
    metadata,
    passthrough,
    pending,
    state,
    suspended,
    usage,
    versions,
)
from webapp.core.agui import values as v
from webapp.core.agui.world import World

JUDGED = (
    "AGUI-RUN-15",
    "AGUI-TOL-16",
    "AGUI-TOL-17",
    "AGUI-TOL-18",
    "AGUI-TOL-19",
    "AGUI-SUB-10",
    "AGUI-SUB-11",
    "AGUI-SUB-12",
    "AGUI-SUB-16",
    "AGUI-PAS-01",
    "AGUI-ENV-18",
    "AGUI-STA-06",
    "AGUI-VER-01",
    "AGUI-INT-06",
    "AGUI-INT-10",
)


def finished(w: World, ev: e.RunFinished) -> None:
    """After the closing check of a run that was open."""
    outcome = ev.outcome
    usage.check_usage(w, ev.usage)
    word = "success"
    if isinstance(outcome, v.RunInterrupt):
        word = "interrupted"
        interrupts.raised(w, ev, outcome)
        for interrupt in outcome.interrupts:
            metadata.check(w, interrupt.metadata)
    elif isinstance(outcome, v.RunCancelled):
        word = "cancelled"
    if outcome is not UNSET or ev.usage is not UNSET:
        versions.dates(w, "an `outcome`" if outcome is not UNSET else "token `usage`")
    if w.ledger.rejected_at is None and not w.facts.mid_run and w.run is not None:
        w.trace.ended = True
        _judge(w, ev, outcome, word)
    interrupts.remember(w, outcome, word)


def _judge(w: World, ev: e.RunFinished, outcome: Any, word: str) -> None:
    if word == "cancelled" and ev.result is not UNSET:
        w.find(
            "AGUI-RUN-15",
            "a cancelled run carries a `result`",
            "A client ignores it: what was done before the stop belongs into messages or state.",
            item=("run", ev.runId),
        )
    pending.at_finish(w, outcome)
    suspended.at_finish(w, outcome)
    passthrough.at_finish(w, outcome)
    interrupts.settled(w, word)
    state.at_end(w)
    versions.undeclared(w)
    hazards_finish.finished(w, outcome)


def failed(w: World, ev: e.RunError) -> None:
    """After a run's error."""
    usage.check_usage(w, ev.usage)
    if ev.usage is not UNSET:
        versions.dates(w, "token `usage`")
    if w.ledger.rejected_at is None:
        state.at_end(w)
