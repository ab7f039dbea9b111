"""MESSAGES_SNAPSHOT, tool results and the run input: messages that arrive whole.

Rules of this file: reconciliation with what was streamed and the findings about it (MSG-03, MSG-04, MSG-08, TOL-11 …
TOL-13). Source: events/state#messages_snapshot, events/tool-calls#tool_call_result; section 5, points 3, 9, 11.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from webapp.core import explain
from webapp.core.agui import collisions, encrypted, hazards_snapshot, metadata, parts, pending, versions
from webapp.core.agui import events as e
from webapp.core.agui.held import Msg
from webapp.core.agui.world import BUCKETS, NOUNS, World, quoted, who
from webapp.core.records import Item

MAX_COMPARED_CHARS = 200_000  # texts longer than this are not compared with a snapshot's (MSG-04)


def messages_snapshot(w: World, ev: e.MessagesSnapshot) -> None:
    snapshot: list[dict[str, Any]] = msgspec.to_builtins(ev.messages)
    held_before, calls_before = dict(w.held.by_id), dict(w.held.calls)
    w.facts.content = True
    pending.fabricated(w, snapshot)
    metadata.check_messages(w, ev.messages)
    _check_parts(w, ev.messages)
    _duplicates(w, snapshot)
    removed, brought = w.held.reconcile(snapshot)
    _reseed_owners(w, snapshot, held_before)
    encrypted.restated(w, snapshot, held_before, calls_before)
    gone = {msg.id for msg in removed}
    for kind in ("text", "reasoning"):
        for id_ in gone & w.items[kind].keys():
            w.items[kind][id_].gone = w.seq
    _open_and_absent(w)
    hazards_snapshot.compared(w, held_before, removed, brought, _rewritten(w, removed, brought))


def _check_parts(w: World, messages: list[Any]) -> None:
    """Parts that the agent sends; what the application has sent itself is the request's matter."""
    asked = w.facts.input
    sent = set() if asked is None else {message.id for message in asked.messages}
    for message in messages:
        if message.id not in sent:
            parts.check_parts(w, getattr(message, "content", None))


def _duplicates(w: World, snapshot: list[dict[str, Any]]) -> None:
    """MSG-02: one id twice in one snapshot."""
    seen: set[str] = set()
    for raw in snapshot:
        if raw["id"] in seen:
            w.find("AGUI-MSG-02", f"the snapshot lists message id {quoted(raw['id'])} twice",
                   "Message ids are unique within a thread. Clients keep one copy or both, as they held it or not.",
                   item=("text", raw["id"]))  # fmt: skip
        seen.add(raw["id"])


def _open_and_absent(w: World) -> None:
    """MSG-03: an open item whose message the snapshot does not list."""
    for kind in ("text", "reasoning", "tool"):
        for item in w.items[kind].values():
            if item.state != "open" or item.opened is None:
                continue
            if item.id in (w.held.calls if kind == "tool" else w.held.by_id):
                continue
            finding = w.find(
                "AGUI-MSG-03",
                f"the snapshot leaves out {NOUNS[kind]} {quoted(item.id)}, which is still being streamed",
                f"#{item.opened} opened it and it is not closed yet. A snapshot is the complete list, so a client "
                "removes the message and has nowhere to put what still comes.",
                reason="still-open",
                lane=item.lane,
                item=(kind, item.id),
                related=((item.opened, "opened"),),
            )
            if finding is not None and kind == "text":
                w.blanked[item.id] = finding


def _rewritten(w: World, removed: list[Msg], brought: list[Msg]) -> set[str]:
    """MSG-04: a streamed message is gone and an equal one stands under a new id. Returns the old ids."""
    known: set[str] = set()
    if not removed or not brought:
        return known
    fresh: dict[tuple[str, str], str] = {}
    for msg in brought:
        text = msg.text()
        if text and len(text) <= MAX_COMPARED_CHARS:
            fresh.setdefault((msg.role, text), msg.id)
    for msg in removed:
        item = w.items["text"].get(msg.id) or w.items["reasoning"].get(msg.id)
        if item is None or item.state == "open":
            continue
        text = msg.text()
        new_id = fresh.pop((msg.role, text), None) if text else None
        if new_id is not None:
            known.add(msg.id)
            w.find(
                "AGUI-MSG-04",
                f"the snapshot brings {NOUNS[item.kind]} {quoted(msg.id)} back under a new id, {quoted(new_id)}",
                "Role and text are equal, but a client matches by id: it removes the streamed message and appends "
                "the other one at the end.",
                lane=item.lane,
                item=(item.kind, msg.id),
                related=((item.first, "opened"),),
            )
    return known


def _reseed_owners(w: World, snapshot: list[dict[str, Any]], before: dict[str, Msg]) -> None:
    for raw in snapshot:
        owner = raw.get("subagentRunId")
        id_ = raw["id"]
        old = before.get(id_)
        if old is not None and (old.role != raw["role"] or old.owner != owner):
            what = f"role from {quoted(old.role)} to {quoted(raw['role'])}" if old.role != raw["role"] else (
                f"owner from {who(old.owner)} to {who(owner)}")  # fmt: skip
            w.find("AGUI-MSG-08", f"the snapshot changes message {quoted(id_)}: {what}",
                   "A client adopts it silently.", reason="value-differs", lane=owner,
                   item=("text", id_))  # fmt: skip
        bucket = _bucket(raw)
        w.owners[bucket, id_] = owner
        for kind in ("text", "reasoning", "span"):
            item = w.items[kind].get(id_)
            if item is not None and BUCKETS[kind] == bucket:
                item.owner = owner
        for call in raw.get("toolCalls") or ():
            w.owners["tool", call["id"]] = owner
            item = w.items["tool"].get(call["id"])
            if item is not None:
                item.owner = owner


def seed_input(w: World, messages: list[dict[str, Any]]) -> None:
    """Messages of the run input or its echo: unseen ids are appended and their owners recorded."""
    w.held.seed(messages)
    for raw in messages:
        owner = raw.get("subagentRunId")
        w.owners.setdefault((_bucket(raw), raw["id"]), owner)
        for call in raw.get("toolCalls") or ():
            w.owners.setdefault(("tool", call["id"]), owner)


def _bucket(raw: dict[str, Any]) -> str:
    """Where a whole message's owner is recorded: by its role."""
    role = raw["role"]
    return role if role in ("reasoning", "activity") else "message"


def tool_result(w: World, ev: e.ToolCallResult) -> Item:
    tag = None if ev.subagentRunId is UNSET else ev.subagentRunId
    call = w.items["tool"].get(ev.toolCallId)
    _check_result(w, ev, call, tag)
    pending.answered(w, call, tag)
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
    w.owners["message", ev.messageId] = tag  # the newest result mints the message
    return item


def _check_result(w: World, ev: e.ToolCallResult, call: Item | None, tag: str | None) -> None:
    about: dict[str, Any] = {"lane": tag, "item": ("tool", ev.toolCallId)}
    answered = w.answers.get(ev.toolCallId)
    unknown = call is None and ev.toolCallId not in w.held.calls
    if unknown and w.unseen("AGUI-TOL-11", thread=True):
        pass
    elif unknown:
        sure = w.input_known or len(w.runs) > 1
        w.find(
            "AGUI-TOL-11",
            f"a result for tool call {quoted(ev.toolCallId)}, which nobody has made",
            "A client appends it at the end of the conversation."
            if sure
            else "The request is not recorded, so the call may stand in the earlier conversation.",
            severity=None if sure else "info",
            **about,
        )
    elif answered is not None:
        early = w.early.get(("tool", ev.toolCallId))
        restreamed = early is not None and early.rule == "AGUI-RUN-17"
        w.find("AGUI-TOL-12", f"a second result for tool call {quoted(ev.toolCallId)}",
               f"#{answered} has already answered it. A client shows both.",
               related=((answered, "answer"),),
               cause=early.key if early is not None and restreamed else None, **about)  # fmt: skip
    elif call is not None and call.state == "open" and call.via == "explicit":
        lost = explain.lost_end(w, call)
        hasty = w.find(
            "AGUI-TOL-13",
            f"a result for tool call {quoted(ev.toolCallId)} while its arguments are still open",
            f"#{call.opened} opened the call and nothing has closed it yet.",
            reason="still-open",
            related=((call.opened or call.first, "opened"),),
            cause=None if lost is None else lost.finding.key,
            **about,
        )
        if hasty is not None:
            w.hasty[ev.toolCallId] = hasty
    w.answers.setdefault(ev.toolCallId, w.seq)
