"""TOOL_CALL_RESULT: the answer to a call, a message that arrives whole.

Rules of this file: the result is held and filed under its call; TOL-11 … TOL-13 and TOL-21 are worded here. Source:
events/tool-calls#tool_call_result; section 5, point 3.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from webapp.core.agui import awaited, collisions, explain, parts, pending, versions
from webapp.core.agui import events as e
from webapp.core.agui.world import World, quoted
from webapp.core.records import Item


def tool_result(w: World, ev: e.ToolCallResult) -> Item:
    tag = None if ev.subagentRunId is UNSET else ev.subagentRunId
    call = w.items["tool"].get(ev.toolCallId)
    _check_result(w, ev, call, tag)
    pending.answered(w, call if call is not None else w.past["tool"].get(ev.toolCallId), tag)
    collisions.check(w, ev.messageId, "tool", tag, answers=ev.toolCallId)
    if ev.content.__class__ is list:
        versions.dates(w, "a result of content parts")
        parts.check_parts(w, ev.content)
    key = (ev.messageId, w.seq)
    item = w.open("result", key, ev.messageId, tag, "closed")
    item.parent = ev.toolCallId
    item.opened = item.closed = w.seq
    if call is not None:
        item.name = call.name
        call.last = w.seq
        if call.result is None:
            call.result = w.seq
    if ev.content == []:
        w.find("AGUI-TOL-21", f"the result of tool call {quoted(ev.toolCallId)} is an empty list of parts",
               "A result with nothing to show is the empty string.", lane=tag,
               item=("tool", ev.toolCallId))  # fmt: skip
    content = ev.content if isinstance(ev.content, str) else msgspec.to_builtins(ev.content)
    w.held.result(ev.messageId, ev.toolCallId, content, tag, ev.metadata)
    w.trace.minted.setdefault(ev.messageId, w.seq)
    w.owners["message", ev.messageId] = tag  # the newest result mints the message
    return item


def _check_result(w: World, ev: e.ToolCallResult, call: Item | None, tag: str | None) -> None:
    about: dict[str, Any] = {"lane": tag, "item": ("tool", ev.toolCallId)}
    answered = w.answers.get(ev.toolCallId)
    if call is None and ev.toolCallId not in w.held.calls:
        _unknown(w, ev.toolCallId, about)
    elif answered is not None or _asked_with(w, ev.toolCallId):
        _again(w, ev.toolCallId, answered, about)
    elif call is not None and call.state == "open":
        lost = explain.lost_end(w, call)
        hasty = w.find(
            "AGUI-TOL-13",
            f"a result for tool call {quoted(ev.toolCallId)} while its arguments are still open",
            f"#{call.opened} opened the call and nothing has closed it yet."
            if call.via == "explicit"
            else f"#{call.opened} opened the call in chunks, and its chunk stream goes on in another lane.",
            reason="still-open",
            related=((call.opened or call.first, "opened"),),
            cause=None if lost is None else lost.finding.key,
            **about,
        )
        if hasty is not None:
            w.hasty[ev.toolCallId] = hasty
    w.answers.setdefault(ev.toolCallId, w.seq)


def _asked_with(w: World, id_: str) -> bool:
    """Whether the run's input answers the call, and no snapshot has taken that answer away."""
    held = w.held.by_id
    return any(
        (msg := held.get(answer)) is not None and msg.extra.get("toolCallId") == id_
        for answer in w.facts.answered_before.get(id_, ())
    )


def _unknown(w: World, id_: str, about: dict[str, Any]) -> None:
    """TOL-11: nobody has made the call, or not yet."""
    lost = w.lost.find("opener", "tool", id_)
    if lost is None and w.unseen("AGUI-TOL-11", thread=True):
        return
    sure = w.input_known or len(w.runs) > 1 or (lost is not None and lost.id == id_)
    why = "A client appends it at the end of the conversation."
    if lost is not None:
        why = f"{awaited.lost_why(lost)} {why}"
    elif not sure:
        why = "The request is not recorded, so the call may stand in the earlier conversation."
    finding = w.find(
        "AGUI-TOL-11",
        f"a result for tool call {quoted(id_)}, which nobody has made",
        why,
        reason=None if lost is None else "opener-lost",
        severity=None if sure else "info",
        related=() if lost is None else ((lost.seq, "expected"),),
        cause=None if lost is None else lost.finding.key,
        **about,
    )
    awaited.missed(w, "tool", id_, finding)


def _again(w: World, id_: str, answered: int | None, about: dict[str, Any]) -> None:
    """TOL-12: the call has its answer, streamed, in a snapshot or in the run's input."""
    early = w.early.get(("tool", id_))
    restreamed = early is not None and early.rule == "AGUI-RUN-17"
    before = "The run’s input holds an answer" if answered is None else f"#{answered} has already answered it"
    w.find(
        "AGUI-TOL-12",
        f"a second result for tool call {quoted(id_)}",
        f"{before}. A client shows both.",
        related=() if answered is None else ((answered, "answer"),),
        cause=early.key if early is not None and restreamed else None,
        **about,
    )
