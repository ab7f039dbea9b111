"""Records live streams: one thread that stores what comes, judges it and says how far it is.

Rules of this file: the loop and what is told to whom. Each round has two transactions for all recordings together:
the bytes first, so that what is acknowledged is safe, then what follows from them. A round takes as long as it takes,
and the next one waits as long again, so a slow database gets larger rounds, not more of them.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import threading
import time
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from webapp.core.evidence import ResponseHead
from webapp.errors import Busy, NotFound
from webapp.ingest.cleaner import Cleaner
from webapp.ingest.live import transactions
from webapp.ingest.live.bench import Bench
from webapp.ingest.live.handle import BEHIND, Live
from webapp.ingest.live.hub import EVERY
from webapp.ingest.live.pending import Pending
from webapp.ingest.live.storing import store
from webapp.ingest.live.transactions import Begun, Kept
from webapp.ingest.signals import Signal, Signals
from webapp.settings import Settings
from webapp.storage.audit import By
from webapp.storage.db import Database, is_trouble

log = logging.getLogger("lanescope")

LINGER = 0.02  # seconds a round waits for more to come, so that one transaction serves many
BEAT = 5.0  # seconds between signs of life, and between looks for recordings whose owner is gone
DEAD = 20.0  # seconds without a sign of life after which an owner is gone
MOST = 200  # recordings at once in this process
PATIENCE = 10.0  # seconds a database may be unwritable before those who wait are told
STOP_WITHIN = 10.0  # seconds the server's end waits for what is not stored
BACK_OFF = (0.2, 0.5, 1.0, 2.0)  # seconds between attempts
TOO_MANY = (
    f"{MOST} recordings are running, which is as many as this server takes at once; "
    "try again when one has ended."
)


class Recorder:
    """One a process. `start` it once the loop runs; `stop` ends what still runs, with a reason."""

    def __init__(self, database: Database, settings: Settings, signals: Signals) -> None:
        self.owner = f"{os.getpid()}-{secrets.token_hex(6)}"
        self._database = database
        self._settings = settings
        self._signals = signals
        self._lives: dict[int, Live] = {}
        self._pending = Pending()
        self._bench = Bench(database, settings, self.owner, self._publish, self._gone)
        self._lock = threading.Lock()
        self._woken = threading.Event()
        self._stored: set[int] = set()  # traces other requests have added to
        self._ours: dict[str, int] = {}  # public id -> pk of what began here
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._trouble: float | None = None  # since when the database cannot be written
        self._attempts = 0
        self._beaten = float("-inf")
        self._closing = False  # recordings in batches were ended too
        # with SQLite there is one process (`webapp/alone.py`), so that another owner cannot be alive
        self._dead = 0.0 if settings.uses_sqlite else DEAD

    # ── for the rest of the program ──────────────────────────

    def start(self) -> None:
        """Begin to work; recordings that a stopped server left open are closed first."""
        self._thread = threading.Thread(target=self._run, name="lanescope-recorder", daemon=True)
        self._woken.set()
        self._thread.start()

    def stop(self, reason: str = transactions.STOPPED) -> None:
        """End every recording, store what came and stop the thread. It blocks until then, or for ten seconds."""
        with self._lock:
            lives = list(self._lives.values())
            self._stopping = True
        for live in lives:
            live.stop(reason)
        self._woken.set()
        if self._thread is not None:
            self._thread.join(timeout=STOP_WITHIN)

    async def begin(
        self,
        *,
        name: str,
        source: str,
        kind: str,
        form: str = "",
        protocol: str = "",
        run_input: dict[str, Any] | None = None,
        head: ResponseHead | None = None,
        by: By | None = None,
    ) -> Live:
        """Begin a recording; its trace exists when this returns.

        kind: push | batch | proxy | call; form: `sse`, `ndjson` or "" (its first line tells); protocol: `ag-ui`,
        `teams` or "" (its first records tell); by: whose it is. Raises Busy.
        """
        self.check()
        cleaner = Cleaner(self._settings.mask_secrets)
        begun = Begun(
            name=cleaner.name(name), source=cleaner.name(source), kind=kind, form=form, protocol=protocol,
            run_input=cleaner.run_input(run_input), head=head, owner=self.owner, masking=cleaner.on,
            by=by,
        )  # fmt: skip
        beginning = asyncio.ensure_future(asyncio.to_thread(self._begin, begun))
        try:
            return await asyncio.shield(beginning)
        except asyncio.CancelledError:
            beginning.add_done_callback(_abandon)
            raise
        except SQLAlchemyError as error:
            if not is_trouble(error):
                raise
            log.warning("a recording could not begin: %s", _reason(error))
            raise Busy(BEHIND) from error

    def _begin(self, begun: Begun) -> Live:
        """In a thread, to its end: a trace that exists is looked after though nobody waits for it any more."""
        public, pk = transactions.begin(self._database, begun)
        limit = self._settings.max_upload_bytes
        live = Live(public, pk, begun.masking, limit, self._woken.set, self._pending)
        with self._lock:
            if begun.kind != transactions.BATCH:
                self._lives[pk] = live
                if self._stopping:
                    live.stop(transactions.STOPPED)
            self._ours[public] = pk
            self._stored.add(pk)  # so that it is looked after though nothing came yet
        self._signals.publish(Signal(public, 0, "live"))
        return live

    def check(self) -> None:
        """Raises Busy when no recording can begin now."""
        with self._lock:
            if self._stopping or (self._trouble is not None and time.monotonic() - self._trouble > PATIENCE):
                raise Busy(BEHIND)
            if len(self._ours) >= MOST:
                raise Busy(TOO_MANY)

    def wake(self, pk: int, public: str = "") -> None:
        """Bytes of this trace, or its end, were stored by somebody else. public: its id, when it is ours since then."""
        with self._lock:
            self._stored.add(pk)
            if public:
                self._ours[public] = pk
        self._woken.set()

    def heard(self, public: str) -> None:
        """Another worker stored bytes of a trace, which may be one of ours; `*`: that may have gone unheard."""
        with self._lock:
            known = self._ours
            self._stored.update(known.values() if public == EVERY else filter(None, [known.get(public)]))
        self._woken.set()

    # ── the thread ───────────────────────────────────────────

    def _run(self) -> None:
        while True:
            self._woken.wait(timeout=BEAT)
            self._woken.clear()
            begun = time.monotonic()
            try:
                self._round()
            except Exception as error:
                self._back_off(error)
            else:
                self._trouble, self._attempts = None, 0
                if self._stopping and self._closing and not self._lives and not self._bench.due:
                    return
            time.sleep(max(LINGER, time.monotonic() - begun))

    def _round(self) -> None:
        self._beat()
        with self._lock:
            lives = list(self._lives.values())
            stored, self._stored = self._stored, set()
        taken = [each for live in lives if (each := live.take()) is not None]
        try:
            kept = store(self._database, taken, self.owner) if taken else Kept()
        except BaseException:
            with self._lock:
                self._stored |= stored
            raise
        with self._lock:
            for each in taken:
                if each.reason is not None or each.live.failed:
                    self._lives.pop(each.live.pk, None)
                    each.live.drop()
                if each.live.failed:  # its trace is gone
                    stored.add(each.live.pk)
        for pk in kept.anew:
            self._bench.add(pk)
        self._bench.work({**{pk: [] for pk in stored}, **kept.fresh})
        if self._bench.due or self._stopping:
            self._woken.set()

    def _beat(self) -> None:
        """Every few seconds: we are alive, others may not be, and a signal may have been lost."""
        stopping = self._stopping
        if stopping and not self._closing:
            for pk in transactions.stop_batches(self._database, self.owner):
                self.wake(pk)
            self._closing = True
        now = time.monotonic()
        if stopping or now - self._beaten <= BEAT:
            return
        with self._lock:
            ours = dict(self._ours)
        if ours or self._bench.busy:
            transactions.beat(self._database, self.owner)
            lost = self._bench.check(ours.values())
            with self._lock:
                for public in [public for public, pk in ours.items() if pk in lost]:
                    del self._ours[public]
        for pk in transactions.left_behind(self._database, self.owner, self._dead):
            self._bench.add(pk)
        self._beaten = now

    def _back_off(self, error: Exception) -> None:
        now = time.monotonic()
        if self._trouble is None:
            self._trouble = now
            if is_trouble(error):
                log.warning("recordings cannot be stored: %s", _reason(error))
            else:
                log.error("the recorder failed; it goes on", exc_info=error)
        with self._lock:
            lives = list(self._lives.values())
        if now - self._trouble > PATIENCE:
            for live in lives:
                live.tell_waiting(BEHIND)
        self._woken.set()
        time.sleep(BACK_OFF[min(self._attempts, len(BACK_OFF) - 1)])
        self._attempts += 1

    def _publish(self, public: str, records: int, status: str) -> None:
        if status != "live":
            with self._lock:
                self._ours.pop(public, None)
        self._signals.publish(Signal(public, records, status))

    def _gone(self, trace: int) -> None:
        """Deleted while it was recorded."""
        with self._lock:
            publics = [public for public, pk in self._ours.items() if pk == trace]
            live = self._lives.get(trace)
        if live is not None:
            live.fail(NotFound(transactions.MISSING))
            live.stop()
        for public in publics:
            self._publish(public, 0, "gone")


def _abandon(begun: asyncio.Future[Live]) -> None:
    """Nobody waits for this recording any more: the server stops."""
    if not begun.cancelled() and begun.exception() is None:
        begun.result().stop(transactions.STOPPED)


def _reason(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).strip()
