"""The parts of an exchange line as they were recorded: the request and the answer, token for token.

Rules of this file: pure; a record's text in, pieces of that text out. Nothing is encoded again.
"""

from __future__ import annotations

import json
import re
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(parse_int=len, parse_float=len)  # values are passed over, not kept


def members(text: str) -> dict[str, str]:
    """The members of a JSON object by name, each as it stands in the text; none when it is no whole object."""
    found: dict[str, str] = {}
    try:
        at = _skip(text, 0)
        if text[at] != "{":
            return {}
        at = _skip(text, at + 1)
        while text[at] == '"':
            name, at = _DECODER.raw_decode(text, at)
            at = _skip(text, at)
            if text[at] != ":":
                return {}
            start = _skip(text, at + 1)
            _, end = _DECODER.raw_decode(text, start)
            found[name] = text[start:end]
            at = _skip(text, end)
            if text[at] != ",":
                break
            at = _skip(text, at + 1)
        return found if text[at] == "}" else {}
    except (ValueError, IndexError, RecursionError):
        return {}


def request_and_answer(text: str) -> tuple[str, str]:
    """The request's body and the answer of an exchange line, "" where there is none; a body in a string unpacked."""
    parts = members(text)
    request = _unpacked(parts.get("request", ""))
    response = parts.get("response", "")
    return ("" if request == "null" else request), ("" if response == "null" else response)


def _unpacked(part: str) -> str:
    """A body that was recorded as a string is shown as the JSON inside it."""
    if not part.startswith('"'):
        return part
    try:
        inner: Any = json.loads(part)
    except ValueError:
        return part
    return inner if isinstance(inner, str) and inner.lstrip().startswith(("{", "[")) else part


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()
