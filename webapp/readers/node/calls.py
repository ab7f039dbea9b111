"""Calls in what JavaScript clients log: axios responses and errors, RestErrors, requests; bare activities, events.

Rules of this file: shown values in, exchanges or bare records out; nothing of the text. A body of which parts were not
shown is no body: a missing entity would be blamed on the agent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from webapp.readers.activities import conversation_of, is_activity, plain_url
from webapp.readers.event_names import IS_NAME
from webapp.readers.node.literal import CUT, MORE, cut, shown
from webapp.readers.python.names import dumped

DEPTH = 5  # members of members that are looked into
_ANSWER = ("bodyAsText", "parsedBody", "body", "data", "details")
_VITAL = ("type", "text", "entities", "attachments", MORE)
_LOOSE = ("input", "rawEvent", "metadata", "usage", "result", "timestamp")  # members an event may lack
_LOST = (
    "ECONNABORTED",
    "ECONNRESET",
    "ETIMEDOUT",
    "ENOTFOUND",
    "ERR_NETWORK",
    "EAI_AGAIN",
    "REQUEST_SEND_ERROR",
)


class Made(NamedTuple):
    """payload: JSON; key: equal for the same call seen as a request and with its answer, "" for a bare record;
    answered: an answer is in it; hidden: its body was not wholly shown; payload empty: too little of it was shown"""

    payload: bytes
    key: str
    answered: bool
    hidden: bool


def made_of(value: Any, said: str, at: float | None) -> Iterator[Made]:
    """Records in a logged value. said: the words of an error that stand before its members."""
    yield from _look(value, said, at, 0)


def _look(value: Any, said: str, at: float | None, depth: int) -> Iterator[Made]:
    if depth > DEPTH:
        return
    if isinstance(value, list):
        for each in value:
            yield from _look(each, "", at, depth + 1)
        return
    if not isinstance(value, dict):
        return
    if (call := _call(value, said, at)) is not None:
        yield call
    elif (bare := _bare(value)) is not None:
        yield bare
    else:
        for each in value.values():
            yield from _look(each, said, at, depth + 1)


def _call(value: dict[str, Any], said: str, at: float | None) -> Made | None:
    config, request = value.get("config"), value.get("request")
    if isinstance(config, dict) and _address(config):
        answer = value if isinstance(value.get("status"), int) and "data" in value else value.get("response")
        return _exchange(config, answer, value, said, at)
    if isinstance(request, dict) and _address(request):
        answer = value.get("response")
        return _exchange(request, answer if answer is not None else value, value, said, at)
    if _address(value) and ({"body", "data", "method"} & value.keys()):
        return _exchange(value, value.get("response"), value, said, at)
    return None


def _address(request: dict[str, Any]) -> str:
    """The connector address a request goes to, "" when it is another one."""
    url, base = request.get("url"), request.get("baseURL")
    if not isinstance(url, str):
        return ""
    if isinstance(base, str) and "://" not in url:
        url = f"{base.rstrip('/')}/{url.lstrip('/')}"
    return plain_url(url) if conversation_of(url) is not None else ""


def _exchange(
    request: dict[str, Any], answer: Any, around: dict[str, Any], said: str, at: float | None
) -> Made:
    method = request.get("method")
    url = _address(request)
    body, hidden = _body(request)
    head: dict[str, Any] = {} if at is None else {"at": round(at, 6)}
    head |= {"method": method.upper() if isinstance(method, str) else "POST", "url": url}
    tail: dict[str, Any] = {}
    status = _status(answer, around)
    if status is not None:
        tail["response"] = {"status": status, "body": _answer(answer, around, said)}
    elif around.get("code") in _LOST:
        tail["response"] = None
    told = dumped(head)[:-1] + b',"request":' + body + b"," + dumped(tail)[1:]
    payload = told if tail else told[:-2] + b"}"
    return Made(payload, f"{head['method']} {url} {body!r}", bool(tail), hidden)


def _status(answer: Any, around: dict[str, Any]) -> int | None:
    for place in (answer, around):
        if isinstance(place, dict):
            for name in ("status", "statusCode"):
                status = place.get(name)
                if isinstance(status, int) and not isinstance(status, bool) and 100 <= status < 600:
                    return status
    return None


def _body(request: dict[str, Any]) -> tuple[bytes, bool]:
    """(JSON of the activity or null, whether it was recorded and not wholly shown)."""
    body = request.get("data", request.get("body"))
    if isinstance(body, str):
        try:
            whole = isinstance(json.loads(body), dict)
        except (ValueError, RecursionError):
            whole = False
        raw = body.encode("utf-8", "backslashreplace")
        # one line, as an exchange line is
        return (raw.replace(b"\r", b" ").replace(b"\n", b" "), False) if whole else (b"null", True)
    if isinstance(body, dict):
        if any(cut(body.get(name)) for name in _VITAL):
            return b"null", True
        return dumped(shown(body)), cut(body)
    return b"null", body is CUT


def _answer(answer: Any, around: dict[str, Any], said: str) -> Any:
    """The answer's body, from wherever the client keeps it."""
    for place in (answer, around):
        if not isinstance(place, dict):
            continue
        for name in _ANSWER:
            body = place.get(name)
            if isinstance(body, str) and body:
                try:
                    return json.loads(body)
                except (ValueError, RecursionError):
                    return body
            if isinstance(body, dict) and not cut(body):
                return shown(body)
    code = around.get("code")
    message = around.get("message", said)
    if isinstance(code, str) and isinstance(message, str) and (code or message):
        return {"error": {"code": code, "message": message}}
    return None


def _bare(value: dict[str, Any]) -> Made | None:
    kind = value.get("type")
    event = isinstance(kind, str) and IS_NAME.fullmatch(kind) is not None
    if not event and not is_activity(value):
        return None
    if event and any(cut(each) for name, each in value.items() if name not in _LOOSE):
        return Made(b"", "", True, True)  # without a member it must have it would be a fault
    return Made(dumped(shown(value)), "", True, cut(value))
