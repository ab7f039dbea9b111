"""What a run was asked: the `RunAgentInput` recorded beside the trace, or its echo in RUN_STARTED.

Rules of this file: it reads an input as a client reads an event (retired shapes, unknown members, malformed ones),
seeds what the application held before the run, and tells the rules about inputs which one belongs to which run.
Source: basic/run-input; section 5, points 7 and 11 of the rules.
"""

from __future__ import annotations

import copy
from typing import Any

import msgspec
from msgspec import UNSET

from webapp.core.agui import events as e
from webapp.core.agui import interrupts, run_input, snapshots
from webapp.core.agui.blame import Place
from webapp.core.agui.compat import rewrite_input
from webapp.core.agui.shapes import SHAPES, Closed, build
from webapp.core.agui.values import RunAgentInput, ToolMessage
from webapp.core.agui.walk import Walk
from webapp.core.agui.world import World
from webapp.core.words import listed

MAX_ANSWERS = 20  # of one call in an input, which are looked for later
_SHAPE: Any = SHAPES["RUN_STARTED"].fields["input"].node


def read(raw: dict[str, Any]) -> tuple[RunAgentInput | None, list[str]]:
    """The input with unknown members left out, and what is malformed in it, in words; None when it is of no use."""
    try:
        value = copy.deepcopy(raw)
        rewrite_input(value)
        walk = Walk("RUN_STARTED")
        assert isinstance(_SHAPE, Closed)
        kept = walk.closed(_SHAPE, value, Place())
        faults = [fault.title for fault in walk.fatal]
        return (build(_SHAPE, kept) if isinstance(kept, dict) else None), faults
    except (RecursionError, TypeError, KeyError, ValueError):
        return None, ["it is nested too deeply to be read"]


def seed(w: World, raw: dict[str, Any]) -> None:
    """The recorded request's history and state, before the first event."""
    w.trace.request, w.trace.request_faults = read(raw)
    asked = w.trace.request
    if asked is None:
        return
    w.input_known = w.trace.baseline = True
    snapshots.seed_input(w, msgspec.to_builtins(asked.messages))
    if asked.state is not UNSET:
        w.state = asked.state


def started(w: World, ev: e.RunStarted) -> None:
    """A run starts: what it was asked, as far as the trace tells; then the echo seeds what is not held yet."""
    facts, trace = w.facts, w.trace
    facts.parent_run = None if ev.parentRunId is UNSET else ev.parentRunId
    echo = None if ev.input is UNSET else ev.input
    requested = trace.request is not None and trace.request.runId == ev.runId
    asked = trace.request if requested else echo
    if asked is not None:
        _judge(w, asked)
        if requested:
            _use_request(w)
            if echo is not None and trace.request is not None:
                trace.echoed = True
                run_input.check_echo(w, trace.request, echo)
    trace.last_end = None
    if echo is None:
        return
    w.input_known = True
    snapshots.seed_input(w, msgspec.to_builtins(echo.messages))
    if len(w.runs) == 1:
        trace.baseline = True
        if w.state is UNSET and echo.state is not UNSET:
            w.state = echo.state


def at_end(w: World) -> None:
    """A request whose ids no run of the trace carries is judged all the same, at the last run's start."""
    if w.trace.request_used or not w.runs or (w.trace.request is None and not w.trace.request_faults):
        return
    last, w.seq = w.seq, w.runs[-1].first
    if w.trace.request is not None:
        run_input.check_input(w, w.trace.request)
        interrupts.check_entries(w, w.trace.request)
    _use_request(w)
    w.seq = last


def _judge(w: World, asked: RunAgentInput) -> None:
    facts, trace = w.facts, w.trace
    facts.input = asked
    facts.tools = frozenset(() if asked.tools is UNSET else (tool.name for tool in asked.tools))
    facts.asked_ids = frozenset(message.id for message in asked.messages)
    facts.answered_before = {}
    for message in asked.messages:
        if isinstance(message, ToolMessage):
            answers = facts.answered_before.setdefault(message.toolCallId, [])
            if len(answers) < MAX_ANSWERS:
                answers.append(message.id)
    trace.inputs = trace.tools = True
    run_input.check_input(w, asked)
    interrupts.check_entries(w, asked)
    if len(w.runs) > 1:
        trace.compared = True
        run_input.check_carried(w, asked)
        interrupts.check_resume(w, asked)


def _use_request(w: World) -> None:
    """INP-01 of the recorded request; an echo with the same fault has been found already."""
    w.trace.request_used = w.trace.inputs = True
    faults = w.trace.request_faults
    if faults and not any(f.rule == "AGUI-INP-01" for f in w.ledger.findings):
        w.find(
            "AGUI-INP-01",
            f"the recorded request is malformed: {listed(faults)}",
            "A client would not have sent it, and an agent should have refused it before the run.",
            severity="info",
            party="application",
            item=("run", w.run.run_id or "" if w.run is not None else ""),
        )
