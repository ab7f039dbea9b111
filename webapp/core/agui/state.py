"""Shared state and activity messages: snapshots and patches.

Rules of this file: it applies what arrives and keeps the old value when a patch fails; nothing here rejects.
Source: events/state, events/activity; section 5, points 7, 8, 10.
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
from webapp.core.agui.world import World, quoted, who
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
    w.state = ev.snapshot


def state_delta(w: World, ev: e.StateDelta) -> None:
    before = {} if w.state is UNSET else w.state
    w.state, _ = patched(before, msgspec.to_builtins(ev.delta))


def activity_snapshot(w: World, ev: e.ActivitySnapshot) -> Item:
    tag = None if ev.subagentRunId is UNSET else ev.subagentRunId
    item = _activity(w, ev.messageId, tag, ev.activityType)
    msg = w.held.by_id.get(ev.messageId)
    replace = ev.replace is not False
    if msg is None:
        msg = Msg(ev.messageId, "activity", tag, ev.content)
        msg.extra["activityType"] = ev.activityType
        w.held.append(msg)
    elif replace:
        msg.role, msg.content, msg.owner, msg.calls = "activity", ev.content, tag, None
        msg.extra = {"activityType": ev.activityType}
        item.owner = tag
    elif msg.role != "activity":
        return item
    msg.metadata = merged(msg.metadata, ev.metadata)
    return item


def activity_delta(w: World, ev: e.ActivityDelta) -> Item:
    tag = None if ev.subagentRunId is UNSET else ev.subagentRunId
    item = _activity(w, ev.messageId, tag, ev.activityType)
    msg = w.held.by_id.get(ev.messageId)
    if msg is None or msg.role != "activity":
        return item
    if tag is not None and tag != msg.owner:
        w.find("AGUI-ACT-05", f"a patch for activity {quoted(ev.messageId)} tagged as {who(tag)}, but it belongs to "
               f"{who(msg.owner)}", "The snapshot that created it set the owner.", reason="owner-differs",
               lane=tag, item=("activity", ev.messageId))  # fmt: skip
    msg.content, problem = patched(msg.content, msgspec.to_builtins(ev.patch))
    if problem is None:
        msg.extra["activityType"] = ev.activityType
    msg.metadata = merged(msg.metadata, ev.metadata)
    return item


def _activity(w: World, id_: str, tag: str | None, kind: str) -> Item:
    item = w.items["activity"].get(id_)
    if item is None:
        item = w.open("activity", id_, id_, tag, "closed")
        item.opened = w.seq
    item.name = kind
    item.last = w.seq
    item.count += 1
    return item
