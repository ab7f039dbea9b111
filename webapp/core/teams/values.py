"""JSON values as recordings hold them: decoded, or as text, whatever their kind.

Rules of this file: one value in, one out; nothing raises. Strings may hold lone surrogates, as the wire does.
"""

from __future__ import annotations

import json
from typing import Any


def decode(raw: bytes | str) -> Any:
    """The JSON value, lone surrogates and all; None when it is none (or nests too deep to be read)."""
    try:
        text = raw if isinstance(raw, str) else raw.decode("utf-8", "replace")
        return json.loads(text, parse_int=_whole)
    except (ValueError, RecursionError):
        return None


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < 300 else float(digits)


def plain(value: Any) -> str:
    """A value as text; what an object or array holds is left out, however deep it nests."""
    if isinstance(value, dict):
        return "{…}"
    return "[…]" if isinstance(value, list) else str(value)


def table(value: Any) -> dict[str, Any]:
    """The value, when it is an object; else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[dict[str, Any]]:
    """The members of an array that are objects; none when it is no array."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def word(value: Any) -> str | None:
    """An id as text: services answer numbers now and then."""
    if isinstance(value, str):
        return value or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None
