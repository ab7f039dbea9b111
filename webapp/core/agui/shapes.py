"""What each event may hold, as a tree the slow path can walk: derived from the structs of `events.py`.

Rules of this file: derivation only. No shape is written down here, no rule is named, nothing is judged; a
new member of a struct appears here by itself. A node says what is due, not what to do when it is not there.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from webapp.core.agui.events import EVENTS


class Text(msgspec.Struct, frozen=True):
    """A string; `pattern` must match all of it."""

    pattern: re.Pattern[str] | None = None
    due: str = "text"


class Integer(msgspec.Struct, frozen=True):
    """A whole number from low to high; `1000.0` is one."""

    low: int
    high: int
    due: str = "a whole number"


class Flag(msgspec.Struct, frozen=True):
    due: str = "true or false"


class Anything(msgspec.Struct, frozen=True):
    """Any JSON value, `null` only where `nullable`."""

    nullable: bool
    due: str = "a value"


class OpenObject(msgspec.Struct, frozen=True):
    """An object whose members are nobody's business here."""

    due: str = "an object"


class Choice(msgspec.Struct, frozen=True):
    """One of a closed set of strings; a set of one is a fixed value."""

    values: tuple[str, ...]
    due: str = "text"


class ListOf(msgspec.Struct, frozen=True):
    item: Node
    shortest: int = 0
    due: str = "a list"


class TextOr(msgspec.Struct, frozen=True):
    """Text, or a list of parts."""

    parts: ListOf
    due: str = "text or a list of content parts"


class Field(msgspec.Struct, frozen=True):
    """A described member: `attribute` is its name on the struct, where that differs from the wire's."""

    node: Node
    required: bool
    attribute: str


class Closed(msgspec.Struct, frozen=True):
    """An object with described members only; `extras` where undescribed ones are legal (patch operations)."""

    cls: type[msgspec.Struct]
    fields: dict[str, Field]
    tag_field: str | None
    extras: bool
    due: str = "an object"


class OneOf(msgspec.Struct, frozen=True):
    """A union of objects told apart by the string at `tag_field`."""

    tag_field: str
    members: dict[str, Closed]
    due: str = "an object"


Node = Text | Integer | Flag | Anything | OpenObject | Choice | ListOf | TextOr | Closed | OneOf


def _union(types: tuple[inspect.Type, ...]) -> Node:
    structs = [t for t in types if isinstance(t, inspect.StructType)]
    if len(structs) == len(types):
        closed = {str(t.tag): _closed(t) for t in structs}
        return OneOf(str(structs[0].tag_field), closed)
    if any(isinstance(t, inspect.BoolType) for t in types):
        return Anything(nullable=False)
    parts = next(node for node in map(_node, types) if isinstance(node, ListOf))
    return TextOr(parts)


def _node(kind: inspect.Type) -> Node:
    match kind:
        case inspect.StrType():
            return Text(re.compile(kind.pattern) if kind.pattern else None)
        case inspect.IntType():
            return Integer(int(kind.ge or 0), int(kind.le or 0))  # all of the protocol’s are bounded
        case inspect.BoolType():
            return Flag()
        case inspect.AnyType():
            return Anything(nullable=True)
        case inspect.DictType():
            return OpenObject()
        case inspect.LiteralType():
            return Choice(tuple(str(value) for value in kind.values))
        case inspect.ListType():
            return ListOf(_node(kind.item_type), kind.min_length or 0)
        case inspect.StructType():
            return _closed(kind)
        case inspect.UnionType():
            return _union(kind.types)
    raise TypeError(f"no node for {kind!r}")


@cache
def _closed_of(cls: type[msgspec.Struct]) -> Closed:
    return _closed(inspect.type_info(cls))


def _closed(kind: Any) -> Closed:
    fields = {f.encode_name: Field(_node(f.type), f.required, f.name) for f in kind.fields}
    return Closed(kind.cls, fields, kind.tag_field, not kind.forbid_unknown_fields)


SHAPES: dict[str, Closed] = {name: _closed_of(cls) for name, cls in EVENTS.items()}


def build(node: Node, value: Any) -> Any:
    """The struct (or plain value) for a walked value; skips every check, so it works where `convert` balks.

    Raises TypeError when a required member is absent.
    """
    match node:
        case Closed():
            return node.cls(
                **{f.attribute: build(f.node, value[k]) for k, f in node.fields.items() if k in value}
            )
        case OneOf():
            return build(node.members[value[node.tag_field]], value)
        case TextOr():
            return value if isinstance(value, str) else build(node.parts, value)
        case ListOf():
            return [build(node.item, item) for item in value]
    return value
