"""Calls that the application answers: advertised tools, pending calls, made-up answers.

Rules of this file: TOL-14 … TOL-19 and INT-06. What was advertised is what the run's input offers; where that is not
known nothing is said about it. Source: events/tool-calls#frontend-tools.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET

from webapp.core.agui import values as v
from webapp.core.agui.world import World, named, quoted
from webapp.core.records import Item
from webapp.core.words import listed


def answered(w: World, call: Item | None, tag: str | None) -> None:
    """TOL-14: the agent answers a call that is the application's."""
    tools = w.facts.tools
    if call is None or not tools or call.name not in tools or call.id in w.facts.answered_before:
        return
    at = call.opened if call.opened is not None else call.first
    w.find(
        "AGUI-TOL-14",
        f"the agent answers {named('tool', call.id, call)}, a tool of the application",
        f"The request offers {quoted(call.name)}, so the application carries it out (#{at} made the call). It will now "
        "skip it, or answer a second time.",
        lane=tag,
        item=("tool", call.id),
        related=((at, "opened"),),
    )


def fabricated(w: World, snapshot: Iterable[dict[str, Any]]) -> None:
    """TOL-15: a snapshot brings a tool message for such a call."""
    tools, facts = w.facts.tools, w.facts
    if not tools:
        return
    for raw in snapshot:
        call = w.items["tool"].get(raw.get("toolCallId")) if raw["role"] == "tool" else None
        if call is None or call.opened is None or call.name not in tools or call.id in facts.answered_before:
            continue
        if call.result is None:
            w.find(
                "AGUI-TOL-15",
                f"the snapshot holds an answer to {named('tool', call.id, call)}, a tool of the application",
                f"The request offers {quoted(call.name)}, and no answer to this call was in it.",
                item=("tool", call.id),
                related=((call.opened, "opened"),),
            )


def unanswered(w: World) -> list[Item]:
    """Calls of this run without a TOOL_CALL_RESULT, in the order they were made."""
    done = {item.parent for item in w.items["result"].values()}
    calls = (item for item in w.items["tool"].values() if item.opened is not None and item.id not in done)
    return sorted(calls, key=lambda item: item.opened or 0)


def at_finish(w: World, outcome: Any) -> None:
    """The run finishes: which calls does it leave to the application?"""
    waiting = unanswered(w)
    if isinstance(outcome, v.RunInterrupt):
        _check_interrupts(w, outcome, waiting)
    if outcome is not UNSET and not isinstance(outcome, v.RunSuccess):
        return
    tools = w.facts.tools
    foreign = [] if tools is None else [item for item in waiting if item.name not in tools]
    given = [] if outcome is UNSET or outcome.pendingToolCallIds is UNSET else outcome.pendingToolCallIds
    if given:
        _check_list(w, given, waiting)
    elif mine := [item for item in waiting if tools is None or item.name in tools]:
        w.find(
            "AGUI-TOL-18",
            f"the run ends with {_calls(mine)} unanswered and does not say so",
            "A client works it out from the stream; `pendingToolCallIds` tells the application what it has to do.",
            item=("tool", mine[0].id),
            related=[(item.opened or item.first, "opened") for item in mine],
            cause=lost_result(w, [item.id for item in mine]),
        )
    if foreign:
        w.find(
            "AGUI-TOL-19",
            f"the run ends with {_calls(foreign)} unanswered, which the application does not offer",
            "Either the agent forgot to answer its own tool, or the request left the tool out.",
            item=("tool", foreign[0].id),
            related=[(item.opened or item.first, "opened") for item in foreign],
            cause=lost_result(w, [item.id for item in foreign]),
        )


def _check_list(w: World, given: list[str], waiting: list[Item]) -> None:
    """TOL-16 and TOL-17: the list is exactly the unanswered calls, in their order."""
    due = [item.id for item in waiting]
    set_of_due = set(due)
    named_ids = dict.fromkeys(given)
    missing = [id_ for id_ in due if id_ not in named_ids]
    extra = [id_ for id_ in named_ids if id_ not in set_of_due]
    about: dict[str, Any] = {"item": ("tool", (missing or extra or given)[0])}
    if missing or extra:
        told = []
        if extra:
            told.append(f"lists {listed([_why_extra(w, id_) for id_ in extra])}")
        if missing:
            told.append(f"leaves out {listed([quoted(id_) for id_ in missing])}")
        w.find(
            "AGUI-TOL-16",
            f"`pendingToolCallIds` {' and '.join(told)}",
            "It holds the calls this run has made and not answered, no more and no fewer. The application acts on it.",
            cause=_lost_call(w) if extra else lost_result(w, missing),
            **about,
        )
    elif given != due:
        what = "names a call twice" if len(given) != len(due) else "is not in the order the calls were made"
        w.find(
            "AGUI-TOL-17",
            f"`pendingToolCallIds` {what}",
            f"The calls were made in the order {listed([quoted(id_) for id_ in due])}.",
            **about,
        )


def _lost_call(w: World) -> str | None:
    """The finding about a call whose start a client did not get."""
    lost = w.lost.find("opener", "tool", None)
    return None if lost is None else lost.finding.key


def lost_result(w: World, ids: list[str]) -> str | None:
    """The finding about an answer that a client did not get, when it may have been for one of these calls."""
    lost = next((found for id_ in ids if (found := w.lost.find("result", "tool", id_))), None)
    return None if lost is None else lost.finding.key


def _why_extra(w: World, id_: str) -> str:
    call = w.items["tool"].get(id_)
    if call is not None and call.result is not None:
        return f"{quoted(id_)} (answered at #{call.result})"
    return f"{quoted(id_)} (not made in this run)"


def _check_interrupts(w: World, outcome: v.RunInterrupt, waiting: list[Item]) -> None:
    """INT-06: the application carries out its own tools; nobody is asked for leave.

    A suspended subagent may ask whatever it calls: its suspension needs an interrupt of the run. Without a call's id
    an interrupt may ask for something else, so only one that says nothing is taken for it, and never for an error.
    """
    tools, halted = w.facts.tools, {invocation for invocation, _, _ in w.facts.suspended}
    asks = {id_ for _, _, ids in w.facts.suspended for id_ in ids}
    calls = {item.id: item for item in waiting if tools and item.name in tools and item.lane not in halted}
    if waiting and not halted and len(calls) == len(waiting) and all(map(_says_nothing, outcome.interrupts)):
        w.find(
            "AGUI-INT-06",
            f"the run is interrupted, and all it seems to wait for is {_calls(waiting)}, of the application’s own "
            "tools",
            "A run that stops at such calls ends as a success and lists them in `pendingToolCallIds`: the application "
            "carries them out by itself, and nobody has to be asked.",
            severity="info",
            item=("interrupt", outcome.interrupts[0].id),
            related=[(call.opened or call.first, "opened") for call in waiting],
        )
    for interrupt in outcome.interrupts:
        call = None if interrupt.toolCallId is UNSET else calls.get(interrupt.toolCallId)
        if call is not None and interrupt.id not in asks and interrupt.subagentRunId not in halted:
            w.find(
                "AGUI-INT-06",
                f"the run is interrupted for {named('tool', call.id, call)}, a tool of the application",
                "A run that stops at such a call ends as a success and lists it in `pendingToolCallIds`; the "
                "application waits for an answer to a question nobody asks.",
                item=("interrupt", interrupt.id),
                related=((call.opened or call.first, "opened"),),
            )


def _says_nothing(interrupt: v.Interrupt) -> bool:
    """Whether an interrupt has neither a call nor a question of its own, and is nobody's in particular."""
    own = (interrupt.toolCallId, interrupt.message, interrupt.responseSchema, interrupt.subagentRunId)
    return all(value is UNSET for value in own)


def _calls(found: list[Item]) -> str:
    return listed([named("tool", item.id, item) for item in found])
