"""Bytes of any kind to records: detected, expanded, mended on the way.

Rules of this file: which detection counts when a person chose a form, when nothing is known of the beginning, and the
order of what records go through. What the content looks like, `detect` says. A recording that is still coming goes
through the same functions, see `pushed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from webapp.core.records import Record
from webapp.readers.base import Account, Reader
from webapp.readers.both import counted
from webapp.readers.detect import (
    OTHER_JSON,
    TEAMS_NAMES,
    Detection,
    detect,
    dropped_only,
    foreign_one,
    form_name,
    only_others,
    open_reader,
    records_of,
    speaking,
    value_of,
)
from webapp.readers.head import HEAD_BYTES, Head
from webapp.readers.late import Late, read_on
from webapp.readers.limits import Limits
from webapp.readers.mend import mended
from webapp.readers.packing.layers import SIGN_BYTES, Packed, expanded, unpacker
from webapp.readers.packing.utf16 import as_utf8
from webapp.readers.redacted.reader import NAME as REDACTED
from webapp.readers.registry import FORMS
from webapp.readers.signs import is_other

CHOSEN = "it was chosen so"  # the reason for a form that a person named
# a HAR file looks like one of connector calls until its stream comes, which may be far down
AGUI_ONLY = {"har-stream": "ag-ui"}
_CHOOSERS = frozenset({"python-dump", "python-activities"})  # decide by the very first bytes
_HAR = frozenset({"har", "har-stream"})  # read what they pick


def read(
    chunks: Iterable[bytes],
    form: str | None = None,
    limits: Limits | None = None,
    through: Callable[[Iterator[bytes]], Iterator[bytes]] | None = None,
    protocol: str | None = None,
) -> tuple[Detection, Iterator[Record], Account]:
    """Buffer the head, detect, replay it. form overrides what was detected; gzip and zstd are expanded on
    the way. through: what the expanded text goes through before anything looks at it; protocol: what it is said to
    speak.

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
    found, head = decided(plain, form, protocol)
    reader = open_reader(found.form, chosen)
    records = through_all(_records(reader, head, plain, packed), found, reader.account, chosen)
    return found, records, reader.account


def decided(plain: Iterator[bytes], form: str | None, protocol: str | None) -> tuple[Detection, bytes]:
    """How plain bytes are read, and those of them that had to be looked at. The same for any split of them."""
    head, ended = _gather(plain, HEAD_BYTES + 1)
    found = detect(head, complete=ended, protocol=protocol)
    if not ended and found.protocol is None and found.foreign in (None, "prose") and not is_other(head):
        late = read_on(head, plain)
        head, found = late.held, _later(found, late)
    if form is not None:
        found = chosen_form(form, found, head[:HEAD_BYTES], ended, protocol)
    return found, head


def through_all(
    records: Iterator[Record], found: Detection, account: Account, limits: Limits
) -> Iterator[Record]:
    """What the records of a reader go through, one by one."""
    if found.form is not None:
        records = mended(records, found.form, account, limits)
    if found.protocol is not None and found.form not in _HAR:
        records = counted(records, found.protocol, account)
    return records


def chosen_form(form: str, own: Detection, head: bytes, ended: bool, protocol: str | None) -> Detection:
    """The form that a person named, unless a part of what the text says is lost in it."""
    score = FORMS[form].score(Head(as_utf8(head), complete=ended))
    title = "" if score is None else score.title
    if own.form == REDACTED != form:  # without its seal it could pass
        return Detection(None, 0.0, (f"{form_name(own)}, which is read as such only",))
    kinds = tuple(reason for reason in own.reasons if (form, reason) in TEAMS_NAMES)
    told = Detection(form, 1.0, (CHOSEN, *kinds), AGUI_ONLY.get(form, own.protocol), title=title)
    if form not in _HAR and own.form not in (None, form) and own.protocol is not None:
        assert own.form is not None
        whole, read_so = _size(own.form, head, ended), _size(form, head, ended)
        # where nothing at all is read, that is said of the form as it is
        if whole > 1.1 * read_so + 20 and (read_so or not ended):
            return Detection(
                None, 0.0, (f"{form_name(own)}; as {FORMS[form].title} only a part of it is read",)
            )
    if told.protocol is not None:
        return told
    told = speaking(told, form, head, ended)
    quiet = told.protocol is None and (ended or own.foreign == OTHER_JSON) and protocol != "teams"
    return foreign_one(OTHER_JSON) if quiet and dropped_only(form, head, ended) else told


def _size(form: str, head: bytes, complete: bool) -> int:
    """Characters of the texts in the records of the first bytes."""
    return sum(_texts(record.payload) for record in records_of(form, head, complete))


def _texts(payload: bytes) -> int:
    waiting, size = [value_of(payload)], 0
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            size += len(value)
        elif isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value
    return size


def _later(found: Detection, late: Late) -> Detection:
    """What a text is that says nothing at its beginning, once more of it has been read."""
    seen = None if late.start is None else detect(late.window, complete=late.complete)
    if seen is not None and seen.protocol is not None and seen.form not in _CHOOSERS:
        if found.form is None or found.score < 0.5:
            return replace(seen, reasons=(*seen.reasons, "other text stands before it"))
        return replace(found, protocol=seen.protocol)
    if found.form is None:
        return found if late.ended else foreign_one("long-prose")
    if late.start is None and only_others(found.form, late.held[:HEAD_BYTES], complete=False):
        return foreign_one(OTHER_JSON)
    return found


def _records(reader: Reader, head: bytes, rest: Iterator[bytes], packed: Packed | None) -> Iterator[Record]:
    yield from reader.feed(head)
    for chunk in rest:
        yield from reader.feed(chunk)
    yield from reader.close()
    in_order(reader.account)
    if packed:
        reader.account.artefacts[:0] = packed.artefacts


def in_order(account: Account) -> None:
    """A reader may note the same things sooner or later, as the bytes came; their places do not depend on that."""
    account.artefacts.sort(key=lambda artefact: (artefact.line or 0, artefact.kind))


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
