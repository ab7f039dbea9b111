"""A V or S field's bytes (google.protobuf.Value and Struct) to the JSON value they stand for.

Rules of this file: pure, and no byte is copied or looked at twice, however deep a value is: the runtime would copy
every level and knows no more than 100. Bad bytes raise the runtime's DecodeError, too many levels TooDeep. Texts keep
bytes that are no UTF-8 as lone surrogates, which `events.payload` turns back into those bytes.

Source: https://protobuf.dev/reference/protobuf/google.protobuf/#value, https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import Any

from google.protobuf.message import DecodeError

DEEPEST = 220  # levels: a little more than the engine reads
EXACT = 2**53
ABSENT = object()  # a Value that holds nothing
VARINT, FIXED64, LENGTH, GROUP, END, FIXED32 = range(6)
# fields of Value, of an entry of Struct, and the one field of Struct and of ListValue
NULL, NUMBER, STRING, BOOL, STRUCT, LIST = 1, 2, 3, 4, 5, 6
KEY, VALUE = 1, 2
EACH = 1


class TooDeep(ValueError):
    """A value has more than DEEPEST levels."""


def text_of(data: bytes) -> str:
    """Text; bytes that are no UTF-8 become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def value_of(data: bytes) -> Any:
    """The JSON value of a Value; ABSENT when it holds none. A number JSON does not have is null."""
    return _value(data, 0, len(data), 0)


def struct_of(data: bytes) -> dict[str, Any]:
    """The JSON object of a Struct; of a name that stands twice the last one holds."""
    return _struct(data, 0, len(data), 1)


def number_of(number: float) -> int | float | None:
    """As JSON writes it: a whole number without a fraction."""
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < EXACT else number


def _value(data: bytes, at: int, end: int, depth: int) -> Any:
    out: Any = ABSENT
    for number, kind, start, stop in _fields(data, at, end):
        if number == STRING and kind == LENGTH:
            out = text_of(data[start:stop])
        elif number == NUMBER and kind == FIXED64:
            out = number_of(struct.unpack_from("<d", data, start)[0])
        elif number == BOOL and kind == VARINT:
            out = stop != 0
        elif number == NULL and kind == VARINT:
            out = None
        elif number == STRUCT and kind == LENGTH:
            out = _struct(data, start, stop, depth + 1)
        elif number == LIST and kind == LENGTH:
            out = _list(data, start, stop, depth + 1)
    return out


def _struct(data: bytes, at: int, end: int, depth: int) -> dict[str, Any]:
    if depth > DEEPEST:
        raise TooDeep
    out: dict[str, Any] = {}
    for number, kind, start, stop in _fields(data, at, end):
        if number == EACH and kind == LENGTH:
            key, value = "", None
            for part, how, begin, behind in _fields(data, start, stop):
                if part == KEY and how == LENGTH:
                    key = text_of(data[begin:behind])
                elif part == VALUE and how == LENGTH:
                    value = _or_null(_value(data, begin, behind, depth))
            out[key] = value
    return out


def _list(data: bytes, at: int, end: int, depth: int) -> list[Any]:
    if depth > DEEPEST:
        raise TooDeep
    return [
        _or_null(_value(data, start, stop, depth))
        for number, kind, start, stop in _fields(data, at, end)
        if number == EACH and kind == LENGTH
    ]


def _or_null(value: Any) -> Any:
    return None if value is ABSENT else value


def _fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Number, wire type, and where the field's bytes begin and end; of a VARINT its value stands last.

    Groups, an old way to nest, are passed over whole: none of these messages has one.
    """
    groups: list[int] = []  # numbers of the open ones
    while at < end:
        tag, at = _varint(data, at, end)
        kind = tag & 7
        if kind in (GROUP, END):
            _group(groups, tag)
            continue
        if kind == VARINT:
            start = at
            value, at = _varint(data, at, end)
            if not groups:
                yield tag >> 3, kind, start, value
            continue
        if kind == LENGTH:
            size, at = _varint(data, at, end)
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
        else:
            raise DecodeError("a wire type that does not exist")
        if size > end - at or not tag >> 3:
            raise DecodeError("a field that ends outside its message")
        if not groups:
            yield tag >> 3, kind, at, at + size
        at += size
    if groups:
        raise DecodeError("a group that does not end")


def _group(groups: list[int], tag: int) -> None:
    """A group begins or ends."""
    if tag & 7 == END:
        if not groups or groups.pop() != tag >> 3:
            raise DecodeError("the end of a group that is not open")
        return
    if not tag >> 3:
        raise DecodeError("a group without a number")
    groups.append(tag >> 3)
    if len(groups) > DEEPEST:
        raise TooDeep


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise DecodeError("a number that does not end")
