"""A recording comes in: kept, read, judged and stored in one pass and one transaction.

Rules of this file: the order of things and what is said when one fails. Either the whole trace is there afterwards or
nothing of it. The chunks should come from near by (memory or a spooled file): while they do, the database is being
written.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from webapp.core import Replay
from webapp.errors import BadInput, Busy, ErrorSentence, TooLarge, UserError
from webapp.ingest import seal_notes, sealed_engine
from webapp.ingest.analyse import analyse
from webapp.ingest.choose import ManyStreams
from webapp.ingest.choose import bounds as bounds_of
from webapp.ingest.cleaner import Cleaner
from webapp.ingest.incoming import prepared
from webapp.ingest.rows import artefact_row
from webapp.ingest.upload_bytes import Upload
from webapp.readers import limits
from webapp.readers.base import Account
from webapp.readers.detect import Detection, form_name
from webapp.readers.packing.layers import plain_name
from webapp.readers.read import read
from webapp.readers.several import Refused, Unpicked
from webapp.settings import Settings, load_settings
from webapp.storage import audit, traces
from webapp.storage.db import Database, is_trouble
from webapp.storage.ids import public_id
from webapp.storage.models import Trace
from webapp.storage.storable import storable

NO_INPUT = (
    "This is a Microsoft Teams recording, and a run input belongs to AG-UI only; give the recording alone."
)


@dataclass(frozen=True, slots=True)
class Ingested:
    """id: of the trace in URLs; duplicate: it was there already and nothing was stored."""

    id: str
    duplicate: bool


class _Known(Exception):
    """The same bytes with the same run input are stored already; carries the public id."""

    def __init__(self, public: str) -> None:
        super().__init__(public)
        self.public = public


def ingest(
    database: Database,
    chunks: Iterable[bytes],
    *,
    name: str,
    source: str | None = None,
    settings: Settings | None = None,
    run_input: dict[str, Any] | None = None,
    form: str | None = None,
    protocol: str | None = None,
    part: str | None = None,
    by: audit.By | None = None,
) -> Ingested:
    """Store and judge one recording.

    name: what the list calls it; source: file name as uploaded (the name if not given), or "paste";
    run_input: the `RunAgentInput` that asked for it (AG-UI only); form, protocol: read and judge it so, whatever it
    looks like; part: the stream to take out of a file that holds several (`ingest.choose`);
    by: whose it is, and who the audit says uploaded it.
    Raises UserError with one sentence (ManyStreams when there are several and none was named), and then nothing is
    stored.
    """
    chosen = settings or load_settings()
    _check_input(run_input)
    cleaner = Cleaner(chosen.mask_secrets)
    name, source = cleaner.name(name), cleaner.name(name if source is None else source)
    try:
        with database.session() as session:
            trace = Trace(
                id=public_id(),
                name=storable(name)[:200],
                source=storable(source)[:300],
                created=time.time(),
                sha256="",
                size=0,
                input=cleaner.run_input(run_input),
                owner=None if by is None else by.user,
            )
            session.add(trace)
            session.flush()
            _take(session, trace, chunks, chosen, cleaner, form, protocol, part)
            detail = {"size": trace.size, "records": trace.records}
            audit.done(session, by, "uploaded", trace.id, at=trace.created, detail=detail)
            return Ingested(trace.id, duplicate=False)
    except _Known as known:
        return Ingested(known.public, duplicate=True)
    except limits.TooLarge as error:
        raise TooLarge(str(error)) from error
    except Unpicked as error:
        raise ManyStreams(error.parts, error.notes) from error
    except Refused as error:
        raise BadInput(str(error)) from error
    except DBAPIError as error:
        reason = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else "no reason given"
        fault = Busy if is_trouble(error) else UserError  # what is locked or full now may do later
        raise fault(f"The trace could not be stored, nothing of it was kept: {reason}.") from error


def _check_input(run_input: dict[str, Any] | None) -> None:
    try:
        json.dumps(run_input)
    except (RecursionError, TypeError, ValueError) as error:
        raise BadInput("The run input cannot be used: it is not plain JSON or nests too deep.") from error


def _take(
    session: Session,
    trace: Trace,
    chunks: Iterable[bytes],
    settings: Settings,
    cleaner: Cleaner,
    form: str | None,
    protocol: str | None,
    part: str | None,
) -> None:
    bounds = bounds_of(settings)
    upload = Upload(session, trace.pk, settings.max_upload_bytes, bounds, cleaner)
    detection, records, account = read(upload.text(chunks, form, part), form, bounds, protocol=protocol)
    if detection.said and form is None:
        raise ErrorSentence(detection.said)
    spoken = protocol or detection.protocol or "ag-ui"
    if spoken == "teams" and trace.input is not None:
        raise BadInput(NO_INPUT)
    if spoken == "ag-ui" and trace.input is None:
        trace.input = upload.run_input
    if upload.title:
        trace.name = storable(f"{trace.name} › {upload.title}")[:200]
    records = prepared(cleaner.records(records, detection.form), account)
    if account.seal is not None:
        seal_notes.mark(trace, account.seal, seal_notes.FROM_FILE)
    replay = engine_for(spoken, trace, account, settings)
    write_reading(trace, detection)
    analyse(session, trace, records, replay, lambda: upload.told(account))
    notes = [*upload.notes, *seal_notes.notes_of(account.seal)]
    trace.upload_notes = [artefact_row(note) for note in notes] or None
    if upload.size == 0:
        raise BadInput("The recording is empty: there is nothing to look at.")
    digest = upload.close(trace.format)
    with session.no_autoflush:
        known = traces.find_duplicate(session, digest, trace.input, protocol)
    if known is not None:
        raise _Known(known.id)
    trace.sha256 = digest
    trace.masked = cleaner.count
    trace.size = upload.kept
    if upload.unpacked:
        trace.source = plain_name(trace.source)


def engine_for(spoken: str, trace: Trace, account: Account, settings: Settings) -> sealed_engine.Engine:
    """The engine for one reading of a trace, whose first record has been read."""
    replay = Replay(
        spoken,
        trace.input,
        max_depth=settings.max_depth,
        max_findings=settings.max_findings,
        head_missing=account.head_missing,
        unjudged=account.unjudged,
    )
    return sealed_engine.engine_of(replay, account)


def write_reading(trace: Trace, found: Detection) -> None:
    """How the trace was read, in the form's name, in words, and why."""
    trace.format = found.form or ""
    trace.read_as = storable(form_name(found))[:100] if found.form else ""
    trace.read_because = [storable(reason) for reason in found.reasons]
