"""Pieces of text for the tests that feed readers anything: what makes a form, what breaks it, what it passes over."""

from __future__ import annotations

import json

from tests.readers.wrapping import (
    CLEAN,
    copilotkit_rows,
    devtools_header,
    devtools_lines,
    entry,
    exchange,
    line,
    sse,
)

_ODD = [
    b"\n",
    b"\r\n",
    b"\r",
    b" ",
    b"prose",
    b"\xff",
    b"\xef\xbb\xbf",
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b"\\",
    b",",
    b"",
]
_CALL, _FRAMES = exchange(1, CLEAN[:2])
_TOLD = [{"time": 1.5, "data": line(CLEAN[0])}, {"data": "{cut"}]
_TEXT = {"text": sse(CLEAN[:2]), "size": 900}

# what a text of the form begins with, to have been recognised at all
BEGINNINGS = {
    "har-stream": [b'{"log": {"version": "1.2",\n "entries": [', b'{"log":{"entries":[', b""],
    "agui-inspector": [b'{"version":0,"session":{"exchanges":[', b""],
    "copilotkit": [b"[", b"[\n", b""],
    "debug-events": [b": connected\n\n", b""],
}
EXPORTS: dict[str, list[bytes]] = {
    "eventstream": [
        *_ODD, b"\t", b"Id\tType\tData\tTime\n", b'\tmessage\t{"type":"A"}\t10:00:00.123\n',
        b'{"type":"B"}\t9:59:59 PM\n',
        b'7\tmessage\t{"a":"\xc3\xa9"}\n', b"a\tb\n", b'{"type":"C"}\n', b"x" * 60,
    ],
    "har-stream": [
        *_ODD, b"\n  ", json.dumps(entry("https://x/agent", _TEXT), indent=1).encode(),
        json.dumps(entry("https://x/agent", {}, _eventSourceMessages=_TOLD), indent=1).encode(),
        json.dumps(entry("https://x/agent", {"text": "!!", "encoding": "base64"})).encode(),
        b'{"request":{"method":"GET","url":"/x"},"response":{"content":{"mimeType":"text/event-stream"}}}',
        b'{"text":"event-stream",', b"]}}",
    ],
    "agui-devtools": [
        *_ODD, devtools_header("state", "odd").encode(), *(f"{each}\n".encode() for each in devtools_lines(CLEAN[:2])),
        *(f"{each}\n".encode() for each in devtools_lines(CLEAN[:1], "c2")),
        b'{"kind":"event","connId":"c1","event":{"t',
        b'{"kind":"event","connId":1,"event":null}\n', b'{"kind":"odd","connId":"c1"}\n',
    ],
    "agui-inspector": [
        *_ODD, json.dumps(_CALL, indent=1).encode(), *(json.dumps(frame, indent=1).encode() for frame in _FRAMES),
        b'],"frames":[', b"]}}",
        b'{"exchangeId":"x1","classification":"partial","envelope":"data: {","offsetMs":1e999}',
        b'{"exchangeId":"x1","data":"{}"}', b'{"exchangeId":"x2","data":"\\ud83d"}',
    ],
    "copilotkit": [
        *_ODD, *(json.dumps(row, indent=1).encode() for row in copilotkit_rows(CLEAN[:2])),
        *(json.dumps(row).encode() for row in copilotkit_rows(CLEAN[:1], "b")), b'{"capped":true}',
        b'{"agentId":"a","type":"X","payload":{}}', b'{"agentId":"a","type":"X","payload":"{\\"type\\":1}"}',
    ],
    "debug-events": [
        *_ODD, b"data: ", b"\n\n", b'{"timestamp":1,"runId":"r","event":{"type":"A"}}', b": connected\n\n",
        b'data: {"timestamp":1e999,"agentId":2,"event":{"type":"B"}}\n\n', b'{"event":{"type":"C"}}\n',
        b'{"event":3,"runId":1}\n',
    ],
}  # fmt: skip
