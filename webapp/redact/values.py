"""JSON as recordings hold it: read as leniently as the engine does, written so that it can be read again.

Rules of this file: bytes to values and back; nothing raises on input, nothing is taken out here.
"""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_BLANK = " \t\r\n"
_DIGITS = 4000  # Python refuses to write longer integers


def read(payload: bytes) -> dict[str, Any] | None:
    """The JSON object a payload is, of members that stand twice the last; None when it is none."""
    try:
        value = _decode(payload)
    except (msgspec.DecodeError, ValueError, RecursionError):
        value = _leniently(payload.decode("utf-8", "replace").removeprefix("\ufeff").strip(_BLANK))
    return value if isinstance(value, dict) else None


def read_text(text: str) -> Any:
    """The JSON value a text is; None when it is none."""
    return _leniently(text)


def _leniently(text: str) -> Any:
    """Lone surrogates and numbers of any size pass, as with `JSON.parse`."""
    try:
        return json.loads(text, parse_int=_whole, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < _DIGITS else float(digits)


def _refused(literal: str) -> Any:
    raise ValueError(literal)


def write(value: Any) -> bytes:
    """The value as JSON; half a character is written as an escape."""
    try:
        return _encode(value)
    except (UnicodeEncodeError, OverflowError, ValueError, RecursionError):
        return _written(value, ascii_only=True).encode()


def size(value: Any) -> int:
    """How long the value is as JSON without white space, in code points."""
    try:
        data = _encode(value)
    except (UnicodeEncodeError, OverflowError, ValueError, RecursionError):
        return len(_written(value, ascii_only=False))
    return len(data) if data.isascii() else len(data.decode())


def _written(value: Any, *, ascii_only: bool) -> str:
    try:
        return json.dumps(_finite(value), ensure_ascii=ascii_only, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError):
        return "null"


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None  # as the encoder has it
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list) else value
