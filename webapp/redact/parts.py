"""The pieces tables of redaction are made of: a part takes a value and gives what may stay of it.

Rules of this file: what a value may look like in order to stay; which member is which kind stands in the tables of
`agui` and `teams`. A part never raises, whatever it is given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from webapp.redact.base import Redactor
from webapp.redact.known import CONTENT_TYPE

MAX_ID, MAX_NAME = 200, 100
MOST = 10**30  # a number up to which an id is one
ID = re.compile(rf"[^\s«»]{{1,{MAX_ID}}}")
NAME = re.compile(rf"[^\s«»]{{1,{MAX_NAME}}}")
CODE = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
VERSION = re.compile(r"\d{1,4}(?:\.\d{1,4}){0,3}")
TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][0-9:.,]{1,20}(?:Z|[+-]\d\d:?\d\d)?)?")
_fits_id, _fits_name = ID.fullmatch, NAME.fullmatch

Part = Callable[[Redactor, Any], Any]


def kept_text(pattern: re.Pattern[str], what: str, *, known: bool = False) -> Part:
    """A text that stays when it is of a form. known: sentences may name it from then on; what: counted as, if not."""
    fits = pattern.fullmatch

    def part(red: Redactor, value: Any) -> Any:
        if isinstance(value, str) and fits(value):
            return red.name_id(value) if known else value
        return red.hidden(value, what)

    return part


def taken(what: str) -> Part:
    """A value of which only type and size stay."""

    def part(red: Redactor, value: Any) -> Any:
        return red.hidden(value, what)

    return part


def keep_id(red: Redactor, value: Any) -> Any:
    """An id; one that was sent as a number stays that number."""
    if isinstance(value, str) and _fits_id(value):
        return red.kept_id(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < MOST:
        red.name_id(str(value))
        return value
    return red.hidden(value, "ids")


def keep_name(red: Redactor, value: Any) -> Any:
    """A name of a tool, a step, a channel."""
    if isinstance(value, str) and _fits_name(value):
        return red.kept_id(value)
    return red.hidden(value, "names")


def number(red: Redactor, value: Any) -> Any:
    """A number of the protocol: a time, a count."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300:
        return value
    return red.hidden(value, "values")


def flag(red: Redactor, value: Any) -> Any:
    """True or false."""
    return value if isinstance(value, bool) else red.hidden(value, "values")


def choice(values: tuple[str, ...]) -> Part:
    """One word of a closed set."""

    def part(red: Redactor, value: Any) -> Any:
        return value if isinstance(value, str) and value in values else red.hidden(value, "values")

    return part


def list_of(item: Part, what: str) -> Part:
    """A list, each of whose elements is such a part."""

    def part(red: Redactor, value: Any) -> Any:
        return [item(red, one) for one in value] if isinstance(value, list) else red.hidden(value, what)

    return part


def text_or(parts: Part, what: str) -> Part:
    """A text that is taken out, or a list of parts."""

    def part(red: Redactor, value: Any) -> Any:
        return parts(red, value) if isinstance(value, list) else red.hidden(value, what)

    return part


def object_of(members: Mapping[str, Part], what: str) -> Part:
    """An object with these members; any other loses its name and what it says."""
    known = members.get

    def part(red: Redactor, value: Any) -> Any:
        if not isinstance(value, dict):
            return red.hidden(value, what)
        out: dict[str, Any] = {}
        unknown = 0
        for key, one in value.items():
            made = known(key)
            if made is not None:
                out[key] = made(red, one)
            else:
                unknown += 1
                if not key.startswith("member-"):
                    red.removed["members"] += 1
                out[f"member-{unknown}"] = red.hidden(one, "values")
        return out

    return part


def media_type(text: str | None) -> str | None:
    """A `Content-Type` with nothing beside the kind and its character set; None for anything else."""
    found = CONTENT_TYPE.match((text or "").strip())
    return found[0] if found else None
