"""Which of the plain forms a text is: server-sent events, JSON a line, a JSON array or objects.

Rules of this file: scores only; the readers are in their own modules. Everything is decided on the first bytes.
"""

from __future__ import annotations

import re

from webapp.readers.forms import Form, Score
from webapp.readers.head import Head
from webapp.readers.limits import Limits
from webapp.readers.plain.array import ArrayReader
from webapp.readers.plain.ndjson import NdjsonReader
from webapp.readers.plain.sse import SseReader
from webapp.readers.tally import is_json, is_object

_SSE_FIELD = re.compile(rb"(?:data|event|id|retry)(?=:|$)|:")
_IN_STRING = re.compile(rb'"(?:\\[nrt]|\s){0,20}(?:data:|event:|:|\[\s{0,20}\{|\{(?:\\[nrt]|\s){0,20}\\")')
_ARRAY_OPENS = re.compile(rb'\[\s*(?:[{\[\]"]|$)')


def sse(head: Head) -> Score | None:
    lines = head.lines
    fields = [match.group() for line in lines if (match := _SSE_FIELD.match(line))]
    data = fields.count(b"data")
    if data:
        reasons = (f"{data:,} of the first {len(lines):,} lines are data fields",)
        return Score(round(0.5 + len(fields) / len(lines) / 2, 2), reasons)
    if fields and len(fields) == len(lines):
        return Score(0.6, ("all lines so far are comments or fields of an event stream",))
    return None


def ndjson(head: Head) -> Score | None:
    return _json(head, "ndjson")


def array(head: Head) -> Score | None:
    return _json(head, "array")


def _json(head: Head, wanted: str) -> Score | None:
    name, score = _either(head)
    return score if name == wanted else None


def _either(head: Head) -> tuple[str, Score | None]:
    """Lines of JSON or one JSON text: they shut each other out."""
    text = head.text
    if _ARRAY_OPENS.match(text):
        return "array", Score(1.0, ("it begins as a JSON array",))
    lines = [line.lstrip() for line in head.lines]
    objects = sum(is_object(line) for line in lines)
    if text.startswith(b"{") and lines:
        return _objects(lines, objects)
    if objects:
        reasons = (f"{objects:,} of the first {len(lines):,} lines are JSON objects",)
        return "ndjson", Score(round(0.3 + objects / len(lines) / 2, 2), reasons)
    if lines and lines[0].startswith(b'"') and (len(lines) == 1 or is_json(lines[0])) and _quotes(lines[0]):
        return "ndjson", Score(0.5, ("its lines are JSON texts with a stream in them",))
    if any(line in (b"[", b"{") for line in lines):
        return "array", Score(0.3, ("JSON begins after other text",))
    return "", None


def _quotes(line: bytes) -> bool:
    """Whether a JSON string, perhaps cut off, begins as a stream does."""
    return _IN_STRING.match(line) is not None


def _objects(lines: list[bytes], objects: int) -> tuple[str, Score]:
    """Text that begins with a brace: one object a line, or objects over several lines or in one."""
    braces = sum(line.startswith(b"{") for line in lines)
    if objects and (is_object(lines[0]) or objects * 2 > braces):
        reasons = (f"{objects:,} of the first {len(lines):,} lines are JSON objects",)
        return "ndjson", Score(round(0.5 + objects / len(lines) / 2, 2), reasons)
    if lines[0] == b"{" or _in_a_row(lines[0]):
        return "array", Score(0.9, ("it begins as a JSON object that is not one line",))
    if braces * 2 > len(lines):
        return "ndjson", Score(0.5, ("lines begin as JSON objects, though most are broken",))
    return "array", Score(0.6, ("it begins as a JSON object over several lines",))


def _in_a_row(line: bytes) -> bool:
    """Whether the line is several objects, one behind the other, or one and a comma."""
    reader = ArrayReader(Limits())
    records = reader.feed(line)
    return len(records) > (not line.endswith(b",")) and all(is_object(record.payload) for record in records)


SSE = Form(
    "sse",
    "server-sent events",
    "A streamed response as the wire has it: `data:` lines and blank lines.",
    sse,
    SseReader,
)
NDJSON = Form(
    "ndjson", "one JSON object a line", "JSON lines: events, exchanges or activities.", ndjson, NdjsonReader
)
ARRAY = Form(
    "array",
    "a JSON array or objects",
    "A JSON array, one object, or several behind each other; a transcript.",
    array,
    ArrayReader,
)
