"""Redacted copies of traces: what a link that does not show everything opens.

Rules of this file: when a copy is made, made anew and dropped. A copy is a trace of its own, ingested from the redacted
file, so that no page can show what is not there; it stands in no list, and only links lead to it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Any

from sqlalchemy.exc import DBAPIError, IntegrityError, InvalidRequestError, OperationalError
from sqlalchemy.orm import Session

from webapp import redact
from webapp.core.seal import MAX_BYTES, VERSION
from webapp.errors import BadInput, Busy, NotFound
from webapp.ingest import seal_notes
from webapp.ingest.analyse import analyse
from webapp.ingest.choose import bounds
from webapp.ingest.cleaner import Cleaner
from webapp.ingest.incoming import prepared
from webapp.ingest.redacted_file import effective, redacted_file
from webapp.ingest.rows import artefact_row
from webapp.ingest.turns import Turns
from webapp.ingest.upload import engine_for, write_reading
from webapp.ingest.upload_bytes import Upload
from webapp.readers.read import read
from webapp.readers.redacted.reader import NAME
from webapp.settings import Settings
from webapp.storage import redacted_copies, traces
from webapp.storage.db import Database, write_first
from webapp.storage.ids import public_id
from webapp.storage.models import Trace

NAMES = {
    "structure": "Recording without its texts",
    "personal": "Recording with recognised personal data taken out",
}
MISSING = "There is no such trace: it was deleted, or the link is not complete."
MAKING = "A redacted copy is being made for this link; try again in a moment."
WAIT_SECONDS = 5.0  # so long a request waits for whoever makes the same copy, or for room
LOOK_SECONDS = 0.1  # between looks whether another process has made it
MOST = 4  # copies at once in a process; where they are written SQLite has them take turns, as it does with uploads
_TURNS = Turns(MOST)  # nobody makes one twice
# which redactor made a copy: one that was mended must not leave links to what it was mended for
REDACTOR = sha256(
    b"".join(each.read_bytes() for each in sorted(Path(redact.__file__).parent.glob("*.py")))
).hexdigest()[:16]
BUSY = "The database could not be written, so there is no redacted copy yet; try again in a moment."


class _Elsewhere(Exception):
    """Another process makes this very copy now."""


class _Changed(Exception):
    """The trace was read anew while its copy was made of it."""


def _nothing() -> None:
    """Nobody stops the making."""


def copy_for(
    database: Database,
    trace_pk: int,
    level: str,
    settings: Settings,
    *,
    seconds: float | None = WAIT_SECONDS,
    go_on: Callable[[], None] = _nothing,
) -> int:
    """The `pk` of the redacted copy of a trace; made now when there is none, or when the trace was read anew since.

    level: structure | personal; seconds: how long to wait for somebody who makes the same one, or for room, None as
    long as it takes; go_on: called often, raises what ends the making. Raises BadInput for a trace that cannot be
    redacted (still recorded, nothing understood), NotFound when it is gone, Busy when the copy cannot be made now.
    """
    until = inf if seconds is None else time.monotonic() + seconds
    try:
        known, level = standing(database, trace_pk, level)
        if known is not None:
            return known
        with _TURNS.turn((database.url, trace_pk, level), seconds) as mine:
            if not mine:
                raise Busy(MAKING)
            while True:
                go_on()
                try:
                    with database.session() as session:
                        return _made(session, trace_pk, level, settings, go_on, patient=seconds is None)
                except (_Elsewhere, _Changed) as error:
                    if time.monotonic() >= until:
                        raise Busy(MAKING) from error
                    time.sleep(LOOK_SECONDS)
    except IntegrityError as error:  # the trace was deleted when its copy was about to be written
        raise NotFound(MISSING) from error
    except DBAPIError as error:
        raise Busy(BUSY) from error


def standing(database: Database, trace_pk: int, level: str) -> tuple[int | None, str]:
    """The `pk` of the copy that can be shown now, None when it has to be made, and at which level it is made."""
    with database.session() as session:
        trace = traces.by_pk(session, trace_pk)
        if trace is None:
            raise NotFound(MISSING)
        level = effective(trace, level)
        known = redacted_copies.copy_of(session, trace_pk, level)
        return (known.pk if known is not None and _fits(known, trace) else None), level


def wanted(session: Session, trace: Trace, level: str) -> bool:
    """Whether a link that works opens the copy of this (effective) level."""
    shown = redacted_copies.shown_levels(session, trace.pk, time.time()) - {"everything"}
    return level in {effective(trace, each) for each in shown}


def drop_unused(session: Session, trace_pk: int | None = None) -> int:
    """Remove the copies that no live link opens, of one trace (None: of all); how many went. Nothing is committed."""
    gone = 0
    for copy in redacted_copies.copies(session, trace_pk):
        trace = None if copy.copy_of is None else traces.by_pk(session, copy.copy_of)
        if trace is None or not wanted(session, trace, copy.redaction):
            traces.delete(session, copy.pk)
            gone += 1
    return gone


def drop_all(session: Session, trace_pk: int) -> None:
    """Remove every copy of a trace: it is being read anew, and they are made again when a link is opened."""
    for copy in redacted_copies.copies(session, trace_pk):
        traces.delete(session, copy.pk)


def _made(
    session: Session,
    trace_pk: int,
    level: str,
    settings: Settings,
    go_on: Callable[[], None],
    *,
    patient: bool = False,
) -> int:
    """Make it in this session. level: the effective one; patient: whoever is writing now is waited for to the end."""
    trace = traces.by_pk(session, trace_pk)
    if trace is None:
        raise NotFound(MISSING)
    if not redacted_copies.claimed(session, trace_pk, level):
        raise _Elsewhere
    known = redacted_copies.copy_of(session, trace_pk, level)
    if known is not None and _fits(known, trace):  # made by somebody else in the meantime
        return known.pk
    read_as = _stamp(trace)
    chunks = redacted_file(session, trace, level, settings.max_record_bytes, go_on)
    try:
        first = next(chunks)  # all of the trace has been read: from here on it is written
    except BadInput as error:
        raise (error if _still(session, trace, read_as) else _Changed()) from error
    _hold(session, go_on, patient)
    if known is not None:
        traces.delete(session, known.pk)
    copy = Trace(
        id=public_id(), name=NAMES[level], source="", created=time.time(), sha256="", size=0,
        copy_of=trace_pk, redaction=level, masked=trace.masked,
    )  # fmt: skip
    session.add(copy)
    session.flush()
    limits = bounds(settings)
    limits = replace(limits, max_record_bytes=max(limits.max_record_bytes, MAX_BYTES))  # the seal may need it
    upload = Upload(session, copy.pk, sys.maxsize, limits, Cleaner(False))
    if not _still(
        session, trace, read_as
    ):  # for SQLite this is said once and for all: nobody else writes any more
        raise _Changed
    text = upload.text(_watched(first, chunks, go_on), NAME)
    found, records, account = read(text, NAME, limits)
    records = prepared(records, account)
    if account.seal is None:
        raise BadInput(account.refused)
    source = (trace.sealed or {}).get("by", seal_notes.FROM_LINK)  # a file's word stays a file's word
    seal_notes.mark(copy, account.seal, source)
    spoken = account.seal.protocol
    write_reading(copy, found)
    analyse(session, copy, records, engine_for(spoken, copy, account, settings), lambda: account)
    copy.upload_notes = [artefact_row(note) for note in seal_notes.notes_of(account.seal)] or None
    copy.sha256 = upload.close(copy.format)
    copy.size = upload.kept
    copy.sealed = {**(copy.sealed or {}), "of": read_as}
    session.flush()
    if not _still(session, trace, read_as):
        raise _Changed
    return copy.pk


def _hold(session: Session, go_on: Callable[[], None], patient: bool) -> None:
    """Let nobody else write to an SQLite file from here on. An upload or another copy may write for longer than the
    database lets one wait; what has been read and redacted so far is not thrown away for that."""
    while True:
        try:
            return write_first(session)
        except OperationalError:
            if not patient:
                raise
            session.rollback()  # nothing was written yet
            go_on()


def _watched(first: bytes, rest: Iterator[bytes], go_on: Callable[[], None]) -> Iterator[bytes]:
    yield first
    for piece in rest:
        go_on()
        yield piece


def _still(session: Session, trace: Trace, read_as: list[Any]) -> bool:
    """Whether the trace stands as it was read; raises NotFound when it is gone."""
    try:
        session.refresh(trace)
    except InvalidRequestError as error:
        raise NotFound(MISSING) from error
    return _stamp(trace) == read_as


def _fits(copy: Trace, trace: Trace) -> bool:
    """Whether a copy was made of the reading that the trace has now, in today's form and by today's redactor."""
    return (copy.sealed or {}).get("of") == _stamp(trace)


def _stamp(trace: Trace) -> list[Any]:
    return [VERSION, REDACTOR, trace.engine, trace.format, trace.protocol, trace.records, trace.events, trace.verdict,
            trace.rejected_at, trace.finding_count, trace.lines]  # fmt: skip
