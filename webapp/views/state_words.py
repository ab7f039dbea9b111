"""Values, paths and changes of the shared state in a few words.

Rules of this file: pure; JSON values in, short showable text out. Nothing is ever encoded whole to be cut afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.core.agui.changes import NOTHING, Mark, Path
from webapp.core.agui.pointers import pointer_of
from webapp.views.content import showable
from webapp.views.names import clip, count, plural

SIGN = {"+": "+", "-": "−", "~": "~"}
SIGN_WORD = {"+": "added", "-": "removed", "~": "changed"}
SIGN_CLASS = {"+": "add", "-": "del", "~": "mod"}
SHORT = 60  # characters of a value in a line


@dataclass(frozen=True, slots=True)
class Told:
    """A changed place in words. path: as a pointer, `whole state` for the root; was, now: "" = there is none."""

    cls: str
    sign: str
    word: str
    path: str
    was: str
    now: str
    href: str = ""  # opens what it is in


def told(mark: Mark, href: str = "", root: str = "the whole value") -> Told:
    return Told(
        SIGN_CLASS[mark.sign],
        SIGN[mark.sign],
        SIGN_WORD[mark.sign],
        shown_path(mark.path) or root,
        "" if mark.was is NOTHING else brief(mark.was),
        "" if mark.now is NOTHING else brief(mark.now),
        href,
    )


def shown_path(path: Path, limit: int = 120) -> str:
    """The path as a JSON Pointer, its middle left out when it is long."""
    text = showable(pointer(path))
    return text if len(text) <= limit else f"{text[: limit // 2]}…{text[-limit // 3 :]}"


def pointer(path: Path) -> str:
    return pointer_of([str(key) for key in path])


def brief(value: Any, limit: int = SHORT) -> str:
    """A value in a line: scalars as JSON, small containers too, large ones by their count."""
    if isinstance(value, str):
        return scalar(value, limit)
    if isinstance(value, dict | list):
        if not value:
            return "{}" if isinstance(value, dict) else "[]"
        if _small(value):
            text = showable(json.dumps(value, ensure_ascii=False))
            if len(text) <= limit:
                return text
        return counted(value)
    return scalar(value, limit)


def _small(value: dict[str, Any] | list[Any]) -> bool:
    inner: Sequence[Any] = list(value.values()) if isinstance(value, dict) else value
    return len(inner) <= 6 and all(
        not isinstance(each, dict | list) and (not isinstance(each, str) or len(each) <= SHORT)
        for each in inner
    )


def scalar(value: Any, limit: int) -> str:
    """A text, number, boolean or null as JSON, a long text cut."""
    if isinstance(value, str):
        head = json.dumps(value[: limit + 1], ensure_ascii=False)[1:-1]
        cut = len(value) > limit
        return f'"{showable(clip(head, limit))}"' if not cut else f'"{showable(head[: limit - 1])}…"'
    try:
        return clip(json.dumps(value), 80)
    except ValueError:  # an integer of thousands of digits
        return "a very long number"


def counted(value: dict[str, Any] | list[Any]) -> str:
    """`3 members`, `12 elements`."""
    return plural(len(value), "member" if isinstance(value, dict) else "element")


def chars(text: str) -> str:
    return f"{count(len(text))} characters"
