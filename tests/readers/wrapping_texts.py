"""The same events in the texts that people paste: logs, terminals, consoles, chat messages.

Rules of this file: as `wrapping`, which lists these too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from tests.readers.wrapping import Event, line, sse

PYTHON = "2026-09-01 10:00:{n:02},123 DEBUG agui.encoder emit "
CURL = (
    "$ curl -Nv https://x.example/agent \\\n  -H 'Authorization: Bearer zzSECRET'\n"
    "* Connected to x.example (10.0.0.1) port 443\n> POST /agent HTTP/1.1\n> Authorization: Bearer zzSECRET\n>\n"
    "} [120 bytes data]\n< HTTP/1.1 200 OK\n< content-type: text/event-stream; charset=utf-8\n"
    "< set-cookie: session=zzSECRET\n< transfer-encoding: chunked\n<\n{ [123 bytes data]\n"
)
RAW_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def lines(events: Iterable[Event], prefix: str, suffix: str = "") -> str:
    return "".join(f"{prefix.format(n=n)}{line(event)}{suffix}\n" for n, event in enumerate(events))


def wrap_python_log(events: list[Event]) -> bytes:
    quiet = "2026-09-01 09:59:59,001 INFO agui.server started\n"
    return (quiet + lines(events, PYTHON) + "2026-09-01 10:01:00,001 INFO agui.server stopped\n").encode()


def wrap_uvicorn(events: list[Event]) -> bytes:
    asked = 'INFO:     127.0.0.1:50112 - "POST /agent HTTP/1.1" 200 OK\n'
    return (asked + lines(events, "DEBUG:    agui: send ")).encode()


def wrap_coloured(events: list[Event]) -> bytes:
    return lines(events, "\x1b[90m[12:00:{n:02}.123]\x1b[39m \x1b[32mINFO\x1b[39m (77): emit ").encode()


def wrap_kubernetes(events: list[Event]) -> bytes:
    """Lines of a container log, each cut in two."""
    out = []
    for n, event in enumerate(events):
        text, stamp = line(event), f"2026-09-01T10:00:{n:02}.123456789Z stdout"
        out.append(f"{stamp} P {text[:24]}\n{stamp} F {text[24:]}\n")
    return "".join(out).encode()


def wrap_docker(events: list[Event]) -> bytes:
    rows = [
        {"log": f"data: {line(event)}\n", "stream": "stdout", "time": f"2026-09-01T10:00:{n:02}.5Z"}
        for n, event in enumerate(events)
    ]
    return "".join(f"{line(row)}\n" for row in rows).encode()


def wrap_journald(events: list[Event]) -> bytes:
    return lines(events, "Sep 01 10:00:{n:02} host agent[4711]: ").encode()


def wrap_logfmt(events: list[Event]) -> bytes:
    rows = (
        f"ts=2026-09-01T10:00:{n:02}Z level=debug msg=emit event={json.dumps(line(event), ensure_ascii=False)}\n"
        for n, event in enumerate(events)
    )
    return "".join(rows).encode()


def wrap_json_log(events: list[Event]) -> bytes:
    rows: list[dict[str, Any]] = [{"time": 1_788_249_600_000, "level": 30, "msg": "listening"}]
    rows += [
        {"time": 1_788_249_600_000 + n, "level": 20, "msg": "emit", "event": event}
        for n, event in enumerate(events)
    ]
    return "".join(f"{line(row)}\n" for row in rows).encode()


def wrap_pretty_log(events: list[Event]) -> bytes:
    """The members under their log line, as pino-pretty prints them."""
    out = []
    for n, event in enumerate(events):
        text = json.dumps(event, indent=2, ensure_ascii=False).replace("\n", "\n    ")
        out.append(f"[10:00:{n:02}.123] DEBUG (77): emit\n    event: {text}\n")
    return "".join(out).encode()


def wrap_chunk_log(events: list[Event]) -> bytes:
    """Byte strings as Python prints them."""
    rows = ((f"data: {line(event)}\r\n\r\n").encode() for event in events)
    return "".join(f"DEBUG:sse_starlette.sse:chunk: {row!r}\n" for row in rows).encode()


def wrap_typed(events: list[Event]) -> bytes:
    return "".join(f"{event['type']}: {line(event)}\n" for event in events).encode()


def wrap_type_before(events: list[Event]) -> bytes:
    rest = ({name: value for name, value in event.items() if name != "type"} for event in events)
    kinds = (event["type"] for event in events)
    return "".join(
        f"EventType.{kind} {line(each)}\n" for kind, each in zip(kinds, rest, strict=True)
    ).encode()


def snake(event: Event) -> Event:
    """As a Python model dumps it."""
    names = {
        re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name): value for name, value in event.items()
    }
    return {**names, "timestamp": None, "raw_event": None}


def wrap_snake(events: list[Event]) -> bytes:
    return "".join(f"{line(snake(event))}\n" for event in events).encode()


def wrap_snake_log(events: list[Event]) -> bytes:
    return lines(map(snake, events), PYTHON).encode()


def wrap_console(events: list[Event]) -> bytes:
    stages = ("[HTTP] Event received", "[SSE] Event received", "[VERIFY] Event", "[APPLY] Event applied")
    rows = ["[LIFECYCLE] Run started: {agentId: 'a'}\n"]
    rows += [f"client.mjs:42 [ag-ui]{stage}: {line(event)}\n" for event in events for stage in stages]
    return "".join(rows).encode()


def wrap_curl(events: list[Event]) -> bytes:
    return f"{CURL}{sse(events)}* Connection #0 to host x.example left intact\n".encode()


def wrap_curl_i(events: list[Event]) -> bytes:
    return f"HTTP/2 200 \r\ncontent-type: text/event-stream\r\n\r\n{sse(events)}".encode()


def wrap_chunked(events: list[Event], size: int = 33) -> bytes:
    """As the wire has it: chunks that end in the middle of a line."""
    body = sse(events).encode()
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
    return RAW_HEAD.encode() + chunks + b"0\r\n\r\n"


def wrap_fence(events: list[Event]) -> bytes:
    return (
        'Hello, the agent stops. We send:\n\n```json\n{"threadId": "t-1"}\n```\n\nand get\n\n'
        f"```\n{sse(events).strip()}\n```\nAny idea?\n"
    ).encode()


def wrap_fenced_log(events: list[Event]) -> bytes:
    return f"Look:\n~~~log\n{lines(events, PYTHON)}~~~\n".encode()


def wrap_two_fences(events: list[Event]) -> bytes:
    return (
        f"First\n```json\n{lines(events[:2], '')}```\nthen\n```json\n{lines(events[2:], '')}```\n"
    ).encode()


def wrap_quoted(events: list[Event]) -> bytes:
    body = "".join(f"> {each}\n" for each in sse(events).split("\n"))
    return f"They wrote:\n{body}\nThanks\n".encode()


def wrap_utf16(events: list[Event]) -> bytes:
    return b"\xff\xfe" + sse(events).encode("utf-16-le")


TEXT_WRAPS: dict[str, tuple[str, Callable[[list[Event]], bytes]]] = {
    "Python log": ("log", wrap_python_log),
    "uvicorn log": ("log", wrap_uvicorn),
    "coloured log": ("log", wrap_coloured),
    "Kubernetes log, cut lines": ("log", wrap_kubernetes),
    "Docker log": ("log", wrap_docker),
    "journal": ("log", wrap_journald),
    "logfmt": ("log", wrap_logfmt),
    "JSON log": ("log", wrap_json_log),
    "log with members below": ("log", wrap_pretty_log),
    "log of byte strings": ("log", wrap_chunk_log),
    "TYPE: {json}": ("typed", wrap_typed),
    "type before the event": ("typed", wrap_type_before),
    "Python dump": ("python-dump", wrap_snake),
    "Python dump in a log": ("python-dump", wrap_snake_log),
    "client debug console": ("console", wrap_console),
    "curl -v": ("http", wrap_curl),
    "curl -i": ("http", wrap_curl_i),
    "raw HTTP in chunks": ("http", wrap_chunked),
    "Markdown fence": ("markdown", wrap_fence),
    "fenced log": ("markdown", wrap_fenced_log),
    "two fences": ("markdown", wrap_two_fences),
    "quoted in a chat": ("markdown", wrap_quoted),
    "UTF-16": ("sse", wrap_utf16),
}
