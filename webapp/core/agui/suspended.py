"""Subagents and the run they belong to: suspensions, interrupt tags, spawn links.

Rules of this file: SUB-10, SUB-11, SUB-12, SUB-16, judged when the run ends, since only then all ids are known.
Source: events/subagents#termination, events/subagents#nesting-and-parallelism.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from webapp.core.agui import events as e
from webapp.core.agui import values as v
from webapp.core.agui.world import World, quoted, who

_STRIPPED = ("AGUI-RUN-12", "AGUI-RUN-14", "AGUI-ENV-09")  # an outcome that reads as a success


def started(w: World, ev: e.SubagentStarted) -> None:
    for kind, id_ in (("tool call", ev.parentToolCallId), ("message", ev.parentMessageId)):
        if id_ is not UNSET:
            w.facts.links.append((ev.subagentRunId, w.seq, kind, id_))


def ended(w: World, ev: Any) -> None:
    outcome = getattr(ev, "outcome", UNSET)
    if isinstance(outcome, v.SubagentSuspended):
        ids = [] if outcome.interruptIds is UNSET else outcome.interruptIds
        w.facts.suspended.append((ev.subagentRunId, w.seq, ids))


def at_finish(w: World, outcome: Any) -> None:
    """The run finishes: does the outside agree with what its invocations said?"""
    _check_links(w)
    if not isinstance(outcome, v.RunInterrupt):
        _check_pause(w, outcome)
        return
    raised = {interrupt.id: interrupt for interrupt in outcome.interrupts}
    for invocation, at, ids in w.facts.suspended:
        for id_ in ids:
            interrupt = raised.get(id_)
            if interrupt is None:
                title = f"subagent {quoted(invocation)} waits for interrupt {quoted(id_)}, which the run does not raise"
            elif interrupt.subagentRunId is not UNSET and interrupt.subagentRunId == invocation:
                continue
            else:
                owner = None if interrupt.subagentRunId is UNSET else interrupt.subagentRunId
                title = f"subagent {quoted(invocation)} waits for interrupt {quoted(id_)}, which {who(owner)} raised"
            w.find(
                "AGUI-SUB-10",
                title,
                f"#{at} suspended it. The ids name interrupts of this run that it raised itself.",
                lane=invocation,
                item=("subagent", invocation),
                related=((at, "closed"),),
            )
    for interrupt in outcome.interrupts:
        tag = interrupt.subagentRunId
        if tag is not UNSET and tag not in w.tags and tag not in w.items["subagent"]:
            w.find(
                "AGUI-SUB-12",
                f"interrupt {quoted(interrupt.id)} is tagged as subagent {quoted(tag)}, of which the run "
                "shows nothing",
                "An application cannot say who asks.",
                lane=tag,
                item=("interrupt", interrupt.id),
            )


def _check_pause(w: World, outcome: Any) -> None:
    if not w.facts.suspended:
        return
    cause = next((f.key for f in w.ledger.new if f.event == w.seq and f.rule in _STRIPPED), None)
    word = "is cancelled" if isinstance(outcome, v.RunCancelled) else "ends as a success"
    for invocation, at, _ in w.facts.suspended:
        w.find(
            "AGUI-SUB-11",
            f"subagent {quoted(invocation)} is suspended, but the run {word}",
            f"#{at} says that it waits for an answer, and nobody is asked: only a run that ends with an interrupt "
            "outcome asks.",
            lane=invocation,
            item=("subagent", invocation),
            related=((at, "closed"),),
            cause=cause,
        )


def _check_links(w: World) -> None:
    for invocation, at, kind, id_ in w.facts.links:
        if kind == "message":
            known = id_ in w.held.by_id or id_ in w.items["text"] or id_ in w.past["text"]
        else:
            known = id_ in w.held.calls or id_ in w.items["tool"] or id_ in w.past["tool"]
        if known:
            continue
        sure = w.input_known or len(w.runs) > 1
        w.ledger.add(
            "AGUI-SUB-16",
            at,
            f"subagent {quoted(invocation)} names {kind} {quoted(id_)} as the one that called it, but there is none",
            "An interface cannot show where the subagent was called."
            if sure
            else "The request is not recorded, so it may stand in the earlier conversation.",
            run=None if w.run is None else w.run.run,
            lane=invocation,
            item=("subagent", invocation),
            path=kind,
        )
