"""Activity messages: shown between the others, sent as a snapshot and patched.

Rules of this file: it applies what arrives and keeps the old content when a patch fails; only a wrong owner rejects.
Source: events/activity; section 5, point 10 of the rules.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from webapp.core.agui import awaited, collisions, untagged
from webapp.core.agui import events as e
from webapp.core.agui.blame import kind_of
from webapp.core.agui.messages import Msg, merged
from webapp.core.agui.misfit import Hint, hint
from webapp.core.agui.patch import patched
from webapp.core.agui.world import World, quoted, who
from webapp.core.records import Item


def activity_snapshot(w: World, ev: e.ActivitySnapshot) -> Item:
    tag = None if ev.subagentRunId is UNSET else ev.subagentRunId
    w.facts.content = True
    collisions.check(w, ev.messageId, "activity", tag)
    awaited.opened(w, "activity", ev.messageId)
    item = _activity(w, ev.messageId, tag, ev.activityType)
    msg = w.held.by_id.get(ev.messageId)
    replace = ev.replace is not False
    if not replace and msg is not None and msg.role == "activity" and tag != msg.owner:
        w.find(
            "AGUI-ACT-06",
            f"a snapshot that keeps activity {quoted(ev.messageId)} is tagged as {who(tag)}, but it "
            f"belongs to {who(msg.owner)}",
            "With `replace` false the owner stays, so the tag should be the same.",
            lane=tag,
            item=("activity", ev.messageId),
        )
    if replace or ("activity", ev.messageId) not in w.owners:
        w.owners["activity", ev.messageId] = tag
    if msg is None:
        msg = Msg(ev.messageId, "activity", tag, ev.content)
        msg.extra["activityType"] = ev.activityType
        w.held.append(msg)
    elif not replace:
        if msg.role != "activity":
            return item
    elif msg.role == "activity":
        msg = w.held.apart(msg)
        msg.content, msg.owner, item.owner = ev.content, tag, tag
        msg.extra["activityType"] = ev.activityType
    else:  # a message of another role is replaced outright, its metadata too
        old, msg = msg, Msg(ev.messageId, "activity", tag, ev.content)
        msg.extra["activityType"] = ev.activityType
        item.owner = tag
        w.held.replace(old, msg)
    if replace:
        w.trace.broken_activities.pop(ev.messageId, None)
        w.facts.whole[ev.messageId or " "] = w.seq
    msg.metadata = merged(msg.metadata, ev.metadata)
    return item


def activity_delta(w: World, ev: e.ActivityDelta) -> Item:
    tag = None if ev.subagentRunId is UNSET else ev.subagentRunId
    w.facts.content = True
    item = _activity(w, ev.messageId, tag, ev.activityType)
    msg = w.held.by_id.get(ev.messageId)
    owner = w.owners.get(("activity", ev.messageId), tag)
    about: dict[str, Any] = {"lane": tag, "item": ("activity", ev.messageId)}
    if tag is not None and tag != owner:
        w.find(
            "AGUI-ACT-05",
            f"a patch for activity {quoted(ev.messageId)} tagged as {who(tag)}, but it belongs to "
            f"{who(owner)}",
            "The snapshot that created it set the owner.",
            reason="owner-differs",
            cause=untagged.cause(w, ev.messageId, tag),
            **about,
        )
    if msg is None:
        _unheld(w, ev, about)
        return item
    if msg.role != "activity":
        w.find(
            "AGUI-ACT-02",
            f"a patch for activity {quoted(ev.messageId)}, which is the id of a message of role "
            f"{quoted(msg.role)}",
            "A client skips the patch.",
            **about,
        )
        return item
    if msg.extra.get("activityType") != ev.activityType:
        w.find(
            "AGUI-ACT-09",
            f"a patch turns activity {quoted(ev.messageId)} from {quoted(msg.extra.get('activityType'))} "
            f"into {quoted(ev.activityType)}",
            "A client shows it as the new kind from here on.",
            **about,
        )
    msg.metadata = merged(msg.metadata, ev.metadata)
    _patch(w, ev, msg, about)
    return item


def _unheld(w: World, ev: e.ActivityDelta, about: dict[str, Any]) -> None:
    """ACT-01: a patch for an activity that nothing has created."""
    lost = w.lost.find("opener", "activity", ev.messageId)
    if lost is None and w.unseen("AGUI-ACT-01", thread=True):
        return
    sure = w.input_known or len(w.runs) > 1 or lost is not None
    why = "A client skips the patch without a word, and nothing shows."
    if lost is not None:
        why = f"{awaited.lost_why(lost)} {why}"
    elif not sure:
        why = "The request is not recorded, so it may stand in the earlier conversation."
    finding = w.find(
        "AGUI-ACT-01",
        f"a patch for activity {quoted(ev.messageId)}, which no snapshot has created",
        why,
        reason=None if lost is None else "opener-lost",
        severity=None if sure else "info",
        related=() if lost is None else ((lost.seq, "expected"),),
        cause=None if lost is None else lost.finding.key,
        **about,
    )
    awaited.missed(w, "activity", ev.messageId, finding)


def _patch(w: World, ev: e.ActivityDelta, msg: Msg, about: dict[str, Any]) -> None:
    broken = w.trace.broken_activities
    before = broken.get(msg.id)
    was_object = isinstance(msg.content, dict)
    content, failure = patched(msg.content, msgspec.to_builtins(ev.patch), w.trace.copies)
    if failure is not None:
        near = hint(w, failure) if before is None else Hint()
        finding = w.find(
            "AGUI-ACT-04",
            f"a patch for activity {quoted(msg.id)} does not apply",
            " ".join(filter(None, (failure.sentence, near.text, "A client keeps the content as it was."))),
            reason=near.reason,
            cause=_lost(w, msg.id) if before is None else before.key,
            path=f"activity {msg.id}",
            **about,
        )
        if before is None and finding is not None:
            broken[msg.id] = finding
        return
    msg = w.held.apart(msg)
    msg.content = content
    msg.extra["activityType"] = ev.activityType
    if was_object and not isinstance(msg.content, dict):
        finding = w.find(
            "AGUI-ACT-03",
            f"a patch leaves activity {quoted(msg.id)} with {kind_of(msg.content)} as its content",
            "An activity’s content is an object; an application that expects one fails to show it.",
            **about,
        )
        if finding is not None:
            broken.setdefault(msg.id, finding)


def _lost(w: World, id_: str) -> str | None:
    """The finding about a snapshot or patch of this activity that a client did not get."""
    since = w.facts.whole.get(id_ or " ", -1)
    lost = w.lost.find("piece", "activity", id_, since) or w.lost.find("opener", "activity", id_, since)
    return None if lost is None else lost.finding.key


def _activity(w: World, id_: str, tag: str | None, kind: str) -> Item:
    item = w.items["activity"].get(id_)
    if item is None:
        item = w.open("activity", id_, id_, tag, "closed")
        item.opened = w.seq
    item.name = kind
    item.last = w.seq
    item.count += 1
    return item
