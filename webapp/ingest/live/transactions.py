"""Live recordings in the database: begun, added to, taken over from a server that is gone.

Rules of this file: one transaction a function, or a part of its caller's where that one gives the session; bytes, the
row of `captures` and where the trace stands, nothing that is derived.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.orm import Session

from webapp.core.evidence import ResponseHead
from webapp.errors import NotFound
from webapp.ingest.live.pending import Taken
from webapp.ingest.original_parts import renumber
from webapp.ingest.rows import head_row
from webapp.storage import audit, captures, originals, traces
from webapp.storage.db import Database
from webapp.storage.ids import public_id
from webapp.storage.models import Capture, Trace
from webapp.storage.storable import storable

CUT, BROKE_OFF = captures.CUT, captures.BROKE_OFF
GAP = "gap"
BATCH = "batch"
STOPPED = "Lanescope was stopped while this was recorded: what came later is not here."
KILLED = "Lanescope ended without a chance to finish this recording: what came later is not here."
IDLE = "Nothing came for a long time, and nobody said that the recording was over."
RESUMABLE = (STOPPED, KILLED, IDLE)  # a recording in batches that ended so goes on with its next batch
AWAITED = 20.0  # seconds a batch is awaited after a restart; pages are told no end before
IDLE_SECONDS = 600.0  # after which a recording in batches counts as left
LOST_END = "The end of the stream came faster than it could be stored, and is not here."
UNKEPT = "Lanescope failed while it stored this recording; its log says where. What came later is not here."
MISSING = "There is no such recording: it was deleted, or the address is not complete."


@dataclass(frozen=True, slots=True)
class Begun:
    """What `Recorder.begin` was told, cleaned."""

    name: str
    source: str
    kind: str
    form: str
    protocol: str
    run_input: dict[str, Any] | None
    head: ResponseHead | None
    owner: str
    masking: bool
    by: audit.By | None = None


@dataclass(frozen=True, slots=True)
class Fresh:
    """A part that was just stored: its number, bytes and arrivals."""

    part: int
    data: bytes
    arrivals: bytes


def begin(database: Database, begun: Begun) -> tuple[str, int]:
    """A new trace that is recorded: (public id, pk)."""
    now = time.time()
    with database.session() as session:
        trace = Trace(
            id=public_id(),
            name=storable(begun.name)[:200],
            source=storable(begun.source)[:300],
            created=now,
            status="live",
            sha256="",
            size=0,
            protocol=begun.protocol,
            input=begun.run_input,
            masked=0 if begun.masking else None,
            owner=None if begun.by is None else begun.by.user,
        )
        session.add(trace)
        session.flush()
        session.add(
            Capture(
                trace=trace.pk, kind=begun.kind, owner=begun.owner, beat=now, form=begun.form,
                protocol=begun.protocol, head=head_row(begun.head), heard=now,
            )
        )  # fmt: skip
        audit.done(session, begun.by, "recorded", trace.id, at=now, detail={"kind": begun.kind})
        return trace.id, trace.pk


@dataclass(slots=True)
class Kept:
    """fresh: `traces.pk` -> its new parts; anew: those of which another worker had judged the end."""

    fresh: dict[int, list[Fresh]] = field(default_factory=dict)
    anew: list[int] = field(default_factory=list)


def keep(database: Database, taken: Sequence[Taken], owner: str) -> Kept:
    """Store what came, all or nothing. Recordings whose trace was deleted are failed and left."""
    kept = Kept()
    now = time.time()
    with database.session() as session:
        for each in taken:
            if not (each.pieces or each.notes or each.missing or each.reason is not None):
                continue
            capture = captures.locked(session, each.live.pk)
            if capture is None:
                each.live.fail(NotFound(MISSING))
                continue
            if capture.owner != owner and capture.ended is not None:
                # this process stood still for so long that another one took it for dead
                resume(session, capture, owner, now)
                kept.anew.append(capture.trace)
            kept.fresh[capture.trace] = _store(session, capture, each, now)
    return kept


def _store(session: Session, capture: Capture, taken: Taken, now: float) -> list[Fresh]:
    parts, offset = [], taken.offset
    for piece in taken.pieces:
        offset += len(piece.data)
        if offset <= capture.size:
            continue  # the commit was done, though its answer was lost
        stored = captures.append(session, capture, piece)
        parts.append(Fresh(stored.part, piece.data, piece.arrivals))
    for kind, sentence in taken.notes:
        captures.note(capture, kind, storable(sentence))
    if taken.missing:
        captures.forget_note(capture, GAP)
        captures.note(capture, GAP, _gap(taken.missing))
    capture.masked, capture.heard = taken.masked, now
    if taken.reason is not None and capture.ended is None:
        end_now(capture, taken.reason, now)
    return parts


def _gap(missing: int) -> str:
    return (
        f"{missing:,} bytes are missing: they came faster than they could be stored, and the traffic was not held up "
        "for them. What seems to be wrong there, and may come from that, is not judged."
    )


def resume(session: Session, capture: Capture, owner: str, now: float) -> None:
    """A recording that had ended goes on. Its row is locked."""
    captures.forget_note(capture, CUT)
    capture.ended, capture.reason, capture.owner, capture.beat = None, "", owner, now
    trace = traces.by_pk(session, capture.trace)
    if trace is not None:
        session.refresh(trace)
        trace.status, trace.error, trace.upload_notes = "live", None, None


def awaited(session: Session, trace: int) -> bool:
    """Whether a recording in batches ended with its server just now, so that its sender probably goes on with it."""
    return captures.ended_so(session, trace, BATCH, (STOPPED, KILLED), time.time() - AWAITED)


def end_now(capture: Capture, reason: str, now: float) -> None:
    capture.ended, capture.reason = now, storable(reason)
    if reason:
        captures.note(capture, CUT, capture.reason)


def give_up(database: Database, trace: int) -> None:
    """End a recording of which nothing more can be stored."""
    with database.session() as session:
        capture = captures.locked(session, trace)
        if capture is not None and capture.ended is None:
            end_now(capture, UNKEPT, time.time())


def beat(database: Database, owner: str) -> None:
    """This process is alive."""
    with database.session() as session:
        captures.beat(session, owner, time.time())


def left_behind(database: Database, owner: str, dead: float) -> list[int]:
    """End the recordings whose owner was silent for `dead` seconds, and batches that stopped coming; they are ours now,
    to be judged to their end: their `traces.pk`."""
    now = time.time()
    with database.session() as session:
        found = dict.fromkeys(captures.idle(session, owner, BATCH, now - IDLE_SECONDS), IDLE)
        found |= dict.fromkeys(captures.unowned(session, owner, now - dead), KILLED)
    return _end_those(database, found, owner, now - dead)


def stop_batches(database: Database, owner: str) -> list[int]:
    """The server stops: end the recordings in batches that it looked after."""
    with database.session() as session:
        found = dict.fromkeys(captures.owned(session, owner, BATCH), STOPPED)
    return _end_those(database, found, owner, time.time())


def _end_those(database: Database, found: dict[int, str], owner: str, alive_since: float) -> list[int]:
    if not found:
        return []
    now = time.time()
    with database.session() as session:
        ours = []
        for pk, reason in sorted(found.items()):
            capture = captures.locked(session, pk)
            if capture is None or not capture.owner:
                continue  # somebody else was faster
            if capture.owner != owner and capture.beat >= alive_since:
                continue
            if reason == IDLE and capture.heard >= now - IDLE_SECONDS:
                continue
            capture.owner, capture.beat = owner, now
            if capture.ended is None:
                end_now(capture, reason, now)
            ours.append(pk)
        return ours


def close(session: Session, trace: Trace, capture: Capture) -> None:
    """Everything of the recording was judged: it is a trace like any other from here on."""
    captures.compact(session, capture)
    if trace.format == "sse":
        renumber(session, trace.pk, sse=True)
    digest = hashlib.sha256()
    for piece in originals.whole(session, trace.pk):
        digest.update(piece)
    trace.sha256, trace.size = digest.hexdigest(), capture.size
    if trace.masked is not None:
        trace.masked = capture.masked
    trace.status = "ready"
    capture.owner = ""
