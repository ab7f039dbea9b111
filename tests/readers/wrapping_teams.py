"""The same two replies into Microsoft Teams in every form that can carry them.

Rules of this file: as `wrapping`, with exchanges in the place of events. `GOOD` is a reply without fault, `FAULT` one
that sends a piece in place of the whole text, which the service refuses.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from tests.exchanges import PREFIX, STREAM, activity, entry, exchange, har
from tests.readers.wrapping_redacted import wrap_redacted_teams

Exchange = dict[str, Any]

GOOD: list[Exchange] = [
    exchange(0.0, activity("Reading the policy...", 1, None, "informative"), 201, {"id": STREAM}, took=0.31),
    exchange(1.6, activity("Checking dates...", 2, kind="informative")),
    exchange(3.2, activity("You have", 3)),
    exchange(4.9, activity("You have 12 days – é 한", 4)),
    exchange(6.5, activity("You have 12 days – é 한 left.", None)),
]
FAULT: list[Exchange] = [
    exchange(0.0, activity("Reading...", 1, None, "informative"), 201, {"id": STREAM}),
    exchange(1.6, activity("A brown", 2)),
    exchange(3.2, activity(" fox jumps", 3), 403, PREFIX),
]
FAULT_KEY = "TEAMS-020@2"
START = datetime(2026, 9, 1, 8, tzinfo=UTC).timestamp()


class Wrap(NamedTuple):
    """form: it is read as; make: from exchanges to bytes; fault: where it is found, "" where it cannot be."""

    form: str
    make: Callable[[list[Exchange]], bytes]
    fault: str = FAULT_KEY


def line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def iso(at: float, zone: str = "Z") -> str:
    return datetime.fromtimestamp(START + at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:23] + zone


def logged(at: float) -> str:
    return iso(at, "").replace("T", " ").replace(".", ",") + " DEBUG bot "


def bodies(exchanges: list[Exchange]) -> list[Any]:
    return [each["request"] for each in exchanges]


def wrap_lines(exchanges: list[Exchange]) -> bytes:
    return "".join(f"{line(each)}\n" for each in exchanges).encode()


def wrap_array(exchanges: list[Exchange]) -> bytes:
    return json.dumps(exchanges, indent=2, ensure_ascii=False).encode()


def wrap_objects(exchanges: list[Exchange]) -> bytes:
    """Pretty objects, one behind the other."""
    return "\n".join(json.dumps(each, indent=2, ensure_ascii=False) for each in exchanges).encode()


def wrap_activities(exchanges: list[Exchange]) -> bytes:
    return wrap_lines(bodies(exchanges))


def transcript(exchanges: list[Exchange]) -> list[dict[str, Any]]:
    """What the bot sent, with the time it was written down."""
    chat = {"id": "a:1zzExampleChat", "conversationType": "personal"}
    common = {"channelId": "msteams", "conversation": chat}
    bot = {"id": "28:bot", "role": "bot"}
    return [
        {"id": f"b{n}", "timestamp": iso(each["at"]), **common, "from": bot, **each["request"]}
        for n, each in enumerate(exchanges)
    ]


def wrap_transcript(exchanges: list[Exchange]) -> bytes:
    return json.dumps(transcript(exchanges), indent=1, ensure_ascii=False).encode()


def wrap_har(exchanges: list[Exchange]) -> bytes:
    return har(*map(entry, exchanges))


def wrap_har_base64(exchanges: list[Exchange]) -> bytes:
    entries = [entry(each) for each in exchanges]
    for each in entries:
        posted, content = each["request"]["postData"], each["response"]["content"]
        for body in (posted, content):
            body |= {"text": base64.b64encode(body["text"].encode()).decode(), "encoding": "base64"}
    return har(*entries, indent=None)


def wrap_log(exchanges: list[Exchange]) -> bytes:
    quiet = "2026-09-01 07:59:59,000 INFO bot ready\n"
    return (quiet + "".join(f"{logged(each['at'])}sent {line(each)}\n" for each in exchanges)).encode()


def wrap_activity_log(exchanges: list[Exchange]) -> bytes:
    return "".join(f"{logged(each['at'])}sending {line(each['request'])}\n" for each in exchanges).encode()


def wrap_fence(exchanges: list[Exchange]) -> bytes:
    return b"The bot stops, see\n\n```json\n" + wrap_lines(exchanges) + b"```\nAny idea?\n"


def wrap_utf16(exchanges: list[Exchange]) -> bytes:
    return b"\xff\xfe" + wrap_lines(exchanges).decode().encode("utf-16-le")


def snake(value: Any) -> Any:
    """As a model of a Python SDK dumps it: its own names, and a null for what is not set."""
    if isinstance(value, list):
        return [snake(each) for each in value]
    if not isinstance(value, dict):
        return value
    out = {re.sub("[A-Z]", lambda c: f"_{c[0].lower()}", name): snake(each) for name, each in value.items()}
    if "text" not in out:
        return out
    return {
        "additional_properties": {},
        **out,
        "channel_data": None,
        "service_url": None,
        "reply_to_id": None,
    }


def wrap_python_dump(exchanges: list[Exchange]) -> bytes:
    return wrap_lines(list(map(snake, bodies(exchanges))))


def wrap_python_exchanges(exchanges: list[Exchange]) -> bytes:
    return wrap_lines([{**each, "request": snake(each["request"])} for each in exchanges])


def model(value: Any, name: str) -> str:
    """As pydantic shows it."""
    if isinstance(value, list):
        return "[" + ", ".join(model(each, "StreamInfoEntity") for each in value) + "]"
    if not isinstance(value, dict):
        return repr(value)
    members = {re.sub("[A-Z]", lambda c: f"_{c[0].lower()}", key): each for key, each in value.items()}
    inside = ", ".join(f"{key}={model(each, 'Entity')}" for key, each in members.items())
    return f"{name}({inside}, channel_data=None)"


def wrap_python_repr(exchanges: list[Exchange]) -> bytes:
    kinds = {"typing": "TypingActivityInput", "message": "MessageActivityInput"}
    rows = ((each["at"], model(each["request"], kinds[each["request"]["type"]])) for each in exchanges)
    return "".join(f"{logged(at)}{text}\n" for at, text in rows).encode()


def wrap_sdk_console(exchanges: list[Exchange]) -> bytes:
    out = ["\x1b[36m\x1b[1m[INFO] app\x1b[39m\x1b[22m listening\n"]
    for body in bodies(exchanges):
        rows = json.dumps(body, indent=2, ensure_ascii=False).split("\n")
        out += [f"\x1b[35m\x1b[1m[DEBUG] app\x1b[39m\x1b[22m {row}\n" for row in rows]
    return "".join(out).encode()


def inspected(value: Any, deep: int = 0) -> str:
    """As `util.inspect` shows it with `depth: null`."""
    if isinstance(value, dict):
        if not value:
            return "{}"
        pad = "  " * (deep + 1)
        rows = ",\n".join(f"{pad}{name}: {inspected(each, deep + 1)}" for name, each in value.items())
        return "{\n" + rows + "\n" + "  " * deep + "}"
    if isinstance(value, list):
        return "[ " + ", ".join(inspected(each, deep) for each in value) + " ]"
    return "'" + value.replace("'", "\\'") + "'" if isinstance(value, str) else json.dumps(value)


def wrap_axios(exchanges: list[Exchange]) -> bytes:
    out = []
    for each in exchanges:
        config = {"method": "post", "url": each["url"], "data": line(each["request"])}
        answer = each["response"]
        shown = inspected({"status": answer["status"], "config": config, "data": answer["body"]})
        out.append(f"{logged(each['at'])}response {shown}\n")
    return "".join(out).encode()


def wrap_console_log(exchanges: list[Exchange]) -> bytes:
    return "".join(f"sending {inspected(body)}\n" for body in bodies(exchanges)).encode()


def wrap_httpx(exchanges: list[Exchange]) -> bytes:
    return "".join(
        f"{logged(each['at'] + each['took'])}httpx HTTP Request: POST {each['url']} "
        f'"HTTP/1.1 {each["response"]["status"]} OK"\n'
        for each in exchanges
    ).encode()


def wrap_dotnet(exchanges: list[Exchange]) -> bytes:
    head = "info: System.Net.Http.HttpClient.Default.ClientHandler"
    return "".join(
        f"{logged(each['at'])[:23]} {head}[100]\n      Sending HTTP request POST {each['url']}\n"
        f"{logged(each['at'] + each['took'])[:23]} {head}[101]\n"
        f"      Received HTTP response headers after {each['took'] * 1000:.1f}ms - {each['response']['status']}\n"
        for each in exchanges
    ).encode()


# name of a wrapping -> how
TEAMS_WRAPS: dict[str, Wrap] = {
    "exchange lines": Wrap("ndjson", wrap_lines),
    "array of exchanges": Wrap("array", wrap_array),
    "exchanges over several lines": Wrap("array", wrap_objects),
    "activities, one a line": Wrap("ndjson", wrap_activities),
    "transcript": Wrap("array", wrap_transcript),
    "HAR of connector calls": Wrap("har", wrap_har),
    "HAR of connector calls, bodies in base64": Wrap("har", wrap_har_base64),
    "exchange lines in a log": Wrap("log", wrap_log),
    "activities in a log": Wrap("log", wrap_activity_log),
    "exchange lines in a fence": Wrap("markdown", wrap_fence),
    "exchange lines in UTF-16": Wrap("ndjson", wrap_utf16),
    "activities dumped by a Python SDK": Wrap("python-activities", wrap_python_dump),
    "exchanges dumped by a Python SDK": Wrap("python-activities", wrap_python_exchanges),
    "activities as Python shows them": Wrap("python", wrap_python_repr),
    "SDK console, activities": Wrap("sdk-console", wrap_sdk_console),
    "axios responses": Wrap("js-objects", wrap_axios),
    "activities as Node shows them": Wrap("js-objects", wrap_console_log),
    "redacted file of exchanges": Wrap("redacted", wrap_redacted_teams),
    "httpx log": Wrap("http-log", wrap_httpx, ""),
    ".NET HttpClient log": Wrap("http-log", wrap_dotnet, ""),
}
