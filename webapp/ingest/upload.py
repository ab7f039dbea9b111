"""A recording comes in: kept, read, judged and stored in one pass and one transaction.

Rules of this file: the order of things and what is said when one fails. Either the whole trace is there afterwards or
nothing of it. The chunks should come from near by (memory or a spooled file): while they do, the database is being
written.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from webapp.core import Replay
from webapp.errors import BadInput, TooLarge, UserError
from webapp.ingest.analyse import analyse
from webapp.ingest.keep import Keeper
from webapp.readers import detect, limits
from webapp.readers.base import Account
from webapp.readers.unpack import MAGIC, Gunzip
from webapp.settings import Settings, load_settings
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.storage.ids import public_id
from webapp.storage.models import Trace
from webapp.storage.storable import storable


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
) -> Ingested:
    """Store and judge one recording.

    name: what the list calls it; source: file name as uploaded (the name if not given), or "paste";
    run_input: the `RunAgentInput` that asked for it; form: read it so, whatever it looks like.
    Raises UserError with one sentence, and then nothing is stored.
    """
    chosen = settings or load_settings()
    _check_input(run_input)
    try:
        with database.session() as session:
            trace = Trace(
                id=public_id(),
                name=storable(name)[:200],
                source=storable(name if source is None else source)[:300],
                created=time.time(),
                sha256="",
                size=0,
                input=run_input,
            )
            session.add(trace)
            session.flush()
            _take(session, trace, chunks, chosen, run_input, form)
            return Ingested(trace.id, duplicate=False)
    except _Known as known:
        return Ingested(known.public, duplicate=True)
    except limits.TooLarge as error:
        raise TooLarge(str(error)) from error
    except DBAPIError as error:
        reason = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else "no reason given"
        raise UserError(f"The trace could not be stored, nothing of it was kept: {reason}.") from error


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
    run_input: dict[str, Any] | None,
    form: str | None,
) -> None:
    bounds = limits.Limits(
        max_expanded_bytes=settings.max_expanded_bytes,
        max_records=settings.max_records,
        max_record_bytes=settings.max_record_bytes,
    )
    upload = _Upload(session, trace.pk, settings.max_upload_bytes, bounds)
    detection, records, account = detect.read(upload.text(chunks), form, bounds)
    replay = Replay("ag-ui", run_input, max_depth=settings.max_depth, max_findings=settings.max_findings)
    trace.format = detection.form or ""
    trace.read_because = [storable(reason) for reason in detection.reasons]
    analyse(session, trace, records, replay, lambda: upload.told(account))
    if upload.size == 0:
        raise BadInput("The recording is empty: there is nothing to look at.")
    digest = upload.close(trace.format)
    with session.no_autoflush:
        known = traces.find_duplicate(session, digest, run_input)
    if known is not None:
        raise _Known(known.id)
    trace.sha256 = digest
    trace.size = upload.size


class _Upload:
    """The bytes on their way to the reader: counted, hashed, kept, and expanded when they are gzip."""

    def __init__(self, session: Session, trace: int, limit: int, bounds: limits.Limits) -> None:
        self.size = 0
        self._limit = limit
        self._hash = hashlib.sha256()
        self._bytes = Keeper(session, trace)
        self._plain = Keeper(session, trace, step=-1)
        self._packed = Gunzip(bounds.max_expanded_bytes)

    def text(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """What the reader gets; every byte is kept before it is handed on."""
        source = self._counted(chunks)
        first = next(source, b"")
        while len(first) < len(MAGIC) and (more := next(source, b"")):
            first += more
        if not first.startswith(MAGIC):
            self._packed.artefacts.clear()
            yield first
            yield from source
            return
        for chunk in chain((first,), source):
            for piece in self._packed.feed(chunk):
                self._plain.add(piece)
                yield piece
        self._packed.close()

    def told(self, account: Account) -> Account:
        """The reader's account, once it is whole, with what is to be said about the packing."""
        account.artefacts[:0] = self._packed.artefacts
        return account

    def close(self, form: str) -> str:
        """Write the last parts; the upload's SHA-256."""
        self._bytes.close(form)
        self._plain.close(form)
        return self._hash.hexdigest()

    def _counted(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            if not chunk:
                continue
            self.size += len(chunk)
            if self.size > self._limit:
                most = limits.in_words(self._limit)
                raise TooLarge(f"The recording is larger than {most}, the most this server takes.")
            self._hash.update(chunk)
            self._bytes.add(chunk)
            yield chunk
