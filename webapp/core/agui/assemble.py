"""The assembly's side of streamed items: what an opener, a piece or an end does to the held messages.

Rules of this file: it follows decisions already made by `items.py`; the few findings here are about what the
application holds (reopened with other values, text for a message that a snapshot removed).
Source: section 5, points 1, 2, 4, 6 of the rules.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from webapp.core.agui import collisions
from webapp.core.agui.messages import Call, Msg, merged
from webapp.core.agui.texts import Text
from webapp.core.agui.world import World, quoted
from webapp.core.records import Item


def open_item(w: World, kind: str, ev: Any, item: Item) -> None:
    """START of a message, call or reasoning message."""
    tag = None if ev.subagentRunId is UNSET else ev.subagentRunId
    if kind == "tool":
        _open_call(w, ev, item, tag)
        return
    if kind == "reasoning":
        collisions.check(w, ev.messageId, "reasoning", tag)
        msg = w.held.open_message(ev.messageId, "reasoning", tag)
        item.name = "reasoning"
    else:
        role = "assistant" if ev.role is UNSET else ev.role
        held = w.held.by_id.get(ev.messageId)
        if held is not None:
            collisions.check(w, ev.messageId, role, tag)
            if collisions.kind_of_role(held.role) == "message":
                _check_reopened(w, held, role, ev, item)
        msg = w.held.open_message(ev.messageId, role, tag, ev.name)
        item.name = role
    w.blanked.pop(ev.messageId, None)
    if msg.role != "activity":
        msg.merge(ev.metadata)


def _open_call(w: World, ev: Any, item: Item, tag: str | None) -> None:
    held = w.held.calls.get(ev.toolCallId)
    if held is not None:
        _check_reopened_call(w, held, ev, item)
    elif ev.parentMessageId is not UNSET:
        _check_parent(w, ev, item)
    call = w.held.open_call(ev.toolCallId, ev.toolCallName, ev.parentMessageId, tag)
    call.metadata = merged(call.metadata, ev.metadata)
    item.name = ev.toolCallName
    item.parent = None if ev.parentMessageId is UNSET else ev.parentMessageId


def grow_call(w: World, ev: Any) -> None:
    call = w.held.calls.get(ev.toolCallId)
    if call is not None:
        call.arguments.add(ev.delta)
        if ev.metadata is not UNSET:
            call.metadata = merged(call.metadata, ev.metadata)


def grow_message(w: World, kind: str, ev: Any) -> None:
    msg = w.held.by_id.get(ev.messageId)
    if msg is not None and msg.role != "activity":
        if msg.content.__class__ is Text:
            msg.content.add(ev.delta)
        else:
            msg.grow(ev.delta)
        if ev.metadata is not UNSET:
            msg.merge(ev.metadata)
    elif w.blanked:
        _vanished(w, kind, ev.messageId)


def close_item(w: World, kind: str, ev: Any) -> None:
    """END changes nothing but metadata."""
    if ev.metadata is UNSET:
        return
    if kind == "tool":
        call = w.held.calls.get(ev.toolCallId)
        if call is not None:
            call.metadata = merged(call.metadata, ev.metadata)
    else:
        msg = w.held.by_id.get(ev.messageId)
        if msg is not None and msg.role != "activity":
            msg.merge(ev.metadata)


def _check_parent(w: World, ev: Any, item: Item) -> None:
    """TOL-20: the parent of a call is the assistant message that makes it."""
    parent = w.held.by_id.get(ev.parentMessageId)
    if parent is not None and parent.role != "assistant":
        w.find("AGUI-TOL-20", f"tool call {quoted(ev.toolCallId)} names {quoted(ev.parentMessageId)} as its parent, "
               f"which is a message of role {quoted(parent.role)}",
               "A client files the call under a new assistant message instead.",
               lane=item.lane, item=("tool", ev.toolCallId))  # fmt: skip


def _vanished(w: World, kind: str, id_: str) -> None:
    snapshot = w.blanked.get(id_)
    if snapshot is not None and kind == "text":
        w.find(
            "AGUI-TXT-08",
            f"text for message {quoted(id_)}, which a snapshot has removed from the application",
            f"The snapshot at #{snapshot.event} did not list the open message, so a client no longer has it and "
            "drops what still comes.",
            reason="snapshot-removed",
            lane=snapshot.lane,
            item=("text", id_),
            cause=snapshot.key,
            related=((snapshot.event, "closed_by"),),
        )


def _check_reopened(w: World, held: Msg, role: str, ev: Any, item: Item) -> None:
    """TXT-07: a reopening START agrees on role and name; established values stand."""
    differs = []
    if held.role != role:
        default = ", which it has by naming none," if ev.role is UNSET else ""
        differs.append(f"role {quoted(role)}{default} instead of {quoted(held.role)}")
    name = held.extra.get("name", UNSET)
    if ev.name is not UNSET and ev.name != name:
        differs.append(f"name {quoted(ev.name)}" + ("" if name is UNSET else f" instead of {quoted(name)}"))
    if item.reopened is None and held.owner != item.owner and ev.messageId in w.past["text"]:
        differs.append("another owner")
    if differs:
        w.find("AGUI-TXT-07", f"message {quoted(ev.messageId)} is opened again with {' and '.join(differs)}",
               "A client keeps the values the message was first opened with.", reason="value-differs",
               lane=item.lane, item=("text", ev.messageId))  # fmt: skip


def _check_reopened_call(w: World, held: Call, ev: Any, item: Item) -> None:
    """TOL-07: a reopening START keeps name, parent and owner."""
    differs = []
    if held.name != ev.toolCallName:
        differs.append(f"name {quoted(ev.toolCallName)} instead of {quoted(held.name)}")
    if ev.parentMessageId is not UNSET and held.message.id != ev.parentMessageId:
        was = "no parent" if held.message.id == ev.toolCallId else quoted(held.message.id)
        differs.append(f"parent {quoted(ev.parentMessageId)} instead of {was}")
    past = w.past["tool"].get(ev.toolCallId) if item.reopened is None else None
    # an untagged one takes the owner of its message, which this run need not have told
    inherits = ev.subagentRunId is UNSET and held.message.id == ev.parentMessageId
    if past is not None and not inherits and item.owner not in (past.owner, held.message.owner):
        differs.append("another owner")
    if differs:
        w.find("AGUI-TOL-07", f"tool call {quoted(ev.toolCallId)} is opened again with {' and '.join(differs)}",
               "Its id has been used before; the new arguments are appended to the old ones.",
               reason="value-differs", lane=item.lane, item=("tool", ev.toolCallId))  # fmt: skip
