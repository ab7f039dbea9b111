"""Records at level `personal`: all stays but what looks like personal data or a secret.

Rules of this file: which member is what, in either protocol; the forms are in `texts`, the telling names in `telling`,
what comes in pieces is put together in `pieces`. Lengths stay, except where a member is marked whole.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from webapp.core.teams.exchanges import read as read_exchange
from webapp.redact.agui import IDS
from webapp.redact.base import Redactor
from webapp.redact.markers import marker
from webapp.redact.numbers import is_card
from webapp.redact.pieces import Growing, Pieces
from webapp.redact.quotations import Changed, Quotations
from webapp.redact.telling import is_telling, name_of_value
from webapp.redact.texts import overwritten, places
from webapp.redact.values import read, read_text, write

SHORT = 200  # characters of a text that is remembered when nothing is in it
MAX_SEEN = 50_000
_IDS = IDS | {"replyToId", "streamId", "tenantId", "channelId", "type", "timestamp", "localTimestamp"}
_NAMED = frozenset(
    {"from", "recipient", "mentioned", "membersAdded", "membersRemoved", "conversation"}
)  # whose `name` is a person's; a chat of two is called after one of them
# event type -> kind of item, the member that names it; True: a chunk, which may leave the name out
_PIECES = {
    "TEXT_MESSAGE_CONTENT": ("text", "messageId", False),
    "TEXT_MESSAGE_CHUNK": ("text", "messageId", True),
    "REASONING_MESSAGE_CONTENT": ("reasoning", "messageId", False),
    "REASONING_MESSAGE_CHUNK": ("reasoning", "messageId", True),
    "THINKING_TEXT_MESSAGE_CONTENT": ("reasoning", "messageId", True),
    "TOOL_CALL_ARGS": ("tool", "toolCallId", False),
    "TOOL_CALL_CHUNK": ("tool", "toolCallId", True),
}
_STARTS = {
    "TEXT_MESSAGE_START": ("text", "messageId"),
    "REASONING_MESSAGE_START": ("reasoning", "messageId"),
    "TOOL_CALL_START": ("tool", "toolCallId"),
}


class _Personal(Redactor):
    looks = True

    def __init__(self) -> None:
        super().__init__()
        self._clean: set[str] = set()
        self._quotations = Quotations(self, self.pieces_made)

    def value(self, value: object) -> object:
        return self.walk(value, "")

    def words(self, sentence: str) -> str:
        return self._quotations.words(sentence)

    def pieces_made(self) -> Changed:
        """Texts that came in pieces, in which something was overwritten: before, after."""
        return []

    def too_deep(self, payload: bytes) -> dict[str, Any]:
        """In place of a record that nests too deeply to be gone through."""
        self.removed["texts"] += 1
        return {"redacted": marker(len(payload.decode("utf-8", "replace")))}

    # ── any value ────────────────────────────────────────────

    def walk(self, value: Any, key: str) -> Any:
        """The value with its texts overwritten; what stands under a telling name is marked whole."""
        if isinstance(value, str):
            return self.clean(value, is_id=key in _IDS)
        if isinstance(value, dict):
            named = key in _NAMED or (isinstance(value.get("role"), str) and "content" in value)
            return self._object(value, named)
        if isinstance(value, list):
            return [self.walk(one, key) for one in value]
        if isinstance(value, int) and value > 10**12 and str(value)[0] in "23456" and is_card(str(value)):
            return self.hidden(value, "payment cards")
        return value

    def _object(self, value: dict[str, Any], named: bool) -> dict[str, Any]:
        """Names that overwriting makes equal stay two members."""
        out: dict[str, Any] = {}
        for name, one in value.items():
            said = self.clean(name)
            out[said if said not in out else f"{said} {len(out)}"] = (
                self._valued(value, one) if name == "value" else self._member(name, one, named)
            )
        return out

    def _valued(self, holder: dict[str, Any], value: Any) -> Any:
        """What an operation of a patch sets is taken out as it would be where it is set."""
        name, telling = name_of_value(holder)
        return self._personal(value) if telling else self.walk(value, name)

    def _member(self, name: str, value: Any, named: bool) -> Any:
        if (named and name == "name") or is_telling(name):
            return self._personal(value)
        return self.walk(value, name)

    def _personal(self, value: Any) -> Any:
        if isinstance(value, bool):
            return value
        self._quotations.hidden(value)
        return self.hidden(value, "personal members")

    def clean(self, text: str, *, is_id: bool = False) -> str:
        if is_id:
            return self.kept_id(text)
        if text in self._clean:
            return text
        found = places(text)
        if found:
            after = overwritten(text, found, self.removed)
            self._quotations.overwritten(text, after)
            return after
        if len(text) <= SHORT:
            if len(self._clean) >= MAX_SEEN:
                self._clean.clear()
            self._clean.add(text)
        return text


class _Lanes:
    """Which item a delta belongs to, in the order of the records."""

    def __init__(self) -> None:
        self._last: dict[Hashable, str] = {}
        self._begun: dict[tuple[str, str], int] = {}

    def key(self, event: dict[str, Any]) -> Hashable | None:
        """The text that the event's delta goes on with; None when it has none."""
        kind = event.get("type")
        if not isinstance(kind, str):
            return None
        if kind in _STARTS:
            of, name = _STARTS[kind]
            id_ = event.get(name)
            if isinstance(id_, str):
                self._begun[of, id_] = self._begun.get((of, id_), 0) + 1
            return None
        row = _PIECES.get(kind)
        if row is None or not isinstance(event.get("delta"), str) or not event["delta"]:
            return None
        of, name, chunk = row
        tag = event.get("subagentRunId")
        lane = (of, tag if isinstance(tag, str) else None)
        id_ = event.get(name)
        if not isinstance(id_, str):
            id_ = self._last.get(lane, self._last.get(of, "")) if chunk else ""
        if chunk:
            self._last[lane] = self._last[of] = id_
        return (of, id_, self._begun.get((of, id_), 0))


class AguiPersonal(_Personal):
    """AG-UI at level `personal`."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces = Pieces(self.removed)
        self._looking, self._going = _Lanes(), _Lanes()

    def look(self, payload: bytes) -> None:
        event = read(payload)
        if event is not None and (key := self._looking.key(event)) is not None:
            self._pieces.add(key, event["delta"])

    def record(self, payload: bytes) -> bytes | None:
        event = read(payload)
        if event is None:
            return None
        key = self._going.key(event)
        delta: str = "" if key is None else event["delta"]
        made = self._made(event | {"delta": ""} if key is not None else event)
        if key is not None and made is not None:
            taken = self._pieces.take(key, delta)
            made["delta"] = self.text(delta, "texts") if taken is None else taken
        return write(self.too_deep(payload) if made is None else made)

    def _made(self, event: dict[str, Any]) -> dict[str, Any] | None:
        try:
            return self._object(event, event.get("type") in ("TEXT_MESSAGE_START", "TEXT_MESSAGE_CHUNK"))
        except RecursionError:
            return None

    def pieces_made(self) -> Changed:
        return self._pieces.made


class TeamsPersonal(_Personal):
    """Microsoft Teams at level `personal`."""

    def __init__(self) -> None:
        super().__init__()
        self._growing = Growing(self.removed)

    def look(self, payload: bytes) -> None:
        value = read(payload)
        if value is not None and (text := _body(value)[0].get("text")) and isinstance(text, str):
            self._growing.add(_chat_of(payload), text)

    def record(self, payload: bytes) -> bytes | None:
        value = read(payload)
        if value is None:
            return None
        body, place = _body(value)
        text = body.get("text")
        taken = None
        if text and isinstance(text, str):
            taken = self._growing.take(_chat_of(payload), text)
            taken = self.text(text, "texts") if taken is None else taken
            body = body | {"text": ""}
        try:
            made = self.walk(body if place == "own" else value | {"request": body}, "")
        except RecursionError:
            return write(self.too_deep(payload))
        inner = made if place == "own" else made["request"]
        if taken is not None:
            inner["text"] = taken
        if place == "text":
            made["request"] = write(inner).decode()
        return write(made)

    def pieces_made(self) -> Changed:
        return self._growing.made


def _body(value: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The activity of a record, and how it stands there: as its request, as JSON in a text there, as the record."""
    request = value.get("request")
    if isinstance(request, dict):
        return request, "request"
    inner = read_text(request) if isinstance(request, str) else None
    return (inner, "text") if isinstance(inner, dict) else (value, "own")


def _chat_of(payload: bytes) -> str:
    exchange = read_exchange(payload)
    return "" if exchange is None else exchange.conversation
