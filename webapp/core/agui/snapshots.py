"""MESSAGES_SNAPSHOT and the run input: messages that arrive whole.

Rules of this file: reconciliation with what was streamed and the findings about it (MSG-03, MSG-04, MSG-08). Source:
events/state#messages_snapshot; section 5, points 9 and 11.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import msgspec

from webapp.core.agui import encrypted, hazards_snapshot, metadata, parts, pending, untagged
from webapp.core.agui import events as e
from webapp.core.agui.messages import Msg
from webapp.core.agui.world import BUCKETS, World, quoted, who
from webapp.core.findings import Finding
from webapp.core.words import NOUNS

MAX_UNLISTED = 20  # snapshots in a row that are said to leave out one open item
MAX_COMPARED_CHARS = 200_000  # texts longer than this are not compared with a snapshot's (MSG-04)


def messages_snapshot(w: World, ev: e.MessagesSnapshot) -> None:
    snapshot: list[dict[str, Any]] = msgspec.to_builtins(ev.messages)
    held_before, calls_before, dropped = dict(w.held.by_id), dict(w.held.calls), w.held.dropped
    w.facts.content = True
    pending.fabricated(w, snapshot)
    metadata.check_messages(w, ev.messages)
    _check_parts(w, ev.messages)
    _duplicates(w, snapshot)
    removed, brought = w.held.reconcile(snapshot)
    _reseed_owners(w, snapshot, held_before)
    encrypted.restated(w, snapshot, held_before, calls_before)
    # the list is complete: an answer that it does not hold is none any more
    standing = dict.fromkeys(raw["toolCallId"] for raw in snapshot if raw["role"] == "tool")
    before = w.facts.answered_before
    w.answers = {id_: w.answers.get(id_, w.seq) for id_ in standing if id_ in w.answers or id_ not in before}
    gone = {msg.id for msg in removed}
    for kind in ("text", "reasoning"):
        for id_ in gone & w.items[kind].keys():
            w.items[kind][id_].gone = w.seq
    _open_and_absent(w, held_before, [*calls_before, *dropped])
    hazards_snapshot.compared(w, held_before, removed, brought, _rewritten(w, removed, brought))


def _check_parts(w: World, messages: list[Any]) -> None:
    """Parts that the agent sends; what the application has sent itself is the request's matter."""
    for message in messages:
        if message.id not in w.facts.asked_ids:
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


def _open_and_absent(w: World, messages: Iterable[str], calls: Iterable[str]) -> None:
    """MSG-03: an open item whose message the snapshot does not list; `messages` and `calls` were held before it."""
    for kind in ("text", "reasoning", "tool"):
        items, told = w.items[kind], w.facts.unlisted.pop(kind, {})
        held = w.held.calls if kind == "tool" else w.held.by_id
        absent = {id_ for id_ in chain(calls if kind == "tool" else messages, told) if id_ not in held}
        for item in sorted((items[id_] for id_ in absent if id_ in items), key=lambda item: item.ord):
            if item.state != "open" or item.opened is None:
                continue
            times = told.get(item.id, 0) + 1
            if times < MAX_UNLISTED:
                w.facts.unlisted[kind][item.id] = times
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
        found = None
        if old is not None and (old.role != raw["role"] or old.owner != owner):
            what = f"role from {quoted(old.role)} to {quoted(raw['role'])}" if old.role != raw["role"] else (
                f"owner from {who(old.owner)} to {who(owner)}")  # fmt: skip
            found = w.find("AGUI-MSG-08", f"the snapshot changes message {quoted(id_)}: {what}",
                   "A client adopts it silently.", reason="value-differs", lane=owner,
                   item=("text", id_),
                   cause=_untagged(w, old, owner) if old.role == raw["role"] else None)  # fmt: skip
        bucket = _bucket(raw)
        _given(w, (bucket, id_), owner, found)
        for kind in ("text", "reasoning", "span"):
            item = w.items[kind].get(id_)
            if item is not None and BUCKETS[kind] == bucket:
                item.owner = owner
        for call in raw.get("toolCalls") or ():
            _given(w, ("tool", call["id"]), owner, found)
            item = w.items["tool"].get(call["id"])
            if item is not None:
                item.owner = owner


def _untagged(w: World, msg: Msg, owner: str | None) -> str | None:
    """The finding that a client did not get the tag of what made this message."""
    ids = (msg.id, *(call.id for call in msg.calls or ()))
    return next((told for id_ in ids if (told := untagged.cause(w, id_, owner, ever=True)) is not None), None)


def _given(w: World, key: tuple[str, str], owner: str | None, found: Finding | None) -> None:
    """A snapshot records an owner; one that differs from before explains what fails by it."""
    before = w.owners.get(key, owner)
    if before != owner:
        w.facts.reowned[key] = (w.seq, before, found)
    w.owners[key] = owner


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
