"""AG-UI events to frames of the binary binding, for tests: the reader's layout used the other way round.

What the layout leaves to its users is told here a second time: outcomes, content parts, operations.
"""

from __future__ import annotations

from typing import Any

from webapp.readers.protobuf.layout import ARMS, CLASSES, MESSAGES, TYPES

OPS = ("add", "remove", "replace", "move", "copy", "test")
ARM_OF = {type_: arm for arm, (_, type_) in ARMS.items()}


class NoWireForm(ValueError):
    """The binding has no way to write this."""


def frame(event: dict[str, Any]) -> bytes:
    """One event with its length prefix. Raises NoWireForm."""
    return framed(message(event))


def framed(data: bytes) -> bytes:
    """Bytes with their length prefix."""
    return len(data).to_bytes(4, "big") + data


def message(event: dict[str, Any]) -> bytes:
    """The `Event` message of one event. Raises NoWireForm."""
    arm = ARM_OF.get(event["type"])
    if arm is None:
        raise NoWireForm(event["type"])
    name, type_ = ARMS[arm]
    envelope = CLASSES["Event"]()
    inner = getattr(envelope, type_.lower())
    base = {name: event[name] for name in ("timestamp", "rawEvent", "metadata") if name in event}
    fill(inner.base_event, "BaseEvent", {"type": TYPES[arm], **base})
    inner.base_event.SetInParent()
    own = {member: value for member, value in event.items() if member not in ("type", *base)}
    fill(inner, name, own)
    return bytes(envelope.SerializeToString())


def fill(target: Any, name: str, value: dict[str, Any]) -> None:
    """Set the fields of a message from a JSON object; members without a field are lost."""
    value = flattened(name, value)
    target.SetInParent()
    for field in MESSAGES[name]:
        if field.wire not in value:
            continue
        given = value[field.wire]
        try:
            if field.how == "*":
                for each in given:
                    if field.kind in MESSAGES:
                        fill(getattr(target, field.name).add(), field.kind, each)
                    else:
                        getattr(target, field.name).append(scalar(field.kind, each))
            elif field.kind in MESSAGES:
                fill(getattr(target, field.name), field.kind, given)
            else:
                setattr(target, field.name, scalar(field.kind, given))
        except (TypeError, AttributeError, ValueError) as error:
            raise NoWireForm(f"{name}.{field.name}: {given!r}") from error


def flattened(name: str, value: dict[str, Any]) -> dict[str, Any]:
    """The members under the names the layout has for them."""
    out = dict(value)
    if name in ("InputContent", "PartSource"):
        kind = out.pop("type")
        if kind not in {field.wire for field in MESSAGES[name]}:
            raise NoWireForm(f"{name}: {kind}")
        return {kind: out}
    if name in ("Message", "ToolCallResult") and isinstance(out.get("content"), list):
        out["contentParts"] = out.pop("content")
    if name == "Message" and out.get("role") == "activity" and "content" in out:
        out["activityContent"] = out.pop("content")
    if name in ("RunFinished", "SubagentFinished") and "outcome" in out:
        outcome = out.pop("outcome")
        if not isinstance(outcome, dict) or "type" not in outcome:
            raise NoWireForm(f"outcome: {outcome!r}")
        outcome = dict(outcome)
        out |= {"outcome": outcome.pop("type"), **outcome}
    return out


def scalar(kind: str, value: Any) -> Any:
    """A field's value as the runtime takes it."""
    if kind == "text":
        return value.encode("utf-8", "surrogatepass")
    if kind == "op":
        return OPS.index(value)
    if kind == "V":
        return bytes(boxed(value).SerializeToString())
    if kind == "S":
        return struct(value)
    if kind == "int" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def boxed(value: Any) -> Any:
    """A google.protobuf.Value."""
    box = CLASSES["Value"]()
    if value is None:
        box.null_value = 0
    elif isinstance(value, bool):
        box.bool_value = value
    elif isinstance(value, int | float):
        box.number_value = float(value)
    elif isinstance(value, str):
        box.string_value = scalar("text", value)
    elif isinstance(value, dict):
        box.struct_value = struct(value)
    else:
        held = CLASSES["ListValue"](values=[scalar("V", each) for each in value])
        box.list_value = held.SerializeToString()
    return box


def struct(value: dict[str, Any]) -> bytes:
    """A google.protobuf.Struct."""
    entry = CLASSES["Entry"]
    entries = [entry(key=scalar("text", key), value=scalar("V", each)) for key, each in value.items()]
    return bytes(CLASSES["Struct"](fields=entries).SerializeToString())
