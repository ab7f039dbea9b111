"""One frame's bytes to the JSON bytes of its event, with the names of the JSON binding.

Rules of this file: the layout's exceptions are here, everything else follows the table. Never raises; a frame that is
no event gives its framing note instead. Members that binary cannot leave out (texts, lists) are always there.

Source: basic/transports/http-protobuf; the reading of outcomes, parts and operations is that of the reference client.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

from webapp.readers.protobuf.layout import ARMS, CLASSES, MESSAGES, TYPES, Field
from webapp.readers.protobuf.values import ABSENT, TooDeep, struct_of, text_of, value_of

EMPTY = "frame-empty"
BROKEN = "frame-broken"
TWO_ARMS = "frame-two-arms"
NO_BASE = "frame-no-base"
OTHER_TYPE = "frame-other-type"
UNKNOWN_ARM = "frame-unknown-arm"
SURELY_TOO_DEEP = 1_500  # levels, in place of a value that has too many: the engine then says so, as of JSON
_LENGTH_DELIMITED = 2
_OPS = ("add", "remove", "replace", "move", "copy", "test")
# lists that are left out when they are empty; all others are there
_MAY_LACK = {"toolCalls", "usage", "pendingToolCallIds", "interruptIds"}
_EVENT = CLASSES["Event"]
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Decoded(NamedTuple):
    """payload: JSON bytes, empty when the frame is no event; note: what is wrong with it, "" when nothing is."""

    payload: bytes
    note: str = ""


class _Twice(ValueError):
    """Two members that shut each other out."""


def decode(frame: bytes) -> Decoded:
    """The event of one frame, without its length prefix."""
    if not frame:
        return Decoded(b"", EMPTY)
    try:
        event = _EVENT.FromString(frame)
        arms = [descriptor.number for descriptor, _ in event.ListFields()]
        if len(arms) > 1:
            return Decoded(b"", TWO_ARMS)
        if not arms:
            unknown = any(each.wire_type == _LENGTH_DELIMITED for each in _unknown(event))
            return Decoded(b"", UNKNOWN_ARM if unknown else BROKEN)
        name, type_ = ARMS[arms[0]]
        message = getattr(event, type_.lower())
        if not message.HasField("base_event"):
            return Decoded(b"", NO_BASE)
        if message.base_event.type != TYPES[arms[0]]:
            return Decoded(b"", OTHER_TYPE)
        return Decoded(payload({"type": type_, **_event(name, message)}))
    except TooDeep:
        return Decoded(
            f'{{"type":"{type_}","left out":{"[" * SURELY_TOO_DEEP}{"]" * SURELY_TOO_DEEP}}}'.encode()
        )
    except (DecodeError, _Twice):
        return Decoded(b"", BROKEN)


def payload(value: Any) -> bytes:
    """JSON bytes; lone surrogates become the bytes they stand for."""
    return _JSON(value).encode("utf-8", "surrogateescape")


def _event(name: str, message: Any) -> dict[str, Any]:
    out = _members(name, message)
    base = _members("BaseEvent", message.base_event)
    del base["type"]
    return {**out, **base}


def _members(name: str, message: Any) -> dict[str, Any]:
    """The members of a message as JSON has them."""
    out: dict[str, Any] = {}
    for field in MESSAGES[name]:
        if field.how == "*":
            found = [_value(field, each) for each in getattr(message, field.name)]
            if found or field.wire not in _MAY_LACK:
                out[field.wire] = found
        elif (field.how == "" and field.kind in _ALWAYS) or message.HasField(field.name):
            value = _value(field, getattr(message, field.name))
            if value is not ABSENT:
                out[field.wire] = value
    odd = _ODD.get(name)
    return out if odd is None else odd(out, message)


def _unknown(message: Any) -> list[Any]:
    found = UnknownFieldSet(message)
    return [found[place] for place in range(len(found))]


_ALWAYS = ("text", "int", "op", "bool")  # without explicit presence these have a value at any time


def _value(field: Field, value: Any) -> Any:
    kind = field.kind
    if kind == "text":
        return text_of(value)
    if kind == "V":
        return value_of(value)
    if kind == "S":
        return struct_of(value)
    if kind == "op":
        return _OPS[value] if 0 <= value < len(_OPS) else str(value)
    return value if kind in ("int", "bool") else _members(kind, value)


# ── where the layout and JSON differ ─────────────────────────


def _part(out: dict[str, Any], message: Any) -> dict[str, Any]:
    """A content part or its source: the field that is set is the `type`."""
    if not out:
        unknown = [each.field_number for each in _unknown(message)]
        # a kind this layout does not have: named, so that enforcement drops it with a warning
        return {"type": f"field {unknown[0]}"} if unknown else {}
    kind, value = next(iter(out.items()))
    return {"type": kind, **value}


def _content(out: dict[str, Any], empty_counts: bool) -> dict[str, Any]:
    """`content` is a text or a list of parts."""
    parts = out.pop("contentParts", [])
    if parts and "content" in out:
        raise _Twice
    if parts or (empty_counts and "content" not in out):
        out["content"] = parts
    return out


def _result(out: dict[str, Any], _: Any) -> dict[str, Any]:
    return _content(out, empty_counts=True)


def _message(out: dict[str, Any], _: Any) -> dict[str, Any]:
    activity = out.pop("activityContent", None)
    role = out["role"]
    if role == "activity":
        if activity is not None:
            out["content"] = activity
        out.pop("contentParts", None)
        return out
    return _content(out, empty_counts=role in ("user", "tool"))


def _finished(out: dict[str, Any], _: Any) -> dict[str, Any]:
    interrupts, pending = out.pop("interrupts"), out.pop("pendingToolCallIds", None)
    if kind := out.pop("outcome"):
        outcome: dict[str, Any] = {"type": kind}
        if interrupts or kind == "interrupt":
            outcome["interrupts"] = interrupts
        if pending:
            outcome["pendingToolCallIds"] = pending
        out["outcome"] = outcome
    return out


def _subagent_finished(out: dict[str, Any], _: Any) -> dict[str, Any]:
    ids = out.pop("interruptIds", None)
    if kind := out.pop("outcome"):
        out["outcome"] = {"type": kind, **({"interruptIds": ids} if ids else {})}
    return out


_ODD: dict[str, Callable[[dict[str, Any], Any], dict[str, Any]]] = {
    "InputContent": _part,
    "PartSource": _part,
    "ToolCallResult": _result,
    "Message": _message,
    "RunFinished": _finished,
    "SubagentFinished": _subagent_finished,
}
