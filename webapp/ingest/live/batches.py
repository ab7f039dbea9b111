"""Recordings that come in numbered batches: any worker stores one, the owner judges it.

Rules of this file: one transaction a batch, and the answer is given after it; the same number again changes nothing.
The batches lie one behind the other, byte for byte; only the line ends that a last event lacks are added.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy.orm import Session

from webapp.errors import BadInput, NotFound, OutOfOrder, TooLarge
from webapp.ingest.live import transactions
from webapp.ingest.live.lines import Lines
from webapp.ingest.live.reading import GUESSED, form_of
from webapp.readers.limits import in_words
from webapp.readers.plain.sse import DONE
from webapp.readers.tally import is_object
from webapp.settings import Settings
from webapp.storage import captures, traces
from webapp.storage.db import Database
from webapp.storage.models import Capture

KIND = transactions.BATCH
MISSING = transactions.MISSING
OVER = "This recording is over, so nothing is added to it; begin another."
NOT_BATCH = "This trace is not recorded in batches, so nothing can be added to it."
TORN = (
    "The batch ends in the middle of a line, and it was not stored: a batch holds whole lines. Send it again with the "
    "rest of that line."
)


@dataclass(frozen=True, slots=True)
class Added:
    """last: the newest batch stored; new: whether this call stored one; owner: the process that judges it."""

    pk: int
    last: int
    new: bool
    owner: str


def add(
    database: Database,
    public: str,
    number: int,
    data: bytes,
    settings: Settings,
    owner: str,
    events: list[bytes] | None = None,
) -> Added:
    """Store batch `number`, counted from 1; owner: of the process that asks, which takes a left recording up again.

    events: JSON texts without line ends, given instead of `data`; they are written as the recording's form has them.
    Raises NotFound; OutOfOrder when batches before it are missing; BadInput when the recording is over or a line is
    torn; TooLarge.
    """
    with database.session() as session:
        capture = _found(session, public)
        if number <= capture.last:
            return Added(capture.trace, capture.last, False, capture.owner)
        if number != capture.last + 1:
            raise OutOfOrder(
                f"Batch {number} cannot be stored before batch {capture.last + 1}: send that one first.",
                capture.last,
            )
        now = time.time()
        if capture.ended is not None:  # one that was left goes on with its next batch
            if capture.reason not in transactions.RESUMABLE:
                raise BadInput(OVER)
            transactions.resume(session, capture, owner, now)
        form = capture.form.removesuffix(GUESSED) or ("ndjson" if events is not None else form_of(data) or "")
        if form and not capture.form:
            capture.form = form + GUESSED
        data = whole(data, form) if events is None else as_text(events, form)
        if capture.size + len(data) > settings.max_upload_bytes:
            limit = in_words(settings.max_upload_bytes)
            raise TooLarge(f"The recording would be larger than {limit}; end it and begin another.")
        lines = Lines(settings.mask_secrets, capture.size)
        lines.feed(data, now)
        if (piece := lines.take(last=True)) is not None:
            captures.append(session, capture, piece)
        capture.masked += lines.count
        capture.last, capture.heard = number, now
        return Added(capture.trace, number, True, capture.owner)


def end(database: Database, public: str, owner: str) -> Added:
    """The recording is over; ending it again changes nothing. owner: as for `add`. Raises NotFound, BadInput."""
    with database.session() as session:
        capture, now = _found(session, public), time.time()
        left = capture.reason in transactions.RESUMABLE  # and now somebody says that nothing is missing
        if left:
            transactions.resume(session, capture, owner, now)
        new = capture.ended is None
        if new:
            transactions.end_now(capture, "", now)
        return Added(capture.trace, capture.last, new, capture.owner)


def as_text(events: list[bytes], form: str) -> bytes:
    """JSON texts without line ends, one a line, or one an event of a stream of events."""
    before, after = (b"data: ", b"\n\n") if form == "sse" else (b"", b"\n")
    return b"".join([before + event + after for event in events])


def whole(data: bytes, form: str) -> bytes:
    """A batch with the line ends its last event lacks. Raises BadInput when it ends inside a line."""
    if not data.strip():
        return data
    cut = max(data.rfind(b"\n"), data.rfind(b"\r") if form == "sse" else -1) + 1
    last = data[cut:]
    if not last.strip():  # whole lines; a line more is needed when the last of them is an event by itself
        end = b"\n" if last else b""
        last = data[:cut].rstrip(b"\r\n").rpartition(b"\n")[2]
        blank = data.endswith((b"\n\n", b"\n\r\n", b"\r\r"))
        return data + end + (b"\n" if form == "sse" and not blank and _is_event(last) else b"")
    if form == "sse" and (_is_event(last) or last.startswith(b":")):
        return data + b"\n\n"
    if form != "sse" and is_object(last.strip()):
        return data + b"\n"
    raise BadInput(TORN)


def _is_event(line: bytes) -> bool:
    """A data line of an event stream that is an event by itself."""
    name, _, value = line.strip().partition(b":")
    return name == b"data" and (is_object(value) or value.strip() == DONE)


def _found(session: Session, public: str) -> Capture:
    """The recording, held until the transaction ends."""
    trace = traces.get(session, public)
    if trace is None:
        raise NotFound(MISSING)
    capture = captures.locked(session, trace.pk)
    if capture is None or capture.kind != KIND:
        raise BadInput(NOT_BATCH)
    return capture
