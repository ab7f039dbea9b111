"""Where the members of a JSON object and the elements of an array stand in the text, so that they stay byte for byte.

Rules of this file: brackets and strings only, no recursion, linear in the text; nothing is parsed but names. Broken
text gives what comes before the break; whoever takes a slice lets somebody else judge what is in it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from webapp.readers.brackets import TO_DEEP_BRACKET, TO_QUOTE

MAX_DEPTH = 1000  # deeper values count as not closed: no judge takes them either
MAX_MEMBERS = 1000  # of one object; wrappings have a dozen
_GAP = re.compile(rb"[ \t\r\n]*+")
_WORD = re.compile(rb'[^\s",:\[\]{}]*+')
Span = tuple[int, int]


def gap(text: bytes, pos: int) -> int:
    """The first byte from `pos` on that is no white space."""
    found = _GAP.match(text, pos)
    return found.end() if found else pos


def value_end(text: bytes, pos: int) -> int | None:
    """The byte behind the JSON value that begins at `pos`; None: it is not closed, or there is none."""
    first = text[pos : pos + 1]
    if first == b'"':
        return _string_end(text, pos)
    if first not in (b"{", b"["):
        found = _WORD.match(text, pos)
        return found.end() if found and found.end() > pos else None
    depth, pos = 1, pos + 1
    while 0 < depth <= MAX_DEPTH:
        found = TO_DEEP_BRACKET.match(text, pos)
        pos = found.end() if found else len(text)
        byte = text[pos : pos + 1]
        if byte == b'"':
            end = _string_end(text, pos)
            if end is None:
                return None
            pos = end
            continue
        if not byte:
            return None
        depth += 1 if byte in b"{[" else -1
        pos += 1
    return pos if depth == 0 else None


def members(text: bytes, pos: int = 0) -> dict[str, Span]:
    """Name -> where its value begins and ends, of the object that begins at `pos` (white space may come first).

    The last value may lack its end: then it goes to the end of the text. Of a name that comes twice, the last counts.
    """
    out: dict[str, Span] = {}
    pos = gap(text, pos)
    if text[pos : pos + 1] != b"{":
        return out
    pos = gap(text, pos + 1)
    for _ in range(MAX_MEMBERS):
        end = _string_end(text, pos) if text[pos : pos + 1] == b'"' else None
        if end is None:
            return out
        name = _name(text[pos:end])
        pos = gap(text, end)
        if text[pos : pos + 1] != b":":
            return out
        start = gap(text, pos + 1)
        after = value_end(text, start)
        out[name] = (start, len(text) if after is None else after)
        if after is None:
            return out
        pos = gap(text, after)
        if text[pos : pos + 1] == b",":
            pos = gap(text, pos + 1)
    return out


def elements(text: bytes, pos: int = 0) -> Iterator[Span]:
    """Where each element of the array that begins at `pos` begins and ends; ends where the text breaks."""
    pos = gap(text, pos)
    if text[pos : pos + 1] != b"[":
        return
    pos = gap(text, pos + 1)
    while pos < len(text) and text[pos : pos + 1] != b"]":
        end = value_end(text, pos)
        if end is None:
            return
        yield pos, end
        pos = gap(text, end)
        if text[pos : pos + 1] == b",":
            pos = gap(text, pos + 1)


def string_of(text: bytes) -> str | None:
    """The value of a JSON string; None when it is none."""
    if not text.startswith(b'"'):
        return None
    try:
        value = json.loads(text.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, str) else None


def number_of(value: Any) -> float | None:
    """A finite number, also as the text that `tally.parse` leaves integers in; bytes are taken as JSON."""
    if isinstance(value, bytes):
        value = value.decode("ascii", "replace")
    if isinstance(value, bool) or not isinstance(value, (int, float, str)) or len(str(value)) > 40:
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def unescaped(text: str) -> bytes:
    """A string's bytes; halves of surrogate pairs keep the bytes they would have, which are no UTF-8."""
    return text.encode("utf-8", "surrogatepass")


def _string_end(text: bytes, pos: int) -> int | None:
    found = TO_QUOTE.match(text, pos + 1)
    end = found.end() if found else len(text)
    return end + 1 if text[end : end + 1] == b'"' else None


def _name(text: bytes) -> str:
    return string_of(text) or text[1:-1].decode("utf-8", "replace")
