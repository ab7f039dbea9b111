"""The shared state around one moment, rebuilt: what it was before and after each state record of a window.

Rules of this file: which records are read and applied, and what is said when that is too much. One checkpoint or
snapshot, then the patches since: at most MAX_PATCHES of them and MAX_CHARS of payload, whatever the trace's size.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy.orm import Session

from webapp.core.agui.shared import UNSET, Change, Copies, Failure, applied, echoed, read, seed
from webapp.storage import states
from webapp.storage.models import Trace
from webapp.storage.states import Place
from webapp.views.page import PageContext

BEFORE, AFTER = 5, 6  # state records shown up to the moment, and behind it
WINDOW_CHARS = 4_000_000  # payloads of one side of the window
MAX_PATCHES = 5_000
MAX_CHARS = 24_000_000
TRIES = 12  # snapshots without effect that are passed over


@dataclass(frozen=True, slots=True)
class Moment:
    """One state record of the window. before, after: the state, equal when nothing changed.

    change: what it says, None = a client can make nothing of it; failure: why its patch was not applied
    """

    place: Place
    change: Change | None
    failure: Failure | None
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The window in order. last: the newest moment up to the asked one; value: the state then.

    source: where the state starts: `uploaded`, `echoed` (record `source_at`) or "" (nothing says it, so `{}`);
    lost: sentence, when the state cannot be rebuilt here (then no moment knows its values)
    """

    places: list[Place]
    moments: dict[int, Moment]
    last: Place | None
    value: Any
    source: str
    source_at: int | None
    lost: str


class _TooMuch(Exception):
    """The state cannot be rebuilt within the bounds; the text is a sentence."""


def rebuild(session: Session, trace: Trace, page: PageContext, upto: int) -> Rebuilt:
    """The state as of record `upto`, with the records around it."""
    ahead = _fitting(states.upto(session, trace.pk, upto, BEFORE)[::-1])[::-1]
    behind = _fitting(states.onwards(session, trace.pk, upto + 1, AFTER))
    places = [*ahead, *behind]
    source, source_at, start = _start(session, trace, page)
    try:
        first = places[0].seq if places else 0
        value, copies = _before(session, trace, first, start)
        moments = _follow(session, trace, places, value, copies)
    except _TooMuch as problem:
        return Rebuilt(places, {}, ahead[-1] if ahead else None, UNSET, source, source_at, str(problem))
    last = ahead[-1] if ahead else None
    held = moments[last.seq].after if last is not None else start
    return Rebuilt(places, moments, last, held, source, source_at, "")


def _fitting(places: list[Place]) -> list[Place]:
    """The first of them that together are within WINDOW_CHARS; always one."""
    total = 0
    kept: list[Place] = []
    for place in places:
        total += place.size
        if kept and total > WINDOW_CHARS:
            break
        kept.append(place)
    return kept


def _start(session: Session, trace: Trace, page: PageContext) -> tuple[str, int | None, Any]:
    """What the state starts from: the uploaded request's state, the first run's echo, else an empty object."""
    given = seed(trace.input)
    if given is not UNSET:
        return "uploaded", None, given
    run = page.runs[0] if page.runs else None
    if run is not None and run.run_id is not None:
        first = states.onwards(session, trace.pk, 0, 1)
        if not first or first[0].seq > run.first:
            given = seed(echoed(states.payload(session, trace.pk, run.first)))
            if given is not UNSET:
                return "echoed", run.first, given
    return "", None, {}


def _before(session: Session, trace: Trace, first: int, start: Any) -> tuple[Any, Copies]:
    """The state before record `first`."""
    copies = Copies()
    known = states.written(session, trace.pk, first)
    base, value = (-1, start) if known is None else (known[0], _decoded(known[1]))
    seq = states.snapshot_before(session, trace.pk, first)
    for _ in range(TRIES):
        if seq is None or seq <= base:
            break
        change = read(states.payload(session, trace.pk, seq))
        if change is not None:
            base, value = seq, change.value
            break
        seq = states.snapshot_before(session, trace.pk, seq)
    else:
        raise _TooMuch("It cannot be rebuilt here: too many snapshots before this place cannot be read.")
    patches = states.patches(session, trace.pk, base, first, MAX_PATCHES + 1)
    return _patched(value, patches, copies), copies


def _patched(value: Any, payloads: Iterable[str], copies: Copies) -> Any:
    chars = 0
    for number, payload in enumerate(payloads):
        chars += len(payload)
        if number >= MAX_PATCHES or chars > MAX_CHARS:
            raise _TooMuch(
                "It cannot be rebuilt here: too many patches have come since the state was last sent whole, "
                "and it is too large to be kept in between."
            )
        value, _ = applied(value, read(payload), copies)
    return value


def _follow(
    session: Session, trace: Trace, places: list[Place], value: Any, copies: Copies
) -> dict[int, Moment]:
    texts = states.payloads(session, trace.pk, [place.seq for place in places])
    moments: dict[int, Moment] = {}
    for place in places:
        change = read(texts.get(place.seq, ""))
        after, failure = applied(value, change, copies)
        moments[place.seq] = Moment(place, change, failure, value, after)
        value = after
    return moments


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return json.loads(text)
