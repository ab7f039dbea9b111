"""What can still be read of a payload that does not parse: which events it was meant to be, and about what.

Rules of this file: it reads text members of outermost objects and nothing else; it judges nothing and never raises.
What it reads explains later findings (`lost.py`); no event is made of it.
"""

from __future__ import annotations

import json
import re

MAX_READ = 4_000  # bytes of a payload that are looked at: type and id stand near its beginning
MAX_OBJECTS = 20  # in one payload
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_VALUE = re.compile(r'[ \t\r\n]*:[ \t\r\n]*("(?:[^"\\]|\\.)*")', re.DOTALL)


def legible(raw: bytes) -> list[dict[str, str]]:
    """The text members of each outermost object, as far as they can be read; only objects that name their `type`."""
    text = raw[:MAX_READ].decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    found: list[dict[str, str]] = []
    at = level = 0
    while len(found) < MAX_OBJECTS and (token := _TOKEN.search(text, at)) is not None:
        at, mark = token.end(), token[0]
        if mark in "{[":
            level += 1
            if level == 1:
                found.append({})
        elif mark in "}]":
            level -= 1
        elif level == 1 and found and (value := _VALUE.match(text, at)) is not None:
            at = value.end()
            key, said = _unquoted(mark), _unquoted(value[1])
            if key is not None and said is not None:
                found[-1][key] = said
    return [members for members in found if "type" in members]


def _unquoted(literal: str) -> str | None:
    try:
        return str(json.loads(literal))
    except ValueError:
        return None
