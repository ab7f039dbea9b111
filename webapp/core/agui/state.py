"""Shared state, activity messages and encrypted values: what changes what is held without being streamed.

Rules of this file: it applies what arrives and keeps the old value when a patch fails; only a wrong owner rejects.
Source: events/state, events/activity; section 5, points 5, 7, 8, 10.
"""

from __future__ import annotations

import copy
from typing import Any

import jsonpatch
import jsonpointer
import msgspec
from msgspec import UNSET

from webapp.core.agui import events as e
from webapp.core.agui.held import Msg, merged
from webapp.core.agui.world import NOUNS, UNKNOWN, World, quoted, who
from webapp.core.records import Item


def patched(document: Any, operations: list[dict[str, Any]]) -> tuple[Any, str | None]:
    """The document after an all-or-nothing patch, and None; or the unchanged document and why it failed.

    One operation cannot fail half-way, so it is applied in place; more are tried on a copy.
    """
    alone = len(operations) == 1 and operations[0]["op"] in ("add", "replace", "remove", "test")
    target = document if alone else copy.deepcopy(document)
    try:
        return jsonpatch.apply_patch(target, operations, in_place=True), None
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError, ValueError, KeyError,
            IndexError, AttributeError, RecursionError) as problem:  # fmt: skip
        return document, str(problem)


def state_snapshot(w: World, ev: e.StateSnapshot) -> None:
    w.state, w.state_copied = ev.snapshot, False


def state_delta(w: World, ev: e.StateDelta) -> None:
    before = {} if w.state is UNSET else w.state
    if not w.state_copied:  # it belongs to an event or the request, which must stay as they were sent
        before, w.state_copied = copy.deepcopy(before), True
    w.state, _ = patched(before, msgspec.to_builtins(ev.delta))


def activity_snapshot(w: World, ev: e.ActivitySnapshot) -> Item:
    tag = None if ev.subagentRunId is UNSET else ev.subagentRunId
    item = _activity(w, ev.messageId, tag, ev.activityType)
    msg = w.held.by_id.get(ev.messageId)
    replace = ev.replace is not False
    if replace or ("activity", ev.messageId) not in w.owners:
        w.owners["activity", ev.messageId] = tag
    if msg is None:
        msg = Msg(ev.messageId, "activity", tag, copy.deepcopy(ev.content))
        msg.extra["activityType"] = ev.activityType
        w.held.append(msg)
    elif not replace:
        if msg.role != "activity":
            return item
    elif msg.role == "activity":
        msg.content, msg.owner, item.owner = copy.deepcopy(ev.content), tag, tag
        msg.extra["activityType"] = ev.activityType
    else:  # a message of another role is replaced outright, its metadata too
        old, msg = msg, Msg(ev.messageId, "activity", tag, copy.deepcopy(ev.content))
        msg.extra["activityType"] = ev.activityType
        item.owner = tag
        w.held.replace(old, msg)
    msg.metadata = merged(msg.metadata, ev.metadata)
    return item


def activity_delta(w: World, ev: e.ActivityDelta) -> Item:
    tag = None if ev.subagentRunId is UNSET else ev.subagentRunId
    item = _activity(w, ev.messageId, tag, ev.activityType)
    msg = w.held.by_id.get(ev.messageId)
    owner = w.owners.get(("activity", ev.messageId), tag)
    if tag is not None and tag != owner:
        w.find("AGUI-ACT-05", f"a patch for activity {quoted(ev.messageId)} tagged as {who(tag)}, but it belongs to "
               f"{who(owner)}", "The snapshot that created it set the owner.", reason="owner-differs",
               lane=tag, item=("activity", ev.messageId))  # fmt: skip
    if msg is None or msg.role != "activity":
        return item
    msg.content, problem = patched(msg.content, msgspec.to_builtins(ev.patch))
    if problem is None:
        msg.extra["activityType"] = ev.activityType
    msg.metadata = merged(msg.metadata, ev.metadata)
    return item


def encrypted_value(w: World, ev: e.ReasoningEncryptedValue) -> None:
    """Stored on the message or the call it names; value and type are replaced as a pair; an activity keeps none."""
    id_, call = ev.entityId, ev.subtype == "tool-call"
    owner: Any = UNKNOWN
    for bucket in ("tool",) if call else ("message", "reasoning"):
        if owner is UNKNOWN:
            owner = w.owners.get((bucket, id_), UNKNOWN)
    if ev.subagentRunId is not UNSET and owner is not UNKNOWN and ev.subagentRunId != owner:
        kind = "tool" if call else "text"
        w.find("AGUI-ENC-04", f"an encrypted value for {NOUNS[kind]} {quoted(id_)} tagged as {who(ev.subagentRunId)}, "
               f"but it belongs to {who(owner)}", "The specification does not ask for the tag to agree; the "
               "reference client stops here.", reason="owner-differs", lane=ev.subagentRunId,
               item=(kind, id_))  # fmt: skip
    target = w.held.calls.get(id_) if call else w.held.by_id.get(id_)
    if target is None or (isinstance(target, Msg) and target.role == "activity"):
        return
    target.extra["encryptedValue"] = ev.encryptedValue
    target.extra.pop("encryptedValueType", None)
    if ev.encryptedValueType is not UNSET:
        target.extra["encryptedValueType"] = ev.encryptedValueType


def _activity(w: World, id_: str, tag: str | None, kind: str) -> Item:
    item = w.items["activity"].get(id_)
    if item is None:
        item = w.open("activity", id_, id_, tag, "closed")
        item.opened = w.seq
    item.name = kind
    item.last = w.seq
    item.count += 1
    return item
