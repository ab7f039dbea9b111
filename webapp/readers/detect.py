"""What form a recording has, by its content; then the reader for it.

Rules of this file: only the first HEAD_BYTES are looked at, never a file's name; every decision has its
reason in plain words, and the user can override it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from webapp.core.foreign import BY_SLUG, ERROR_ALONE
from webapp.core.records import Record
from webapp.readers import foreign
from webapp.readers.base import Account, Reader
from webapp.readers.head import HEAD_BYTES, Head
from webapp.readers.limits import Limits
from webapp.readers.packing import SIGN_BYTES, Packed, expanded, unpacker
from webapp.readers.registry import FORMS, best
from webapp.readers.signs import (
    ACTIVITIES,
    EXCHANGES,
    HAR_ELSE,
    is_other,
    is_run_input,
    protocol_of,
    what_else,
)
from webapp.readers.tally import parse
from webapp.readers.unread import UnreadReader
from webapp.readers.utf16 import as_utf8

CHOSEN = "it was chosen so"  # the reason for a form that a person named
# a HAR file looks like one of connector calls until its stream comes, which may be far down
AGUI_ONLY = {"har-stream": "ag-ui"}
LOGGED = "server-log"  # slug of a log without events
SAMPLE = 50  # records of the head looked at for the protocol

# what people call the same forms when Teams wrote them: (form, what the records are)
TEAMS_NAMES = {
    ("ndjson", EXCHANGES): "one exchange a line",
    ("array", EXCHANGES): "an array of exchanges",
    ("ndjson", ACTIVITIES): "one activity a line",
    ("array", ACTIVITIES): "an array of activities (transcript)",
}


@dataclass(frozen=True, slots=True)
class Detection:
    """What the content looks like.

    form:     the name of a form in `registry`, or None (nothing readable)
    score:    0 (a guess) to 1
    reasons:  phrases; they follow "This is " when form is None, else "because "
    protocol: ag-ui, teams, or None when the content does not say.
    foreign:  slug of `core.foreign` when it is something else that is known
    said:     the error sentences, when there is nothing but those
    title:    words for the form, when this content has better ones than the form's own
    """

    form: str | None
    score: float
    reasons: tuple[str, ...]
    protocol: str | None = None
    foreign: str | None = None
    said: str = ""
    title: str = ""


def detect(head: bytes, *, complete: bool) -> Detection:
    """Judge the first bytes. complete: there are no more than these."""
    look = Head(as_utf8(head), complete=complete)
    if is_other(look.data):
        what = what_else(look.data)
        return Detection(None, 0.0, (what,), foreign=foreign.of_phrase(what))
    if is_run_input(look.value):
        return _foreign("run-input")
    if (code := foreign.source_code(look)) is not None:
        return _foreign(code)
    found = best(look)
    if found is None:
        return _nothing(look)
    form, score = found
    told = Detection(form.name, score.value, score.reasons, score.protocol, title=score.title)
    if told.protocol is None:
        spoken = _speaking(told, form.name, look.data, look.complete)
        return spoken if spoken.protocol else _other(look, form.name) or spoken
    return concluded(told, len(_records_of(form.name, look.data))) if look.complete else told


# the beginning of a long log without an event: one may come further on
QUIET = Detection("log", 0.3, ("it begins as a log does",))


def _foreign(slug: str, said: str = "") -> Detection:
    return Detection(None, 0.0, (BY_SLUG[slug].what,), foreign=slug, said=said)


def _nothing(look: Head) -> Detection:
    """Text of no form."""
    if said := foreign.error_alone(look):
        return _foreign(ERROR_ALONE, said)
    if (slug := foreign.loose(look)) is not None:
        return _foreign(slug) if look.complete or slug != LOGGED else QUIET
    what = what_else(look.data)
    return Detection(None, 0.0, (what,), foreign="prose" if what == BY_SLUG["prose"].what else None)


def _other(look: Head, form: str) -> Detection | None:
    """Text that has a form of ours and speaks neither protocol: another one's stream, or an error as JSON."""
    if form != "sse" and (said := foreign.error_alone(look)):
        return _foreign(ERROR_ALONE, said)
    slug = foreign.dialect(_values(form, look.data, look.complete), look.data)
    if slug == LOGGED and not look.complete:
        return QUIET
    return None if slug is None else _foreign(slug)


def _speaking(found: Detection, form: str, head: bytes, complete: bool) -> Detection:
    protocol, what = protocol_of(_values(form, head, complete), head)
    return replace(found, protocol=protocol, reasons=(*found.reasons, what) if what else found.reasons)


def form_name(found: Detection) -> str:
    """The form in words: `one exchange a line`."""
    if found.form is None:
        return "not recognised"
    known = (TEAMS_NAMES.get((found.form, reason)) for reason in found.reasons)
    return next((name for name in known if name), found.title or FORMS[found.form].title)


def concluded(found: Detection, records: int) -> Detection:
    """What is to be said once everything was read: a HAR file without a
    streamed reply is none of ours, nor is a log without an event."""
    if found.form == "har" and not records:
        return Detection(None, 0.0, (HAR_ELSE,))
    if found is QUIET and not records:
        return _foreign(LOGGED)
    return found


def _value(text: bytes) -> Any:
    try:
        return parse(text)
    except ValueError:
        return None


def _values(form: str, head: bytes, complete: bool) -> Iterator[Any]:
    return (_value(record.payload) for record in _records_of(form, head, complete))


def _records_of(form: str, head: bytes, complete: bool = True) -> list[Record]:
    reader = open_reader(form)
    records = list(islice(reader.feed(head), SAMPLE))
    if complete or not records:
        records += reader.close()
    return records


def open_reader(form: str | None, limits: Limits | None = None) -> Reader:
    """The reader of a form; None: one that only counts lines. KeyError for an unknown form."""
    chosen = limits or Limits()
    return UnreadReader(chosen) if form is None else FORMS[form].reader(chosen)


def read(
    chunks: Iterable[bytes],
    form: str | None = None,
    limits: Limits | None = None,
    through: Callable[[Iterator[bytes]], Iterator[bytes]] | None = None,
) -> tuple[Detection, Iterator[Record], Account]:
    """Buffer the head, detect, replay it. form overrides what was detected; gzip and zstd are expanded on
    the way. through: what the expanded text goes through before anything looks at it.

    The account is whole once the iterator is used up; lines and offsets are those of the expanded text.
    TooLarge and Refused come from here or from the iterator.
    """
    chosen = limits or Limits()
    source = iter(chunks)
    first = _gather(source, SIGN_BYTES)[0]
    packed = unpacker(first, chosen.max_expanded_bytes)
    plain = _chain(first, source)
    if packed is not None:
        plain = expanded(packed, plain)
    if through is not None:
        plain = through(plain)
    head, ended = _gather(plain, HEAD_BYTES + 1)
    found = detect(head, complete=ended)
    if form is not None:
        score = FORMS[form].score(Head(as_utf8(head), complete=ended))
        title = "" if score is None else score.title
        kinds = tuple(reason for reason in found.reasons if (form, reason) in TEAMS_NAMES)
        spoken = AGUI_ONLY.get(form, found.protocol)
        told = Detection(form, 1.0, (CHOSEN, *kinds), spoken, title=title)
        found = told if told.protocol else _speaking(told, form, head[:HEAD_BYTES], ended)
    reader = open_reader(found.form, chosen)
    return found, _records(reader, head, plain, packed), reader.account


def _records(reader: Reader, head: bytes, rest: Iterator[bytes], packed: Packed | None) -> Iterator[Record]:
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
