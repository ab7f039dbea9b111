"""AG-UI records at level `structure`: what each event may keep, everything else a marker of its size.

Rules of this file: default-deny. The shapes are those of the protocol (`core/agui/shapes.py`); a member is kept only
if a table here names it, a member the protocol does not know loses even its name (`member-1`), and a value of the
wrong JSON type keeps its type and nothing else, so that what was malformed stays malformed.

Patches keep the number of their operations. Their paths hold keys of the application, so each operation becomes an
`add` at `/«redacted: 8 chars»`, which applies to any object, with its own kind under `was`: a `remove` of a key that
redaction took away would look like a patch that failed.
"""

from __future__ import annotations

import re
from typing import Any

from webapp.core.agui.compat import RETIRED
from webapp.core.agui.shapes import (
    SHAPES,
    Anything,
    Choice,
    Closed,
    Flag,
    Integer,
    ListOf,
    Node,
    OneOf,
    OpenObject,
    Text,
    TextOr,
)
from webapp.redact.base import Redactor
from webapp.redact.known import MIME
from webapp.redact.markers import marked, marker
from webapp.redact.parts import (
    CODE,
    TIME,
    VERSION,
    Part,
    choice,
    flag,
    keep_id,
    keep_name,
    kept_text,
    list_of,
    number,
    object_of,
    taken,
    text_or,
)
from webapp.redact.sentences import Sentences
from webapp.redact.values import read, write

IDS = frozenset(
    {"messageId", "toolCallId", "threadId", "runId", "parentRunId", "subagentRunId", "parentSubagentRunId",
     "parentToolCallId", "parentMessageId", "entityId", "interruptId", "id", "pendingToolCallIds", "interruptIds"}
)  # fmt: skip
NAMES = frozenset({"stepName", "toolCallName", "activityType", "encryptedValueType"})
# `name` is a tool's, a subagent's or a custom event's; the `name` of a message is a person's and is taken out
NAMED = frozenset({"FunctionCall", "Tool", "SubagentStarted", "Custom"})
# what a value that is taken out is counted as; all others are texts
COUNTED = {
    "args": "arguments", "arguments": "arguments", "result": "results", "snapshot": "states", "state": "states",
    "delta": "texts", "patch": "states", "metadata": "metadata", "rawEvent": "raw events", "event": "raw events",
    "value": "values", "encryptedValue": "encrypted values", "forwardedProps": "values", "payload": "values",
    "parameters": "schemas", "responseSchema": "schemas", "description": "descriptions", "name": "names",
    "message": "messages",
}  # fmt: skip
_TYPE = re.compile(r"[A-Z_]{1,60}")
# what each operation of a patch needs
_OPERATIONS: dict[str, set[str]] = {
    "add": {"value"}, "replace": {"value"}, "test": {"value"}, "remove": set(), "move": {"from"}, "copy": {"from"},
}  # fmt: skip


def _snapshot(red: Redactor, value: Any) -> Any:
    """A list becomes an object too, since patches without their paths apply to objects only."""
    return red.hidden({"": value} if isinstance(value, list) and value else value, "states")


def _operation(red: Redactor, value: Any) -> Any:
    kind, path = (value.get("op"), value.get("path")) if isinstance(value, dict) else (None, None)
    if not isinstance(path, str) or not isinstance(kind, str) or not _complete(kind, value):
        return _broken_operation(red, value)
    was = value.get("was") if kind == "add" else kind
    made = {"op": "add", "path": _pointer(red, path), "value": red.hidden(value.get("value"), "states")}
    return made | {"was": was} if was in _OPERATIONS and was != "add" else made


def _complete(kind: str, operation: dict[str, Any]) -> bool:
    needed = _OPERATIONS.get(kind)
    return needed is not None and needed <= operation.keys()


def _pointer(red: Redactor, path: Any) -> Any:
    """A path that was none stays none."""
    if not isinstance(path, str):
        return red.hidden(path, "paths")
    if not path or marked(path.removeprefix("/")) is not None:
        return path
    red.removed["paths"] += 1
    return f"/{marker(len(path))}" if path[0] == "/" else marker(len(path))


_broken_operation = object_of(
    {"op": choice(tuple(_OPERATIONS)), "path": _pointer, "from": _pointer, "value": taken("states")},
    "states",
)


def _union(node: OneOf, owner: str) -> Part:
    """Each kind has a table; an object of no known kind keeps what one of the kinds may keep."""
    what = COUNTED.get(owner, "values")
    tag = {node.tag_field: choice(tuple(node.members))}
    tables = {kind: tag | _members(closed) for kind, closed in node.members.items()}
    either: dict[str, Part] = {}
    for table in tables.values():
        either = table | either
    parts = {kind: object_of(table, what) for kind, table in tables.items()}
    other = object_of(either, what)

    def part(red: Redactor, value: Any) -> Any:
        if not isinstance(value, dict):
            return red.hidden(value, what)
        kind = value.get(node.tag_field)
        return (parts.get(kind, other) if isinstance(kind, str) else other)(red, value)

    return part


def _part(node: Node, key: str, cls: str) -> Part:
    what = COUNTED.get(key, "texts")
    match node:
        case Text():
            return _kept(key, cls, what)
        case Choice():
            return choice(node.values)
        case Integer():
            return number
        case Flag():
            return flag
        case ListOf():
            return list_of(_part(node.item, key, cls), what)
        case TextOr():
            return text_or(_part(node.parts, key, cls), what)
        case OneOf():
            return _operation if node.members.keys() == _OPERATIONS.keys() else _union(node, key)
        case Closed():
            return object_of(_members(node), what)
        case Anything() | OpenObject():
            return _snapshot if key in ("snapshot", "state") else taken(what)


def _kept(key: str, cls: str, what: str) -> Part:
    if key in IDS:
        return keep_id
    if key in NAMES or (key == "name" and cls in NAMED):
        return keep_name
    if key == "code":
        return kept_text(CODE, "texts", known=True)
    if key == "protocolVersion":
        return kept_text(VERSION, "versions", known=True)
    if key == "mimeType":
        return kept_text(MIME, "names")
    return kept_text(TIME, "times", known=True) if key == "expiresAt" else taken(what)


def _members(shape: Closed) -> dict[str, Part]:
    name = shape.cls.__name__
    members = {key: _part(field.node, key, name) for key, field in shape.fields.items()}
    if name in ("ToolCallArgs", "ToolCallChunk"):
        members["delta"] = taken("arguments")
    if name in ("ToolCallResult", "ToolMessage"):
        members["content"] = text_or(members["content"], "results")
    return members


def _type(red: Redactor, value: Any) -> Any:
    """A type of the protocol, however it is spelt, or what looks like one of somebody's own."""
    if not isinstance(value, str) or len(value) > LONGEST_TYPE:
        return red.hidden(value, "types")
    known = value in SHAPES or _TYPE.fullmatch(value) or _folded(value) in _SPELT
    return red.name_id(value) if known else red.hidden(value, "types")


def _folded(kind: str) -> str:
    """`EventType.RUN_STARTED`, `runStarted` and `run-started` are one."""
    return re.sub(r"[\s._-]", "", kind).lower().removeprefix("eventtype").removesuffix("event")


LONGEST_TYPE = 60  # characters
_SPELT = frozenset(_folded(name) for name in SHAPES)
_ENVELOPE = {"type": _type, "timestamp": number, "subagentRunId": keep_id}
_EVENTS = {name: object_of({"type": _type, **_members(shape)}, "values") for name, shape in SHAPES.items()}
_EVENTS |= {
    name: object_of({**_ENVELOPE, "title": taken("texts"), "delta": taken("texts")}, "values")
    for name in RETIRED
}
_OTHER = object_of(_ENVELOPE, "values")
_INPUT = _part(SHAPES["RUN_STARTED"].fields["input"].node, "input", "RunStarted")


class AguiStructure(Redactor):
    """AG-UI at level `structure`."""

    def __init__(self) -> None:
        super().__init__()
        self._sentences = Sentences(self)

    def record(self, payload: bytes) -> bytes | None:
        event = read(payload)
        if event is None:
            return None
        kind = event.get("type")
        made = _EVENTS.get(kind, _OTHER) if isinstance(kind, str) else _OTHER
        return write(made(self, event))

    def words(self, sentence: str) -> str:
        return self._sentences.without(sentence)

    def value(self, value: object) -> object:
        """The run input keeps what an echo of it would keep; of anything else the size is left."""
        return _INPUT(self, value) if isinstance(value, dict) else self.hidden(value, "values")
