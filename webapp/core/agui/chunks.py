"""Chunk expansion: one open chunk stream a lane, derived START, CONTENT and END.

Rules of this file: which lane a chunk belongs to, which streams an event ends, and what is derived; opening and
closing themselves are `items.py`'s. Source: specification 3.5–3.7, basic/patterns/streaming.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple

from msgspec import UNSET

from webapp.core.agui import chunk_faults, items, untagged
from webapp.core.agui import events as e
from webapp.core.agui.assemble import grow_call, grow_message, open_item
from webapp.core.agui.streams import Stream
from webapp.core.agui.world import World, named, quoted, who
from webapp.core.findings import MAX_RELATED, Finding
from webapp.core.kinds import DerivedChange, ItemKind
from webapp.core.records import Emitted, Item
from webapp.core.words import MAX_LISTED


class Kind(NamedTuple):
    """What differs between the three chunk events."""

    kind: ItemKind
    id_field: str
    first_rule: str
    repeats: dict[str, str]  # established field -> rule of a conflicting repeat
    start: type[Any]
    content: Callable[[str, str, Any, Any], Any]  # id, delta, tag, the chunk -> the content event
    end: type[Any]


def _text(id_: str, delta: str, tag: Any, ev: Any) -> e.TextMessageContent:
    return e.TextMessageContent(
        messageId=id_, delta=delta, subagentRunId=tag, metadata=ev.metadata, rawEvent=ev.rawEvent
    )


def _reasoning(id_: str, delta: str, tag: Any, ev: Any) -> e.ReasoningMessageContent:
    return e.ReasoningMessageContent(
        messageId=id_, delta=delta, subagentRunId=tag, metadata=ev.metadata, rawEvent=ev.rawEvent
    )


def _arguments(id_: str, delta: str, tag: Any, ev: Any) -> e.ToolCallArgs:
    return e.ToolCallArgs(
        toolCallId=id_, delta=delta, subagentRunId=tag, metadata=ev.metadata, rawEvent=ev.rawEvent
    )


KINDS: dict[type[Any], Kind] = {
    e.TextMessageChunk: Kind(
        "text", "messageId", "AGUI-CHK-01", {"role": "AGUI-CHK-05", "name": "AGUI-CHK-06"},
        e.TextMessageStart, _text, e.TextMessageEnd,
    ),
    e.ReasoningMessageChunk: Kind(
        "reasoning", "messageId", "AGUI-CHK-02", {},
        e.ReasoningMessageStart, _reasoning, e.ReasoningMessageEnd,
    ),
    e.ToolCallChunk: Kind(
        "tool", "toolCallId", "AGUI-CHK-03", {"toolCallName": "AGUI-CHK-07", "parentMessageId": "AGUI-CHK-08"},
        e.ToolCallStart, _arguments, e.ToolCallEnd,
    ),
}  # fmt: skip
_END = {spec.kind: (spec.end, spec.id_field) for spec in KINDS.values()}


def close_own(w: World, tag: Any) -> None:
    """The stream in the lane of an event's raw tag ends."""
    lane = None if tag is UNSET else tag
    if lane in w.streams:
        _close(w, lane)


def close_all(w: World) -> None:
    """Every stream ends, in the order they were opened."""
    for lane in list(w.streams):
        _close(w, lane)


def chunk(w: World, ev: Any) -> Item | None:
    """One chunk: resolve its lane, end what it displaces, derive START and content. None = nothing happened."""
    spec = KINDS[type(ev)]
    id_, tag = getattr(ev, spec.id_field), ev.subagentRunId
    stream = w.streams.get(None if tag is UNSET else tag)
    if stream is None or stream.kind != spec.kind or (id_ is not UNSET and id_ != stream.id):
        # not plainly the next piece of the stream in its own lane
        lane = _resolve(w, spec, id_, tag)
        stream = w.streams.get(lane)
        if (
            stream is None
            or stream.kind != spec.kind
            or (id_ is not UNSET and id_ != stream.id and stream.named)
        ):
            stream = _open(w, spec, ev, id_, lane, stream)
    if not stream.named and id_ is not UNSET:
        if stream.finding is not None:
            w.early[spec.kind, id_] = stream.finding
        stream = _open(
            w, spec, ev, id_, stream.tag, stream
        )  # the id the first chunk lacked: a new item begins
    elif stream.opened != w.seq:
        if stream.finding is not None:
            w.ledger.again(stream.finding, w.seq)
        else:
            for name in spec.repeats:
                if getattr(ev, name) is not UNSET:
                    chunk_faults.check_repeat(w, spec.kind, name, spec.repeats[name], ev, stream)
    _content(w, spec, ev, stream)
    return stream.item


def _resolve(w: World, spec: Kind, id_: Any, tag: Any) -> str | None:
    """The lane a chunk belongs to; conflicts are findings and resolve to the likeliest lane."""
    if id_ is not UNSET:
        holder = w.streams.holder(spec.kind, id_)
        if holder is None:
            return None if tag is UNSET else str(tag)
        lane, stream = holder
        if tag is not UNSET and tag != lane:
            conflict = w.find(
                "AGUI-CHK-09",
                f"a chunk for {named(spec.kind, id_, stream.item)} is tagged as {who(tag)}, "
                f"but {who(lane)} is streaming it",
                f"#{stream.opened} opened it. A chunk stream stays with whoever opened it.",
                reason="owner-differs",
                lane=tag,
                item=(spec.kind, id_),
                related=((stream.opened, "opened"),),
                cause=untagged.cause(w, id_, tag),
            )
            if conflict is not None:
                w.facts.misled[tag, spec.kind] = conflict
        return lane
    if tag is not UNSET:
        return str(tag)
    parent = w.streams.get(None)
    if parent is not None and parent.kind == spec.kind:
        return None
    lanes = w.streams.of_kind(spec.kind)
    if len(lanes) == 1:
        return next(iter(lanes))
    if lanes and not w.unseen("AGUI-CHK-10"):
        first = list(islice(lanes.items(), MAX_RELATED))
        names = [f"{quoted(s.id)} of {who(lane)}" for lane, s in first[:MAX_LISTED]]
        names += [f"{len(lanes) - MAX_LISTED} more"] if len(lanes) > MAX_LISTED else []
        shown = " and ".join([", ".join(names[:-1]), names[-1]])
        finding = w.find(
            "AGUI-CHK-10",
            f"a chunk without id and tag could belong to any of {len(lanes)} open chunk streams",
            f"Open are {shown}. None is the parent agent’s, which would win. Tag every chunk, or name its id.",
            reason="ambiguous",
            item=(spec.kind, ""),
            related=[(s.opened, "opened") for _, s in first],
        )
        if parent is not None:
            _close(w, None)
        _phantom(w, spec, None, finding)
    return None


def _open(w: World, spec: Kind, ev: Any, id_: Any, lane: str | None, displaced: Stream | None) -> Stream:
    """A first chunk, judged after the stream it displaces has ended."""
    if displaced is not None:
        _close(w, lane)
    if id_ is UNSET:
        finding = chunk_faults.first_without(w, spec.kind, lane, spec.first_rule, spec.id_field, None)
        return _phantom(w, spec, lane, finding)
    before = None if displaced is None else displaced.finding
    if spec.kind == "tool" and ev.toolCallName is UNSET:
        chunk_faults.first_without(w, spec.kind, lane, "AGUI-CHK-04", "toolCallName", id_, before)
    elif (known := w.items[spec.kind].get(id_)) is not None and known.lane is not None:
        chunk_faults.after_owner(w, spec.kind, known, known.lane)
    members: dict[str, Any] = {spec.id_field: id_}
    established: dict[str, Any] = {}
    for name in spec.repeats:
        value = established[name] = getattr(ev, name)
        if value is not UNSET:
            members[name] = value
    if spec.kind == "reasoning":
        members["role"] = "reasoning"
    elif spec.kind == "tool":
        held = w.held.calls.get(id_)
        members.setdefault("toolCallName", "" if held is None else held.name)  # its lack has been found
    if ev.subagentRunId is not UNSET:
        members["subagentRunId"] = ev.subagentRunId
    if ev.metadata is not UNSET:
        members["metadata"] = ev.metadata
    opener = spec.start(**members)
    parent = established.get("parentMessageId", UNSET)
    item = items.start(w, spec.kind, id_, ev.subagentRunId, parent, chunk=True)
    open_item(w, spec.kind, opener, item)
    if spec.kind == "text" and opener.role is UNSET:
        opener.role = "assistant"  # a client writes the default out
    _emit(w, opener, item, "opened")
    stream = Stream(spec.kind, id_, item, lane, w.seq, established)
    w.streams.begin(lane, stream)
    return stream


def _content(w: World, spec: Kind, ev: Any, stream: Stream) -> None:
    """The content event of a chunk; a continuation that carries nothing derives nothing (CHK-17)."""
    delta = ev.delta
    bare = delta is UNSET and ev.rawEvent is UNSET
    opening = stream.opened == w.seq
    if bare and (ev.metadata is UNSET or opening):
        if not opening:
            w.find("AGUI-CHK-17", f"a chunk for {named(spec.kind, stream.id, stream.item)} carries nothing",
                   lane=stream.tag, item=(spec.kind, stream.id))  # fmt: skip
        stream.item.last = w.seq
        return
    text = "" if delta is UNSET else delta
    if not stream.named:  # nothing can be derived for an item without an id; the text is counted all the same
        stream.item.count += 1
        stream.item.chars += len(text)
        stream.item.last = w.seq
        _emit(w, None, stream.item, "grew", text)
        return
    tag: Any = ev.subagentRunId
    if tag is UNSET and stream.tag is not None:
        tag = stream.tag
    piece = spec.content(stream.id, text, tag, ev)
    item = stream.item
    if (
        stream.tag is None and item.state == "open"
    ):  # plainly legal: the cell, and an untagged piece always agrees
        item.last = w.seq
        item.count += 1
        item.chars += len(text)
    else:  # a tag that is not the stream's has been found already (CHK-09)
        items.content(w, spec.kind, stream.id, UNSET if stream.tag is None else stream.tag, text)
    if spec.kind == "tool":
        grow_call(w, piece)
    else:
        grow_message(w, spec.kind, piece)
    w.synthesized.append(Emitted(w.seq, len(w.synthesized), piece, item, "grew", text))


def _close(w: World, lane: str | None) -> None:
    stream = w.streams.finish(lane)
    _note_end(w, stream)
    w.ended_streams.pop((lane, stream.kind), None)  # the newest stands last
    w.ended_streams[lane, stream.kind] = (stream.item, w.seq, w.type)
    if not stream.named:
        if stream.item.state == "phantom":  # else another lane has opened the item since
            w.close(stream.item, by=w.seq)
        return
    end, id_field = _END[stream.kind]
    members: dict[str, Any] = {id_field: stream.id}
    if stream.tag is not None:
        members["subagentRunId"] = stream.tag
    items.end(w, stream.kind, stream.id, members.get("subagentRunId", UNSET), by=w.seq)
    _emit(w, end(**members), stream.item, "closed")


def _note_end(w: World, stream: Stream) -> None:
    """Where the stream began and what ends it; the stay of a nameless one counts to the stream before it."""
    key = (stream.kind, stream.id)
    began = stream.opened
    if not stream.named and key in w.facts.chunked:
        began = w.facts.chunked[key][0]
    w.facts.chunked[key] = (began, w.type)


def _emit(w: World, event: Any, item: Item, change: DerivedChange, delta: str | None = None) -> None:
    w.synthesized.append(Emitted(w.seq, len(w.synthesized), event, item, change, delta))


def _phantom(w: World, spec: Kind, lane: str | None, finding: Finding | None) -> Stream:
    """A first chunk without the id it needs: the lane goes on under a nameless stream, so that it is one finding."""
    ended = w.ended_streams.get((lane, spec.kind))
    if ended is not None and ended[0].kind == spec.kind:
        item = ended[0]
        item.state = "phantom"
        item.last = w.seq
    else:
        item = w.open(spec.kind, ("nameless", w.seq), "", lane, "phantom", via="chunk")
    stream = Stream(spec.kind, item.id, item, lane, w.seq, {})
    stream.named, stream.finding = False, finding
    w.streams.begin(lane, stream)
    return stream
