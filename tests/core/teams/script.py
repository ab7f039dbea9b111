"""Teams recordings in shorthand, as the cases write them.

    +0.0  informative 1 "Reading the policy…" -> 201 S (+0.3)
    +1.6  streaming 2 "You have" @S -> 202
    +3.2  streaming 3 "You have 12" @S {"attachments": [{}]} -> E403-PREFIX
    +4.9  final "You have 12 days." @S -> 202
    +6.0  edit "Here it is." @S -> 200
    +7.0  inbound "and then?" -> none
    +8.0  {"at": 1, "method": "POST", …}

A line is `+SECONDS KIND [NUMBER] ["TEXT"] [@STREAM] [{CHANGES}] -> ANSWER [(+TOOK)]`, or a whole record as JSON.
KIND: informative streaming final typing message edit delete inbound. `{CHANGES}` is laid over the activity (null takes
a key away); its key `si` goes over the streaminfo entity, `call` over the record (url, took …).
ANSWER: `201 S` (issues the id S) · `202`, `200` · `STATUS {json}` or `STATUS "text"` · a key of `answers.ANSWERS`
(`E403-STOP`: the answer as the service words it) · `lost` · `none` (the bare activity, as a transcript has it).
`(+TOOK)` is 0.1 s when left out. In a text `«ab*400»` stands for 400 times `ab`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from webapp.core import Replay, Report
from webapp.core.teams.answers import BY_KEY

BASE = "https://smba.trafficmanager.net/amer/v3/conversations"
CHAT = "a:1zzExampleChat"
START = 1788249600.0  # 2026-09-01 08:00:00 UTC, for carriers that write dates
_LINE = re.compile(
    r"\+(?P<at>[\d.]+)\s+(?P<kind>[a-z]+)(?:\s+(?P<number>\d+))?(?:\s+(?P<text>\"(?:[^\"\\]|\\.)*\"))?"
    r"(?:\s+@(?P<stream>\S+))?(?:\s+(?P<changes>\{.*\}))?\s+->\s+(?P<answer>.+?)(?:\s+\(\+(?P<took>[\d.]+)\))?"
)
_MANY = re.compile(r"«(.+?)\*(\d+)»")
_DECODE = json.JSONDecoder()


def records(text: str) -> Iterator[dict[str, Any]]:
    """The records of a script; Empty lines and lines from `;` are left out."""
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith(";"):
            continue
        if line.startswith("{"):
            yield json.loads(line)
        else:
            yield _record(line)


def lines(text: str) -> list[bytes]:
    """The same as exchange lines."""
    return [json.dumps(record).encode() for record in records(text)]


def judge(text: str) -> Report:
    """The report on a script."""
    replay = Replay("teams")
    for line in lines(text):
        replay.feed(line)
    return replay.finish()


def _record(line: str) -> dict[str, Any]:
    found = _LINE.fullmatch(line)
    if found is None:
        raise ValueError(f"not a line of a script: {line}")
    at, kind, stream = float(found["at"]), found["kind"], found["stream"]
    changes = json.loads(found["changes"]) if found["changes"] else {}
    over, fields = changes.pop("call", {}), changes.pop("si", {})
    body = _activity(kind, found["number"], found["text"], stream, fields)
    _lay(body, changes)
    if found["answer"] == "none":
        return {**body, "timestamp": _date(at), **over}
    method = {"edit": "PUT", "delete": "DELETE"}.get(kind, "POST")
    url = f"{BASE}/{body.get('conversation', {}).get('id', CHAT)}/activities"
    record: dict[str, Any] = {
        "at": at,
        "method": method,
        "url": f"{url}/{stream}" if method != "POST" else url,
        "request": None if kind == "delete" else body,
        "response": _answer(found["answer"]),
        "took": float(found["took"] or 0.1),
    }
    if record["response"] is None:
        record["took"] = None
    _lay(record, over)
    return record


def _activity(
    kind: str, number: str | None, text: str | None, stream: str | None, fields: Any
) -> dict[str, Any]:
    sender = {"id": "29:zzUser", "role": "user"} if kind == "inbound" else {"id": "28:zzBot", "role": "bot"}
    body: dict[str, Any] = {
        "type": "typing" if kind in ("informative", "streaming", "typing") else "message",
        "channelId": "msteams",
        "from": sender,
        "conversation": {"id": CHAT, "conversationType": "personal"},
    }
    if text is not None:
        body["text"] = _MANY.sub(lambda found: found[1] * int(found[2]), json.loads(text))
    if kind in ("informative", "streaming", "final"):
        info: dict[str, Any] = {"type": "streaminfo", "streamType": kind}
        if stream is not None:
            info["streamId"] = stream
        if number is not None:
            info["streamSequence"] = int(number)
        _lay(info, fields)
        body["entities"] = [info]
    return body


def _lay(under: dict[str, Any], over: dict[str, Any]) -> None:
    for name, value in over.items():
        if value is None:
            under.pop(name, None)
        else:
            under[name] = value


def _answer(text: str) -> dict[str, Any] | None:
    if text == "lost":
        return None
    if text in BY_KEY:
        row = BY_KEY[text]
        if row.key == "E429":
            return {"status": 429, "body": row.message}
        error = {"code": row.code, "message": row.message}
        return {"status": row.status, "body": {"error": error} if row.code else {"message": row.message}}
    status, _, rest = text.partition(" ")
    if not rest:
        return {"status": int(status), "body": {}}
    if rest.startswith(("{", '"', "null")):
        return {"status": int(status), "body": json.loads(rest)}
    return {"status": int(status), "body": {"id": rest}}


def _date(at: float) -> str:
    whole = int(at)
    return f"2026-09-01T{8 + whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}.{round((at - whole) * 1000):03}Z"
