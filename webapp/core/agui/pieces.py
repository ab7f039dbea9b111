"""The next piece of an item where nothing is out of the ordinary: nine events in ten, and nearly every chunk.

Rules of this file: all or nothing. A function here does what `verify.judge` would do with the event in an active run,
or it changes nothing and returns None, and then `judge` does it. It finds nothing: what could be a finding is left to
`judge`. A piece returns its item, a chunk the event derived from it. `World.growing` remembers what the last one went
to, so that the next one there asks nothing twice; whatever takes another way than through here forgets it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from webapp.core.agui import events as e
from webapp.core.agui.streams import Stream
from webapp.core.agui.texts import BLOCK, Text
from webapp.core.agui.world import BUCKETS, World
from webapp.core.records import Emitted, Item

Piece = Callable[[World, Any], Item | None]
Chunk = Callable[[World, Any], Emitted | None]


def _message_piece(kind: str) -> Piece:
    def grow(w: World, ev: Any) -> Item | None:
        id_ = ev.messageId
        if ev.subagentRunId is not UNSET or ev.metadata is not UNSET:
            return None
        last = w.growing
        if last is not None and last[0] == kind and last[1] == id_:
            _, _, item, text = last
        else:
            msg = w.held.by_id.get(id_)
            if msg is None or msg.content.__class__ is not Text:
                return None
            text = msg.content
            opened = _open(w, kind, id_, text)
            if opened is None:
                return None
            item = opened
        delta = ev.delta
        item.last = w.seq
        item.count += 1
        item.chars += len(delta)
        pieces = text.pieces  # `Text.add`, without the call
        pieces.append(delta)
        if len(pieces) >= BLOCK:
            text.fold()
        return item

    return grow


def _call_piece(w: World, ev: e.ToolCallArgs) -> Item | None:
    id_ = ev.toolCallId
    if ev.subagentRunId is not UNSET or ev.metadata is not UNSET:
        return None
    last = w.growing
    if last is not None and last[0] == "tool" and last[1] == id_:
        _, _, item, text = last
    else:
        call = w.held.calls.get(id_)
        opened = None if call is None else _open(w, "tool", id_, call.arguments)
        if call is None or opened is None:
            return None
        item, text = opened, call.arguments
    delta = ev.delta
    item.last = w.seq
    item.count += 1
    item.chars += len(delta)
    text.add(delta)
    return item


def _open(w: World, kind: str, id_: str, text: Text) -> Item | None:
    """The open item, unless the piece would end a chunk stream; what follows it need not ask again."""
    item = w.items[kind].get(id_)
    if item is None or item.state != "open" or None in w.streams:
        return None
    w.growing = (kind, id_, item, text)
    return item


def _message_chunk(kind: str, content: type[Any]) -> Chunk:
    chunks = f"{kind} chunks"

    def grow(w: World, ev: Any) -> Emitted | None:
        id_, tag, delta = ev.messageId, ev.subagentRunId, ev.delta
        if delta is UNSET or ev.metadata is not UNSET or ev.rawEvent is not UNSET:
            return None
        if kind == "text" and (ev.role is not UNSET or ev.name is not UNSET):
            return None
        last = w.growing
        if last is not None and last[0] == chunks and last[1] == tag and (id_ is UNSET or id_ == last[2].id):
            _, _, item, text = last
        else:
            stream = _stream(w, kind, id_, tag)
            msg = None if stream is None else w.held.by_id.get(stream.id)
            if stream is None or msg is None or msg.content.__class__ is not Text:
                return None
            item, text = stream.item, msg.content
            w.growing = (chunks, tag, item, text)
        return _grown(w, item, text, content(messageId=item.id, delta=delta, subagentRunId=tag))

    return grow


def _call_chunk(w: World, ev: e.ToolCallChunk) -> Emitted | None:
    id_, tag, delta = ev.toolCallId, ev.subagentRunId, ev.delta
    if delta is UNSET or ev.metadata is not UNSET or ev.rawEvent is not UNSET:
        return None
    if ev.toolCallName is not UNSET or ev.parentMessageId is not UNSET:
        return None
    last = w.growing
    if (
        last is not None
        and last[0] == "tool chunks"
        and last[1] == tag
        and (id_ is UNSET or id_ == last[2].id)
    ):
        _, _, item, text = last
    else:
        stream = _stream(w, "tool", id_, tag)
        call = None if stream is None else w.held.calls.get(stream.id)
        if stream is None or call is None:
            return None
        item, text = stream.item, call.arguments
        w.growing = ("tool chunks", tag, item, text)
    return _grown(w, item, text, e.ToolCallArgs(toolCallId=item.id, delta=delta, subagentRunId=tag))


def _stream(w: World, kind: str, id_: Any, tag: Any) -> Stream | None:
    """The stream in the chunk's own lane that it plainly goes on with; its item is open, and the tag its owner's."""
    stream = w.streams.get(None if tag is UNSET else tag)
    if stream is None or stream.kind != kind or not stream.named or (id_ is not UNSET and id_ != stream.id):
        return None
    item = stream.item
    if item.state != "open":
        return None
    if tag is not UNSET:
        agent = w.items["subagent"].get(tag)
        if (
            tag not in w.tags
            or (agent is not None and agent.state == "closed")
            or w.owners.get((BUCKETS[kind], stream.id), item.owner) != tag
        ):
            return None
        item.owner = tag
    return stream


def _grown(w: World, item: Item, text: Text, piece: Any) -> Emitted:
    seq, delta = w.seq, piece.delta
    item.last = seq
    item.count += 1
    item.chars += len(delta)
    text.add(delta)
    return Emitted(seq, 0, piece, item, "grew", delta)


PIECES: dict[type[e.Event], Piece] = {
    e.TextMessageContent: _message_piece("text"),
    e.ReasoningMessageContent: _message_piece("reasoning"),
    e.ToolCallArgs: _call_piece,
}
CHUNKS: dict[type[e.Event], Chunk] = {
    e.TextMessageChunk: _message_chunk("text", e.TextMessageContent),
    e.ReasoningMessageChunk: _message_chunk("reasoning", e.ReasoningMessageContent),
    e.ToolCallChunk: _call_chunk,
}
