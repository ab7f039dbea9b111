"""The run input of a call as it was typed: what it must be before it is sent.

Rules of this file: pure. Only what no agent could use is refused, each fault in one sentence that names the place; all
else is sent as it is, since an agent may be called to see what it makes of it.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from webapp.errors import BadInput

MAX_INPUT = 8 * 1024 * 1024  # bytes of UTF-8
MAX_DEPTH = 200  # of nesting
_REQUIRED = {
    "threadId": (str, "a text that names the conversation"),
    "runId": (str, "a text that names this run"),
    "messages": (list, "a list of the conversation so far, which may be empty"),
}
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}


def read_input(text: str) -> tuple[dict[str, Any], bytes]:
    """The run input, and the bytes to send: the text as it was typed. Raises BadInput."""
    body = text.encode("utf-8", "replace")
    if not text.strip():
        raise BadInput("The run input is empty: it is a JSON object with threadId, runId and messages.")
    if len(body) > MAX_INPUT:
        raise BadInput(f"The run input is larger than {MAX_INPUT // 1024**2} MB.")
    try:
        value = json.loads(text, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise BadInput(
            f"The run input is no JSON: {_reason(error)} at line {error.lineno:,}, column {error.colno:,}."
        ) from None
    except (RecursionError, ValueError) as error:
        told = (
            "it nests too deep" if isinstance(error, RecursionError) else "a number in it has too many digits"
        )
        raise BadInput(f"The run input cannot be used: {told}.") from None
    if not isinstance(value, dict):
        raise BadInput(f"The run input is {_kind(value)}; it has to be a JSON object.")
    missing = [f"{name} ({words})" for name, (_, words) in _REQUIRED.items() if name not in value]
    if missing:
        raise BadInput(f"The run input lacks {' and '.join(missing)}.")
    for name, (kind, words) in _REQUIRED.items():
        if not isinstance(value[name], kind):
            raise BadInput(f"{name} of the run input is {_kind(value[name])}; it has to be {words}.")
    if _deeper(value, MAX_DEPTH):
        raise BadInput(f"The run input nests deeper than {MAX_DEPTH} levels.")
    return value, body


def _constant(name: str) -> NoReturn:
    raise BadInput(f"The run input is no JSON: it holds {name}, which is no JSON value.")


def _reason(error: json.JSONDecodeError) -> str:
    return error.msg[:1].lower() + error.msg[1:]


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "a number")


def _deeper(value: Any, limit: int) -> bool:
    """Whether it nests deeper than `limit`; looks level by level, since a stack would be what it guards against."""
    level: list[Any] = [value]
    for _ in range(limit):
        level = [
            inside
            for each in level
            for inside in (each.values() if isinstance(each, dict) else each)
            if isinstance(inside, (dict, list))
        ]
        if not level:
            return False
    return True
