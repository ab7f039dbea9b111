"""Events that Python dumped under its own names: `tool_call_id`, and null for what is absent (form A16).

Rules of this file: when a text is taken for such a dump, and the translation. It is one when every name of several
words is in snake_case; whoever recorded the wire itself can have the text read in its plain form, and then the names
are judged as sent. What the application owns (state, arguments, values, metadata) keeps its names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import msgspec

from webapp.core.agui.events import EVENTS
from webapp.core.records import Record
from webapp.readers.base import Account, Artefact, Reader
from webapp.readers.forms import Form, Score
from webapp.readers.head import HEAD_BYTES, Head
from webapp.readers.limits import Limits
from webapp.readers.python.names import camel, dumped
from webapp.readers.tally import parse
from webapp.readers.unread import UnreadReader

NAME = "python-dump"
TITLE = "a Python dump of events"
ABOUT = "Events with snake_case names, as a Python model dumps them; the names are translated."
SAMPLE = 200  # records of the head that are looked at
Choose = Callable[[Head], tuple[Form, Score] | None]
SAID = (
    "All names of several words are in snake_case, which is not the wire: this was taken for a Python dump, and names "
    "were translated and nulls left out. To judge the names as they are, read it in its plain form."
)
_NULLS = {("STATE_SNAPSHOT", "snapshot"), ("RAW", "event"), ("CUSTOM", "value")}
_OPAQUE = frozenset(
    {"rawEvent", "metadata", "snapshot", "value", "event", "parameters", "state", "forwardedProps", "result",
     "payload", "responseSchema", "delta", "patch", "arguments"}
)  # fmt: skip
_SNAKE = re.compile(rb'"[a-z]{2,20}_[a-z_]{2,40}\\{0,3}"\s*:')
_BORDER = re.compile(r"(?<=[a-z])(?=[A-Z])")


@cache
def _names() -> tuple[frozenset[str], frozenset[str]]:
    """Names of several words that events have: as the wire spells them, and as Python does."""
    wire = {
        field.encode_name
        for event in EVENTS.values()
        for field in msgspec.structs.fields(event)
        if _BORDER.search(field.encode_name)
    }
    return frozenset(wire), frozenset(_BORDER.sub("_", name).lower() for name in wire)


def is_dump(values: Iterable[Any]) -> bool:
    """Whether events are in Python's spelling throughout."""
    wire, python = _names()
    found = False
    for value in values:
        kind = value.get("type") if isinstance(value, dict) else None
        if not isinstance(kind, str) or kind not in EVENTS:
            continue
        if not wire.isdisjoint(value):
            return False
        found = found or not python.isdisjoint(value)
    return found


def translated(payload: bytes) -> bytes:
    """An event's JSON under the names of the wire; what is no JSON object stays."""
    try:
        value = json.loads(payload.decode("utf-8", "replace"))
        made = _wire(value, value.get("type")) if isinstance(value, dict) else value
        return payload if made == value else dumped(made)
    except (ValueError, RecursionError):
        return payload


def _wire(value: Any, kind: Any) -> Any:
    if isinstance(value, list):
        return [_wire(each, kind) for each in value]
    if not isinstance(value, dict):
        return value
    out: dict[str, Any] = {}
    for name, held in value.items():
        wire = camel(name)
        if held is None and not (isinstance(kind, str) and (kind, wire) in _NULLS):
            continue
        owned = wire in _OPAQUE or (wire == "content" and isinstance(held, dict))
        out[wire] = held if owned else _wire(held, kind)
    return out


class DumpReader:
    """Reads the text in the form it has and translates the records."""

    name = NAME

    def __init__(self, limits: Limits | None, choose: Choose) -> None:
        self.account = Account()
        self._limits = limits or Limits()
        self._choose = choose
        self._held = bytearray()
        self._inner: Reader | None = None
        self._told = False

    def feed(self, chunk: bytes) -> list[Record]:
        """Take the next bytes; the records that are whole."""
        if self._inner is not None:
            return self._made(self._inner.feed(chunk))
        self._held += chunk
        return self._open(complete=False) if len(self._held) > HEAD_BYTES else []

    def close(self) -> list[Record]:
        """The input ended."""
        out = [] if self._inner is not None else self._open(complete=True)
        assert self._inner is not None
        out += self._made(self._inner.close())
        return out

    def _open(self, *, complete: bool) -> list[Record]:
        data = bytes(self._held)
        self._held.clear()
        found = self._choose(Head(data, complete=complete))
        self._inner = UnreadReader(self._limits) if found is None else found[0].reader(self._limits)
        self._inner.account = self.account
        return self._made(self._inner.feed(data))

    def _made(self, records: Iterable[Record]) -> list[Record]:
        out = []
        for record in records:
            payload = translated(record.payload)
            if not self._told and payload != record.payload:
                self._told = True
                self._say(record.line)
            out.append(msgspec.structs.replace(record, payload=payload))
        return out

    def _say(self, line: int) -> None:
        self.account.artefacts.append(Artefact("snake-case", SAID, line))


def score(head: Head, choose: Choose) -> Score | None:
    """As well as the form it has, where all its names are Python's."""
    if not _SNAKE.search(head.data):
        return None
    found = choose(head)
    if found is None:
        return None
    form, its = found
    reader = form.reader(Limits(max_records=SAMPLE))
    records = [*reader.feed(head.data), *reader.close()]
    if any("sse" in record.framing for record in records):
        return None
    if not is_dump(_value(record.payload) for record in records):
        return None
    reasons = (*its.reasons, "all names of several words are in snake_case, as Python dumps them")
    return Score(its.value, reasons, "ag-ui")


def _value(payload: bytes) -> Any:
    try:
        return parse(payload)
    except ValueError:
        return None


def form(choose: Choose) -> Form:
    """The form; choose: which form a text inside has."""
    return Form(
        NAME, TITLE, ABOUT, lambda head: score(head, choose), lambda limits: DumpReader(limits, choose)
    )
