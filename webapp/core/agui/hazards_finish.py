"""Hazards the end of a run, or of the recording, shows.

Rules of this file: HAZ-04, HAZ-06, HAZ-07, HAZ-09 and HAZ-11. Notes the rules have made of the same (TOL-08, TOL-18,
TOL-19) become consequences of the hazard, so that one defect is told once.
"""

from __future__ import annotations

import json
from typing import Any

from msgspec import UNSET

from webapp.core.agui import pending
from webapp.core.agui import values as v
from webapp.core.agui.hazards import silent
from webapp.core.agui.pauses import is_pause
from webapp.core.agui.world import World, named, quoted
from webapp.core.findings import Finding
from webapp.core.records import Item
from webapp.core.words import listed

MAX_CALLS = 200  # calls of a run whose arguments are compared
MAX_CHARS = 200_000  # characters of all their arguments
_decoder = json.JSONDecoder()


def custom(w: World, name: str, value: Any) -> None:
    """A `CUSTOM` event may tell of a pause."""
    if is_pause(name, value):
        w.facts.pause = (w.seq, name)


def finished(w: World, outcome: Any) -> None:
    """A run finishes and a client has followed it so far."""
    if silent(w):
        return
    if w.spoilt:
        _swapped(w)
    if outcome is UNSET or isinstance(outcome, v.RunSuccess):
        given = () if outcome is UNSET or outcome.pendingToolCallIds is UNSET else outcome.pendingToolCallIds
        _unanswered(w, set(given))
        if not given:
            _paused(w)


# ── arguments ────────────────────────────────────────────────


def _swapped(w: World) -> None:
    """HAZ-04: one call has too many arguments and another too few."""
    broken = [item for item in w.items["tool"].values() if item.id in w.spoilt and item.id in w.held.calls]
    if not broken or len(w.items["tool"]) > MAX_CALLS or sum(item.chars for item in broken) > MAX_CHARS:
        return
    empty = [item for item in w.items["tool"].values() if item.chars == 0 and item.closed is not None]
    texts = {item.id: w.held.calls[item.id].arguments.whole() for item in broken}
    double = [item for item in broken if _objects(texts[item.id]) > 1]
    depths = {item.id: texts[item.id].count("{") - texts[item.id].count("}") for item in broken}
    if double and empty:
        holds = listed([named("tool", item.id, item) for item in double])
        few = f"{listed([quoted(item.id) for item in empty])} {'has' if len(empty) == 1 else 'have'} none"
        why = f"There are {sum(_objects(texts[i.id]) for i in double)} whole objects in a row, while {few}."
        found = [*double, *empty]
    elif len(broken) > 1 and sum(depths.values()) == 0 and min(depths.values()) < 0:
        holds = listed([named("tool", item.id, item) for item in broken])
        why = "None of them is whole, but together every brace that opens is closed."
        double = found = broken
    else:
        return
    finding = w.find(
        "AGUI-HAZ-04",
        f"the arguments of {holds} seem to hold pieces of another call’s",
        f"{why} Probably pieces went out under the wrong `toolCallId`, and the tools get values the model did not "
        "choose.",
        lane=double[0].lane,
        item=("tool", double[0].id),
        related=[(item.opened if item.opened is not None else item.first, "opened") for item in found[:20]],
    )
    told = w.spoilt[double[0].id]
    if finding is not None and all(w.spoilt[item.id] is told for item in double):
        _follows(w, told, finding, len(double))


def _objects(text: str) -> int:
    """How many whole JSON objects stand in a row, 0 when there is anything else."""
    at = number = 0
    while at < len(text):
        try:
            value, at = _decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return 0
        if not isinstance(value, dict):
            return 0
        number += 1
        while at < len(text) and text[at].isspace():
            at += 1
    return number


def _follows(w: World, note: Finding, hazard: Finding, covered: int) -> None:
    """The note says no more than the hazard does."""
    if note.cause is None and note.count <= covered and not note.after_rejection:
        w.follows(note, hazard)


# ── calls and pauses ─────────────────────────────────────────


def _unanswered(w: World, given: set[str]) -> None:
    """HAZ-06: calls that are the agent's own stay open, and it answers the user all the same.

    What is the agent's own: what the application does not offer; where that is not known, a tool the agent answers
    elsewhere in the run.
    """
    tools, calls = w.facts.tools, w.items["tool"]
    own = {call.name for call in calls.values() if call.result is not None} if tools is None else set()
    if not calls or (tools is None and not own):
        return
    waiting = [
        call
        for call in pending.unanswered(w)
        if call.id not in given
        and call.closed is not None
        and (call.name in own if tools is None else call.name not in tools)
    ]
    if not waiting:
        return
    restated = {msg.extra.get("toolCallId") for msg in w.held if msg.role == "tool"}
    answers: dict[str | None, Item] = {}  # the last text of each lane
    for item in w.items["text"].values():
        if item.name == "assistant" and item.chars and item.opened is not None and item.gone is None:
            answers[item.lane] = item
    lanes: dict[str | None, list[Item]] = {}
    for call in waiting:
        answer = answers.get(call.lane)
        if call.id not in restated and answer is not None and (answer.opened or 0) > (call.closed or 0):
            lanes.setdefault(call.lane, []).append(call)
    for lane, found in lanes.items():
        _tell_unanswered(w, lane, found, answers[lane])


def _tell_unanswered(w: World, lane: str | None, found: list[Item], answer: Item) -> None:
    finding = w.find(
        "AGUI-HAZ-06",
        f"{listed([named('tool', call.id, call) for call in found[:5]])} never "
        f"{'gets' if len(found) == 1 else 'get'} a result, although the run goes on to answer",
        f"Message {quoted(answer.id)} begins at #{answer.opened}, after the call, and the run ends as a success. "
        "A client probably shows the call as still running.",
        lane=lane,
        item=("tool", found[0].id),
        related=[(call.opened or call.first, "opened") for call in found[:20]],
        cause=pending.lost_result(w, [call.id for call in found]),
        count=len(found),
    )
    if finding is not None:
        for note in w.ledger.findings[-20:]:
            if (
                note.rule in ("AGUI-TOL-18", "AGUI-TOL-19")
                and note.event == w.seq
                and len(note.related) == len(found)
            ):
                _follows(w, note, finding, len(found))


def _paused(w: World) -> None:
    """HAZ-07: the last thing told was a pause, in a private event."""
    if w.facts.pause is None:
        return
    at, name = w.facts.pause
    spoken = ("text", "tool", "reasoning", "result")
    if any(item.last > at for kind in spoken for item in w.items[kind].values()):
        return
    w.find(
        "AGUI-HAZ-07",
        f"the run seems to wait for an answer that only the custom event {quoted(name)} asks for",
        f"#{at} tells of a pause, nothing is said after it, and the run ends like a success. A client that does not "
        "know this event takes the run for done and asks nobody.",
        item=("run", "" if w.run is None else w.run.run_id or ""),
        related=((at, "previous"),),
    )


# ── the whole recording ──────────────────────────────────────


def at_end(w: World, asked: dict[str, Any] | None, torn: bytes) -> None:
    """The recording ends; `torn` is the beginning of an event that broke off."""
    if w.ledger.rejected_at is not None or not w.runs:
        return
    if asked is not None:
        _nameless(w, asked)
    if torn and w.run_state == "closed" and b"error" in torn.lower():
        _torn(w, torn)


def _nameless(w: World, asked: dict[str, Any]) -> None:
    """HAZ-09: an id of the request comes back empty (a wrong one is RUN-10)."""
    run = w.runs[-1]
    if any(f.rule == "AGUI-RUN-10" and f.run == run.run for f in w.ledger.findings):
        return
    pairs = (("threadId", run.thread_id), ("runId", run.run_id))
    empty = [(name, asked.get(name)) for name, id_ in pairs if id_ == "" and asked.get(name)]
    if empty:
        names = listed([f"`{name}`" for name, _ in empty])
        wanted = listed([quoted(str(value)) for _, value in empty])
        w.ledger.add(
            "AGUI-HAZ-09",
            run.first,
            f"the run’s {names} {'is' if len(empty) == 1 else 'are'} empty",
            f"The request asked for {wanted}. An application that files runs by their ids probably loses this one.",
            run=run.run,
            item=("run", run.run_id or ""),
        )


def _torn(w: World, torn: bytes) -> None:
    """HAZ-11: after a clean end an error begins, and the body breaks off inside it."""
    at = w.run_ended[0] if w.run_ended is not None else w.run_opened
    what = "a `RUN_ERROR`" if b'"RUN_ERROR"' in torn else "what looks like an error"
    w.find(
        "AGUI-HAZ-11",
        f"the body breaks off inside {what}",
        f"The run had ended at #{at}, so a client shows a success. {len(torn)} bytes of the last event came, and no "
        "client can read them.",
        item=("run", "" if w.run is None else w.run.run_id or ""),
        related=((at, "closed"),),
    )
