"""One live trace as it is judged: stored bytes in, derived rows out.

Rules of this file: it is fed what lies in `originals`, in order, and can be made anew from there at any time; so it
never keeps what the database has not. It belongs to one thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy.orm import Session

from webapp.core import Replay
from webapp.core.evidence import ResponseHead
from webapp.core.records import Record
from webapp.ingest.choose import bounds
from webapp.ingest.live.arrivals import Arrivals
from webapp.ingest.live.derived import Derived
from webapp.ingest.live.keeping import CUT
from webapp.ingest.live.reading import Reading
from webapp.ingest.rows import artefact_row
from webapp.ingest.upload import write_reading
from webapp.readers.base import Account, Artefact
from webapp.settings import Settings
from webapp.storage import captures, traces
from webapp.storage.models import Capture, Trace

PARTS_AT_ONCE = 16  # read from the database when it is behind
BYTES_AT_ONCE = 8 * 1024 * 1024  # then others get their turn: one transaction is held while it reads on


class Analyst:
    """next_part: of `originals`, the first that was not read."""

    def __init__(self, capture: Capture, run_input: dict[str, Any] | None, settings: Settings) -> None:
        self.pk = capture.trace
        self.next_part = 0
        self.arrivals = Arrivals()
        self._next_arrival = 0  # part of `arrivals`
        self._settings = settings
        self._run_input = run_input
        self._capture_head = capture.head
        self._reading = Reading(capture.form, capture.protocol, bounds(settings))
        self._derived: Derived | None = None
        self._named = False  # the trace's row says how it is read

    @property
    def records(self) -> int:
        """Judged so far."""
        return 0 if self._derived is None else self._derived.records

    def feed(self, data: bytes, arrivals: bytes) -> None:
        """The next stored part, and the arrivals that came with it."""
        self.next_part += 1
        self._next_arrival = self.next_part
        self.arrivals.add(arrivals)
        self._judge(self._reading.feed(data))

    def catch_up(self, session: Session) -> bool:
        """Read on from the database; False: there may be more."""
        size = 0
        while parts := captures.parts_from(session, self.pk, self.next_part, PARTS_AT_ONCE):
            for number, arrivals in captures.arrivals_from(session, self.pk, self._next_arrival):
                self.arrivals.add(arrivals)
                self._next_arrival = number + 1
            for data in parts:
                self.next_part += 1
                self._judge(self._reading.feed(data))
                size += len(data)
            if size >= BYTES_AT_ONCE:
                return False
        return True

    def write(self, session: Session) -> tuple[str, int, str] | None:
        """Bring what is derived up to what was read: (public id, records, verdict), None when there is nothing."""
        if self._derived is None:
            return None
        trace = traces.by_pk(session, self.pk)
        if trace is None:
            raise Gone
        self._name(trace)
        account = self._account()
        self._derived.write(session, trace, account)
        return trace.id, self._derived.records, trace.verdict

    def finish(self, session: Session, capture: Capture) -> tuple[str, int, str]:
        """The recording ended, and everything stored was read."""
        self._judge(self._reading.close())
        trace = traces.by_pk(session, self.pk)
        if trace is None:
            raise Gone
        derived = self._derived or self._begin()
        self._name(trace)
        account = self._account()
        notes = [Artefact(**note) for note in capture.notes]
        account.artefacts[:0] = notes
        if (reason := stop_told(notes)) is not None:
            derived.stopped_here(reason)
        derived.finish(session, trace, account)
        trace.upload_notes = [artefact_row(note) for note in notes] or None
        return trace.id, derived.records, trace.verdict

    # ── details ──────────────────────────────────────────────

    def _judge(self, records: list[Record]) -> None:
        if records:
            (self._derived or self._begin()).add(self.arrivals.stamped(records))

    def _begin(self) -> Derived:
        account, settings = self._account(), self._settings
        protocol = self._reading.protocol or "ag-ui"
        replay = Replay(
            protocol,
            self._run_input if protocol == "ag-ui" else None,
            max_depth=settings.max_depth,
            max_findings=settings.max_findings,
            head_missing=account.head_missing,
            unjudged=account.unjudged,
        )
        self._derived = Derived(self.pk, replay)
        return self._derived

    def _account(self) -> Account:
        reader = self._reading.reader
        account = Account() if reader is None else reader.account
        account.head = head_of(self._capture_head, self._reading.form)
        return account

    def _name(self, trace: Trace) -> None:
        if not self._named:
            write_reading(trace, self._reading.found())
            self._named = True


def stop_told(notes: Iterable[Artefact]) -> str | None:
    """Why the recording was ended before the stream was; None when it was not."""
    return next((note.message for note in notes if note.kind == CUT), None)


class Gone(Exception):
    """The trace was deleted while it was recorded."""


def head_of(head: dict[str, Any] | None, form: str) -> ResponseHead | None:
    """The head of the recorded response as `captures.head` has it; its body was read as `form`, which its first line
    showed."""
    if head is None:
        return None
    return ResponseHead(head["status"], head["content_type"], tuple(head["headers"]), form or None)
