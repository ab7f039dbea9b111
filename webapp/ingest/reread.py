"""A stored recording read and judged once more: as another form or protocol, or by the engine of today.

Rules of this file: the original stays, everything derived is made anew in one transaction, and what people gave the
trace (name, note, ticket, shares, run input) is not touched. A form that gives no event is refused, and then the old
reading stays.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy.exc import DBAPIError, InvalidRequestError
from sqlalchemy.orm import Session

from webapp.core.replay import ENGINE_VERSION
from webapp.errors import BadInput, Busy, NotFound, TooLarge, UserError
from webapp.ingest import seal_notes
from webapp.ingest.analyse import analyse
from webapp.ingest.choose import bounds as bounds_of
from webapp.ingest.cleaner import Cleaner
from webapp.ingest.copies import drop_all
from webapp.ingest.incoming import prepared
from webapp.ingest.live.analyst import head_of, stop_told
from webapp.ingest.live.arrivals import Arrivals
from webapp.ingest.original_parts import PartWriter, renumber
from webapp.ingest.rows import artefact_row
from webapp.ingest.upload import engine_for, write_reading
from webapp.ingest.upload_bytes import AS_TEXT, is_binary, with_notes
from webapp.readers import detect, limits, parts
from webapp.readers.ahead import ahead
from webapp.readers.base import Artefact
from webapp.readers.head import HEAD_BYTES, Head
from webapp.readers.packing.utf16 import as_utf8
from webapp.readers.protobuf.text import HexLines
from webapp.readers.read import read
from webapp.readers.registry import FORMS, known_form
from webapp.readers.several import Refused, spooled
from webapp.settings import Settings, load_settings
from webapp.storage import audit, captures, originals, traces
from webapp.storage.db import Database
from webapp.storage.models import Trace

check_form = known_form  # for handlers, which import no reader
LIVE = "This trace is still being recorded; it can be read again when that has ended."
SEALED = (
    "The verdict of this trace is from before texts were taken out of it. Without them it cannot be judged again, and "
    "it can be read in one way only; so it stays as it is."
)
MISSING = "There is no such trace: it was deleted, or the link is not complete."


@dataclass(frozen=True, slots=True)
class Offer:
    """A form that a recording can be read as.

    name: its id; title: follows "Read as "; about: one sentence; score: 0 to 1, None when the beginning is certainly
    not this; reasons: phrases that follow "because "; current: it is read so now
    """

    name: str
    title: str
    about: str
    score: float | None = None
    reasons: tuple[str, ...] = ()
    current: bool = False


@dataclass(frozen=True, slots=True)
class Rejudged:
    """What came of a trace. fault: a sentence when it stays as it was, else "" """

    id: str
    name: str
    before: str
    after: str
    fault: str = ""


def forms() -> list[Offer]:
    """Every form, in the registry's order."""
    return [Offer(form.name, form.title, form.about) for form in FORMS.values()]


def offers(session: Session, trace: Trace) -> list[Offer]:
    """Every form for this recording: those its beginning fits, best first, then the others.

    Raises BadInput for a redacted one, which has one form only.
    """
    if trace.redaction:
        raise BadInput(SEALED)
    head = _head(session, trace.pk)
    look = Head(as_utf8(head), complete=len(head) <= HEAD_BYTES)
    found = []
    for form in FORMS.values():
        score = form.score(look)
        title = form.title if score is None else score.title or form.title
        value, reasons = (None, ()) if score is None else (score.value, score.reasons)
        found.append(Offer(form.name, title, form.about, value, reasons, form.name == trace.format))
    return sorted(found, key=lambda offer: -1 if offer.score is None else offer.score, reverse=True)


def reread(
    database: Database,
    public_id: str,
    *,
    form: str | None = None,
    protocol: str | None = None,
    settings: Settings | None = None,
    by: audit.By | None = None,
) -> None:
    """Read a trace's original as `form` (None: find out) and judge it as `protocol` (None: as its content says).
    by: who asks for it.

    Raises UserError with one sentence; then the trace is as it was.
    """
    if form is not None:
        check_form(form)
    _one(database, public_id, settings or load_settings(), form, protocol, anew=True, by=by)


def rejudge(
    database: Database, public_id: str, settings: Settings | None = None, by: audit.By | None = None
) -> None:
    """Judge a trace by the engine of today: same form, same protocol. Raises UserError as `reread` does."""
    _one(database, public_id, settings or load_settings(), None, None, anew=False, by=by)


def rejudge_all(
    database: Database, settings: Settings | None = None, *, every: bool = False, by: audit.By | None = None
) -> Iterator[Rejudged]:
    """Every trace that another engine judged (every: all of them), one transaction each."""
    with database.session() as session:
        ids = traces.of_other_engine(session, "" if every else ENGINE_VERSION)
    for public_id in ids:
        name, before = _told(database, public_id)
        try:
            rejudge(database, public_id, settings, by)
        except NotFound:
            continue  # deleted in the meantime
        except UserError as error:
            yield Rejudged(public_id, name, before, before, error.sentence)
        else:
            yield Rejudged(public_id, name, before, _told(database, public_id)[1])


def _told(database: Database, public_id: str) -> tuple[str, str]:
    with database.session() as session:
        trace = traces.get(session, public_id)
        return ("", "") if trace is None else (trace.name, trace.verdict)


def _one(
    database: Database,
    public_id: str,
    settings: Settings,
    form: str | None,
    protocol: str | None,
    *,
    anew: bool,
    by: audit.By | None,
) -> None:
    try:
        with database.session() as session:
            trace = traces.get(session, public_id)
            if trace is None:
                raise NotFound(MISSING)
            if trace.status == "live":
                raise BadInput(LIVE)
            if trace.redaction:
                raise BadInput(SEALED)
            if anew:
                _read(session, trace, settings, form, protocol, anew=True)
            else:
                known = trace.format if trace.format in FORMS else None
                _read(session, trace, settings, known, trace.protocol or None, anew=False)
            detail = {"form": trace.format, "protocol": trace.protocol, "engine": trace.engine}
            audit.done(session, by, "read anew", public_id, at=time.time(), detail=detail)
    except limits.TooLarge as error:
        raise TooLarge(str(error)) from error
    except Refused as error:
        raise BadInput(str(error)) from error
    except InvalidRequestError as error:  # the row was deleted while this was read
        raise NotFound(MISSING) from error
    except DBAPIError as error:
        raise Busy(
            "The database could not be written, so the trace stays as it was; try again in a moment."
        ) from error


def _read(
    session: Session, trace: Trace, settings: Settings, form: str | None, protocol: str | None, *, anew: bool
) -> None:
    pk, was = trace.pk, trace.format
    bounds = bounds_of(settings)
    notes = [Artefact(**note) for note in trace.upload_notes or []]
    notes += _as_text(session, pk, form)
    if anew:
        _refuse_several(session, pk, form, bounds)
    found, records, account = read(originals.text(session, pk), form, bounds, protocol=protocol)
    if anew and found.form is None:
        raise BadInput(f"This is {', '.join(found.reasons)}; so the trace stays as it was read.")
    records = prepared(Cleaner(trace.masked is not None).records(records, found.form), account)
    capture = captures.get(session, pk)
    if (
        capture is not None and not originals.text_size(session, pk)[1]
    ):  # else offsets are those of another text
        records = Arrivals(captures.arrivals(session, pk)).stamped(records)
    replay = engine_for(protocol or found.protocol or "ag-ui", trace, account, settings)
    if (reason := stop_told(notes)) is not None:
        replay.stopped_here(reason)
    traces.clear(session, pk)
    drop_all(session, pk)
    session.refresh(
        trace
    )  # from here on nobody else writes: what another reading wrote meanwhile is replaced
    if account.seal is not None:
        seal_notes.mark(trace, account.seal, seal_notes.FROM_FILE)
    if anew or not trace.read_as:
        write_reading(trace, found)
    if capture is not None and account.head is None:
        account.head = head_of(capture.head, found.form or "")
    report = analyse(session, trace, records, replay, lambda: with_notes(account, notes))
    trace.status, trace.error = "ready", None  # where judging had failed, it has not now
    if anew and not report.events:
        raise BadInput(
            f"Read as {detect.form_name(found)}, the recording holds no event, so it stays as it was read."
        )
    trace.upload_notes = [artefact_row(note) for note in notes] or None
    if "sse" in (was, trace.format) and was != trace.format:
        renumber(session, pk, sse=trace.format == "sse")


def _head(session: Session, pk: int) -> bytes:
    return ahead(originals.text(session, pk), HEAD_BYTES + 1)[0][: HEAD_BYTES + 1]


def _refuse_several(session: Session, pk: int, form: str | None, bounds: limits.Limits) -> None:
    """One trace is one stream: a form under which the file holds several asks for an upload, where they are picked."""
    if not parts.splits(_head(session, pk), form):
        return
    with spooled(originals.text(session, pk)) as file:
        several = parts.look(file, bounds, form)
    count = 0 if several is None else len(several.parts)
    if count > 1:
        raise BadInput(
            f"Read so, the file holds {count:,} streams, each a trace of its own: upload it again and pick from them. "
            "This trace stays as it was read."
        )


def _as_text(session: Session, pk: int, form: str | None) -> list[Artefact]:
    """A binary body is shown and read as text with one frame a line; made now if it was not kept so."""
    if originals.text_size(session, pk)[1] or not is_binary(_head(session, pk)[:HEAD_BYTES], form):
        return []
    writer, lines = PartWriter(session, pk, step=-1), HexLines()
    for piece in originals.whole(session, pk):
        writer.add(lines.feed(piece))
    writer.add(lines.close())
    writer.close("protobuf")
    return [Artefact("binary-upload", AS_TEXT)]
