"""Values as Python holds them to JSON as the wire has it: camelCase names, what is None left out.

Rules of this file: members of models are named by the protocol and translated; keys of plain dicts may be anybody's and
stay, but for the event's own and those of its messages, calls and outcome. None where the protocol requires the
member is null, since there it is a value.
"""

from __future__ import annotations

import json
import re
from typing import Any

from webapp.readers.python.literal import Model

# members whose None is a value: kind of event, or of patch operation -> member
_NULLS = {
    "STATE_SNAPSHOT": "snapshot", "RAW": "event", "CUSTOM": "value", "add": "value", "replace": "value",
    "test": "value",
}  # fmt: skip
# what is inside is the application's own: keys stay
_OPAQUE = frozenset(
    {"rawEvent", "metadata", "snapshot", "value", "event", "content", "parameters", "state", "forwardedProps",
     "result", "payload", "responseSchema", "delta"}
)  # fmt: skip
_SNAKE = re.compile(r"_+([a-z0-9])")
_TYPE = re.compile(r"[A-Z][A-Z_]{2,60}")


def camel(name: str) -> str:
    """`thread_id` -> `threadId`; `from_` and `from_property` -> `from`."""
    if name in ("from_", "from_property"):
        return "from"
    stem = name.rstrip("_")
    return stem[:1] + _SNAKE.sub(lambda found: found[1].upper(), stem[1:])


def dumped(value: Any) -> bytes:
    """JSON in one line; halves of surrogate pairs stay escapes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def wire_event(value: Any) -> bytes | None:
    """An event's JSON; None: it has no type of an event."""
    made = _wire(value, top=True)
    kind = made.get("type") if isinstance(made, dict) else None
    if not isinstance(kind, str) or _TYPE.fullmatch(kind) is None:
        return None
    return dumped(made)


def _wire(value: Any, *, top: bool = False) -> Any:
    if isinstance(value, Model):
        return _members(value.members, model=True)
    if isinstance(value, dict):
        return _members(value, model=False) if top else {key: _wire(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_wire(each) for each in value]
    return value


def _members(members: dict[str, Any], *, model: bool) -> dict[str, Any]:
    """Members of a model, or of a dict that is one: names translated, None left out (in a model)."""
    kinds = (members.get("type"), members.get("op"))
    required = {_NULLS[kind] for kind in kinds if isinstance(kind, str) and kind in _NULLS}
    out: dict[str, Any] = {}
    for name, value in members.items():
        wire = camel(name)
        if value is None and (model or "_" in name) and wire not in required:
            continue
        out[wire] = _wire(value) if wire in _OPAQUE or isinstance(value, Model) else _inside(value, model)
    return out


def _inside(value: Any, model: bool) -> Any:
    """A described member: the dicts of a dumped event are models too, those of a shown model are its own."""
    if isinstance(value, list):
        return [_inside(each, model) for each in value]
    if isinstance(value, dict) and not model:
        return _members(value, model=False)
    return _wire(value)
