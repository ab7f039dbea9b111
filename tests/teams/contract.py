"""What the documented streaming contract says to each call: the stand-in connector's judgement.

Rules of this file: calls in, answers out; no socket, no clock (times are arguments, in seconds) and nothing of
Lanescope. Where the service's answer is not documented, the call is accepted, or refused with the answer of the
nearest documented case: an undocumented refusal would teach the tests something that nobody has seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MARKS = ("streamId", "streamType", "streamSequence")
NOT_ALLOWED = "ContentStreamNotAllowed"
LIMIT_CODES = {
    403: (NOT_ALLOWED, "Message size too large"),
    413: ("MessageSizeTooBig", "RequestEntityTooLarge"),
}


@dataclass
class Limits:
    """What is enforced. Seconds and bytes; a pace of 0 is no pace, and `oversize` is the status of a call too large.

    The contract documents 403 for it and services were seen to answer 413.
    """

    pace: float = 1.0
    stream: float = 120.0
    size: int = 102_400
    oversize: int = 413
    enabled: bool = True


@dataclass
class Call:
    """One request as it arrived. body: its JSON, or its text when it is none; size: of the body, in UTF-16 bytes."""

    method: str
    conversation: str
    activity: str | None
    body: Any
    size: int
    at: float


@dataclass
class Answer:
    """status None: no answer at all, the connection closes. A str as body is sent as a JSON string."""

    status: int | None
    body: Any = None


@dataclass
class Stream:
    conversation: str
    began: float  # when its start was answered
    sequence: int = 1
    text: str = ""  # streamed so far; informative text is not part of it
    state: str = "open"  # open stopped done


def error(status: int, code: str, message: str) -> Answer:
    return Answer(status, {"error": {"code": code, "message": message}})


SYNTAX = "Only start streaming and continue streaming types are allowed as a typing activity"
NO_TEXT = error(400, "BadRequest", "Start streaming activities should include text")
NOT_A_MARK = error(400, "BadSyntax", SYNTAX)
NOT_AN_END = error(400, "BadSyntax", "Only end streaming type is allowed as a message activity")
TOO_FAST = Answer(429, "API calls quota exceeded")
NO_SUCH_METHOD = Answer(405, {"message": "Method Not Allowed"})
OFF = error(403, NOT_ALLOWED, "Content stream is not allowed")
DONE = error(403, NOT_ALLOWED, "Content stream is not allowed on an already completed streamed message")
STOPPED = error(403, NOT_ALLOWED, "Content stream was canceled by user")
EXPIRED = error(403, NOT_ALLOWED, "Content stream finished due to exceeded streaming time.")
NO_PREFIX = error(403, NOT_ALLOWED, "Request streamed content should contain the previously streamed content")
OUT_OF_ORDER = error(
    202,
    "ContentStreamSequenceOrderPreConditionFailed",
    "PreCondition failed exception when processing streaming activity.",
)


class Service:
    """Every chat's streams. A call is admitted when it arrives and decided when the service is through with it."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.streams: dict[str, Stream] = {}
        self._issued = 1_790_000_000_000
        self._last: dict[str, float] = {}  # conversation -> the last streaming call let in

    def stop(self) -> None:
        """The user presses Stop: on every stream that is being written."""
        for stream in self.streams.values():
            if stream.state == "open":
                stream.state = "stopped"

    def admit(self, call: Call) -> Answer | None:
        """The refusal a call gets at the door, or None. The door counts the pace of streaming calls alone."""
        streaming = streams(call.body)
        if (streaming or call.method == "PUT") and is_group(call):
            return NO_SUCH_METHOD
        if call.size > self.limits.size:
            return error(self.limits.oversize, *LIMIT_CODES[self.limits.oversize])
        if not streaming:
            return None
        last = self._last.get(call.conversation)
        if last is not None and call.at - last < self.limits.pace:
            return TOO_FAST
        self._last[call.conversation] = call.at
        return None

    def decide(self, call: Call, now: float) -> Answer:
        if call.method == "PUT":
            return self._edit(call)
        if call.method == "DELETE":
            return Answer(200, {})
        if call.method != "POST" or not isinstance(call.body, dict):
            return NO_SUCH_METHOD if call.method != "POST" else error(400, "BadRequest", "Not an activity")
        if not streams(call.body):
            typing = call.body.get("type") == "typing"
            return Answer(202, {}) if typing else Answer(201, {"id": self._new_id()})
        if not self.limits.enabled:
            return OFF
        if call.body.get("type") == "message":
            return self._final(call)
        return self._chunk(call, now)

    def _chunk(self, call: Call, now: float) -> Answer:
        """A start or a continue."""
        mark, text = marks(call.body), call.body.get("text")
        if mark is None or mark.get("streamType", "streaming") not in ("informative", "streaming"):
            return NOT_A_MARK
        sequence, name = mark.get("streamSequence"), mark.get("streamId")
        if type(sequence) is not int or sequence < 1:
            return error(400, "BadRequest", "streamSequence is required")
        if not isinstance(text, str) or not text:
            return NO_TEXT
        content = text if mark.get("streamType") != "informative" else ""
        if name is None:
            if sequence != 1:
                return error(400, "BadRequest", "streamId is required")
            name = self._new_id()
            self.streams[name] = Stream(call.conversation, now, text=content)
            return Answer(201, {"id": name})
        stream = self._of(call, name)
        if stream is None:
            return error(400, "BadRequest", "streamId is not known")
        if refusal := self._over(stream, call.at):
            return refusal
        if sequence <= stream.sequence:
            return OUT_OF_ORDER
        if content and not content.startswith(stream.text):
            return NO_PREFIX
        stream.sequence, stream.text = sequence, content or stream.text
        return Answer(202, {})

    def _final(self, call: Call) -> Answer:
        """A message that carries stream fields: the end of a stream, or nothing."""
        mark = marks(call.body)
        stream = self._of(call, mark.get("streamId")) if mark else None
        if mark is None or mark.get("streamType") != "final" or stream is None:
            return NOT_AN_END
        if refusal := self._over(stream, call.at):
            return refusal
        text = call.body.get("text") or ""
        if not text.startswith(stream.text) and (text or not call.body.get("attachments")):
            return NO_PREFIX
        stream.state = "done"
        return Answer(202, {})

    def _edit(self, call: Call) -> Answer:
        stream = self._of(call, call.activity)
        if stream is None:
            return error(404, "ActivityNotFoundInConversation", "The activity is not in the conversation")
        stream.state = "done"
        return Answer(200, {"id": call.activity})

    def _over(self, stream: Stream, at: float) -> Answer | None:
        """Why nothing more can be streamed, if so."""
        if stream.state != "open":
            return STOPPED if stream.state == "stopped" else DONE
        return EXPIRED if at - stream.began > self.limits.stream else None

    def _of(self, call: Call, name: Any) -> Stream | None:
        stream = self.streams.get(name) if isinstance(name, str) else None
        return stream if stream and stream.conversation == call.conversation else None

    def _new_id(self) -> str:
        self._issued += 1
        return str(self._issued)


def marks(activity: dict[str, Any]) -> dict[str, Any] | None:
    """The fields of the one `streaminfo` entity; None when there is none, are several, or it says nothing."""
    found = [entity for entity in entities(activity) if entity.get("type") == "streaminfo"]
    if len(found) != 1:
        return None
    return {name: found[0][name] for name in MARKS if found[0].get(name) not in (None, "")} or None


def streams(activity: Any) -> bool:
    """Whether an activity means to stream, however badly it says so."""
    if not isinstance(activity, dict):
        return False
    data = activity.get("channelData")
    named = any("stream" in str(entity.get("type")).lower() for entity in entities(activity))
    return named or (isinstance(data, dict) and any(data.get(name) is not None for name in MARKS))


def entities(activity: dict[str, Any]) -> list[dict[str, Any]]:
    return [entity for entity in activity.get("entities") or [] if isinstance(entity, dict)]


def is_group(call: Call) -> bool:
    chat = call.body.get("conversation") if isinstance(call.body, dict) else None
    chat = chat if isinstance(chat, dict) else {}
    personal = chat.get("conversationType", "personal") == "personal" and not chat.get("isGroup")
    return call.conversation.startswith("19:") or not personal
