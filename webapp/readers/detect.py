"""What form a recording has, by its content; then the reader for it.

Rules of this file: only the first HEAD_BYTES are looked at, never a file's name; every decision has its
reason in plain words, and the user can override it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from webapp.core.foreign import BY_SLUG, ERROR_ALONE
from webapp.core.records import Record
from webapp.readers import foreign
from webapp.readers.base import Reader
from webapp.readers.head import Head
from webapp.readers.limits import Limits
from webapp.readers.mend import mended
from webapp.readers.packing.utf16 import as_utf8
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

OTHER_JSON = "other-json"  # slug of JSON in which nobody speaks
LOGGED = "server-log"  # slug of a log without events
_BARE = frozenset({"ndjson", "array"})  # JSON and nothing else
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


def detect(head: bytes, *, complete: bool, protocol: str | None = None) -> Detection:
    """Judge the first bytes. complete: there are no more than these; protocol: the one it is said to speak."""
    look = Head(as_utf8(head), complete=complete)
    if is_other(look.data):
        what = what_else(look.data)
        return Detection(None, 0.0, (what,), foreign=foreign.of_phrase(what))
    if is_run_input(look.value):
        return foreign_one("run-input")
    if (code := foreign.source_code(look)) is not None:
        return foreign_one(code)
    found = best(look)
    if found is None:
        return _nothing(look)
    form, score = found
    told = Detection(form.name, score.value, score.reasons, score.protocol, title=score.title)
    if told.protocol is None:
        spoken = speaking(told, form.name, look.data, look.complete)
        return spoken if spoken.protocol else _other(look, form.name) or _unheard(look, spoken, protocol)
    return concluded(told, len(records_of(form.name, look.data))) if look.complete else told


# the beginning of a long log without an event: one may come further on
QUIET = Detection("log", 0.3, ("it begins as a log does",))


def foreign_one(slug: str, said: str = "") -> Detection:
    """The detection of input that is none of ours, by its slug in `core.foreign`."""
    return Detection(None, 0.0, (BY_SLUG[slug].what,), foreign=slug, said=said)


def _nothing(look: Head) -> Detection:
    """Text of no form."""
    if said := foreign.error_alone(look):
        return foreign_one(ERROR_ALONE, said)
    if (slug := foreign.loose(look)) is not None:
        return foreign_one(slug) if look.complete or slug != LOGGED else QUIET
    what = what_else(look.data)
    return Detection(None, 0.0, (what,), foreign="prose" if what == BY_SLUG["prose"].what else None)


def _other(look: Head, form: str) -> Detection | None:
    """Text that has a form of ours and speaks neither protocol: another one's stream, or an error as JSON."""
    if form != "sse" and (said := foreign.error_alone(look)):
        return foreign_one(ERROR_ALONE, said)
    slug = foreign.dialect(_values(form, look.data, look.complete), look.data)
    if slug == LOGGED and not look.complete:
        return QUIET
    return None if slug is None else foreign_one(slug)


def speaking(found: Detection, form: str, head: bytes, complete: bool) -> Detection:
    """What was found, with the protocol that its records speak, None where they do not say."""
    protocol, what = protocol_of(_values(form, head, complete), head)
    return replace(found, protocol=protocol, reasons=(*found.reasons, what) if what else found.reasons)


def _unheard(look: Head, found: Detection, protocol: str | None) -> Detection:
    """A text of a form of ours in which nobody speaks: JSON of something else. Broken records may have been ours."""
    if not look.complete or protocol == "teams":
        return found
    assert found.form is not None
    return foreign_one(OTHER_JSON) if only_others(found.form, look.data) else found


def only_others(form: str, head: bytes, complete: bool = True) -> bool:
    """Whether all records are of something else: any JSON; behind frames and other marks, objects of other types."""
    values = list(_values(form, head, complete))
    return (form in _BARE and bool(values) and None not in values) or _types_only(values)


def dropped_only(form: str, head: bytes, complete: bool = True) -> bool:
    """Whether all objects have a type and no judge knows one: each would be dropped, which looks like a pass."""
    return _types_only(_values(form, head, complete))


def _types_only(values: Iterable[Any]) -> bool:
    objects = [value for value in values if isinstance(value, dict)]
    return bool(objects) and all(isinstance(value.get("type"), str) for value in objects)


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
        return foreign_one(LOGGED)
    return found


def value_of(text: bytes) -> Any:
    """The JSON value of a text, None when it is none."""
    try:
        return parse(text)
    except ValueError:
        return None


def _values(form: str, head: bytes, complete: bool) -> Iterator[Any]:
    return (value_of(record.payload) for record in records_of(form, head, complete))


def records_of(form: str, head: bytes, complete: bool = True) -> list[Record]:
    """The first records of a text in a form; complete: there is no more of it."""
    limits = Limits()
    reader = open_reader(form, limits)
    records = list(islice(reader.feed(head), SAMPLE))
    if complete or not records:
        records += reader.close()
    return list(mended(records, form, reader.account, limits))


def open_reader(form: str | None, limits: Limits | None = None) -> Reader:
    """The reader of a form; None: one that only counts lines. KeyError for an unknown form."""
    chosen = limits or Limits()
    return UnreadReader(chosen) if form is None else FORMS[form].reader(chosen)
