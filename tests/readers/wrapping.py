"""The same events in every form: what one test of all forms wraps its runs with.

Rules of this file: one function a form, from events to the bytes a person would hand over. `CANNOT`: forms that
cannot carry one of the runs, with the reason.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable
from typing import Any

from tests.readers.wrapping_redacted import wrap_redacted

Event = dict[str, Any]

IDS = {"threadId": "t-1", "runId": "r-1"}
CLEAN: list[Event] = [
    {"type": "RUN_STARTED", **IDS},
    {"type": "TEXT_MESSAGE_START", "messageId": "m-1", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m-1", "delta": "é 한"},
    {"type": "TEXT_MESSAGE_END", "messageId": "m-1"},
    {"type": "RUN_FINISHED", **IDS},
]
FAULT: list[Event] = [CLEAN[0], CLEAN[1], CLEAN[3], CLEAN[2], CLEAN[4]]  # AGUI-TXT-02 at #3
FAULT_KEY = "AGUI-TXT-02@3"
START = 1_788_249_600_000  # ms; 2026-09-01T08:00:00Z


def line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def sse(events: Iterable[Event]) -> str:
    return "".join(f"data: {line(event)}\n\n" for event in events)


def entry(url: str, answer: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An entry of a HAR file with everything in it that nobody meant to hand over."""
    return {
        "startedDateTime": "2026-09-01T08:00:00.000Z",
        "time": 1500,
        "request": {
            "method": "POST",
            "url": f"{url}?token=zzSECRET",
            "headers": [{"name": "Authorization", "value": "Bearer zzSECRET"}],
            "cookies": [{"name": "session", "value": "zzSECRET"}],
            "postData": {"mimeType": "application/json", "text": line({**IDS, "messages": [], "tools": []})},
        },
        "response": {
            "status": 200,
            "headers": [
                {"name": "Content-Type", "value": answer.get("mimeType", "text/event-stream")},
                {"name": "Set-Cookie", "value": "zzSECRET"},
            ],
            "content": {"mimeType": "text/event-stream", **answer},
        },
        **more,
    }


def har(*entries: dict[str, Any], indent: int | None = 1) -> bytes:
    log = {"log": {"version": "1.2", "creator": {"name": "x"}, "entries": list(entries)}}
    return json.dumps(log, indent=indent, ensure_ascii=False).encode()


def wrap_sse(events: list[Event]) -> bytes:
    return sse(events).encode()


def wrap_ndjson(events: list[Event]) -> bytes:
    return "".join(f"{line(event)}\n" for event in events).encode()


def wrap_array(events: list[Event]) -> bytes:
    return json.dumps(events, indent=2, ensure_ascii=False).encode()


def wrap_eventstream(events: list[Event]) -> bytes:
    rows = [f"\tmessage\t{line(event)}\t10:00:{n:02}.123" for n, event in enumerate(events)]
    return "\n".join(["Id\tType\tData\tTime", *rows]).encode()


def wrap_eventstream_firefox(events: list[Event]) -> bytes:
    return "".join(f"{line(event)}\t10:00:{n:02}.123\n" for n, event in enumerate(events)).encode()


def wrap_har_text(events: list[Event]) -> bytes:
    text = sse(events)
    return har(entry("https://x.example/agent", {"size": len(text.encode()), "text": text}))


def wrap_har_base64(events: list[Event]) -> bytes:
    text = base64.b64encode(sse(events).encode()).decode()
    return har(entry("https://x.example/agent", {"text": text, "encoding": "base64"}), indent=None)


def wrap_har_messages(events: list[Event]) -> bytes:
    told = [
        {"time": START / 1000 + n / 10, "eventName": "message", "eventId": "", "data": line(event)}
        for n, event in enumerate(events)
    ]
    return har(entry("https://x.example/agent", {"size": 0}, _eventSourceMessages=told))


def ids_of(events: list[Event]) -> Event:
    """Thread and run of the first event."""
    return {name: events[0][name] for name in IDS} if events and "threadId" in events[0] else IDS


def devtools_lines(events: list[Event], conn: str = "c1") -> list[str]:
    request = {"kind": "request", "connId": conn, "tMs": 0, "method": "POST", "url": "/agent?x=1"}
    return [
        line({**request, "input": {**ids_of(events), "messages": [], "tools": []}}),
        *(
            line({"kind": "event", "connId": conn, "seq": n, "tMs": n * 12, "event": event})
            for n, event in enumerate(events, 1)
        ),
        line({"kind": "keepalive", "connId": conn, "seq": 99, "tMs": 900, "comment": "ping"}),
    ]


def devtools_header(*redacted: str) -> str:
    about = {"kind": "header", "schemaVersion": 1, "tool": "ag-ui-devtools@0.1.0", "transport": "sse"}
    return line({**about, "redacted": list(redacted)})


def wrap_agui_devtools(events: list[Event]) -> bytes:
    return "".join(f"{each}\n" for each in [devtools_header(), *devtools_lines(events)]).encode()


def exchange(number: int, events: list[Event]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """An exchange of an inspector recording and its frames."""
    owner = f"x{number}"
    frames = [
        {
            "id": f"{owner}-{n}", "exchangeId": owner, "index": n, "classification": "data",
            "envelope": f"data: {line(event)}\n\n", "data": line(event), "offsetMs": n * 20,
            "parsed": event, "provenance": "raw",
        }
        for n, event in enumerate(events)
    ]  # fmt: skip
    call = {
        "id": owner, "kind": "conversation", "method": "POST", "path": f"/agent/{number}", "startedAt": START,
        "requestBody": line({**ids_of(events), "messages": [], "tools": []}), "status": 200, "transport": "completed",
        "frameIds": [frame["id"] for frame in frames],
    }  # fmt: skip
    return call, frames


def wrap_inspector(events: list[Event]) -> bytes:
    call, frames = exchange(1, events)
    session = {"id": "s", "exchanges": [call], "runs": [], "frames": frames, "findings": [], "derived": []}
    return json.dumps({"version": 0, "session": session}, indent=2, ensure_ascii=False).encode()


def copilotkit_rows(events: list[Event], agent: str = "a") -> list[dict[str, Any]]:
    """Newest first, as the inspector exports them."""
    return [
        {
            "id": f"{agent}:{n}",
            "agentId": agent,
            "type": event["type"],
            "timestamp": START + n,
            "payload": event,
        }
        for n, event in reversed(list(enumerate(events)))
    ]


def wrap_copilotkit(events: list[Event]) -> bytes:
    return json.dumps(copilotkit_rows(events), indent=2, ensure_ascii=False).encode()


def envelope(event: Event, n: int, run: str = "r-1", agent: str = "a") -> Event:
    return {"timestamp": START + n, "agentId": agent, "threadId": "t-1", "runId": run, "event": event}


def wrap_debug_sse(events: list[Event]) -> bytes:
    return (": connected\n\n" + sse(envelope(event, n) for n, event in enumerate(events))).encode()


def wrap_debug_ndjson(events: list[Event]) -> bytes:
    return "".join(f"{line(envelope(event, n))}\n" for n, event in enumerate(events)).encode()


# name of a wrapping -> (form it is read as, function)
WRAPS: dict[str, tuple[str, Callable[[list[Event]], bytes]]] = {
    "server-sent events": ("sse", wrap_sse),
    "JSON lines": ("ndjson", wrap_ndjson),
    "JSON array": ("array", wrap_array),
    "EventStream rows, Chrome": ("eventstream", wrap_eventstream),
    "EventStream rows, Firefox": ("eventstream", wrap_eventstream_firefox),
    "HAR, body as text": ("har-stream", wrap_har_text),
    "HAR, body in base64": ("har-stream", wrap_har_base64),
    "HAR, EventSource messages": ("har-stream", wrap_har_messages),
    "AG-UI DevTools": ("agui-devtools", wrap_agui_devtools),
    "agui-inspector": ("agui-inspector", wrap_inspector),
    "CopilotKit inspector": ("copilotkit", wrap_copilotkit),
    "debug stream, SSE": ("debug-events", wrap_debug_sse),
    "debug stream, JSON lines": ("debug-events", wrap_debug_ndjson),
    "redacted file": ("redacted", wrap_redacted),
}

from tests.readers.wrapping_binary import BINARY_WRAPS  # noqa: E402 - it needs what stands above
from tests.readers.wrapping_dumps import DUMP_WRAPS  # noqa: E402 - it needs what stands above
from tests.readers.wrapping_texts import TEXT_WRAPS  # noqa: E402 - it needs what stands above

WRAPS |= BINARY_WRAPS | TEXT_WRAPS | DUMP_WRAPS
