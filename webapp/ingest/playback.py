"""The records of a stored trace as they were received, for sending them once more.

Rules of this file: bytes, not words. The table of records holds text, in which what is no text was replaced; such a
record is read out of the original again, so that the very bytes that failed are there. Nothing is held but a page and
HELD bytes, and no session outlives a call.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from sqlalchemy.orm import Session

from webapp.ingest.choose import bounds
from webapp.ingest.cleaner import Cleaner
from webapp.readers.limits import TooLarge
from webapp.readers.read import read
from webapp.readers.several import Refused
from webapp.readers.tally import is_json
from webapp.settings import Settings
from webapp.storage import originals, playback
from webapp.storage.db import Database
from webapp.storage.models import Trace
from webapp.storage.playback import Recorded

log = logging.getLogger("lanescope")

HELD = 8_000_000  # bytes of exact payloads kept at once; what lies behind them is read when it is reached
REPLACED = ("\ufffd", "\u2400")  # what stands in the table for bytes that are no text, and for NUL


@dataclass(frozen=True, slots=True)
class Frame:
    """One record to send. payload: its bytes as received; cut: the recording ends inside it."""

    record: Recorded
    payload: bytes
    cut: bool = False


class Tape:
    """The records of one trace from any number on; for one reader at a time."""

    def __init__(self, database: Database, trace: Trace, settings: Settings) -> None:
        self._database = database
        self._pk = trace.pk
        self._form = trace.format or None
        self._masked = trace.masked is not None
        self._last = trace.records - 1
        self._settings = settings
        self._exact: dict[int, bytes] = {}
        self._until = -1  # records up to this number have been looked for

    def page(self, start: int) -> list[Frame]:
        """Records from number `start` on, as many as a page takes; empty behind the last."""
        with self._database.session() as session:
            return [self._frame(session, record) for record in playback.page(session, self._pk, start)]

    def _frame(self, session: Session, record: Recorded) -> Frame:
        payload = record.raw.encode("utf-8", "replace")
        if any(sign in record.raw for sign in REPLACED):
            if record.seq > self._until:
                self._look(session, record.seq)
            exact = self._exact.pop(record.seq, payload)
            # a recording that is read otherwise by now keeps what was stored
            payload = exact if _stored(exact) == record.raw else payload
        return Frame(record, payload, record.seq == self._last and _cut(session, self._pk, payload))

    def _look(self, session: Session, start: int) -> None:
        """Go through the original once, for the records from `start` on whose bytes the table does not have."""
        self._exact, self._until, held = {}, self._last, 0
        try:
            text = originals.text(session, self._pk)
            found, records, _ = read(text, self._form, bounds(self._settings))
            for seq, record in enumerate(Cleaner(self._masked).records(records, found.form)):
                if seq < start or not any(sign in _stored(record.payload) for sign in REPLACED):
                    continue
                self._exact[seq] = record.payload
                held += len(record.payload)
                if held > HELD:
                    self._until = seq
                    break
        except (TooLarge, Refused, KeyError) as error:
            log.warning(
                "trace %s: its original cannot be read again, so its text is sent: %s", self._pk, error
            )


def _stored(payload: bytes) -> str:
    """The payload as the table of records has it."""
    return payload.decode("utf-8", "replace").replace("\0", "\u2400")


def _cut(session: Session, trace: int, payload: bytes) -> bool:
    """Whether the recording ends inside its last record: no line end behind it, and no JSON yet."""
    if not payload.startswith(b"{") or is_json(payload):
        return False
    last = payload.rpartition(b"\n")[2]
    tail = playback.tail(session, trace)
    return tail.endswith(last[-len(tail) :] if tail else b"\n")
