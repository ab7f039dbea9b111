"""Redacted copies of traces: what a link that does not show everything opens.

Rules of this file: when a copy is made, made anew and dropped. A copy is a trace of its own, ingested from the redacted
file, so that no page can show what is not there; it stands in no list, and only links lead to it.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from webapp import redact
from webapp.core.seal import MAX_BYTES, VERSION
from webapp.errors import BadInput, Busy, NotFound
from webapp.ingest import sealing
from webapp.ingest.analyse import analyse
from webapp.ingest.choose import bounds
from webapp.ingest.cleaner import Cleaner
from webapp.ingest.incoming import prepared
from webapp.ingest.kept import Upload
from webapp.ingest.redacted import effective, redacted_file
from webapp.ingest.rows import artefact_row
from webapp.ingest.upload import engine_for, write_reading
from webapp.readers.read import read
from webapp.readers.redacted.reader import NAME
from webapp.settings import Settings
from webapp.storage import redacting, traces
from webapp.storage.db import Database
from webapp.storage.ids import public_id
from webapp.storage.models import Trace

NAMES = {
    "structure": "Recording without its texts",
    "personal": "Recording with recognised personal data taken out",
}
MISSING = "There is no such trace: it was deleted, or the link is not complete."
MAKING = "A redacted copy is being made for this link; try again in a moment."
WAIT_SECONDS = 5.0  # so long one waits for another's copy
_MAKING = Lock()  # one copy at a time a process, which for SQLite is all there are: nobody makes one twice
# which redactor made a copy: one that was mended must not leave links to what it was mended for
REDACTOR = sha256(
    b"".join(each.read_bytes() for each in sorted(Path(redact.__file__).parent.glob("*.py")))
).hexdigest()[:16]
BUSY = "The database could not be written, so there is no redacted copy yet; try again in a moment."


def copy_for(database: Database, trace_pk: int, level: str, settings: Settings) -> int:
    """The `pk` of the redacted copy of a trace; made now when there is none, or when the trace was read anew since.

    level: structure | personal. Raises BadInput for a trace that cannot be redacted (still recorded, nothing
    understood), NotFound when it is gone, Busy when it cannot be made now.
    """
    try:
        with database.session() as session:
            trace = traces.by_pk(session, trace_pk)
            if trace is None:
                raise NotFound(MISSING)
            known = redacting.copy_of(session, trace_pk, effective(trace, level))
            if known is not None and _fits(known, trace):
                return known.pk
        if not _MAKING.acquire(timeout=WAIT_SECONDS):
            raise Busy(MAKING)
        try:
            with database.session() as session:
                return _made(session, trace_pk, level, settings)
        finally:
            _MAKING.release()
    except DBAPIError as error:
        raise Busy(BUSY) from error


def drop_unused(session: Session, trace_pk: int | None = None) -> int:
    """Remove the copies that no live link opens, of one trace (None: of all); how many went. Nothing is committed."""
    now = time.time()
    gone = 0
    for copy in redacting.copies(session, trace_pk):
        trace = None if copy.copy_of is None else traces.by_pk(session, copy.copy_of)
        shown = set() if trace is None else redacting.shown_levels(session, trace.pk, now) - {"everything"}
        if trace is None or copy.redaction not in {effective(trace, level) for level in shown}:
            traces.delete(session, copy.pk)
            gone += 1
    return gone


def drop_all(session: Session, trace_pk: int) -> None:
    """Remove every copy of a trace: it is being read anew, and they are made again when a link is opened."""
    for copy in redacting.copies(session, trace_pk):
        traces.delete(session, copy.pk)


def _made(session: Session, trace_pk: int, level: str, settings: Settings) -> int:
    trace = redacting.held(session, trace_pk)
    if trace is None:
        raise NotFound(MISSING)
    level = effective(trace, level)
    known = redacting.copy_of(session, trace_pk, level)
    if known is not None and _fits(known, trace):  # made by somebody else in the meantime
        return known.pk
    chunks = redacted_file(session, trace, level, settings.max_record_bytes)
    first = next(chunks)  # all of the trace has been read: from here on it is written
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
    text = upload.text(_with(first, chunks), NAME)
    found, records, account = read(text, NAME, limits)
    records = prepared(records, account)
    if account.seal is None:
        raise BadInput(account.refused)
    source = (trace.sealed or {}).get("by", sealing.FROM_LINK)  # a file's word stays a file's word
    sealing.mark(copy, account.seal, source)
    spoken = account.seal.protocol
    write_reading(copy, found)
    analyse(session, copy, records, engine_for(spoken, copy, account, settings), lambda: account)
    copy.upload_notes = [artefact_row(note) for note in sealing.notes_of(account.seal)] or None
    copy.sha256 = upload.close(copy.format)
    copy.size = upload.kept
    copy.sealed = {**(copy.sealed or {}), "of": _stamp(trace)}
    session.flush()
    return copy.pk


def _with(first: bytes, rest: Any) -> Any:
    yield first
    yield from rest


def _fits(copy: Trace, trace: Trace) -> bool:
    """Whether a copy was made of the reading that the trace has now, in today's form and by today's redactor."""
    return (copy.sealed or {}).get("of") == _stamp(trace)


def _stamp(trace: Trace) -> list[Any]:
    return [VERSION, REDACTOR, trace.engine, trace.format, trace.protocol, trace.records, trace.events, trace.verdict,
            trace.rejected_at, trace.finding_count, trace.lines]  # fmt: skip
