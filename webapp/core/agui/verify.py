"""What each event does: one function an event type, found by its class.

Rules of this file: routing only. The order is the specification's: chunk streams end first, then the run is asked,
then the item. Functions return (item, change, delta) for the step.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import UNSET

from webapp.core.agui import (
    activity,
    chunks,
    closing,
    encrypted,
    ending,
    hazards,
    items,
    passthrough,
    request,
    results,
    runs,
    snapshots,
    state,
    subagents,
    suspended,
    versions,
)  # fmt: skip
from webapp.core.agui import events as e
from webapp.core.agui.assemble import close_item, grow_call, grow_message, open_item
from webapp.core.agui.pieces import CHUNKS, PIECES
from webapp.core.agui.tables import CLOSES
from webapp.core.agui.world import World
from webapp.core.kinds import Change, ItemKind
from webapp.core.records import Item

Changed = tuple[Item | None, Change | None, str | None]
NOTHING: Changed = (None, None, None)


def _started(w: World, ev: e.RunStarted) -> Changed:
    runs.started(w, ev)
    versions.declared(w, ev.protocolVersion)
    request.started(w, ev)
    hazards.boundary(w, ev.timestamp)
    return NOTHING


def _finished(w: World, ev: e.RunFinished) -> Changed:
    was_open = w.run_state in ("active", "assumed")
    runs.finished(w, ev)
    if was_open:
        ending.finished(w, ev)
        hazards.boundary(w, ev.timestamp)
    return NOTHING


def _failed(w: World, ev: e.RunError) -> Changed:
    runs.failed(w, ev)
    ending.failed(w, ev)
    return NOTHING


def _opener(kind: ItemKind, id_field: str) -> Callable[[World, Any], Changed]:
    has_parent = kind == "tool"

    def handle(w: World, ev: Any) -> Changed:
        parent = ev.parentMessageId if has_parent else UNSET
        item = items.start(w, kind, getattr(ev, id_field), ev.subagentRunId, parent)
        open_item(w, kind, ev, item)
        return item, "opened", None

    return handle


def _message_piece(kind: ItemKind) -> Callable[[World, Any], Changed]:
    def handle(w: World, ev: Any) -> Changed:
        item = items.content(w, kind, ev.messageId, ev.subagentRunId, ev.delta)
        grow_message(w, kind, ev)
        return item, "grew", ev.delta

    return handle


def _call_piece(w: World, ev: e.ToolCallArgs) -> Changed:
    item = items.content(w, "tool", ev.toolCallId, ev.subagentRunId, ev.delta)
    grow_call(w, ev)
    return item, "grew", ev.delta


def _closer(kind: ItemKind, id_field: str) -> Callable[[World, Any], Changed]:
    def handle(w: World, ev: Any) -> Changed:
        item = items.end(w, kind, getattr(ev, id_field), ev.subagentRunId)
        close_item(w, kind, ev)
        return item, "closed", None

    return handle


def _span_opener(w: World, ev: e.ReasoningStart) -> Changed:
    return items.start(w, "span", ev.messageId, ev.subagentRunId), "opened", None


def _span_closer(w: World, ev: e.ReasoningEnd) -> Changed:
    return items.end(w, "span", ev.messageId, ev.subagentRunId), "closed", None


def _result(w: World, ev: e.ToolCallResult) -> Changed:
    return results.tool_result(w, ev), "result", None


def _step_started(w: World, ev: e.StepStarted) -> Changed:
    return subagents.step_started(w, ev), "opened", None


def _step_finished(w: World, ev: e.StepFinished) -> Changed:
    return subagents.step_finished(w, ev), "closed", None


def _sub_started(w: World, ev: e.SubagentStarted) -> Changed:
    suspended.started(w, ev)
    return subagents.subagent_started(w, ev), "opened", None


def _sub_ended(w: World, ev: Any) -> Changed:
    suspended.ended(w, ev)
    return subagents.subagent_ended(w, ev), "closed", None


def _snapshot(w: World, ev: e.MessagesSnapshot) -> Changed:
    snapshots.messages_snapshot(w, ev)
    return NOTHING


def _state_snapshot(w: World, ev: e.StateSnapshot) -> Changed:
    state.state_snapshot(w, ev)
    return NOTHING


def _state_delta(w: World, ev: e.StateDelta) -> Changed:
    state.state_delta(w, ev)
    return NOTHING


def _activity_snapshot(w: World, ev: e.ActivitySnapshot) -> Changed:
    return activity.activity_snapshot(w, ev), "touched", None


def _activity_delta(w: World, ev: e.ActivityDelta) -> Changed:
    return activity.activity_delta(w, ev), "touched", None


def _chunk(w: World, ev: Any) -> Changed:
    return chunks.chunk(w, ev), None, None


def _encrypted(w: World, ev: e.ReasoningEncryptedValue) -> Changed:
    encrypted.stored(w, ev)
    return NOTHING


def _private(w: World, ev: e.Raw | e.Custom) -> Changed:
    passthrough.arrived(w, ev)
    return NOTHING


HANDLERS: dict[type[e.Event], Callable[[World, Any], Changed]] = {
    e.RunStarted: _started,
    e.RunFinished: _finished,
    e.RunError: _failed,
    e.StepStarted: _step_started,
    e.StepFinished: _step_finished,
    e.TextMessageStart: _opener("text", "messageId"),
    e.TextMessageContent: _message_piece("text"),
    e.TextMessageEnd: _closer("text", "messageId"),
    e.ToolCallStart: _opener("tool", "toolCallId"),
    e.ToolCallArgs: _call_piece,
    e.ToolCallEnd: _closer("tool", "toolCallId"),
    e.ToolCallResult: _result,
    e.ReasoningStart: _span_opener,
    e.ReasoningEnd: _span_closer,
    e.ReasoningMessageStart: _opener("reasoning", "messageId"),
    e.ReasoningMessageContent: _message_piece("reasoning"),
    e.ReasoningMessageEnd: _closer("reasoning", "messageId"),
    e.StateSnapshot: _state_snapshot,
    e.StateDelta: _state_delta,
    e.MessagesSnapshot: _snapshot,
    e.ActivitySnapshot: _activity_snapshot,
    e.ActivityDelta: _activity_delta,
    e.SubagentStarted: _sub_started,
    e.SubagentFinished: _sub_ended,
    e.SubagentError: _sub_ended,
    e.TextMessageChunk: _chunk,
    e.ToolCallChunk: _chunk,
    e.ReasoningMessageChunk: _chunk,
    e.ReasoningEncryptedValue: _encrypted,
    e.Raw: _private,
    e.Custom: _private,
}


class Route:
    """How one event class is judged. type: wire name; closes: see tables.CLOSES; boundary: a run-level event, which
    asks the run table itself; grow, expand: what `pieces.py` does with an explicit piece, with a chunk; plain: one of
    the two; tagged: may be attributed; laned: carries a subagentRunId at all; members: how many a payload has when it
    carries what is required and nothing else; optional: reads the members it may carry besides (UNSET where it does
    not); most: all members together
    """

    __slots__ = (
        "boundary", "chunk", "closes", "expand", "grow", "handle", "laned", "members", "most", "optional",
        "plain", "tagged", "type",
    )  # fmt: skip

    def __init__(self, name: str, cls: type[e.Event]) -> None:
        self.type = name
        self.handle = HANDLERS[cls]
        self.closes = CLOSES[name]
        self.chunk = self.closes == "chunk"
        self.boundary = name in ("RUN_STARTED", "RUN_FINISHED", "RUN_ERROR")
        self.grow = PIECES.get(cls)
        self.expand = CHUNKS.get(cls)
        self.plain = self.grow is not None or self.expand is not None
        self.tagged = issubclass(cls, e.Tagged)
        self.laned = self.tagged or name.startswith("SUBAGENT_")
        fields = msgspec.structs.fields(cls)
        self.members = 1 + sum(field.required for field in fields)
        self.optional = attrgetter(*(field.encode_name for field in fields if not field.required))
        self.most = 1 + len(fields)


ROUTES: dict[type[e.Event], Route] = {cls: Route(name, cls) for name, cls in e.EVENTS.items()}


def judge(w: World, route: Route, ev: Any) -> Changed:
    """One event through expansion, the run and its own handler. Returns what changed."""
    if w.streams and not route.chunk:
        _end_streams(w, route.closes, ev)
    if route.tagged and (tag := ev.subagentRunId) is not UNSET:
        if tag not in w.tags:
            w.tags[tag] = w.seq
        if not route.chunk:
            subagents.check_tag(w, tag)
    if route.chunk:
        return _judge_chunk(w, route, ev)
    if w.run_state == "active" or route.boundary:
        return route.handle(w, ev)
    runs.other(w)
    if w.run_state in ("closed", "failed"):
        return _muted(w, route, ev)
    return route.handle(w, ev)


def _end_streams(w: World, closes: str, ev: Any) -> None:
    """The closing table: whose chunk streams this event ends."""
    if closes in ("own", "sub"):
        chunks.close_own(w, ev.subagentRunId)
    elif closes == "all":
        chunks.close_all(w)


def _judge_chunk(w: World, route: Route, ev: Any) -> Changed:
    """Expansion runs before the run is asked: a chunk without its id is that fault, whatever the run's state."""
    if w.run_state in ("start", "closed", "failed") and not w.streams and _may_open(ev):
        runs.other(w)
        return route.handle(w, ev) if w.run_state == "assumed" else _muted(w, route, ev)
    before = len(w.synthesized)
    change = chunks.chunk(w, ev), None, None
    if ev.subagentRunId is not UNSET and w.taken_up != w.seq:
        subagents.check_tag(w, ev.subagentRunId)
    if w.run_state in ("active", "assumed"):
        return change
    if any(made.event is not None and made.change != "closed" for made in w.synthesized[before:]):
        runs.other(w)
    return change


def _may_open(ev: Any) -> bool:
    """Whether a first chunk carries what it needs."""
    if isinstance(ev, e.ToolCallChunk):
        return ev.toolCallId is not UNSET and ev.toolCallName is not UNSET
    return ev.messageId is not UNSET


def _muted(w: World, route: Route, ev: Any) -> Changed:
    """After a run's end an event is one fault already; what it does to its item is followed in silence."""
    w.ledger.muted = True
    try:
        change = route.handle(w, ev)
    finally:
        w.ledger.muted = False
    closing.late(w, change)
    return change
