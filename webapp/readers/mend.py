"""Records that were spoilt on their way to us and can be read in one way only: JSON in a JSON string, curly quotes.

Rules of this file: the first record says whether a recording is spoilt, so that a single odd one stays the producer's;
what does not become an object is left as it is. Frames of a wire (SSE) are never unquoted: they were sent so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import msgspec

from webapp.core.records import Record
from webapp.readers.base import Account, Artefact, Reader
from webapp.readers.limits import Limits
from webapp.readers.plain.array import ArrayReader
from webapp.readers.plain.sse import SseReader
from webapp.readers.slices import string_of, unescaped
from webapp.readers.tally import is_object

QUOTED = Artefact(
    "quoted-event", "The events stand as JSON texts, in quotes with escapes; they were read without."
)
CURLY = Artefact(
    "curly-quotes",
    "The quotes of the JSON are curly, as chats and word processors make them; they were read as plain ones.",
)
_STRINGS = frozenset({"ndjson", "array"})  # forms without frames
_CURLY = re.compile(rb"\{\s{0,200}\xe2\x80[\x9c-\x9f]")
_ANY_CURLY = re.compile(rb"\xe2\x80[\x9c-\x9f]")
Mend = Callable[[Record], Iterable[Record]]


def mended(records: Iterable[Record], form: str, account: Account, limits: Limits) -> Iterator[Record]:
    """The same records, or what they were before they were spoilt; the account says what was done."""
    source = iter(records)
    first = next(source, None)
    if first is None:
        return
    whole = chain((first,), source)
    if form in _STRINGS and inside(first.payload) is not None:
        account.artefacts.append(QUOTED)
        yield from _each(whole, lambda record: _unquoted(record, limits), limits.max_records)
    elif _CURLY.match(first.payload) and is_object(straight(first.payload)):
        account.artefacts.append(CURLY)
        yield from _each(whole, _straightened, limits.max_records)
    else:
        yield from whole


def inside(payload: bytes) -> bytes | None:
    """The stream that a JSON string holds; None: it is no string, or another text."""
    value = string_of(payload) if payload.startswith(b'"') else None
    text = b"" if value is None else unescaped(value).strip()
    return text if text.startswith((b"data:", b"event:", b":", b"{", b"[")) else None


def straight(payload: bytes) -> bytes:
    """The text with plain double quotes for curly ones."""
    return _ANY_CURLY.sub(b'"', payload)


def _each(records: Iterable[Record], mend: Mend, most: int) -> Iterator[Record]:
    count = 0
    for record in records:
        for made in mend(record):
            count += 1
            if count > most:
                return
            yield made


def _unquoted(record: Record, limits: Limits) -> Iterable[Record]:
    text = inside(record.payload)
    if text is None:
        return (record,)
    reader: Reader = ArrayReader(limits) if text.startswith((b"{", b"[")) else SseReader(limits)
    found = [*reader.feed(text), *reader.close()]
    if not all(is_object(each.payload) for each in found):
        return (record,)
    return [msgspec.structs.replace(record, payload=each.payload) for each in found] or (record,)


def _straightened(record: Record) -> Iterable[Record]:
    if _CURLY.match(record.payload) and is_object(made := straight(record.payload)):
        return (msgspec.structs.replace(record, payload=made),)
    return (record,)
