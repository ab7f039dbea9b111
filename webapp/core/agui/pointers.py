"""Where a JSON Pointer leads in a held value, or in words why it leads nowhere.

Rules of this file: it reads and words; it changes nothing. Tokens and indices are read as the reference client reads
them (see the table in `patch.py`).
"""

from __future__ import annotations

from typing import Any

from webapp.core.agui.blame import kind_of
from webapp.core.agui.world import quoted

MAX_INDEX = 2**31  # beyond it the client's arithmetic wraps around


class Refused(Exception):
    """An operation that does not apply; its text is a clause."""


class Unfit(Refused):
    """One that finds all it needs, and does not apply for another reason."""


def tokens_of(pointer: str) -> list[str]:
    tokens = pointer.split("/")[1:]
    if "~" in pointer:
        tokens = [token.replace("~1", "/").replace("~0", "~") for token in tokens]
    if "proto" in pointer:
        for before, token in zip(["", *tokens], tokens, strict=False):
            if token == "__proto__" or (token == "prototype" and before == "constructor"):
                raise Refused(f"clients refuse paths through {quoted(token)}")
    return tokens


def pointer_of(tokens: list[str]) -> str:
    return "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in tokens)


def where(tokens: list[str]) -> str:
    return quoted(pointer_of(tokens)) if tokens else "the whole value"


def inside(tokens: list[str]) -> str:
    """Where a member is missing, in words."""
    return f"in {quoted(pointer_of(tokens))}" if tokens else "at the top level"


def index_of(token: str) -> int:
    """The index a token names in the client, where the empty one is 0; -1 when it names none."""
    if not token:
        return 0
    return (
        int(token)
        if token.isascii() and token.isdigit() and len(token) <= 10 and int(token) < MAX_INDEX
        else -1
    )


def child(holder: Any, token: str, at: list[str], *, loose: bool = False) -> Any:
    """What stands under `token`, or the reason why nothing does; `loose` reads index `01` as 1."""
    if isinstance(holder, dict):
        if token not in holder:
            raise Refused(f"there is no {quoted(token)} {inside(at)}")
        return holder[token]
    index = index_of(token)
    if index < 0 or (str(index) != token and not loose):
        raise Refused(f"{where(at)} is a list, and {quoted(token)} is no index of it")
    if index >= len(holder):
        raise Refused(f"the list at {where(at)} has {counted(len(holder))}, so it has no index {index}")
    return holder[index]


def counted(number: int) -> str:
    return "no elements" if number == 0 else "1 element" if number == 1 else f"{number} elements"


def found_at(document: Any, path: list[str], *, loose: bool = False) -> Any:
    for depth, token in enumerate(path):
        if not isinstance(document, dict | list):
            raise Refused(f"{where(path[:depth])} is {kind_of(document)}, which has nothing inside")
        document = child(document, token, path[:depth], loose=loose)
    return document


def leads(document: Any, pointer: str) -> bool:
    """Whether a pointer names something that is there."""
    try:
        found_at(document, tokens_of(pointer))
    except Refused:
        return False
    return True


def check_parent(document: Any, path: list[str]) -> None:
    holder = found_at(document, path[:-1], loose=True)
    if not isinstance(holder, dict | list):
        raise Refused(f"{where(path[:-1])} is {kind_of(holder)}, which has nothing inside")


def is_letter(text: str, path: list[str]) -> bool:
    """Whether the path names one letter of a text, as the client can."""
    token = path[0] if len(path) == 1 else ""
    return token.isdigit() and str(index_of(token)) == token and index_of(token) < len(text)
