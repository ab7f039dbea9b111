"""One live trace as it is judged: stored bytes in, derived rows out.

Rules of this file: it is fed what lies in `originals`, in order, and can be made anew from there at any time; so it
never keeps what the database has not. Where it turns out to be something else than it seemed, that is done. It belongs
to one thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy.orm import Session

from webapp.core import Replay
from webapp.core.evidence import ResponseHead
from webapp.core.records import Record
from webapp.errors import BadInput
from webapp.ingest import seal_notes
from webapp.ingest.choose import bounds
from webapp.ingest.cleaner import Cleaner
from webapp.ingest.live.arrivals import Arrivals
from webapp.ingest.live.derived import Derived
from webapp.ingest.live.reading import reading, told
from webapp.ingest.live.transactions import CUT
from webapp.ingest.rows import artefact_row
from webapp.ingest.upload import write_reading
from webapp.readers.base import Account, Artefact
from webapp.readers.detect import Detection
from webapp.readers.pushed import Anew, holds
from webapp.settings import Settings
from webapp.storage import captures, originals, traces
from webapp.storage.models import Capture, Trace

PARTS_AT_ONCE = 16  # read from the database when it is behind
BYTES_AT_ONCE = 8 * 1024 * 1024  # then others get their turn: one transaction is held while it reads on
# Why a recording is not read; such phrases follow "This is "
REFUSED = "a redacted file that is not whole"
SEVERAL = "a file that holds {:,} streams, each a trace of its own; upload it and pick one of them"


class Analyst:
    """next_part: of `originals`, the first that was not read; masked: credentials overwritten that no text shows."""

    def __init__(self, capture: Capture, run_input: dict[str, Any] | None, settings: Settings) -> None:
        self.pk = capture.trace
        self.next_part = 0
        self.arrivals = Arrivals()
        self._next_arrival = 0  # part of `arrivals`
        self._settings = settings
        self._limits = bounds(settings)
        self._run_input = run_input
        self._as_told = capture.form, capture.protocol
        self._masks = settings.mask_secrets
        self._capture_head = capture.head
        self._derived: Derived | None = None
        self._refused = ""  # why nothing of it may be taken
        self._stale = False  # rows of an earlier reading are in the tables
        self._begin_reading(None)

    @property
    def records(self) -> int:
        """Judged so far."""
        return 0 if self._derived is None else self._derived.records

    @property
    def masked(self) -> int:
        return self._cleaner.count or 0

    def feed(self, data: bytes, arrivals: bytes) -> None:
        """The next stored part, and the arrivals that came with it."""
        self.arrivals.add(arrivals)
        self._next_arrival = self.next_part + 1
        self._read(data)

    def catch_up(self, session: Session) -> bool:
        """Read on from the database; False: there may be more."""
        size = 0
        while parts := captures.parts_from(session, self.pk, self.next_part, PARTS_AT_ONCE):
            for number, arrivals in captures.arrivals_from(session, self.pk, self._next_arrival):
                self.arrivals.add(arrivals)
                self._next_arrival = number + 1
            for data in parts:
                size += len(data)
                if not self._read(data):
                    break
            if size >= BYTES_AT_ONCE:
                return False
        return True

    def write(self, session: Session) -> tuple[str, int, str] | None:
        """Bring what is derived up to what was read: (public id, records, verdict), None when there is nothing."""
        if self._derived is None and not self._stale:
            return None
        trace = self._trace(session)
        # of another reading, that gave no record yet, nothing is known before its first one
        derived = self._derived or Derived(self.pk, Replay("ag-ui"), Account())
        derived.write(session, trace, self._account())
        return trace.id, derived.records, trace.verdict

    def finish(self, session: Session, capture: Capture) -> tuple[str, int, str] | None:
        """The recording ended, and everything stored was read. None: it has to be read again, from its beginning."""
        try:
            return self._finish(session, capture)
        except Anew as anew:
            found = anew.found
            count, asked = holds(originals.whole(session, self.pk), found, self._limits)
            self._begin_reading(found if count < 2 else Detection(None, 0.0, (SEVERAL.format(count),)))
            if self._run_input is None:
                self._run_input = self._cleaner.run_input(asked)
        except BadInput as error:
            self._refuse(error)
        return None

    # ── details ──────────────────────────────────────────────

    def _begin_reading(self, settled: Detection | None) -> None:
        self._stale = self._stale or self._derived is not None
        self._derived = None
        self._named: Detection | None = None  # how it is read, as the trace's row says
        self._cleaner = Cleaner(self._masks)
        self._reading = reading(*self._as_told, self._limits, self._cleaner, settled)
        self.next_part = 0
        self.arrivals.again()

    def _refuse(self, error: BadInput) -> None:
        self._refused = error.sentence
        self._begin_reading(Detection(None, 0.0, (REFUSED,)))

    def _read(self, data: bytes) -> bool:
        """The next part; False: everything has to be read once more."""
        try:
            self._judge(self._reading.feed(data))
        except Anew as anew:
            self._begin_reading(anew.found)
        except BadInput as error:
            self._refuse(error)
        else:
            self.next_part += 1
            return True
        return False

    def _finish(self, session: Session, capture: Capture) -> tuple[str, int, str]:
        self._judge(self._reading.close())
        account = self._account()
        if account.refused:
            raise BadInput(account.refused)
        derived = self._derived or self._begin()
        trace = self._trace(session)
        notes = [Artefact(**note) for note in capture.notes]
        if self._refused:
            notes.append(Artefact("refused", self._refused))
        account.artefacts[:0] = notes
        if (reason := stop_told(notes)) is not None:
            derived.stopped_here(reason)
        derived.finish(session, trace, account)
        if account.seal is not None:
            seal_notes.mark(trace, account.seal, seal_notes.FROM_FILE)
            notes += seal_notes.notes_of(account.seal)
        elif self._run_input is not None and trace.input is None and self._reading.spoken == "ag-ui":
            trace.input = self._run_input
        trace.upload_notes = [artefact_row(note) for note in notes] or None
        return trace.id, derived.records, trace.verdict

    def _judge(self, records: list[Record]) -> None:
        if records:
            (self._derived or self._begin()).add(self.arrivals.stamped(records))

    def _begin(self) -> Derived:
        account, settings, protocol = self._account(), self._settings, self._reading.spoken
        if account.seal is not None and account.seal.input is not None:
            self._run_input = account.seal.input
        replay = Replay(
            protocol,
            self._run_input if protocol == "ag-ui" else None,
            max_depth=settings.max_depth,
            max_findings=settings.max_findings,
            head_missing=account.head_missing,
            unjudged=account.unjudged,
        )
        self._derived = Derived(self.pk, replay, account)
        return self._derived

    def _account(self) -> Account:
        account = self._reading.account
        if account.head is None:
            found = self._reading.found
            account.head = head_of(self._capture_head, (found and found.form) or "")
        return account

    def _trace(self, session: Session) -> Trace:
        """Its row, which says how it is read; nothing of another reading is left."""
        trace = traces.by_pk(session, self.pk)
        if trace is None:
            raise Gone
        if self._stale:
            traces.clear(session, self.pk)
            self._stale = False
        found = self._reading.found
        if found is not None and found is not self._named:
            write_reading(trace, told(found))
            self._named = found
        return trace


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
