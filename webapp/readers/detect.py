"""What form a recording has, by its content; then the reader for it.

Rules of this file: only the first HEAD_BYTES are looked at, never a file's name; every decision has its
reason in plain words, and the user can override it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from webapp.core.records import Record
from webapp.readers.base import Account, Reader
from webapp.readers.jsonarray import ArrayReader
from webapp.readers.limits import Limits
from webapp.readers.lines import BOM
from webapp.readers.ndjson import NdjsonReader
from webapp.readers.signs import is_other, is_run_input, other_json, protocol_of, what_else
from webapp.readers.sse import SseReader
from webapp.readers.tally import is_object, parse
from webapp.readers.unpack import MAGIC, Gunzip
from webapp.readers.unread import UnreadReader

HEAD_BYTES = 64 * 1024
SAMPLE = 50  # records of the head looked at for the protocol

FORMS: dict[str, Callable[[Limits], Reader]] = {
    "sse": SseReader,
    "ndjson": NdjsonReader,
    "array": ArrayReader,
}
FORM_NAMES = {
    "sse": "server-sent events",
    "ndjson": "one JSON object a line",
    "array": "a JSON array or objects",
}

_SSE_FIELD = re.compile(rb"(?:data|event|id|retry)(?=:|$)|:")
_ARRAY_OPENS = re.compile(rb'\[\s*(?:[{\[\]"]|$)')


@dataclass(frozen=True, slots=True)
class Detection:
    """What the content looks like.

    form:     sse, ndjson, array or None (nothing readable)
    score:    0 (a guess) to 1
    reasons:  phrases; they follow "This is " when form is None, else "because "
    protocol: ag-ui, teams, or None when the content does not say.
    """

    form: str | None
    score: float
    reasons: tuple[str, ...]
    protocol: str | None = None


def detect(head: bytes, *, complete: bool) -> Detection:
    """Judge the first bytes. complete: there are no more than these."""
    complete = complete and len(head) <= HEAD_BYTES
    head = head[:HEAD_BYTES].removeprefix(BOM)
    lines = head.splitlines()
    if not complete and len(lines) > 1:
        lines.pop()  # cut off in the middle
    lines = [line.rstrip() for line in lines if line.strip()]
    found = None if is_other(head) else _sse(lines) or _json(head.strip(), lines, complete)
    if found is None:
        return Detection(None, 0.0, (what_else(head),))
    if found.form is None:
        return found
    return replace(found, protocol=protocol_of(_values(found.form, head, complete), head))


def _sse(lines: list[bytes]) -> Detection | None:
    fields = [match.group() for line in lines if (match := _SSE_FIELD.match(line))]
    data = fields.count(b"data")
    if data:
        reasons = (f"{data:,} of the first {len(lines):,} lines are data fields",)
        return Detection("sse", round(0.5 + len(fields) / len(lines) / 2, 2), reasons)
    if fields and len(fields) == len(lines):
        return Detection("sse", 0.6, ("all lines so far are comments or fields of an event stream",))
    return None


def _json(text: bytes, lines: list[bytes], complete: bool) -> Detection | None:
    if what := other_json(text):
        return Detection(None, 0.0, (what,))
    if _ARRAY_OPENS.match(text):
        return Detection("array", 1.0, ("it begins as a JSON array",))
    lines = [line.lstrip() for line in lines]
    objects = sum(is_object(line) for line in lines)
    if text.startswith(b"{"):
        if complete and objects in (0, 1) and is_run_input(_value(text)):
            return Detection(None, 0.0, ("the input of a run, not the stream that answered it",))
        return _objects(lines, objects)
    if objects:
        reasons = (f"{objects:,} of the first {len(lines):,} lines are JSON objects",)
        return Detection("ndjson", round(0.3 + objects / len(lines) / 2, 2), reasons)
    if any(line in (b"[", b"{") for line in lines):
        return Detection("array", 0.3, ("JSON begins after other text",))
    return None


def _objects(lines: list[bytes], objects: int) -> Detection:
    """Text that begins with a brace: one object a line, or objects over several lines or in one."""
    braces = sum(line.startswith(b"{") for line in lines)
    if objects and (is_object(lines[0]) or objects * 2 > braces):
        reasons = (f"{objects:,} of the first {len(lines):,} lines are JSON objects",)
        return Detection("ndjson", round(0.5 + objects / len(lines) / 2, 2), reasons)
    if lines[0] == b"{" or _in_a_row(lines[0]):
        return Detection("array", 0.9, ("it begins as a JSON object that is not one line",))
    if braces * 2 > len(lines):
        return Detection("ndjson", 0.5, ("lines begin as JSON objects, though most are broken",))
    return Detection("array", 0.6, ("it begins as a JSON object over several lines",))


def _in_a_row(line: bytes) -> bool:
    """Whether the line is several objects, one behind the other, or one and a comma."""
    reader = ArrayReader(Limits())
    records = reader.feed(line)
    return len(records) > (not line.endswith(b",")) and all(is_object(record.payload) for record in records)


def _value(text: bytes) -> Any:
    try:
        return parse(text)
    except ValueError:
        return None


def _values(form: str, head: bytes, complete: bool) -> Iterator[Any]:
    reader = open_reader(form)
    records = list(islice(reader.feed(head), SAMPLE))
    if complete or not records:
        records += reader.close()
    return (_value(record.payload) for record in records)


def open_reader(form: str | None, limits: Limits | None = None) -> Reader:
    """The reader of a form; None: one that only counts lines. KeyError for an unknown form."""
    chosen = limits or Limits()
    return UnreadReader(chosen) if form is None else FORMS[form](chosen)


def read(
    chunks: Iterable[bytes], form: str | None = None, limits: Limits | None = None
) -> tuple[Detection, Iterator[Record], Account]:
    """Buffer the head, detect, replay it. form overrides what was detected; gzip is expanded on the way.

    The account is whole once the iterator is used up; lines and offsets are those of the expanded text.
    TooLarge comes from here or from the iterator.
    """
    chosen = limits or Limits()
    source = iter(chunks)
    first = _gather(source, len(MAGIC))[0]
    packed = Gunzip(chosen.max_expanded_bytes) if first.startswith(MAGIC) else None
    plain = _expand(packed, first, source) if packed else _chain(first, source)
    head, ended = _gather(plain, HEAD_BYTES + 1)
    found = detect(head, complete=ended)
    if form is not None:
        protocol = found.protocol or protocol_of(_values(form, head[:HEAD_BYTES], ended), head)
        found = Detection(form, 1.0, (f"read as {FORM_NAMES[form]}, as chosen",), protocol)
    reader = open_reader(found.form, chosen)
    return found, _records(reader, head, plain, packed), reader.account


def _records(reader: Reader, head: bytes, rest: Iterator[bytes], packed: Gunzip | None) -> Iterator[Record]:
    yield from reader.feed(head)
    for chunk in rest:
        yield from reader.feed(chunk)
    yield from reader.close()
    if packed:
        reader.account.artefacts[:0] = packed.artefacts


def _gather(source: Iterator[bytes], size: int) -> tuple[bytes, bool]:
    """At least `size` bytes, or all there are (True)."""
    held = bytearray()
    for chunk in source:
        held += chunk
        if len(held) >= size:
            return bytes(held), False
    return bytes(held), True


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _expand(packed: Gunzip, first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    for chunk in _chain(first, rest):
        yield from packed.feed(chunk)
    packed.close()
