"""Tool calls of a conversation: arguments as far as they came, the result, and what never reached the user.

Rules of this file: one call at a time; where it stands in the list is `views/conversation_entries.py`.
"""

from __future__ import annotations

from typing import Any

from webapp.storage.models import ItemRow
from webapp.storage.storable import storable
from webapp.views import bodies, names
from webapp.views.content import showable
from webapp.views.conversation_items import life
from webapp.views.conversation_model import Call, Lost
from webapp.views.conversation_texts import Texts
from webapp.views.conversation_whole import Slot
from webapp.views.page import PageContext


class Calls:
    """Makes the calls of one window and keeps them by id, for their results. streamed: items of calls by id."""

    def __init__(
        self, texts: Texts, page: PageContext, upto: int, stop: int | None, anchor: Slot | None
    ) -> None:
        self.texts, self.page, self.upto, self.stop, self.anchor = texts, page, upto, stop, anchor
        self.calls: dict[str, Call] = {}
        self.streamed: dict[str, ItemRow] = {}

    def lost(self, item: ItemRow, gone: bool, code: bool = False) -> Lost | None:
        total = self.texts.totals.get((item.ord, False))
        if total is None:
            return None
        size = names.plural(total.chars, "character")
        if gone and self.stop is None:
            ended = item.closed is not None and (item.gone or 0) < item.closed <= self.upto
            more = names.plural(total.count + ended, "event")
            words = f"{more} came for it after that and had no target: {size}."
        else:
            where = f"#{total.first}" if total.count == 1 else f"#{total.first} to #{total.last}"
            pieces = names.plural(total.count, "piece")
            words = f"Sent, never reached the user: {pieces}, {size}, {where}."
        return Lost(words, self.texts.text(item, False, code=code))

    def call(self, item: ItemRow, sent: str = "") -> Call:
        """sent: arguments that a snapshot had set already."""
        told = life(item, self.upto, self.stop, self.page)
        call = self.calls[item.id] = Call(
            dom=f"call-{item.ord}",
            name=showable(names.clip(item.name or "a call without a name", 80)),
            id=showable(names.short_id(item.id, 24)),
            args=None if told.unseen else self.texts.text(item, True, code=True, before=sent),
            state="" if told.cls == "done" else told.words,
            state_cls=told.cls,
            first=item.first,
            last=self.texts.last(item) if item.closed is None or item.closed > self.upto else item.closed,
            lost=self.lost(item, False, code=True),
            current=item is self.anchor,
        )
        at = item.result
        if at is not None and at <= self.upto:
            call.at, call.result = at, self.texts.result(at)
            if self.stop is not None and at >= self.stop:
                call.result_words = "sent, never reached the user"
        elif told.cls == "done" and self.stop is not None:
            call.result_words = "no result had come when the client stopped"
        elif told.cls == "done":
            call.result_words = "waiting for its result" if self.upto < self.page.last else "no result came"
        return call

    def whole(self, sent: dict[str, Any], source: int | None) -> Call:
        """A call inside a message that came whole. source: record that brought it."""
        function = sent.get("function")
        told: dict[str, Any] = function if isinstance(function, dict) else {}
        args = told.get("arguments")
        item = self.streamed.get(sent["id"])
        text = args if isinstance(args, str) else ""
        if item is not None:
            call = self.call(item, text)
        else:
            name = told.get("name")
            call = Call(
                dom=f"whole-call-{len(self.calls)}",
                name=showable(names.clip(name, 80)) if isinstance(name, str) else "a call without a name",
                id=showable(names.short_id(sent["id"], 24)),
                args=bodies.code(text) if text else None,
                first=source,
            )
        self.calls[sent["id"]] = call
        return call


def tool_calls(message: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The calls of a whole message that have an id, which is made as the database has it."""
    given = (message or {}).get("toolCalls")
    found = given if isinstance(given, list) else []
    calls = [call for call in found if isinstance(call, dict) and isinstance(call.get("id"), str)]
    return [{**call, "id": storable(call["id"])} for call in calls]
