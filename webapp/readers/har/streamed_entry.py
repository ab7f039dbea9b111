"""One entry of a HAR file that is a streamed answer: whether it is one, what of it may be kept, and its body.

Rules of this file: pure and never raising; an entry may be any JSON value. What is kept is listed in `kept`: no
cookies, no query strings, and of other headers than those that bear on the stream only the name.

Source: HAR 1.2; `_eventSourceMessages` is what Chromium adds to it.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any, NamedTuple

from webapp.core.teams.times import iso_seconds
from webapp.readers.activities import conversation_of, plain_url
from webapp.readers.event_names import ANY_IN_JSON
from webapp.readers.har.connector_entry import dumped, kept_answer, kept_body
from webapp.readers.several import run_input_of
from webapp.readers.signs import protocol_of
from webapp.readers.slices import number_of, unescaped

MESSAGES = "_eventSourceMessages"
LOOKED_AT = 64 * 1024  # bytes of a body, for what it is
MAX_HEADERS = 100
_STREAMED = ("text/event-stream", "application/vnd.ag-ui")
_NAME = re.compile(r"[A-Za-z0-9-]{1,60}")


class Body(NamedTuple):
    """data: the bytes; None when the file does not have them. missing: how many of them it left out, about."""

    data: bytes | None
    missing: int = 0


class Facts(NamedTuple):
    """What a person is told before picking. rank: 2 AG-UI, 1 perhaps, 0 something else that streams."""

    title: str
    rank: int
    size: int
    events: int | None
    reasons: tuple[str, ...]


def kept(entry: Any) -> dict[str, Any] | None:
    """What is kept of a streamed call, in HAR's own members; None: it is none. Taking it twice changes nothing."""
    request, response = _table(_table(entry).get("request")), _table(_table(entry).get("response"))
    method, url = request.get("method"), request.get("url")
    if not isinstance(method, str) or not isinstance(url, str):
        return None
    messages = entry.get(MESSAGES)
    told = [kept for each in messages if (kept := _message(each))] if isinstance(messages, list) else []
    content = kept_body(response.get("content"))
    if conversation_of(url) is not None or not (told or _is_stream(response, content)):
        return None
    asked: dict[str, Any] = {"method": method.upper()[:20], "url": plain_url(url)}
    if sent := kept_body(request.get("postData")):
        asked["postData"] = sent
    out: dict[str, Any] = {}
    if isinstance(started := entry.get("startedDateTime"), str):
        out["startedDateTime"] = started[:64]
    if (took := number_of(entry.get("time"))) is not None:
        out["time"] = took
    out["request"] = asked
    out["response"] = {**kept_answer(response), "content": content}
    out["response"]["headers"] += _names(response, out["response"]["headers"])
    if isinstance(error := entry.get("_error"), str):
        out["_error"] = error[:500]
    if told:
        out[MESSAGES] = told
    return out


def _is_stream(response: dict[str, Any], content: dict[str, Any]) -> bool:
    kind = _kind(response, content)
    if kind.startswith(_STREAMED):
        return True
    data = body_of(content).data
    if (
        not data
        or kind.startswith(("text/html", "text/css", "image/", "font/", "video/"))
        or "script" in kind
    ):
        return False
    return protocol_of((), data[:LOOKED_AT])[0] == "ag-ui" and b"RUN_" in data[:LOOKED_AT]


def _kind(response: dict[str, Any], content: dict[str, Any]) -> str:
    headers = response.get("headers")
    told = str(content.get("mimeType") or "")
    for header in headers if isinstance(headers, list) else ():
        if str(_table(header).get("name")).lower() == "content-type":
            told = str(_table(header).get("value"))
    return told.strip().lower()


def _message(value: Any) -> dict[str, Any] | None:
    message = _table(value)
    data = message.get("data")
    if not isinstance(data, str):
        return None
    out: dict[str, Any] = {}
    if (at := number_of(message.get("time"))) is not None:
        out["time"] = at
    if isinstance(name := message.get("eventName"), str):
        out["eventName"] = name[:200]
    return {**out, "data": data}


def _names(response: dict[str, Any], known: list[dict[str, str]]) -> list[dict[str, str]]:
    """Names of the other headers: whether one is there bears on the stream, what it says may be a secret."""
    have = {header["name"].lower() for header in known}
    out = []
    for header in response["headers"][:MAX_HEADERS] if isinstance(response.get("headers"), list) else ():
        name = _table(header).get("name")
        if isinstance(name, str) and _NAME.fullmatch(name) and name.lower() not in have:
            have.add(name.lower())
            out.append({"name": name, "value": ""})
    return out


def body_of(content: dict[str, Any]) -> Body:
    """The body of an answer as far as the file has it."""
    text = content.get("text")
    size = int(number_of(content.get("size")) or 0)
    if not isinstance(text, str) or (not text and size > 0):
        return Body(None, max(size, 0))
    if str(content.get("encoding") or "").lower() == "base64":
        try:
            data = base64.b64decode(text + "=" * (-len(text) % 4))
        except (binascii.Error, ValueError):
            data = unescaped(text)
    else:
        data = unescaped(text)
    return Body(data, size - len(data) if size > len(data) * 1.01 + 16 else 0)


def asked(call: dict[str, Any]) -> dict[str, Any] | None:
    """The `RunAgentInput` of a call that was kept."""
    sent = body_of(_table(call["request"].get("postData"))).data
    return run_input_of(sent)


def facts(call: dict[str, Any]) -> Facts:
    """About a call that was kept."""
    url = call["request"]["url"]
    path = re.sub(r"^[a-z][a-z0-9+.-]*://[^/]*", "", url, flags=re.IGNORECASE) or url
    title = f"{call['request']['method']} {path}"
    messages = call.get(MESSAGES)
    if messages:
        data = b"\n".join(unescaped(each["data"]) for each in messages[:200])
        size, events = sum(len(each["data"]) for each in messages), len(messages)
        missing, reasons = 0, ["with the time of each event"]
    else:
        body = body_of(call["response"]["content"])
        data, missing = body.data or b"", body.missing
        size, events, reasons = len(data), len(ANY_IN_JSON.findall(data)), []
        if body.data is None:
            reasons = ["its body is not in the file", *_started(call)]
            return Facts(title, int(asked(call) is not None), 0, 0, tuple(reasons))
    kind = _kind(call["response"], call["response"]["content"])
    ours = protocol_of((), data[:LOOKED_AT])[0] == "ag-ui" or kind.startswith("application/vnd.ag-ui")
    if missing:
        reasons.append("its end is not in the file")
    if not ours:
        reasons.append("no AG-UI event is in it")
    return Facts(title, 2 if ours else 0, size, events, (*reasons, *_started(call)))


def _started(call: dict[str, Any]) -> tuple[str, ...]:
    """When, as the file has it: that tells two calls of one address apart."""
    at = call.get("startedDateTime")
    return (
        (f"began {at[:19].replace('T', ' ')}",) if isinstance(at, str) and iso_seconds(at) is not None else ()
    )


def written(call: dict[str, Any]) -> bytes:
    """The entry as it is stored: the messages a line each, so that each has its place."""
    messages = call.get(MESSAGES)
    if not messages:
        return dumped(call)
    rest = {name: value for name, value in call.items() if name != MESSAGES}
    lines = b",\n".join(dumped(each) for each in messages)
    return dumped(rest)[:-1] + b',"' + MESSAGES.encode() + b'":[\n' + lines + b"\n]}"


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
