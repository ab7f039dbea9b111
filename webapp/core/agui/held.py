"""What the application holds: messages, tool calls, reasoning, as the stream builds them.

Rules of this file: assembly only (section 5, points 1–6, 9–12 of the rules); it judges nothing. Deltas are
joined verbatim, in arrival order. Failure of a run never undoes what was delivered. No event but a snapshot and the
replacing of a message that stands twice goes through all that is held.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from webapp.core.agui.messages import Call, Msg, from_wire
from webapp.core.agui.order import Order
from webapp.core.agui.texts import Text


class Held:
    """The message list in order, with an index by message id and by call id."""

    def __init__(self) -> None:
        self._order = Order()
        self.by_id: dict[str, Msg] = {}
        self.calls: dict[str, Call] = {}
        self._twins: dict[str, deque[Call]] = {}  # later calls of an id that `calls` has
        self.dropped: list[str] = []  # calls that went with a replaced message, since the last snapshot

    def __iter__(self) -> Iterator[Msg]:
        return iter(self._order)

    def newest(self) -> Iterator[Msg]:
        """From the last message to the first."""
        return self._order.newest()

    def append(self, msg: Msg) -> None:
        self._order.append(msg)
        self._index(msg)

    def _index(self, msg: Msg) -> None:
        self.by_id.setdefault(msg.id, msg)  # of two with one id, a client finds the first
        for call in msg.calls or ():
            if self.calls.setdefault(call.id, call) is not call:
                self._twins.setdefault(call.id, deque()).append(call)

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
        if call is None:
            self.append(msg)
            return msg
        self._order.behind(call.message, msg)
        twin = self.by_id.setdefault(id_, msg)
        if twin is not msg and self._order.first(msg, twin):
            self.by_id[id_] = msg
        return msg

    def replace(self, old: Msg, new: Msg) -> None:
        """`new`, an activity, stands where `old` stood; calls that `old` held are gone."""
        if self._order.repeated:
            messages = list(self._order)
            messages[messages.index(old)] = new
            before = self.calls.keys()
            self._rebuild(messages)
            self.dropped += before - self.calls.keys()
            return
        self._order.replace(old, new)
        self.by_id[new.id] = new
        for call in old.calls or ():
            if self.calls.get(call.id) is call:
                later = self._twins.get(call.id)
                while later and later[0].message.group is None:  # replaced as well
                    later.popleft()
                if later:
                    self.calls[call.id] = later.popleft()
                else:
                    del self.calls[call.id]
                    self.dropped.append(call.id)

    def apart(self, msg: Msg) -> Msg:
        """The message to change alone: where one stands in several places, a copy takes the first of them."""
        if msg.places < 2:
            return msg
        copy = Msg(msg.id, msg.role, msg.owner, msg.content)
        copy.metadata, copy.extra = None if msg.metadata is None else dict(msg.metadata), dict(msg.extra)
        self._order.apart(msg, copy)
        self.by_id[msg.id] = copy
        return copy

    def _rebuild(self, messages: list[Msg]) -> None:
        self._order.rebuild(messages)
        self.by_id, self.calls, self._twins = {}, {}, {}
        for msg in messages:
            self._index(msg)

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
        for msg in self:
            if msg.id in copies:
                kept.append(copies[msg.id])
            elif msg.role in ("activity", "reasoning") and msg.role not in roles:
                kept.append(msg)
            else:
                removed.append(msg)
        self._rebuild([*kept, *brought])
        self.dropped = []
        return removed, brought

    def wire(self) -> list[dict[str, Any]]:
        return [msg.wire() for msg in self]
