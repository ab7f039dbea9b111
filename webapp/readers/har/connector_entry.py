"""One entry of a HAR file: is it a connector call, what of it may be kept, and the exchange line it makes.

Rules of this file: pure and never raising; an entry may be any JSON value. What is kept of a call is listed in `kept`
and nothing else goes through: no other headers, no cookies, no query strings.

Source: HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any, NamedTuple

from webapp.core.teams.times import iso_seconds, seconds
from webapp.readers.activities import METHODS, carries_stream, conversation_of, plain_url, text_carries_stream
from webapp.readers.tally import parse

HEADERS = {"ms-cv": "MS-CV", "retry-after": "Retry-After", "content-type": "Content-Type"}
MAX_DEPTH = 200  # of a body that is passed on as JSON; a deeper one is passed on as text
MAX_WORDS = 500  # characters of a header or an error
_LONE = re.compile("[\ud800-\udfff]")
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[{\[]|[}\]]', re.DOTALL)


class Line(NamedTuple):
    """An exchange line. bodiless: the capture dropped the answer's body; cut: a body is no whole JSON."""

    payload: bytes
    bodiless: bool
    cut: bool


def value_of(payload: bytes) -> Any:
    """The entry's JSON value; None when it is none, or nests too deep for the parser."""
    try:
        return json.loads(payload.decode("utf-8", "replace"), parse_int=_whole)
    except (ValueError, RecursionError):
        return None


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < 300 else float(digits)


# ── what may be kept ─────────────────────────────────────────


def kept(entry: Any) -> dict[str, Any] | None:
    """What is kept of a connector call, in HAR's own members; None: it is none.

    Taking it twice changes nothing.
    """
    request = _table(_table(entry).get("request"))
    method, url = request.get("method"), request.get("url")
    if not isinstance(method, str) or method.upper() not in METHODS or not isinstance(url, str):
        return None
    if conversation_of(url) is None:
        return None
    asked: dict[str, Any] = {"method": method.upper(), "url": plain_url(url)}
    if sent := kept_body(request.get("postData")):
        asked["postData"] = sent
    out: dict[str, Any] = {}
    if isinstance(started := entry.get("startedDateTime"), str):
        out["startedDateTime"] = started[:64]
    if (took := seconds(entry.get("time"))) is not None:
        out["time"] = took
    out["request"] = asked
    if isinstance(response := entry.get("response"), dict):
        out["response"] = kept_answer(response)
    if error := _words(entry.get("_error")):
        out["_error"] = error
    return out


def kept_answer(response: dict[str, Any]) -> dict[str, Any]:
    """What is kept of an answer, in HAR's own members."""
    out: dict[str, Any] = {}
    status = seconds(response.get("status"))
    if status is not None and status == int(status):
        out["status"] = int(status)
    if words := _words(response.get("statusText")):
        out["statusText"] = words
    headers = []
    for header in response["headers"] if isinstance(response.get("headers"), list) else ():
        name, value = _table(header).get("name"), _words(_table(header).get("value"))
        if isinstance(name, str) and name.lower() in HEADERS and value:
            headers.append({"name": HEADERS[name.lower()], "value": value})
    out["headers"] = headers
    out["content"] = kept_body(response.get("content"))
    if error := _words(response.get("_error")) or _words(response.get("_failureText")):
        out["_error"] = error
    return out


def kept_body(content: Any) -> dict[str, Any]:
    """size, type, text and how it is encoded, of a body as HAR has them."""
    content = _table(content)
    out: dict[str, Any] = {}
    if (size := seconds(content.get("size"))) is not None:
        out["size"] = int(size)
    for name in ("mimeType", "encoding"):
        if words := _words(content.get(name)):
            out[name] = words
    if isinstance(content.get("text"), str):
        out["text"] = content["text"]
        _as_text(out)
    return out


def _as_text(content: dict[str, Any]) -> None:
    """A body in base64 that is text is kept as text: what it holds is to be seen, and masked."""
    if str(content.get("encoding", "")).lower() != "base64":
        return
    text = content["text"]
    try:
        content["text"] = base64.b64decode(text + "=" * (-len(text) % 4)).decode()
    except (binascii.Error, ValueError):
        return
    del content["encoding"]


def dumped(value: Any) -> bytes:
    """JSON in one line; halves of surrogate pairs stay escapes, since no encoder takes them."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _escaped(text).encode()


def _escaped(text: str) -> str:
    return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


# ── questions about what was kept ────────────────────────────


def conversation(call: dict[str, Any]) -> str:
    """The conversation of a call that was kept."""
    return conversation_of(call["request"]["url"]) or ""


def started(call: dict[str, Any]) -> float | None:
    """Unix seconds of the request."""
    return iso_seconds(call.get("startedDateTime"))


def streams(call: dict[str, Any]) -> bool:
    """Whether the call has fields of a stream, or its answer speaks of one."""
    text = _text(call["request"].get("postData")) or ""
    try:
        body = parse(text.encode("utf-8", "replace"))
    except ValueError:
        body = None
    if carries_stream(body) if isinstance(body, dict) else text_carries_stream(text):
        return True
    return "ContentStream" in (_text(_table(call.get("response")).get("content")) or "")


# ── the exchange line ────────────────────────────────────────


def exchange_line(call: dict[str, Any]) -> Line:
    """Form T1 of a call that was kept: docs/exchange-lines.md."""
    request = call["request"]
    at, took = started(call), seconds(call.get("time"))
    sent, cut = _json(_text(request.get("postData")))
    members = [
        f'"at":{"null" if at is None else repr(round(at, 6))}',
        f'"method":{_quoted(request["method"])}',
        f'"url":{_quoted(request["url"])}',
        f'"request":{sent}',
    ]
    response = call.get("response")
    bodiless = False
    error = _words(call.get("_error"))
    if response is not None:
        status = response.get("status")
        if status == 0:  # no answer came
            members.append('"response":null')
            error = response.get("_error") or error or response.get("statusText")
        elif status is not None:
            told, bodiless, broken = _answer(response, status)
            members.append(f'"response":{told}')
            cut = cut or broken
    members.append(f'"took":{"null" if took is None or took < 0 else repr(round(took / 1000, 6))}')
    if error:
        members.append(f'"error":{_quoted(error)}')
    return Line(("{" + ",".join(members) + "}").encode(), bodiless, cut)


def _answer(response: dict[str, Any], status: int) -> tuple[str, bool, bool]:
    """The answer as JSON, whether its body was dropped by the capture, whether it is no whole JSON."""
    members = [f'"status":{status}']
    if headers := {header["name"]: header["value"] for header in response["headers"]}:
        members.append(
            '"headers":{' + ",".join(f"{_quoted(n)}:{_quoted(v)}" for n, v in headers.items()) + "}"
        )
    content = response["content"]
    text = _text(content)
    if text is None and content.get("size", 0) > 0:
        return "{" + ",".join(members) + "}", True, False
    body, cut = _json(text)
    members.append(f'"body":{body}')
    return "{" + ",".join(members) + "}", False, cut


def _text(content: Any) -> str | None:
    """A body's text, decoded where it is base64; None when there is none."""
    content = _table(content)
    text = content.get("text")
    if not isinstance(text, str):
        return None
    if str(content.get("encoding", "")).lower() == "base64":
        try:
            return base64.b64decode(text + "=" * (-len(text) % 4)).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            return text
    return text


def _json(text: str | None) -> tuple[str, bool]:
    """A body as JSON on one line, byte for byte where it is JSON, else as a string; whether it is cut JSON."""
    if text is None:
        return "null", False
    plain = text.removeprefix("\ufeff").strip(" \t\r\n")
    if not _too_deep(plain):
        try:
            parse(plain.encode("utf-8", "replace"))
        except ValueError:
            pass
        else:  # a line end in JSON is white space: inside a string it would be an escape
            return _escaped(plain.replace("\r", " ").replace("\n", " ")), False
    return _quoted(text), plain.startswith(("{", "["))


def _too_deep(text: str) -> bool:
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return False
    depth = 0
    for found in _TOKEN.finditer(text):
        mark = found[0]
        depth += (mark in "{[") - (mark in "}]")
        if depth > MAX_DEPTH:
            return True
    return False


def _quoted(text: str) -> str:
    return _escaped(json.dumps(text, ensure_ascii=False))


def _words(value: Any) -> str:
    return value[:MAX_WORDS] if isinstance(value, str) else ""


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
