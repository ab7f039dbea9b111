"""The walk over one event's shape: takes out the unknown, names the malformed, repairs it for recovery.

Rules of this file: one method a situation. Rules and reasons come from `blame.py`, shapes from `shapes.py`.
What is inside an object that is taken out no longer counts. A repair only lets the state machines go on.
Source: basic/processing#the-rule, basic/processing#what-a-consumer-does-with-unrecognised-material.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from webapp.core.agui import blame
from webapp.core.agui.blame import Fault, Place, kind_of, shown
from webapp.core.agui.shapes import (
    Anything,
    Choice,
    Closed,
    Field,
    Flag,
    Integer,
    ListOf,
    Node,
    OneOf,
    OpenObject,
    Text,
    TextOr,
)

_LONGEST_NAME = 40  # characters of a key worth comparing with our names
SNAKE, OTHER_CASE = "snake_case", "another case"  # ways to spell a member's name
_LABEL = {SNAKE: "AGUI-ENV-16"}
_MARKS = str.maketrans("", "", "_- ")
# without these an event is about no item, so there is nothing to recover
_ITEM_IDS = frozenset({"messageId", "toolCallId", "subagentRunId", "stepName", "entityId"})


class Gone(msgspec.Struct):
    """A union object of no described kind: the nearest container that can do without it leaves it out."""

    fault: Fault


class _Nothing:
    """In place of a value that is wrong (BAD) or left out (ABSENT)."""


BAD, ABSENT = _Nothing(), _Nothing()


class Walk:
    """One event's walk; `fatal` and `stripped` grow, `lost` tells that the event is about no item."""

    def __init__(self, event_type: str) -> None:
        self.type = event_type
        self.fatal: list[Fault] = []
        self.stripped: list[Fault] = []
        self.lost = False
        # id of a shape -> its members' names, case and marks left out
        self._folded: dict[int, dict[str, str]] = {}

    def closed(self, shape: Closed, value: dict[str, Any], at: Place) -> Any:
        """The object without unknown members and with wrong ones repaired, or Gone."""
        marks = len(self.fatal), len(self.stripped)
        kept: dict[str, Any] = {}
        for key, item in value.items():
            field = shape.fields.get(key)
            if field is None:
                if shape.extras or key == shape.tag_field:
                    kept[key] = item
                else:
                    self._strip(shape, key, value, at.member(key))
                continue
            got = self.value(field.node, item, at.member(key), field.required)
            if got is BAD:
                got = self._repaired(field, key, item, at)
            if isinstance(got, Gone):
                if field.required:  # nothing inside matters any more
                    del self.fatal[marks[0] :], self.stripped[marks[1] :]
                    return got
                self.stripped.append(got.fault)
            elif got is not ABSENT:
                kept[key] = got
        for key, field in shape.fields.items():
            if field.required and key not in value:
                self._missing(shape, key, value, kept, at)
        return BAD if any(v is BAD for v in kept.values()) else kept

    def value(self, node: Node, value: Any, at: Place, required: bool) -> Any:
        """The value as a client takes it, BAD (and said so), or Gone."""
        match node:
            case Text():
                if isinstance(value, str):
                    fits = node.pattern is None or node.pattern.fullmatch(value)
                    return value if fits else self._pointer(value, at, required)
            case Anything():
                if value is not None or node.nullable:
                    return value
            case OpenObject():
                if isinstance(value, dict):
                    return value
            case Flag():
                if isinstance(value, bool):
                    return value
            case Integer():
                if isinstance(value, int | float) and not isinstance(value, bool):
                    return self._integer(node, value, at, required)
            case Choice():
                return value if value in node.values else self._choice(node, value, at, required)
            case TextOr():
                if isinstance(value, str):
                    return value
                if isinstance(value, list):
                    return self.value(node.parts, value, at, required)
            case ListOf():
                if isinstance(value, list):
                    return self._list(node, value, at, required)
            case Closed():
                if isinstance(value, dict):
                    return self.closed(node, value, at)
            case OneOf():
                if isinstance(value, dict):
                    return self._union(node, value, at)
        problem = blame.NULL if value is None else blame.TYPE
        return self._wrong(problem, at, required, _wrong_kind(value, node, at, required))

    def _list(self, node: ListOf, value: list[Any], at: Place, required: bool) -> Any:
        if len(value) < node.shortest:
            return self._wrong(blame.EMPTY, at, required, f"`{at.where}` is empty")
        kept = []
        for number, item in enumerate(value):
            got = self.value(node.item, item, at.nth(number), True)
            if isinstance(got, Gone):
                self.stripped.append(got.fault)
            elif got is not BAD:
                kept.append(got)
        return kept

    def _union(self, node: OneOf, value: dict[str, Any], at: Place) -> Any:
        tag = value.get(node.tag_field)
        if isinstance(tag, str):
            if tag in node.members:
                return self.closed(node.members[tag], value, at)
            rule = blame.unknown_rule(self.type, at.form)
            title = f"`{at.where}` has the unknown `{node.tag_field}` `{shown(tag)}`"
        else:
            rule = "AGUI-ENV-09"
            what = f"{kind_of(tag)} as its" if node.tag_field in value else "no"
            title = f"`{at.where}` has {what} `{node.tag_field}`, so its kind is unknown"
        why = blame.why_of(rule)
        if rule == "AGUI-ENV-09" and at.form == "outcome":
            why += " Without an outcome it reads as a success."
        return Gone(Fault(rule, at.path, title, why))

    def _integer(self, node: Integer, value: int | float, at: Place, required: bool) -> Any:
        if node.low <= value <= node.high:
            if int(value) == value:
                return int(value)
            title = f"`{at.where}` is a number with a fraction where {node.due} is due"
            return self._wrong(blame.TYPE, at, required, title)
        title = f"`{at.where}` is out of range, {node.low} to {node.high}"
        return self._wrong(blame.RANGE, at, required, title)

    def _choice(self, node: Choice, value: Any, at: Place, required: bool) -> Any:
        fixed = len(node.values) == 1
        due = ", ".join(f"`{v}`" for v in node.values)
        what = f"`{shown(value)}`" if isinstance(value, str) else kind_of(value)
        if fixed and (required or value is not None):
            return self._wrong(blame.FIXED, at, required, f"`{at.where}` is {what} where {due} is due")
        if isinstance(value, str):
            return self._wrong(blame.SET, at, required, f"`{at.where}` is {what}, which is none of {due}")
        problem = blame.NULL if value is None else blame.TYPE
        return self._wrong(problem, at, required, _wrong_kind(value, node, at, required))

    def _pointer(self, value: str, at: Place, required: bool) -> Any:
        title = f"`{at.where}` is `{shown(value)}`, which is no JSON Pointer"
        return self._wrong(blame.TYPE, at, required, title)

    # ── saying so ──

    def _wrong(self, problem: str, at: Place, required: bool, title: str) -> _Nothing:
        rule = blame.malformed_rule(self.type, at.form, problem, required)
        self.fatal.append(Fault(rule, at.path, title, blame.why_of(rule)))
        return BAD

    def _strip(self, shape: Closed, key: str, holder: dict[str, Any], at: Place) -> None:
        meant = self._meant(shape, key)
        known = shape.fields.get(meant)
        if meant != key and known and known.required and meant not in holder:
            return  # told once, with the missing field
        rule, title = blame.stripped_rule(self.type, at.form, shape.cls.__name__)
        role = holder.get("role")
        if rule == "AGUI-ENV-02" and isinstance(role, str) and "." in at.where:
            title = "a message of role `{role}` has no `{key}`, here `{where}`"
        habit = _habit(key) if meant != key and known is not None else ""
        title = title.format(type=self.type, where=at.where, key=shown(key), role=role) + (
            f", only `{meant}`" if habit else ""
        )
        self.stripped.append(Fault(rule, at.path, title, blame.why_of(rule), _LABEL.get(habit), habit=habit))

    def _meant(self, shape: Closed, key: str) -> str:
        """The member that a key is another spelling of, or the key itself."""
        if len(key) > _LONGEST_NAME or (meant := _camel(key)) in shape.fields:
            return key if len(key) > _LONGEST_NAME else meant
        names = self._folded.get(id(shape))
        if names is None:
            names = self._folded[id(shape)] = {_fold(name): name for name in shape.fields}
        return names.get(_fold(key), key)

    def _missing(
        self, shape: Closed, key: str, value: dict[str, Any], kept: dict[str, Any], at: Place
    ) -> None:
        field = shape.fields[key]
        place = at.member(key)
        rule = blame.malformed_rule(self.type, place.form, blame.MISSING, True)
        others = [k for k in value if k not in shape.fields and self._meant(shape, k) == key]
        other = next((k for k in others if _camel(k) == key), others[0] if others else None)
        title = f"`{place.where}` is missing" + (f", `{shown(other)}` is there instead" if other else "")
        habit = _habit(other) if other else ""
        self.fatal.append(Fault(rule, place.path, title, blame.why_of(rule), _LABEL.get(habit), habit=habit))
        item = value[other] if other else ABSENT
        if isinstance(field.node, Text) and isinstance(item, str):
            kept[key] = item
        else:
            kept[key] = self._repaired(field, key, item, at)

    def _repaired(self, field: Field, key: str, item: Any, at: Place) -> Any:
        """What stands for a wrong or missing member so that the event can still be followed."""
        if key.lower().endswith("id") and isinstance(item, int) and not isinstance(item, bool):
            return str(item)
        if at.where == "" and key in _ITEM_IDS:
            on_chunk = self.type in blame.CHUNKS and item is not None and key != "subagentRunId"
            self.lost = self.lost or field.required or on_chunk
        if not field.required:
            return ABSENT
        match field.node:
            case Text() | TextOr():
                return ""
            case ListOf():
                return []
            case OpenObject():
                return {}
            case Anything():
                return None
            case Choice():
                return field.node.values[0] if len(field.node.values) == 1 else BAD
        return BAD


def _camel(key: str) -> str:
    """`message_id` -> `messageId`; other spellings, and names longer than any of ours, as they are."""
    if len(key) > _LONGEST_NAME or "_" not in key.strip("_"):
        return key
    return re.sub(r"_+([a-z0-9])", lambda m: m[1].upper(), key)


def _fold(key: str) -> str:
    return key.translate(_MARKS).lower()


def _habit(key: str) -> str:
    """The way a known member's name is spelt otherwise."""
    return SNAKE if _camel(key) != key else OTHER_CASE


def _wrong_kind(value: Any, node: Node, at: Place, required: bool) -> str:
    if value is None and not required:
        return f"`{at.where}` is null where it should be left out"
    return f"`{at.where}` is {kind_of(value)} where {node.due} is due"
