"""Pieces of pasted texts, for the tests that feed readers anything."""

from __future__ import annotations

_LINES = [
    b"\n",
    b"\r\n",
    b"\r",
    b" ",
    b"prose\n",
    b"\xff",
    b"{",
    b"}",
    b'"',
    b"\\",
    b"",
    b"\x1b[32m",
    b"x" * 60,
]
_EVENT = b'{"type":"RUN_ERROR","message":"\xc3\xa9"}'
_LOG = [
    *_LINES, _EVENT, _EVENT + b"\n", b"2026-09-01 10:00:00,123 DEBUG agui emit ", b"10:00:01 INFO x ",
    b"2026-09-01T10:00:00Z stdout P ", b"2026-09-01T10:00:00Z stdout F rest ", b"emit {\n", b'  "type": "RAW",\n',
    b"RUN_ERROR: ", b'{"time":1693560000,"event":' + _EVENT + b"}\n", b'{"log":"data: {\\"type\\":\\"RAW\\"}\\n"}\n',
    b"DEBUG:x:b'data: {\"type\":\"RAW\"}\\n'\n", b'"{\\"type\\":\\"RAW\\"}"', b'd":1}\n', b"...\n",
]  # fmt: skip
TEXT_PIECES: dict[str, list[bytes]] = {
    "log": _LOG,
    "typed": _LOG,
    "console": [
        *_LINES, b"[VERIFY] Event: ", b"[SSE] Event received: " + _EVENT + b"\n", _EVENT + b"\n", b"[ag-ui] odd\n",
        b'[HTTP] Event invalid: {"json":{"type":"RAW"},"error":"x"}\n', b"12:00:00 [APPLY] Event applied: ",
        b"[APPLY] Event: {type: 'RAW'}\n",
    ],
    "http": [
        *_LINES, b"HTTP/1.1 200 OK\r\n", b"< HTTP/2 204\n", b"< content-type: text/event-stream\n", b"<\n", b"> x\n",
        b"Transfer-Encoding: chunked\r\n", b"\r\n", b"data: " + _EVENT + b"\n\n", b"1a\r\n", b"da", b"0\r\n\r\n",
        b"{ [12 bytes data]\n", b"* told\n", b"POST /x HTTP/1.1\n", _EVENT + b"\n", b"curl x \\\n", b"HTTP/1.1 302 x\n",
    ],
    "markdown": [
        *_LINES, b"```json\n", b"```\n", b"~~~\n", b"> ", b"> ```\n", b"data: " + _EVENT + b"\n\n", _EVENT + b"\n",
        b"10:00:01 INFO x " + _EVENT + b"\n", b'{"a":1}\n', b"`````\n",
    ],
    "python-dump": [
        b"\n", b"prose\n", b'{"type":"RUN_STARTED","thread_id":"t","run_id":"r","raw_event":null}\n', _EVENT + b"\n",
        b"{cut\n", b"10:00:01 INFO x " + _EVENT + b"\n", b'[{"type":"RUN_STARTED","thread_id":"t"}', b"\xff", b"{",
        b"}",
    ],
}  # fmt: skip
TEXT_BEGINNINGS: dict[str, list[bytes]] = {
    "http": [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"< HTTP/1.1 200 OK\n<\n", b""],
    "markdown": [b"```\n", b""],
    "python-dump": [b""],
}
