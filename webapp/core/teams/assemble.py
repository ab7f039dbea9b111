"""The chat as the user sees it. Rules of this file: folding accepted texts; it judges nothing.

A message is `{"id", "role", "content"}`; the agent's streamed ones have `streamId`. An edit replaces the text, a
deletion takes a message away (not a bubble that is still being streamed); what was shown before a Stop, a refusal or
the time limit stays. Messages keep the order of their first appearance.
"""

from __future__ import annotations

from typing import Any

from webapp.core.teams.apply import Change
from webapp.core.teams.world import Call

MAX_MESSAGES = 5000  # the newest are kept


class Held:
    """Messages in order of their first appearance."""

    def __init__(self) -> None:
        self._messages: dict[int, dict[str, Any]] = {}
        self._ids: dict[tuple[str, str], int] = {}  # chat and activity id of a plain message -> its item
        self._keys: dict[int, tuple[str, str]] = {}

    def add(self, call: Call, change: Change) -> None:
        """What one call changed on the screen."""
        item, stream, ex = change.item, call.stream, call.ex
        if stream is not None:
            if item is None:
                return
            if ex.kind == "delete":
                if call.fine and stream.state == "done":
                    self._drop(item.ord)
            elif stream.text_call is call:
                message = {"id": item.id, "role": "assistant", "content": stream.text}
                if stream.id is not None:
                    message["streamId"] = stream.id
                self._put(item.ord, message)
        elif not call.fine:
            return
        elif ex.kind in ("edit", "delete"):
            self._change(call)
        elif item is not None:
            role = "user" if item.name == "user" else "assistant"
            self._put(item.ord, {"id": item.id, "role": role, "content": ex.text or ""})
            self._ids[call.chat.id, item.id] = item.ord
            self._keys[item.ord] = (call.chat.id, item.id)

    def messages(self) -> list[dict[str, Any]]:
        return [dict(message) for message in self._messages.values()]

    def _change(self, call: Call) -> None:
        """A plain message is edited or deleted."""
        ord_ = self._ids.get((call.chat.id, call.ex.target or ""))
        if ord_ is None:
            return
        if call.ex.kind == "delete":
            self._drop(ord_)
        elif call.ex.text is not None:
            self._messages[ord_]["content"] = call.ex.text

    def _put(self, ord_: int, message: dict[str, Any]) -> None:
        self._messages[ord_] = message
        if len(self._messages) > MAX_MESSAGES:
            self._drop(next(iter(self._messages)))

    def _drop(self, ord_: int) -> None:
        self._messages.pop(ord_, None)
        key = self._keys.pop(ord_, None)
        if key is not None and self._ids.get(key) == ord_:
            del self._ids[key]
