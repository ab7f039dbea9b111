"""Redacted copies of long traces, made beside the requests that ask for them.

Rules of this file: which copy is made when, and what is known of it meanwhile; how one is made is `ingest/copies.py`.
What is known is this process's alone and may be lost: whoever asks next begins anew, and another process that makes
the same copy is waited for.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from contextlib import suppress
from typing import NamedTuple

from sqlalchemy.exc import SQLAlchemyError

from webapp.errors import BadInput, Busy, NotFound
from webapp.ingest import copies
from webapp.ingest.redacted_file import check, effective
from webapp.settings import Settings
from webapp.storage import traces
from webapp.storage.db import Database, is_trouble
from webapp.storage.models import Trace

log = logging.getLogger("lanescope")

LONG = 20_000  # records: a copy of fewer is made while a request waits, in less than a second or so
LARGE = 16 * 1024 * 1024  # bytes: of as many the same
AT_ONCE = 2  # made at the same time; the others wait for their turn
STOP_WITHIN = 10.0  # seconds the server's end waits; what is not written then, the database takes back
MOST_KNOWN = 1000  # faults that are remembered
STOPPING = "The server is stopping, so there is no redacted copy yet; try again in a moment."


class BeingMade(Exception):
    """There is no copy yet; it is being made, or waits for its turn."""


class NotMade(Exception):
    """Making it failed, and nobody has been told so yet. again: asking once more begins anew and may go well."""

    def __init__(self, again: bool) -> None:
        super().__init__()
        self.again = again


class Copy(NamedTuple):
    """Which one: `traces.pk` of what it is made of, and its level."""

    trace: int
    level: str


class CopyMaker:
    """One an application; its threads start with the first copy that takes longer. `stop` ends them."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._lock = threading.Lock()
        self._waiting: deque[Copy] = deque()
        self._asked: set[Copy] = set()  # those that wait and those that are being made
        self._failed: dict[Copy, bool] = {}  # whether asking again may help; until somebody is told
        self._threads: set[threading.Thread] = set()
        self._stopping = threading.Event()

    def ask(self, trace_pk: int, level: str) -> int:
        """The `pk` of the copy that a link shows.

        Raises BeingMade while there is none, NotMade once when making it failed, BadInput for what cannot be redacted
        and NotFound when the trace is gone.
        """
        known, copy = self._at_once(trace_pk, level)
        with self._lock:
            again = self._failed.pop(copy, None)
        if known is not None:
            return known
        if again is not None:
            raise NotMade(again)
        self._enqueue(copy)
        raise BeingMade

    def at_once(self, trace_pk: int, level: str) -> bool:
        """Whether the copy is there, made now if that takes a moment only. Raises BadInput and NotFound as `ask`."""
        return self._at_once(trace_pk, level)[0] is not None

    def begin(self, trace: Trace, level: str) -> None:
        """Have it made beside, whatever became of it before; a link that opens it must be there already. While the
        server stops nothing begins: whoever opens the link asks again."""
        copy = Copy(trace.pk, effective(trace, level))
        with self._lock:
            self._failed.pop(copy, None)
        with suppress(Busy):
            self._enqueue(copy)

    def stop(self) -> None:
        """Give up what is being made; nothing of it stays. It blocks until then, or for ten seconds."""
        with self._lock:
            self._stopping.set()
            threads = list(self._threads)
        until = time.monotonic() + STOP_WITHIN
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _at_once(self, trace_pk: int, level: str) -> tuple[int | None, Copy]:
        known, level = copies.standing(self._database, trace_pk, level)
        copy = Copy(trace_pk, level)
        if known is None:
            with self._database.session() as session:
                trace = traces.by_pk(session, trace_pk)
            if trace is None:
                raise NotFound(copies.MISSING)
            check(trace)
            with self._lock:
                left = copy in self._asked or copy in self._failed
            if not left and not _takes_long(trace):
                try:
                    known = copies.copy_for(self._database, trace_pk, level, self._settings)
                except Busy as error:  # it is made as soon as that can be
                    log.info("a redacted copy waits: %s", error.sentence)
        return known, copy

    def _enqueue(self, copy: Copy) -> None:
        with self._lock:
            if self._stopping.is_set():
                raise Busy(STOPPING)
            if copy in self._asked:
                return
            self._asked.add(copy)
            self._waiting.append(copy)
            if len(self._threads) < AT_ONCE:
                thread = threading.Thread(target=self._work, name="lanescope-copies", daemon=True)
                self._threads.add(thread)
                thread.start()

    def _work(self) -> None:
        while (copy := self._next()) is not None:
            again = self._fault(copy)
            with self._lock:
                self._asked.discard(copy)
                if again is not None:
                    if len(self._failed) >= MOST_KNOWN:
                        self._failed.clear()
                    self._failed[copy] = again

    def _next(self) -> Copy | None:
        with self._lock:
            if self._waiting and not self._stopping.is_set():
                return self._waiting.popleft()
            self._threads.discard(threading.current_thread())
            return None

    def _fault(self, copy: Copy) -> bool | None:
        """Make one. None when it is there or nobody wants it any more; else whether trying again may help."""
        try:
            self._make(copy)
        except (_Stopped, NotFound):
            return None
        except BadInput as error:
            log.warning("a redacted copy cannot be made: %s", error.sentence)
            return False
        except (Busy, SQLAlchemyError) as error:
            if isinstance(error, SQLAlchemyError) and not is_trouble(error):
                log.exception("a redacted copy could not be made")
            else:
                log.warning("a redacted copy could not be made: the database could not be written")
            return True
        except Exception:
            log.exception("a redacted copy could not be made")
            return True
        return None

    def _make(self, copy: Copy) -> None:
        with self._database.session() as session:
            trace = traces.by_pk(session, copy.trace)
            if trace is None or not copies.wanted(session, trace, copy.level):
                return
        copies.copy_for(
            self._database, copy.trace, copy.level, self._settings, seconds=None, go_on=self._go_on
        )
        with self._database.session() as session:  # its links may have been ended while it was made
            gone = copies.drop_unused(session, copy.trace)
        if gone:
            self._database.settle()

    def _go_on(self) -> None:
        if self._stopping.is_set():
            raise _Stopped


class _Stopped(Exception):
    """The server stops."""


def _takes_long(trace: Trace) -> bool:
    return trace.records >= LONG or trace.size >= LARGE
