"""One message id for two things (ENV-15).

Rules of this file: it compares kinds of messages under one id and words the finding; what a client makes of it is the
assembly's. Another role of the same kind is TXT-07. Source: basic/index#identifiers.
"""

from __future__ import annotations

from webapp.core.agui.messages import Msg
from webapp.core.agui.world import World, quoted
from webapp.core.findings import Finding

_SPECIAL = {"reasoning": "a reasoning message", "tool": "a tool result", "activity": "an activity"}
_CONSEQUENCE = {
    ("tool", "message"): "A client then holds two messages of this id.",
    ("message", "activity"): "A client drops the text.",
}


def kind_of_role(role: str) -> str:
    """`reasoning`, `tool`, `activity`, or `message` for everything that is spoken."""
    return role if role in _SPECIAL else "message"


def check(w: World, id_: str, role: str, lane: str | None, *, answers: str | None = None) -> Finding | None:
    """A message of `role` comes under `id_`; `answers` is the call a tool result is for."""
    held = w.held.by_id.get(id_)
    if held is None:
        return None
    new, old = kind_of_role(role), kind_of_role(held.role)
    if new == old and (new != "tool" or held.extra.get("toolCallId") == answers):
        return None
    if _made_by_client(w, held):
        return None
    before = _SPECIAL.get(old, f"a message of role {quoted(held.role)}")
    if new == old:
        before = f"the result of call {quoted(held.extra.get('toolCallId'))}"
    place = _began(w, old, id_)
    return w.find(
        "AGUI-ENV-15",
        f"message id {quoted(id_)} is used for {_SPECIAL.get(new, 'a message')}, but it is already that of {before}",
        "Message ids are unique within a thread, whatever the kind of message. "
        + _CONSEQUENCE.get((new, old), "A client mixes the two up, or shows one of them twice."),
        lane=lane,
        item=("text", id_),
        related=() if place is None else ((place, "previous"),),
    )


def _began(w: World, kind: str, id_: str) -> int | None:
    """The record that the message of this id and kind came with, unless a snapshot or an input brought it."""
    if kind == "tool":
        return w.trace.minted.get(id_)
    kind = "text" if kind == "message" else kind
    item = w.items[kind].get(id_) or w.past[kind].get(id_)
    return None if item is None or item.first == w.seq else item.first


def _made_by_client(w: World, held: Msg) -> bool:
    """A call without a parent makes a client add a message of the call's id; the agent has not used that id."""
    call = w.held.calls.get(held.id)
    return call is not None and call.message is held and held.id not in w.items["text"]
