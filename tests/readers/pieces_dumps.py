"""Pieces of dumps and SDK logs, for the tests that feed readers anything."""

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
    b"(",
    b")",
    b"[",
    b"]",
    b"'",
    b'"',
    b"\\",
    b"",
    b"x" * 60,
]
_RUN = b"type=<EventType.RUN_ERROR: 'RUN_ERROR'> timestamp=None message='\xc3\xa9\\n'"
_CALL = b"https://smba.trafficmanager.net/amer/v3/conversations/a%3A1/activities"
_ACTIVITY = b'{"type":"typing","additional_properties":{"x":null},"channel_data":{"streamType":"streaming"}}'
DUMP_PIECES: dict[str, list[bytes]] = {
    "python": [
        *_LINES, _RUN, _RUN + b"\n", b"2026-09-01 10:00:00,123 DEBUG emit ", b"RunErrorEvent(", b"RunErrorEvent(\n",
        b"type=<EventType.RUN_ERROR: 'RUN_ERROR'>, ", b"message='x'", b")\n", b"  message='a'\n",
        b"{'type': 'RUN_ERROR'}",
        b"[RunErrorEvent(type='RUN_ERROR', message=None), ", b"{'a': [1, 2.5, True, None]}\n", b"value={1: (2,)}",
    ],
    "http-log": [
        *_LINES, b"Sending HTTP request POST " + _CALL + b"\n", b"Start processing HTTP request POST " + _CALL + b"\n",
        b"Received HTTP response headers after 13.2ms - 202\n", b"End processing HTTP request after 20,5ms - 202\n",
        b"2026-09-01 10:00:00,123 INFO ", b'HTTP Request: POST ' + _CALL + b' "HTTP/1.1 403 Forbidden"\n',
        b"WARNING The streaming was stopped by the user.\n", b"info: System.Net.Http.HttpClient.x[100]\n",
        b"Sending HTTP request GET http://x.example/token\n", b"HTTP request failed after 100ms\n",
    ],
    "js-objects": [
        *_LINES, b"{ type: 'RUN_ERROR', message: 'x' }\n", b"response {\n", b"  status: 202,\n",
        b"  data: { id: '1' },\n",
        b"  config: { method: 'post', url: '" + _CALL + b"', data: '{\"type\":\"typing\"}' }\n", b"}\n", b"[Object]",
        b"... 3 more items", b"RestError: odd\n    at x (y.js:1) {\n", b"  a: [ 1, 2 ],\n", b"`a`", b"'a' +\n  'b',\n",
    ],
    "sdk-console": [
        *_LINES, b"[DEBUG] app ", b"[DEBUG] app {\n", b'[DEBUG] app   "type": "RUN_ERROR",\n', b"[DEBUG] app }\n",
        b"\x1b[35m\x1b[1m[INFO] app\x1b[39m\x1b[22m {\n", b"[INFO] other x\n", b"[DEBUG] app [\n", b"[DEBUG] app ]\n",
    ],
    "python-activities": [*_LINES, _ACTIVITY, _ACTIVITY + b"\n", b",", b"[\n", b'{"type":\n"typing"}', b'{"request":'],
}  # fmt: skip
