"""Activities that a Python SDK dumped as JSON (form T5): snake_case, a null for every member, `additional_properties`.

Rules of this file: when a text is taken for such a dump; the text itself is read in the form it has, and its records
are translated by `pyactivity`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec

from webapp.core.records import Record
from webapp.readers.base import Artefact
from webapp.readers.forms import Form, Score
from webapp.readers.head import Head
from webapp.readers.limits import Limits
from webapp.readers.python.activity import is_dump, wire_activity
from webapp.readers.python.dump import Choose, DumpReader
from webapp.readers.python.names import dumped
from webapp.readers.tally import parse

NAME = "python-activities"
TITLE = "a Python dump of activities"
ABOUT = "Activities with snake_case names, nulls and `additional_properties`, as the Python SDKs dump them."
SAMPLE = 200
SIGNS = (b'"additional_properties"', b'"from_property"', b'_id"', b'_data"', b'_url"')
SAID = (
    "The activities were dumped by a Python SDK, not taken from the wire: names were translated, nulls left out, and "
    "`additional_properties` put in their place. Whether those went out cannot be seen: compare the body on the wire."
)


class ActivityDumpReader(DumpReader):
    """Reads the text in the form it has; payload: the activity or exchange as the wire would have it."""

    name = NAME

    def _made(self, records: Iterable[Record]) -> list[Record]:
        out = []
        for record in records:
            payload = _translated(record.payload)
            if payload is not record.payload and not self._told:
                self._told = True
                self.account.artefacts.append(Artefact("python-activities", SAID, record.line))
            out.append(msgspec.structs.replace(record, payload=payload))
        return out


def _translated(payload: bytes) -> bytes:
    try:
        value = json.loads(payload.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return payload
    if not isinstance(value, dict):
        return payload
    try:
        return dumped(wire_activity(value))
    except RecursionError:
        return payload


def score(head: Head, choose: Choose) -> Score | None:
    """As well as the form it has, where most of its records are such dumps."""
    if not any(sign in head.data for sign in SIGNS):
        return None
    found = choose(head)
    if found is None:
        return None
    form, its = found
    reader = form.reader(Limits(max_records=SAMPLE))
    records = [*reader.feed(head.data), *reader.close()]
    dumps = sum(is_dump(_value(record.payload)) for record in records)
    if not dumps or dumps * 2 < len(records):
        return None
    return Score(its.value, (*its.reasons, "they are activities as a Python SDK dumps them"), "teams")


def _value(payload: bytes) -> Any:
    try:
        return parse(payload)
    except ValueError:
        return None


def form(choose: Choose) -> Form:
    """The form; choose: which form a text inside has."""
    return Form(
        NAME,
        TITLE,
        ABOUT,
        lambda head: score(head, choose),
        lambda limits: ActivityDumpReader(limits, choose),
    )
