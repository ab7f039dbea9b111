"""A held message and the tool calls in it.

Rules of this file: one message at a time; the list they stand in is `held.py`'s, their order `order.py`'s. What a
message gives away (`wire`) never changes afterwards.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from webapp.core.agui.texts import Text


class Group:
    """A message and the tool messages that follow it. number: tells which of two groups stands first."""

    __slots__ = ("members", "number")

    def __init__(self, members: list[Msg], number: int) -> None:
        self.members, self.number = members, number


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
            out["metadata"] = dict(self.metadata)  # which may grow
        return out


class Msg(msgspec.Struct, eq=False):
    """A held message. content: Text, a value as sent (parts, activity object), or None.

    extra: name, toolCallId, error, activityType, encryptedValue …
    group, places: where it stands first in the list that holds it, and how often (`order.py`)
    """

    id: str
    role: str
    owner: str | None
    content: Any = None
    calls: list[Call] | None = None
    metadata: dict[str, Any] | None = None
    extra: dict[str, Any] = msgspec.field(default_factory=dict)
    group: Group | None = None
    places: int = 0

    def grow(self, piece: str) -> None:
        if not isinstance(self.content, Text):
            self.content = Text(self.content if isinstance(self.content, str) else "")
        self.content.add(piece)

    def text(self) -> str:
        """The content as text; empty when it is not text."""
        if isinstance(self.content, Text):
            return self.content.whole()
        return self.content if isinstance(self.content, str) else ""

    def size(self) -> int:
        """The number of characters of `text`, without joining them."""
        return self.content.size() if isinstance(self.content, Text) else len(self.text())

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
            out["metadata"] = dict(self.metadata)  # which may grow
        return out


class _Grown(dict[str, Any]):
    """Metadata that several events have brought: it belongs to one message or call, so it is changed in place."""


def merged(held: dict[str, Any] | None, new: Any) -> dict[str, Any] | None:
    """Per key, last write wins, no recursion; a null value is stored."""
    if new is UNSET or not isinstance(new, dict):
        return held
    if not isinstance(held, _Grown):
        held = _Grown(held or {})
    held.update(new)
    return held


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
    calls: list[Call] = []
    for call in raw.get("toolCalls") or ():
        entry = Call(call["id"], call["function"]["name"], msg, call["function"]["arguments"])
        entry.metadata = call.get("metadata")
        entry.extra = {k: call[k] for k in ("encryptedValue", "encryptedValueType") if k in call}
        calls.append(entry)
    msg.calls = calls or None
    return msg
