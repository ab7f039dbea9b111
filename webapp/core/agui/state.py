"""Shared state: replaced whole or patched.

Rules of this file: it applies what arrives and keeps the old value when a patch fails, which is a warning and rejects
nothing; a value once held is never changed in place. Source: events/state; section 5, points 7 and 8 of the rules.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from webapp.core.agui import events as e
from webapp.core.agui.misfit import Hint, hint
from webapp.core.agui.patch import Copies, Failure, patched
from webapp.core.agui.world import World


def state_snapshot(w: World, ev: e.StateSnapshot) -> None:
    w.facts.content = True
    w.state = ev.snapshot
    _resynchronised(w)


def state_delta(w: World, ev: e.StateDelta) -> None:
    facts, trace = w.facts, w.trace
    facts.content = True
    operations = msgspec.to_builtins(ev.delta)
    whole = bool(operations) and operations[0]["path"] == "" and operations[0]["op"] in ("add", "replace")
    if not trace.baseline and not whole and operations and trace.unsure is None:
        trace.unsure = (
            None
            if w.unseen("AGUI-STA-09", thread=True)
            else w.find(
                "AGUI-STA-09",
                "the first change of the state is a patch, and what it is applied to is not known",
                "Neither the request nor a snapshot is recorded; it is taken to be the empty object `{}`.",
                item=("state", ""),
                cause=_lost(w),
            )
        )
    if facts.diverged is not None and facts.patched_after is None:
        facts.patched_after = w.seq
    w.state, failure = patched({} if w.state is UNSET else w.state, operations, trace.copies)
    if failure is not None:
        _failed(w, failure, operations)
    elif whole:
        _resynchronised(w)


def at_end(w: World) -> None:
    """STA-06: the run is over, and no snapshot has repaired a state that patches did not fit."""
    first, after = w.facts.diverged, w.facts.patched_after
    if first is None or after is None or first.severity == "info":
        return
    w.find(
        "AGUI-STA-06",
        "the state is not sent whole again after a patch that did not apply",
        f"Patches went on from #{after} to the end of the run. Agent and application may hold different states from "
        f"#{first.event} on.",
        item=("state", ""),
        related=((first.event, "previous"), (after, "later")),
        cause=first.key,
    )


def _failed(w: World, failure: Failure, operations: list[dict[str, Any]]) -> None:
    """STA-04, or STA-05 for a `test`; a later failure follows from the first until the state is sent whole."""
    facts, trace = w.facts, w.trace
    sure = trace.baseline
    rule = "AGUI-STA-05" if failure.op == "test" else "AGUI-STA-04"
    if not sure and w.unseen(rule, thread=True):
        return
    cause = None if (first := facts.diverged or (None if sure else trace.unsure)) is None else first.key
    tail = _since(w) if sure else "The application’s own state is not recorded, so it may have applied there."
    near = hint(w, failure) if facts.diverged is None else Hint()  # what follows from it is not looked into
    finding = w.find(
        rule,
        "a test in a patch of the state fails"
        if failure.op == "test"
        else "a patch does not apply to the state",
        " ".join(filter(None, (failure.sentence, near.text, "A client keeps the state as it was.", tail))),
        reason=near.reason,
        severity=None if sure else "info",
        item=("state", ""),
        cause=cause or _lost(w) or _carried(w, operations),
        path="state" if facts.diverged is not None else f"state {failure.path}",
    )
    if facts.diverged is None:
        facts.diverged = finding


def _since(w: World) -> str:
    """What the patches of this run count from."""
    whole = w.facts.whole.get("")
    if whole is not None:
        return f"The state came whole at #{whole}."
    if len(w.runs) > 1:
        return "No snapshot has come in this run."
    return "No snapshot has come: patches count from the state of the request, or from `{}` when it has none."


def _lost(w: World) -> str | None:
    """The finding about a change of the state that a client did not get."""
    lost = w.lost.find("state", "state", None, w.facts.whole.get("", -1))
    return None if lost is None else lost.finding.key


def _carried(w: World, operations: list[dict[str, Any]]) -> str | None:
    """The finding that the request carries another state, if the patch fits that one."""
    told = w.facts.carried
    fits = told is not None and patched(w.facts.sent, operations, Copies())[1] is None
    return told.key if told is not None and fits else None


def _resynchronised(w: World) -> None:
    w.trace.baseline = True
    w.facts.whole[""] = w.seq
    w.facts.diverged = w.facts.patched_after = w.facts.carried = None
