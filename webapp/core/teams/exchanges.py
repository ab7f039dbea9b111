"""One record of a Teams recording, decoded: a connector call with its answer, or a bare activity.

Rules of this file: reading, not judging. Whatever is missing, wrong or strange stays visible in the fields; nothing
raises. Strings may hold lone surrogates, as the wire does.

Field names of the wire: Bot Framework activities, `entities[].type == "streaminfo"`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from webapp.core.teams import addresses, answers
from webapp.core.teams.limits import STREAMED
from webapp.core.teams.times import iso_seconds, seconds
from webapp.core.teams.values import decode, objects, plain, table, word

KINDS = ("informative", "streaming", "final", "typing", "message", "edit", "delete", "inbound", "other")
STREAM_TYPES = STREAMED  # a kind is named after its stream type
ODD_ENTITIES = frozenset({"startstreaming", "continuestreaming", "endstreaming"})
ACTIVITY_SIGNS = frozenset(
    {"entities", "channelData", "channelId", "conversation", "from", "recipient", "serviceUrl"}
)  # where the type is missing or wrong
# of the Activity schema, in small letters: a record with another type and no sign is another program's
ACTIVITY_TYPES = frozenset(
    {"message", "typing", "conversationupdate", "endofconversation", "event", "invoke", "invokeresponse", "trace",
     "messagereaction", "messageupdate", "messagedelete", "installationupdate", "contactrelationupdate",
     "deleteuserdata", "suggestion", "handoff", "command", "commandresult"}
)  # fmt: skip
FIELDS = ("streamId", "streamType", "streamSequence")

_OK = range(200, 300)


class Exchange(msgspec.Struct, kw_only=True, gc=False, eq=False):
    """One connector call, or one activity of a transcript.

    kind:     one of KINDS; by the stream type where there is one, else by method and activity type
    call:     True: a request was recorded; False: a bare activity, of which no answer can be known
    method, url, host, conversation, target: of the request; target is the activity id at the URL's end;
              `conversation` is percent-decoded, without `;messageid=`, and comes from the body when there is no URL
    body:     the activity sent, {} when none was recorded; `bodied` tells whether one was
    at, took: request time and duration in seconds, when known
    answered: ok | dropped (2xx that carries an error) | refused | lost (no answer came) | unknown (not recorded)
    silent:   the answer is written as null, with neither an error nor the time when the caller gave up: lost, or not
              recorded; unrecorded: it is the latter, as far as the recording shows (`engine`)
    status, answer, headers: of the response; key: the row of `answers.ANSWERS` it is, None for success or unknown
    issued:   id in the answer; own: the activity's own id
    info:     the streaminfo entity ({} when there is none); infos: how many there are; odd: its type is not the word
    channel_data: {} when absent; stream_id, stream_type, sequence, text: as sent, entity first, then channelData;
              null and "" count as absent
    wrong_kind: the activity type does not fit the stream type (a typing `final`, a message that is not)
    turn:     `replyToId`
    """

    kind: str
    call: bool
    method: str = "POST"
    url: str = ""
    host: str = ""
    path_known: bool = True
    conversation: str = ""
    target: str | None = None
    body: dict[str, Any] = {}
    bodied: bool = True
    at: float | None = None
    took: float | None = None
    answered: str = "unknown"
    silent: bool = False
    unrecorded: bool = False
    status: int | None = None
    answer: Any = None
    headers: dict[str, str] = {}
    key: str | None = None
    issued: str | None = None
    own: str | None = None
    info: dict[str, Any] = {}
    infos: int = 0
    odd: str | None = None
    channel_data: dict[str, Any] = {}
    stream_id: str | None = None
    stream_type: str | None = None
    sequence: Any = None
    text: str | None = None
    wrong_kind: bool = False
    channel: str = ""
    turn: str | None = None
    size: int = 0  # bytes of the record: an upper bound of the body's

    @property
    def ended(self) -> float | None:
        """When the answer was there, in seconds."""
        return None if self.at is None or self.took is None else self.at + self.took

    @property
    def entities(self) -> list[dict[str, Any]]:
        """The activity's entities that are objects."""
        return objects(self.body.get("entities"))

    @property
    def streamed(self) -> bool:
        """Whether it belongs to a stream: informative, streaming or final."""
        return self.kind in STREAMED

    @property
    def number(self) -> int | None:
        """The sequence number, when it is a whole number."""
        value = self.sequence
        if isinstance(value, float) and value.is_integer():
            return int(value)
        return value if isinstance(value, int) and not isinstance(value, bool) else None


def read(raw: bytes | str) -> Exchange | None:
    """The record's exchange; None when it is no JSON object, or neither a call nor an activity."""
    value = decode(raw)
    if not isinstance(value, dict):
        return None
    if _is_call(value):
        return _from_call(value, len(raw))
    kind = value.get("type")
    known = isinstance(kind, str) and kind.lower() in ACTIVITY_TYPES
    if known or not ACTIVITY_SIGNS.isdisjoint(value):
        return _from_activity(value, len(raw))
    return None


def _is_call(value: dict[str, Any]) -> bool:
    """A record of a call says where it went, or holds an activity as its request (an entry of a HAR file does not)."""
    request = value.get("request")
    if "response" not in value and request is None:
        return isinstance(value.get("url"), str) and isinstance(value.get("method"), str)
    named = isinstance(value.get("url"), str) or isinstance(value.get("method"), str)
    return named or (isinstance(request, dict) and isinstance(request.get("type"), str))


def _from_call(value: dict[str, Any], size: int) -> Exchange:
    request = value.get("request")
    if isinstance(request, str):
        inner = decode(request)
        request = inner if isinstance(inner, dict) else request
    body = request if isinstance(request, dict) else {}
    exchange = _activity(body, size)
    exchange.call = True
    exchange.bodied = isinstance(request, dict)
    exchange.at = seconds(value.get("at"))
    took = seconds(value.get("took"))
    exchange.took = took if took is not None and took >= 0 else None
    method, url = value.get("method"), value.get("url")
    exchange.method = method.strip().upper() if isinstance(method, str) and method.strip() else "POST"
    if isinstance(url, str):
        _place(exchange, url)
    exchange.kind = _kind_of_call(exchange, body)
    _answer(exchange, value)
    return exchange


def _place(exchange: Exchange, url: str) -> None:
    place = addresses.read(url)
    exchange.url, exchange.host, exchange.path_known = url, place.host, place.known
    if place.known:
        exchange.conversation, exchange.target = place.conversation, place.target


def _kind_of_call(exchange: Exchange, body: dict[str, Any]) -> str:
    if exchange.method == "PUT":
        return "edit"
    if exchange.method == "DELETE":
        return "delete"
    if exchange.method != "POST" or (not body and exchange.bodied):
        return "other"
    return _kind(exchange, body)


def _answer(exchange: Exchange, value: dict[str, Any]) -> None:
    """status, body and what they mean. A response of null, or an error beside none, is an answer that never came."""
    if "response" not in value:
        exchange.answered = "lost" if value.get("error") else "unknown"
        return
    response = value["response"]
    status = response.get("status") if isinstance(response, dict) else None
    if not isinstance(response, dict) or not isinstance(status, int) or isinstance(status, bool):
        exchange.answered = "lost" if response is None or value.get("error") else "unknown"
        exchange.silent = response is None and not value.get("error") and not exchange.took
        return
    exchange.status = status
    headers = response.get("headers")
    if isinstance(headers, dict):
        exchange.headers = {str(name).lower(): str(text) for name, text in headers.items()}
    answer = response.get("body")
    if isinstance(answer, str):
        inner = decode(answer)
        answer = answer if inner is None else inner
    exchange.answer = answer
    if status <= 0:
        exchange.answered = "lost"
        return
    exchange.key = answers.classify(status, answer)
    if status not in _OK:
        exchange.answered = "refused"
    elif answers.carries_error(answer):
        exchange.answered = "dropped"
    else:
        exchange.answered = "ok"
        exchange.issued = word(answer.get("id")) if isinstance(answer, dict) else None


def _from_activity(value: dict[str, Any], size: int) -> Exchange:
    exchange = _activity(value, size)
    exchange.kind = _kind(exchange, value)
    exchange.at = iso_seconds(value.get("timestamp"))
    if exchange.at is None:
        exchange.at = iso_seconds(value.get("localTimestamp"))
    if _by_user(value):
        exchange.kind = "inbound"
    service = value.get("serviceUrl")
    if isinstance(service, str):
        exchange.host = addresses.read(service).host
    return exchange


def _by_user(body: dict[str, Any]) -> bool:
    sender = table(body.get("from"))
    role = sender.get("role")
    if isinstance(role, str) and role:
        return role.lower() == "user"
    sender_id = sender.get("id")
    return isinstance(sender_id, str) and sender_id.startswith("29:")


def _activity(body: dict[str, Any], size: int) -> Exchange:
    """What the activity itself says; the call around it is added by the caller."""
    named = [(entity, _spelt(entity)) for entity in objects(body.get("entities"))]
    infos = [entity for entity, spelt in named if spelt == "streaminfo"]
    odd = [entity for entity, spelt in named if spelt in ODD_ENTITIES]
    info = (infos or odd or [{}])[0]
    channel_data = table(body.get("channelData"))
    stream_id, stream_type, sequence = (_field(info, channel_data, name) for name in FIELDS)
    text = body.get("text")
    written = info.get("type")
    chat = table(body.get("conversation")).get("id")
    channel = body.get("channelId")
    return Exchange(
        kind="other",
        call=False,
        body=body,
        info=info,
        infos=len(infos),
        odd=written if isinstance(written, str) and written != "streaminfo" else None,
        channel_data=channel_data,
        stream_id=word(stream_id),
        stream_type=None if stream_type is None else plain(stream_type),
        sequence=plain(sequence) if isinstance(sequence, dict | list) else sequence,
        text=text if isinstance(text, str) else None,
        conversation=addresses.chat_id(chat) if isinstance(chat, str) else "",
        channel=channel if isinstance(channel, str) else "",
        own=word(body.get("id")),
        turn=word(body.get("replyToId")),
        size=size,
    )


def _kind(exchange: Exchange, body: dict[str, Any]) -> str:
    kind = body.get("type")
    fields = exchange.stream_id or exchange.stream_type or exchange.sequence is not None
    if kind not in ("typing", "message"):
        return "other"
    if not fields and not exchange.info:
        return "typing" if kind == "typing" else "message"
    told = (exchange.stream_type or "").strip().lower()
    if kind == "typing":
        exchange.wrong_kind = told == "final"
        return told if told in STREAM_TYPES else "streaming"
    # a stripped entity on a message says nothing of a stream type, so nothing is paired wrongly
    exchange.wrong_kind = bool(fields) and told != "final"
    return told if told in STREAM_TYPES else "final"


def _spelt(entity: dict[str, Any]) -> str:
    kind = entity.get("type")
    return "".join(kind.split()).lower() if isinstance(kind, str) else ""


def _field(info: dict[str, Any], channel_data: dict[str, Any], name: str) -> Any:
    for place in (info, channel_data):
        value = place.get(name)
        if value is not None and value != "":
            return value
    return None
