"""The same events as frames of the binary binding, in the ways in which they are kept and pasted."""

from __future__ import annotations

import base64
from collections.abc import Callable

from tests.readers.frames import frame
from tests.readers.wrapping import Event, entry, har


def wrap_frames(events: list[Event]) -> bytes:
    return b"".join(map(frame, events))


def wrap_base64(events: list[Event]) -> bytes:
    return base64.encodebytes(wrap_frames(events))


def wrap_base64_lines(events: list[Event]) -> bytes:
    return b"\n".join(base64.b64encode(frame(event)) for event in events)


def wrap_hexadecimal(events: list[Event]) -> bytes:
    return b"\n".join(frame(event).hex(" ").encode() for event in events)


def wrap_har_binary(events: list[Event]) -> bytes:
    answer = {
        "mimeType": "application/vnd.ag-ui.event+proto",
        "encoding": "base64",
        "text": base64.b64encode(wrap_frames(events)).decode(),
    }
    return har(entry("https://agent.example.com/run", answer))


BINARY_WRAPS: dict[str, tuple[str, Callable[[list[Event]], bytes]]] = {
    "binary frames": ("protobuf", wrap_frames),
    "binary frames, base64": ("protobuf", wrap_base64),
    "binary frames, base64 a line": ("protobuf", wrap_base64_lines),
    "binary frames, hexadecimal": ("protobuf", wrap_hexadecimal),
    "HAR, binary body": ("har-stream", wrap_har_binary),
}
