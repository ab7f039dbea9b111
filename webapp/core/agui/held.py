"""What the application holds: messages, tool calls, reasoning, as the stream builds them.

Rules of this file: assembly only (section 5, points 1–6, 9–12 of the rules); it judges nothing. Deltas are
joined verbatim, in arrival order. Failure of a run never undoes what was delivered.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

BLOCK = 256  # deltas kept apart before they are joined; bounds both memory and copying


def _paired(text: str) -> str:
    """The text with surrogate pairs that were split across deltas joined; single ones stay."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return text


class Text(msgspec.Struct, gc=False, eq=False):
    """A growing string. pieces: its newest deltas, not joined yet; `blocks` and `start` stand before them.

    No work for the collector, since it holds text alone.
    """

    start: str = ""
    pieces: list[str] = msgspec.field(default_factory=list)
    blocks: list[str] | None = None

    def add(self, piece: str) -> None:
        pieces = self.pieces
        pieces.append(piece)
        if len(pieces) >= BLOCK:
            self.fold()

    def fold(self) -> None:
        """The pieces become a block; due when there are BLOCK of them."""
        if self.blocks is None:
            self.blocks = []
        self.blocks.append("".join(self.pieces))
        self.pieces.clear()

    def whole(self) -> str:
        joined = _paired("".join([self.start, *(self.blocks or ()), *self.pieces]))
        self.start, self.blocks = joined, None
        self.pieces.clear()
        return joined


class Call:
    """A tool call inside an assistant message."""

    __slots__ = ("arguments", "extra", "id", "message", "metadata", "name")

    def __init__(self, id_: str, name: str, message: Msg, arguments: str = "") -> None:
        self.id, self.name, self.message = id_, name, message
        self.arguments = Text(arguments)
        self.metadata: dict[str, Any] | None = None
        self.extra: dict[str, Any] = {}  # encryptedValue, encryptedValueType

    def wire(self) -> dict[str, Any]:
        out: dict[str, Any] = {
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": self.arguments.whole()},
            **self.extra,
        }
        if self.metadata is not None:
            out["metadata"] = self.metadata
        return out


class Msg(msgspec.Struct, eq=False):
    """A held message. content: Text, a value as sent (parts, activity object), or None.

    extra: name, toolCallId, error, activityType, encryptedValue …
    """

    id: str
    role: str
    owner: str | None
    content: Any = None
    calls: list[Call] | None = None
    metadata: dict[str, Any] | None = None
    extra: dict[str, Any] = msgspec.field(default_factory=dict)

    def grow(self, piece: str) -> None:
        if not isinstance(self.content, Text):
            self.content = Text(self.content if isinstance(self.content, str) else "")
        self.content.add(piece)

    def text(self) -> str:
        """The content as text; empty when it is not text."""
        if isinstance(self.content, Text):
            return self.content.whole()
        return self.content if isinstance(self.content, str) else ""

    def merge(self, metadata: Any) -> None:
        self.metadata = merged(self.metadata, metadata)

    def wire(self) -> dict[str, Any]:
        out: dict[str, Any] = {"id": self.id, "role": self.role}
        if self.content is not None:
            out["content"] = self.content.whole() if isinstance(self.content, Text) else self.content
        out.update(self.extra)
        if self.calls:
            out["toolCalls"] = [call.wire() for call in self.calls]
        if self.owner is not None:
            out["subagentRunId"] = self.owner
        if self.metadata is not None:
            out["metadata"] = self.metadata
        return out


def merged(held: dict[str, Any] | None, new: Any) -> dict[str, Any] | None:
    """Per key, last write wins, no recursion; a null value is stored."""
    if new is UNSET or not isinstance(new, dict):
        return held
    return {**(held or {}), **new}


def from_wire(raw: dict[str, Any]) -> Msg:
    """A message of a snapshot or a run input (already enforced) as a held one."""
    content = raw.get("content")
    msg = Msg(
        raw["id"],
        raw["role"],
        raw.get("subagentRunId"),
        Text(content) if isinstance(content, str) else content,
    )
    msg.metadata = raw.get("metadata")
    known = ("id", "role", "content", "subagentRunId", "metadata", "toolCalls")
    msg.extra = {key: value for key, value in raw.items() if key not in known}
    for call in raw.get("toolCalls") or ():
        entry = Call(call["id"], call["function"]["name"], msg, call["function"]["arguments"])
        entry.metadata = call.get("metadata")
        entry.extra = {k: call[k] for k in ("encryptedValue", "encryptedValueType") if k in call}
        msg.calls = [*(msg.calls or ()), entry]
    return msg


class Held:
    """The message list in order, with an index by message id and by call id."""

    def __init__(self) -> None:
        self.list: list[Msg] = []
        self.by_id: dict[str, Msg] = {}
        self.calls: dict[str, Call] = {}
        self._repeated = False  # a message stands in the list twice

    def append(self, msg: Msg, at: int | None = None) -> None:
        if at is None:
            self.list.append(msg)
        else:
            self.list.insert(at, msg)
            twin = self.by_id.get(msg.id)
            later = twin is not None and any(twin is held for held in self.list[at + 1 :])
            if later and not (self._repeated and any(twin is held for held in self.list[:at])):
                self.by_id[msg.id] = msg  # of two with one id, a client finds the first
        self.by_id.setdefault(msg.id, msg)
        for call in msg.calls or ():
            self.calls.setdefault(call.id, call)

    def seed(self, messages: list[dict[str, Any]]) -> None:
        """Messages of a run input: unseen ids are appended, held ones stay."""
        for raw in messages:
            if raw["id"] not in self.by_id:
                self.append(from_wire(raw))

    def open_message(self, id_: str, role: str, owner: str | None, name: Any = UNSET) -> Msg:
        msg = self.by_id.get(id_)
        if msg is None:
            msg = Msg(id_, role, owner, Text())
            if name is not UNSET:
                msg.extra["name"] = name
            self.append(msg)
        return msg

    def open_call(self, id_: str, name: str, parent: Any, owner: str | None) -> Call:
        call = self.calls.get(id_)
        if call is not None:
            call.name = name
            return call
        parent = None if parent is UNSET or parent == "" else parent
        home = None if parent is None else self.by_id.get(parent)
        if home is None or home.role != "assistant":
            new_id = id_ if parent is None or home is not None else parent
            home = Msg(new_id, "assistant", None if new_id in self.by_id else owner)
            self.append(home)
        call = self.calls[id_] = Call(id_, name, home)
        if home.calls is None:
            home.calls = []
        home.calls.append(call)
        return call

    def result(self, id_: str, call_id: str, content: Any, owner: str | None, metadata: Any) -> Msg:
        msg = Msg(id_, "tool", owner, content)
        msg.extra["toolCallId"] = call_id
        msg.merge(metadata)
        call = self.calls.get(call_id)
        self.append(msg, self._after(call.message) if call is not None else None)
        return msg

    def replace(self, old: Msg, new: Msg) -> None:
        """`new` stands where `old` stood; calls that `old` held are gone."""
        messages = list(self.list)
        messages[messages.index(old)] = new
        self.list, self.by_id, self.calls = [], {}, {}
        for msg in messages:
            self.append(msg)

    def apart(self, msg: Msg) -> Msg:
        """The message to change alone: where one stands in several places, a copy takes the first of them."""
        places = [at for at, held in enumerate(self.list) if held is msg] if self._repeated else []
        if len(places) < 2:
            return msg
        copy = Msg(msg.id, msg.role, msg.owner, msg.content)
        copy.metadata, copy.extra = msg.metadata, dict(msg.extra)
        self.list[places[0]] = self.by_id[msg.id] = copy
        return copy

    def _after(self, home: Msg) -> int | None:
        """Behind the assistant message and the tool messages that already follow it; None = at the end."""
        position = len(self.list) - 1
        while position >= 0 and self.list[position] is not home:
            position -= 1
        if position < 0:
            return None
        if self._repeated:
            position = self.list.index(home)
        position += 1
        while position < len(self.list) and self.list[position].role == "tool":
            position += 1
        return position

    def reconcile(self, snapshot: list[dict[str, Any]]) -> tuple[list[Msg], list[Msg]]:
        """MESSAGES_SNAPSHOT; returns the messages it removed and those it brought."""
        copies: dict[str, Msg] = {}
        brought: list[Msg] = []
        roles = {raw["role"] for raw in snapshot}
        for raw in snapshot:
            msg = from_wire(raw)
            if msg.id in self.by_id:
                copies[msg.id] = msg
            else:
                brought.append(msg)
        kept, removed = [], []
        for msg in self.list:
            if msg.id in copies:
                kept.append(copies[msg.id])
            elif msg.role in ("activity", "reasoning") and msg.role not in roles:
                kept.append(msg)
            else:
                removed.append(msg)
        self._repeated = len({msg.id for msg in kept}) != len(kept)
        self.list, self.by_id, self.calls = [], {}, {}
        for msg in (*kept, *brought):
            self.append(msg)
        return removed, brought

    def wire(self) -> list[dict[str, Any]]:
        return [msg.wire() for msg in self.list]
