"""Reading JSON as `JSON.parse` does, and finding the members that stand twice in one object.

Rules of this file: parsing and counting only; no rule is named. Parsers keep the last of equal members and
say nothing, so this takes a look of its own; it is cheap unless something is suspected.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn

import msgspec
from msgspec import UNSET

from webapp.core.agui import events as e
from webapp.core.agui.blame import Place
from webapp.core.agui.events import Event
from webapp.core.agui.values import AddOp, ReplaceOp

BLANK = " \t\r\n"
MAX_DIGITS = 4000  # Python refuses to read longer integers; to a client such a number is Infinity
MAX_PATHS = 200  # repeated members that are named; a hostile payload may hold a million
_CARRIES: dict[type[msgspec.Struct], str] = {
    e.StateSnapshot: "snapshot", e.StateDelta: "delta", e.ActivitySnapshot: "content", e.ActivityDelta: "patch",
    e.Custom: "value",
}  # fmt: skip
UNKNOWN = -(10**9)
_SPACED = re.compile(rb'"[ \t\r\n]+:')


class NotJson(ValueError):
    """A literal that JSON does not have."""


def _refuse(literal: str) -> NoReturn:
    raise NotJson(literal)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) < MAX_DIGITS else float(digits)


def scanner(collect: Callable[[list[tuple[str, Any]]], Any]) -> json.JSONDecoder:
    """A decoder that hands each object's members to `collect` and raises NotJson for NaN and Infinity."""
    return json.JSONDecoder(object_pairs_hook=collect, parse_constant=_refuse, parse_int=_integer)


_Link = tuple[Any, str | int] | None  # (link of the holder, key or index)


class _Marked(dict[str, Any]):
    repeated: tuple[str, ...] = ()


def repeats(text: str) -> list[str]:
    """Paths of the members that stand more than once in their object."""

    def collect(pairs: list[tuple[str, Any]]) -> _Marked:
        found = _Marked(pairs)
        if len(found) != len(pairs):
            found.repeated = tuple(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        return found

    # places are linked and spelled out only for a hit: whole paths for every object could fill the memory
    waiting: list[tuple[Any, _Link]] = [(scanner(collect).decode(text), None)]
    paths: list[str] = []
    while waiting and len(paths) < MAX_PATHS:
        value, link = waiting.pop()
        members = value.items() if isinstance(value, dict) else enumerate(value)
        if isinstance(value, _Marked):
            paths += [_spell((link, key)).path for key in value.repeated[:MAX_PATHS]]
        waiting += [(inner, (link, key)) for key, inner in members if isinstance(inner, dict | list)]
    return paths


def _spell(link: _Link) -> Place:
    steps: list[str | int] = []
    while link is not None:
        link, step = link
        steps.append(step)
    place = Place()
    for step in reversed(steps):
        place = place.nth(step) if isinstance(step, int) else place.member(step)
    return place


def duplicate_keys(raw: bytes) -> list[str]:
    """Paths (`$.metadata.a`) of the members that stand twice in one object."""
    try:
        text = raw.decode(errors="replace").removeprefix("\ufeff").strip(BLANK)
        return repeats(text) if text.startswith("{") else []
    except (ValueError, RecursionError):
        return []


def may_repeat(raw: bytes, carried: int, event: Event) -> bool:
    """Whether a payload may name a member twice: then ask `duplicate_keys`.

    carried: members of its own that the event has, its `type` too. Costs one or two scans for a flat event; one that
    carries objects of objects is encoded again and scanned too.
    """
    keys = raw.count(b'":')  # it ends a key, unless a backslash stands before it inside a text
    if keys == carried:
        return spaced(raw)
    inside = raw.count(b'\\":')
    if keys - inside == carried or (not inside and keys == carried + _inner(event)):
        return spaced(raw)
    try:
        text = msgspec.json.encode(event)
    except (ValueError, OverflowError, RecursionError, TypeError):
        return True
    # fewer than the event carries: the text has blanks before its colons, so counting says nothing
    return keys - inside != text.count(b'":') - text.count(b'\\":') or spaced(raw)


def spaced(raw: bytes) -> bool:
    """Whether a key may stand apart from its colon, so that counting `":` does not count all keys."""
    return _SPACED.search(raw) is not None


def _inner(event: Any) -> int:
    """Members of the one object, or of the operations, that the event carries; below 0: not as simple as that."""
    name = _CARRIES.get(type(event))
    if name is None or event.metadata is not UNSET or event.rawEvent is not UNSET:
        return UNKNOWN
    value = getattr(event, name)
    if value.__class__ is dict:
        for member in value.values():
            if member.__class__ is dict or member.__class__ is list:
                return UNKNOWN
        return len(value)
    if value.__class__ is not list:
        return 0
    members = 0
    for op in value:
        if op.__class__ not in (AddOp, ReplaceOp) or op.value.__class__ is dict or op.value.__class__ is list:
            return UNKNOWN
        members += 3
    return members
