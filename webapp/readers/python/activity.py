"""Activities as a Python SDK holds them to those of the wire: camelCase names, nulls left out, additions in place.

Rules of this file: the translation, and the signs that a value was dumped rather than sent. snake_case alone is no
sign: a bot that sends it has a fault of its own (TEAMS-006), which must not be translated away.
"""

from __future__ import annotations

import re
from typing import Any

from webapp.readers.activities import is_activity
from webapp.readers.python.literal import Model
from webapp.readers.python.names import camel

ADDITIONS = ("additional_properties", "model_extra", "__pydantic_extra__")
FEW_NULLS = 3  # a wire body has none, a dump has one for each member that is not set
# only models hold these
_OWN = frozenset({*ADDITIONS, "from_property", "from_"})
_SNAKE = frozenset(
    {"channel_data", "channel_id", "service_url", "reply_to_id", "text_format", "local_timestamp", "input_hint",
     "attachment_layout", "suggested_actions", "members_added", "local_timezone", "caller_id", "value_type",
     "delivery_mode", "from_property"}
)  # fmt: skip
_CAMEL = frozenset(
    {
        "channelData",
        "channelId",
        "serviceUrl",
        "replyToId",
        "textFormat",
        "localTimestamp",
        "inputHint",
        "from",
    }
)
_OPAQUE = frozenset({"value", "content", "claims", "properties", "headers"})  # cards and the like: keys stay
_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+_?|from_")


def is_dump(value: Any) -> bool:
    """Whether a decoded value is an activity, or an exchange with one, that was dumped by a model."""
    if not isinstance(value, dict):
        return False
    request = value.get("request")
    if isinstance(request, dict) and ("url" in value or "response" in value):
        value = request
    if not is_activity(value) or not _CAMEL.isdisjoint(value):
        return False
    if not _OWN.isdisjoint(value):
        return True
    nulls = sum(each is None for each in value.values())
    return not _SNAKE.isdisjoint(value) and nulls >= FEW_NULLS


def wire_activity(value: Any) -> Any:
    """The activity, or the exchange with its request, as the wire would have it."""
    value = _plain(value)
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("request"), dict) and ("url" in value or "response" in value):
        return {**value, "request": _wire(value["request"])}
    return _wire(value)


def _plain(value: Any) -> Any:
    """Models are their members."""
    if isinstance(value, Model):
        return {name: _plain(each) for name, each in value.members.items()}
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value


def _wire(value: Any) -> Any:
    if isinstance(value, list):
        return [_wire(each) for each in value]
    if not isinstance(value, dict):
        return value
    out: dict[str, Any] = {}
    for name, held in value.items():
        if name in ADDITIONS:
            if isinstance(held, dict):
                out.update({_named(key): _wire(each) for key, each in held.items() if each is not None})
        elif held is not None:
            wire = _named(name)
            out[wire] = held if wire in _OPAQUE else _wire(held)
    return out


def _named(name: str) -> str:
    return camel(name) if _NAME.fullmatch(name) else name
