"""Teams records at level `structure`: what an exchange or an activity may keep, everything else a marker of its size.

Rules of this file: default-deny, as in `agui`. What the service itself says (its error codes, its known messages) is no
text of a customer and stays; a message in other words is replaced by the known one it counts as.
"""

from __future__ import annotations

import re
from typing import Any

from webapp.core.teams import answers
from webapp.core.teams.exchanges import ACTIVITY_TYPES, FIELDS, ODD_ENTITIES, STREAM_TYPES
from webapp.core.teams.shape import MISSPELT
from webapp.redact.addresses import address, chat_id
from webapp.redact.base import Redactor
from webapp.redact.known import CONTENT_TYPE, HEADERS, MIME
from webapp.redact.markers import marked
from webapp.redact.parts import (
    CODE,
    ID,
    TIME,
    Part,
    choice,
    flag,
    keep_id,
    keep_name,
    kept_text,
    list_of,
    number,
    object_of,
    taken,
)
from webapp.redact.sentences import Sentences
from webapp.redact.values import read, read_text, write

_RETRY = re.compile(r"\d{1,9}(?:\.\d{1,9})?|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT")
_COUNT = re.compile(r"-?\d{1,12}")
_MESSAGES = frozenset(row.message for row in answers.ANSWERS if row.message)
_METHODS = frozenset({"POST", "PUT", "DELETE", "GET", "PATCH", "HEAD", "OPTIONS"})
_ENTITIES = frozenset(
    {"mention", "clientInfo", "ProductInfo", "BotMessageMetadata", "https://schema.org/Message", "Message"}
)


def _chat(red: Redactor, value: Any) -> Any:
    return chat_id(red, value) if isinstance(value, str) and ID.fullmatch(value) else keep_id(red, value)


def _word(known: frozenset[str], what: str) -> Part:
    """One of the words of the contract, however it is written in capitals and spaces."""

    def part(red: Redactor, value: Any) -> Any:
        if isinstance(value, str) and len(value) < 60 and "".join(value.split()).lower() in known:
            return red.name_id(value)
        return red.hidden(value, what)

    return part


def _sequence(red: Redactor, value: Any) -> Any:
    if isinstance(value, str) and _COUNT.fullmatch(value):
        return red.name_id(value)
    if isinstance(value, int) and abs(value) < 10**12:
        red.name_id(str(value))
    return number(red, value)


def _entity_type(red: Redactor, value: Any) -> Any:
    if isinstance(value, str) and value in _ENTITIES:
        return red.name_id(value)
    return _word(ODD_ENTITIES | {"streaminfo"}, "types")(red, value)


_FIELDS: dict[str, Part] = {
    "streamId": keep_id,
    "streamType": _word(frozenset(STREAM_TYPES), "types"),
    "streamSequence": _sequence,
    "streamResult": choice(("success", "timeout", "error")),
}
_LOOSE = {written: _FIELDS[meant] for written, meant in MISSPELT.items() if meant in FIELDS}
_PERSON = object_of(
    {"id": keep_id, "role": choice(("user", "bot", "skill")), "name": taken("names")}, "names"
)
_TYPE_NAME = choice(("CreativeWork", "Claim", "DigitalDocument", "Message", "Thing"))
_CITATION = object_of(
    {"@type": _TYPE_NAME, "position": number, "appearance": taken("citations")},
    "citations",
)
_ENTITY = object_of(
    _FIELDS
    | _LOOSE
    | {
        "type": _entity_type,
        "@type": _TYPE_NAME,
        "additionalType": list_of(choice(("AIGeneratedContent",)), "values"),
        "citation": list_of(_CITATION, "citations"),
        "usageInfo": taken("values"),
        "text": taken("texts"),
        "mentioned": _PERSON,
        "feedbackLoop": taken("values"),
        "feedbackLoopEnabled": flag,
    },
    "values",
)
_CHANNEL_DATA = object_of(
    _FIELDS
    | {
        "feedbackLoop": object_of({"type": choice(("default", "custom"))}, "values"),
        "feedbackLoopEnabled": flag,
        "tenant": object_of({"id": keep_id}, "values"),
    },
    "values",
)
_CONVERSATION = object_of(
    {
        "id": _chat,
        "conversationType": choice(("personal", "groupChat", "channel")),
        "isGroup": flag,
        "tenantId": keep_id,
        "name": taken("names"),
    },
    "values",
)
_ATTACHMENT = object_of(
    {"contentType": kept_text(MIME, "types"), "content": taken("attachments"), "contentUrl": taken("addresses"),
     "name": taken("names"), "thumbnailUrl": taken("addresses")},
    "attachments",
)  # fmt: skip
_time = kept_text(TIME, "times")
_ACTIVITY_MEMBERS: dict[str, Part] = {
    "type": _word(ACTIVITY_TYPES, "types"),
    "id": keep_id,
    "replyToId": keep_id,
    "timestamp": _time,
    "localTimestamp": _time,
    "channelId": keep_name,
    "serviceUrl": address,
    "serviceurl": address,
    "from": _PERSON,
    "recipient": _PERSON,
    "conversation": _CONVERSATION,
    "text": taken("texts"),
    "summary": taken("texts"),
    "speak": taken("texts"),
    "textFormat": choice(("markdown", "plain", "xml")),
    "attachmentLayout": choice(("list", "carousel")),
    "inputHint": choice(("acceptingInput", "expectingInput", "ignoringInput")),
    "deliveryMode": choice(("normal", "notification", "expectReplies", "ephemeral", "stream")),
    "importance": choice(("low", "normal", "high")),
    "entities": list_of(_ENTITY, "values"),
    "attachments": list_of(_ATTACHMENT, "attachments"),
    "suggestedActions": taken("values"),
    "value": taken("values"),
    "channelData": _CHANNEL_DATA,
}
_ACTIVITY = object_of(_ACTIVITY_MEMBERS | _LOOSE, "values")


def _request(red: Redactor, value: Any) -> Any:
    """The activity; one that stands there as text is text again."""
    if not isinstance(value, str) or marked(value) is not None:
        return _ACTIVITY(red, value)
    inner = read_text(value)
    return write(_ACTIVITY(red, inner)).decode() if isinstance(inner, dict) else red.text(value, "texts")


def _headers(red: Redactor, value: Any) -> Any:
    """Well-known names stay, others are numbered; of two values a form is known that tells nothing."""
    if not isinstance(value, dict):
        return red.hidden(value, "headers")
    out: dict[str, Any] = {}
    unknown = 0
    for name, text in value.items():
        fits = {"content-type": CONTENT_TYPE, "retry-after": _RETRY}.get(name.lower())
        if fits is not None and isinstance(text, str) and fits.fullmatch(text.strip()):
            out[name] = text
        elif fits is not None and isinstance(text, int | float):
            out[name] = number(red, text)
        elif name.lower() in HEADERS:
            out[name] = red.hidden(text, "headers")
        else:
            unknown += 1
            out[f"header-{unknown}"] = red.hidden(text, "headers")
    return out


def _response(red: Redactor, value: Any) -> Any:
    if not isinstance(value, dict):
        return red.hidden(value, "answers")
    status = value.get("status")
    said = _said(status, value.get("body"))

    def message(red: Redactor, text: Any) -> Any:
        if not isinstance(text, str) or not text:
            return red.hidden(text, "answers")
        if text in _MESSAGES:
            return text
        if said and marked(text) is None:
            red.removed["answers"] += 1
            return said
        return red.text(text, "answers")

    def error(red: Redactor, inner: Any) -> Any:
        return code(red, inner) if isinstance(inner, str) else told(red, inner)

    code = kept_text(CODE, "answers", known=True)
    told = object_of({"code": code, "message": message}, "answers")
    envelope = object_of({"id": keep_id, "code": code, "message": message, "error": error}, "answers")

    def body(red: Redactor, answer: Any) -> Any:
        if not isinstance(answer, str):
            return envelope(red, answer)
        inner = read_text(answer)
        return write(envelope(red, inner)).decode() if isinstance(inner, dict) else message(red, answer)

    return object_of({"status": number, "headers": _headers, "body": body}, "answers")(red, value)


def _said(status: Any, answer: Any) -> str:
    """The known message that an answer counts as, "" when there is none."""
    if not isinstance(status, int) or isinstance(status, bool):
        return ""
    if isinstance(answer, str):
        inner = read_text(answer)
        answer = answer if inner is None else inner
    key = answers.classify(status, answer)
    return "" if key is None else answers.BY_KEY[key].message


_CALL = object_of(
    {
        "at": number,
        "took": number,
        "method": _word(frozenset(word.lower() for word in _METHODS), "values"),
        "url": address,
        "request": _request,
        "response": _response,
        "error": taken("texts"),
    },
    "values",
)
_CALLED = ("request", "response", "url", "method")


class TeamsStructure(Redactor):
    """Microsoft Teams at level `structure`."""

    def __init__(self) -> None:
        super().__init__()
        self._sentences = Sentences(self)

    def record(self, payload: bytes) -> bytes | None:
        value = read(payload)
        if value is None:
            return None
        called = any(name in value for name in _CALLED)
        return write((_CALL if called else _ACTIVITY)(self, value))

    def words(self, sentence: str) -> str:
        return self._sentences.without(sentence)

    def value(self, value: object) -> object:
        return self.hidden(value, "values")
