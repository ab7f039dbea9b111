"""The event in one log line: behind a prefix, quoted as a string, or as a member of a JSON log.

Rules of this file: one line in, what is in it out; no memory of other lines. A bounded number of places is tried, each
by the JSON parser, so that the work on a line is a small multiple of its length. The payload is the bytes as received
wherever they stand in the line as JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, Never

from webapp.readers.event_names import NAME
from webapp.readers.log import times
from webapp.readers.signs import protocol_of

TRIES = 16  # braces of a line that are tried
DEPTH = 3  # members of members of a JSON log that are looked into
MEMBERS = 200  # of them, in all
ANSI = re.compile(rb"\x1b(?:\[[0-9;?]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)|[@-Z\\^_])")
# `TYPE: {…}`, `EventType.TYPE {…}`, at the end of what stands before the object
TYPED = re.compile(r"(?:^|[\s\]|:>-])(?:EventType\.)?(" + NAME + r")\s*(?:[:=]|[-=]>)?\s*$")
_OPENS = re.compile(r'\{\s*"')
_ONLY_MEMBER = re.compile(r'[\s,\[{]*"(?:[^"\\]|\\.)*+"\s*:\s*')
_BYTES = re.compile(r"b'(?:[^'\\]|\\.)*+'|b\"(?:[^\"\\]|\\.)*+\"", re.DOTALL)
_TIMES = (
    "time", "timestamp", "@timestamp", "ts", "datetime", "asctime", "date", "eventTime", "t",
    "__REALTIME_TIMESTAMP", "_SOURCE_REALTIME_TIMESTAMP", "timeUnixNano",
)  # fmt: skip


class Found(NamedTuple):
    """What a line holds. kind: event | object (JSON, perhaps an event) | cut (JSON that does not end).

    prefix: the text before it; how: `text` | `string` (it was quoted) | `member` (of a JSON log, `prefix` names it) |
    `named` (its type stood before it); partial: a container log cut the line here, more follows
    """

    kind: str
    prefix: str
    payload: bytes = b""
    value: Any = None
    how: str = "text"
    time: times.Time | None = None


def is_event(value: Any) -> bool:
    """Whether a decoded value is an event of AG-UI, or an exchange or activity of Teams."""
    return isinstance(value, dict) and protocol_of([value], b"")[0] is not None


def plain(text: bytes) -> bytes:
    """The line without colours."""
    return ANSI.sub(b"", text) if b"\x1b" in text else text


def speaks(prefix: str) -> bool:
    """Whether what stands before an object is a log's prefix, and not a piece of JSON."""
    return any(map(str.isalnum, prefix)) and _ONLY_MEMBER.fullmatch(prefix) is None


def look(line: bytes) -> Found | None:
    """What a line holds, None when there is no JSON object in it. line: without colours."""
    if b"{" not in line:
        return None
    text = line.decode("utf-8", "surrogateescape")
    return _member(text) or _search(text)


def whole(line: bytes) -> dict[str, Any] | None:
    """The JSON object that the whole line is."""
    if not line.startswith(b"{"):
        return None
    value, end = _decoded(text := line.decode("utf-8", "surrogateescape"), 0)
    return value if isinstance(value, dict) and not text[end:].strip() else None


def _search(text: str) -> Found | None:
    other: Found | None = None
    at = -1
    for _ in range(TRIES):
        at = text.find("{", at + 1)
        if at < 0:
            break
        found, end = _at(text, at)
        if found is None:
            continue
        if found.kind != "object":
            return found
        other = other or found
        at = end - 1
    return other


def _at(text: str, at: int) -> tuple[Found | None, int]:
    """What begins at a brace, and where it ends."""
    before = text[:at]
    value, end = _decoded(text, at)
    if isinstance(value, dict):
        return _judged(before, _bytes(text[at:end]), value, "text"), end
    if text[at + 1 : at + 2] == "\\" and before.endswith('"'):
        quoted, end = _decoded(text, at - 1)
        if isinstance(quoted, str):
            inside, stop = _decoded(quoted, 0)
            if isinstance(inside, dict):
                return _judged(before[:-1], _bytes(quoted[:stop]), inside, "string"), end
    start = max(text.rfind("b'", 0, at), text.rfind('b"', 0, at))
    if start >= 0 and at - start < 20 and (literal := _BYTES.match(text, start)):
        inner = _unescaped(literal.group())
        opens = inner.find("{")
        if opens >= 0:
            inside, stop = _decoded(inner, opens)
            if isinstance(inside, dict):
                return _judged(text[:start], _bytes(inner[opens:stop]), inside, "string"), literal.end()
    if _OPENS.match(text, at):
        return Found("cut", before), len(text)
    return None, at


def _judged(prefix: str, payload: bytes, value: dict[str, Any], how: str) -> Found:
    if how == "text" and (inside := _inside(payload.decode("utf-8", "surrogateescape"), value)) is not None:
        return inside._replace(prefix=f"{prefix}{inside.prefix}")
    if "type" not in value and (name := TYPED.search(prefix[-80:])) is not None:
        named = b'{"type":"' + name[1].encode() + b'"' + (b"," if value else b"") + payload[1:].lstrip()
        return Found("event", prefix, named, {"type": name[1], **value}, "named")
    return Found("event" if is_event(value) else "object", prefix, payload, value, how)


def _member(text: str) -> Found | None:
    """The line as an entry of a JSON log."""
    if not text.startswith("{"):
        return None
    value, end = _decoded(text, 0)
    if not isinstance(value, dict) or text[end:].strip():
        return None
    found = _inside(text[:end], value)
    if found is not None:
        return found
    return Found("event" if is_event(value) else "object", "", _bytes(text[:end]), value)


def _inside(text: str, value: dict[str, Any]) -> Found | None:
    """The event that a member of a JSON log holds; None: the object is an event itself, or holds none."""
    if is_event(value):
        return None
    time = next((when for key in _TIMES if (when := _time(value.get(key))) is not None), None)
    for path, held in _members(value):
        if isinstance(held, dict):
            if is_event(held):
                return Found("event", "/".join(path), member(text, path, held), held, "member", time)
        elif (found := _said(held)) is not None and found.kind == "event":
            return Found("event", "/".join(path), found.payload, found.value, "member", time or found.time)
    return None


def _time(value: Any) -> times.Time | None:
    return None if value is None else times.member(value)


def _said(text: str) -> Found | None:
    """What the text of a message holds: an event, or a log line or `data:` field with one."""
    if "{" not in text:
        return None
    value, end = _decoded(text, 0) if text.startswith("{") else (None, 0)
    if isinstance(value, dict):
        kind = "event" if is_event(value) else "object"
        return Found(kind, "", _bytes(text[:end]), value, "string")
    found = _search(text)
    return None if found is None else found._replace(time=times.find(found.prefix))


def _members(value: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Objects and texts in an object, outer ones first, with the names that lead to them."""
    level: list[tuple[tuple[str, ...], dict[str, Any]]] = [((), value)]
    left = MEMBERS
    for _ in range(DEPTH):
        below: list[tuple[tuple[str, ...], dict[str, Any]]] = []
        for path, holder in level:
            for key, held in holder.items():
                left -= 1
                if left < 0:
                    return
                if isinstance(held, dict):
                    below.append(((*path, key), held))
                    yield (*path, key), held
                elif isinstance(held, str):
                    yield (*path, key), held
        level = below


def member(text: str, path: tuple[str, ...], value: Any) -> bytes:
    """The bytes of a member as they stand in the line; written anew where they cannot be told apart."""
    key = json.dumps(path[-1], ensure_ascii=False)
    at = -1
    for _ in range(TRIES):
        at = text.find(key, at + 1)
        if at < 0:
            break
        opens = text.find("{", at + len(key))
        if opens < 0 or text[at + len(key) : opens].strip() != ":":
            continue
        found, end = _decoded(text, opens)
        if found == value:
            return _bytes(text[opens:end])
    try:
        held = json.loads(text)
        for name in path:
            held = held[name]
    except (ValueError, RecursionError):
        held = value
    return _bytes(json.dumps(held, ensure_ascii=False, separators=(",", ":")))


def _bytes(text: str) -> bytes:
    """Text of a line to bytes: what was no UTF-8 as it was, lone surrogates that JSON escapes made as they are."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _no_constant(name: str) -> Never:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_int=str, parse_constant=_no_constant)


def _decoded(text: str, at: int) -> tuple[Any, int]:
    """The JSON value that begins at a place, and its end; (None, at) when none does."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, at


_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|.)", re.DOTALL)
_NAMED_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def _unescaped(literal: str) -> str:
    """The bytes that Python printed as `b'…'`, as the text they are."""

    def one(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code[1:], 16)) if len(code) == 3 else _NAMED_ESCAPES.get(code, code)

    raw = _ESCAPE.sub(one, literal[2:-1])
    return raw.encode("latin-1", "replace").decode("utf-8", "surrogateescape")
