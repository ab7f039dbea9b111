"""What a patch that does not apply would have found, and what would fit: read off the value it was applied to.

Rules of this file: words about one failed operation; it applies nothing and judges nothing. It says only what the value
at hand shows: the deepest part of the path that is there, what that holds, and the nearest operation or path that fits.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from webapp.core.agui.patch import Failure
from webapp.core.agui.pointers import Refused, index_of, tokens_of, where
from webapp.core.agui.world import World, quoted
from webapp.core.words import listed

MAX_KEYS = 3  # keys of an object that a sentence names
MAX_LOOKED = 2_000  # keys, or elements, that are compared with a missing one
MAX_HINTS = 200  # failures of a trace that are looked into
MAX_LENGTH = 200  # characters of a key that is compared with others
_MARKS = str.maketrans("", "", "_- ")


class Hint(NamedTuple):
    """text: whole sentences, may be empty; reason: a key of `reasons.REASONS`, or None."""

    text: str = ""
    reason: str | None = None


def hint(w: World, failure: Failure) -> Hint:
    """What is there in place of what the operation needs; nothing when it misses nothing, or a trace has many."""
    if failure.fits or w.trace.hints >= MAX_HINTS:
        return Hint()
    w.trace.hints += 1
    try:
        tokens = tokens_of(failure.missing)
    except Refused:
        return Hint()
    value, depth = _reached(failure, tokens)
    if depth == len(tokens):
        return Hint()
    at, token, rest = tokens[:depth], tokens[depth], tokens[depth + 1 :]
    if isinstance(value, dict):
        return _in_object(failure, value, at, token, rest)
    if isinstance(value, list):
        return Hint(_in_list(failure, value, at, token, last=not rest))
    return Hint()  # the failure itself names what stands there


def _reached(failure: Failure, tokens: list[str]) -> tuple[Any, int]:
    """The deepest value on the path that is there, and how many tokens lead to it."""
    value = failure.held
    loose = failure.op == "test" or (failure.op in ("move", "copy") and failure.missing == failure.path)
    for depth, token in enumerate(tokens):
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and 0 <= index_of(token) < len(value):
            if not loose and str(index_of(token)) != token:
                return value, depth
            value = value[index_of(token)]
        else:
            return value, depth
    return value, len(tokens)


def _in_object(failure: Failure, held: dict[str, Any], at: list[str], token: str, rest: list[str]) -> Hint:
    wanted = _fold(token)
    twin = next((key for key in _some(held) if key != token and _fold(key) == wanted), None)
    if twin is not None:
        there = where([*at, twin])
        return Hint(f"{there} is there, which differs only in case, hyphens or underscores.", "lookalike")
    for end in range(1, min(len(rest), 8) + 1):
        if "/".join([token, *rest[:end]]) in held:
            whole = "/".join([token, *rest[:end]])
            right = where([*at, whole])
            return Hint(
                f"The key {quoted(whole)} is there: a slash inside a key is written as ~1 (tilde one), here {right}."
            )
    if "." in token and _fits(failure, [*at, *token.split("."), *rest]):
        return Hint(f"A dot is part of a key; {where([*at, *token.split('.'), *rest])} would fit.")
    inner = [*at[1:], token, *rest] if at else rest
    if inner and _fits(failure, inner):
        return Hint(
            f"Without its first part the path would fit, as {where(inner)}: paths start inside the value."
        )
    names = [quoted(key) for key in _some(held, MAX_KEYS)]
    if len(held) > len(names):
        names.append(f"{len(held) - len(names)} more")
    there = where(at) if at else "The whole value"
    found = f"{there} holds {listed(names)}." if names else f"{there} is an empty object."
    return Hint(f"{found} {_wanted(failure, at, token, rest)}".strip())


def _wanted(failure: Failure, at: list[str], token: str, rest: list[str]) -> str:
    """What would have to be sent in place of, or before, this operation."""
    if failure.missing != failure.path or failure.op == "test":
        return ""
    if rest and failure.op in ("add", "replace", "move", "copy"):
        return f"An `add` at {where([*at, token])} has to come first."
    if failure.op == "replace":
        return "`add` puts a new member there; `replace` needs one that exists."
    return ""


def _in_list(failure: Failure, held: list[Any], at: list[str], token: str, *, last: bool) -> str:
    adds = last and failure.op in ("add", "move", "copy") and failure.missing == failure.path
    if token == "-" and not adds:
        return (
            "A dash stands for the place behind the last element, where only an `add` finds something to do."
        )
    index = index_of(token)
    if index >= 0 and str(index) != token:
        return f"An index has no leading zeros: {quoted(str(index))}." if token and index < len(held) else ""
    if index > len(held) and adds:
        return f"The next place is {where([*at, str(len(held))])}, or {where([*at, '-'])}."
    if index == len(held) and last and failure.op == "replace":
        return f"`add` at {where([*at, '-'])} would append an element."
    for number, element in enumerate(held[:MAX_LOOKED]):
        if isinstance(element, dict) and token in (
            element.get("id"),
            element.get("key"),
            element.get("name"),
        ):
            return f"Elements go by their place, not by an id: this one is {where([*at, str(number)])}."
    return ""


def _fits(failure: Failure, tokens: list[str]) -> bool:
    """Whether the operation would find what it needs under this path."""
    value, depth = _reached(failure, tokens)
    if depth == len(tokens):
        return True
    return failure.op == "add" and depth == len(tokens) - 1 and depth > 0 and isinstance(value, dict)


def _fold(key: str) -> str:
    return key.translate(_MARKS).lower() if len(key) <= MAX_LENGTH else key


def _some(held: Iterable[str], most: int = MAX_LOOKED) -> list[str]:
    return [key for _, key in zip(range(most), held, strict=False)]
