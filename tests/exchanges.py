"""Small Teams recordings: exchanges as a recorder writes them, and the same calls as HAR entries."""

from __future__ import annotations

import json
from typing import Any

CHAT = "a:1zzExampleChat"
BASE = "https://smba.trafficmanager.net/amer"
STREAM = "1790000000001"
TEXT = "You have 12 days left."
PREFIX = {
    "error": {
        "code": "ContentStreamNotAllowed",
        "message": "Request streamed content should contain the previously streamed content",
    }
}


def activity(
    text: str, number: int | None, stream: str | None = STREAM, kind: str = "streaming"
) -> dict[str, Any]:
    """A chunk of a stream; number None: its final message."""
    info: dict[str, Any] = {"type": "streaminfo", "streamType": "final" if number is None else kind}
    if stream is not None:
        info["streamId"] = stream
    if number is not None:
        info["streamSequence"] = number
    return {"type": "message" if number is None else "typing", "text": text, "entities": [info]}


def exchange(
    at: float, request: Any, status: int | None = 202, body: Any = None, **more: Any
) -> dict[str, Any]:
    """One call; status None: no answer came."""
    return {
        "at": at,
        "method": "POST",
        "url": f"{BASE}/v3/conversations/{CHAT}/activities",
        "request": request,
        "response": None if status is None else {"status": status, "body": {} if body is None else body},
        "took": 0.12,
        **more,
    }


def good() -> list[dict[str, Any]]:
    """A stream without fault, a plain message in the same chat behind it."""
    return [
        exchange(0.0, activity("Reading", 1, None, "informative"), 201, {"id": STREAM}),
        exchange(1.6, activity("You have", 2)),
        exchange(3.2, activity("You have 12 days", 3)),
        exchange(4.9, activity(TEXT, None)),
        exchange(9.0, {"type": "message", "text": "Anything else?"}, 201, {"id": "m2"}),
    ]


def broken() -> list[dict[str, Any]]:
    """A chunk that is a delta instead of the whole text; the service refuses it."""
    return [
        exchange(0.0, activity("A brown", 1, None), 201, {"id": STREAM}),
        exchange(1.6, activity(" fox jumps", 2), 403, PREFIX),
    ]


def lines(exchanges: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in exchanges)


def entry(call: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The call as a proxy writes it, with everything nobody should keep."""
    response = call["response"]
    told: dict[str, Any] = {"status": 0, "statusText": "", "content": {"size": 0}}
    if response is not None:
        body = json.dumps(response["body"])
        told = {
            "status": response["status"],
            "statusText": "OK",
            "content": {"size": len(body), "text": body},
        }
    secret = [
        {"name": "Authorization", "value": "Bearer zzSECRET"},
        {"name": "Cookie", "value": "s=zzSECRET"},
    ]
    given = [{"name": "ms-cv", "value": "zzExample.1"}, {"name": "Set-Cookie", "value": "s=zzSECRET"}]
    return {
        "startedDateTime": f"2026-09-01T08:00:{call['at']:06.3f}Z",
        "time": None if call["took"] is None else call["took"] * 1000,
        "request": {
            "method": call["method"],
            "url": call["url"].replace(":1zz", "%3A1zz") + "?sig=zzSECRET",
            "headers": secret,
            "cookies": [{"name": "s", "value": "zzSECRET"}],
            "postData": {"mimeType": "application/json", "text": json.dumps(call["request"])},
        },
        "response": {**told, "headers": given, "redirectURL": "zzSECRET"},
        "serverIPAddress": "zzSECRET",
        **more,
    }


def other(url: str = "https://login.example/zzSECRET", method: str = "POST") -> dict[str, Any]:
    """A call that is none of ours."""
    return entry({**exchange(2.0, {"password": "zzSECRET"}), "url": url, "method": method})


def har(*entries: Any, indent: int | None = 2) -> bytes:
    log = {
        "version": "1.2",
        "creator": {"name": "zzProxy", "version": "1"},
        "pages": [],
        "entries": [*entries],
    }
    return json.dumps({"log": log}, indent=indent).encode()
