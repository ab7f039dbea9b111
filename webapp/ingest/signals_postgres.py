"""The live signal between workers: PostgreSQL's NOTIFY and LISTEN.

Rules of this file: two threads with a connection each, so that neither a recorder nor the event loop ever waits for
the database. A fault is logged once, then tried again, at growing distances. After every gap in listening `CHECK` is
told, so that nothing is missed for good. On the wire a signal is `ID SEQ STATUS`; anything else on the channel is
somebody else's.
"""

from __future__ import annotations

import logging
import re
from asyncio import AbstractEventLoop
from collections.abc import Callable, Sequence
from threading import Event, Thread
from typing import Any

import psycopg
from sqlalchemy.engine import make_url

from webapp.ingest.signals import CHECK, InProcess, OnSignal, Signal, Waiting

CHANNEL = "lanescope_live"
PACE_SECONDS = 0.01  # between two NOTIFYs of one worker: what comes meanwhile goes together
POLL_SECONDS = 0.2  # how long a listener may take to see that it should stop
FIRST_DELAY, MAX_DELAY = 0.1, 5.0  # seconds before trying again
STOP_SECONDS = 2.0
CONNECTION = {
    "connect_timeout": 5,
    "application_name": "lanescope live",
    # a listener only waits: without these a connection that is cut silently would never be noticed
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
_WIRE = re.compile(r"([\w-]{1,40}|\*) (-1|\d{1,10}) ([a-z-]{1,20})", re.ASCII)

log = logging.getLogger(__name__)


class PostgresSignals:
    """Signals between all processes on one PostgreSQL database; see `Signals`."""

    def __init__(self, database_url: str) -> None:
        self._url = database_url
        self._here = InProcess()
        self._out = Waiting()
        self._news = Event()  # something waits to be sent, or it is time to stop
        self._stopped = Event()
        self._sender_pid: int | None = None
        self._threads: list[Thread] = []

    def start(self, loop: AbstractEventLoop, on_signal: OnSignal) -> None:
        self._here.start(loop, on_signal)
        for name, work in (("send", self._send), ("listen", self._listen)):
            thread = Thread(target=work, name=f"live signals: {name}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def publish(self, signal: Signal) -> None:
        self._here.publish(signal)  # without the detour, and even while the database cannot be reached
        if _WIRE.fullmatch(_wire(signal)):
            self._out.add(signal)
            self._news.set()
        else:
            log.error("a live signal that cannot be sent: %.200r", signal)

    def stop(self) -> None:
        self._here.stop()
        self._stopped.set()
        self._news.set()
        for thread in self._threads:
            thread.join(STOP_SECONDS)

    def _send(self) -> None:
        self._keep_on("sent", self._send_on)

    def _send_on(self, connection: psycopg.Connection, well: Callable[[], None]) -> None:
        """Send what waits until it is time to stop; what waits then is sent before the end."""
        self._sender_pid = connection.info.backend_pid
        while not (self._stopped.is_set() and not self._out):
            self._news.wait()
            self._news.clear()
            signals = self._out.take()
            try:
                _notify(connection, signals)
            except psycopg.Error:
                self._out.put_back(signals)
                self._news.set()
                raise
            well()
            self._stopped.wait(PACE_SECONDS)

    def _listen(self) -> None:
        self._keep_on("heard", self._listen_on)

    def _listen_on(self, connection: psycopg.Connection, well: Callable[[], None]) -> None:
        connection.execute(f"LISTEN {CHANNEL}")
        well()
        self._here.publish(CHECK)  # what was told before could not be heard
        while not self._stopped.is_set():
            for notice in connection.notifies(timeout=POLL_SECONDS):
                found = _WIRE.fullmatch(notice.payload)
                if found and notice.pid != self._sender_pid:  # one's own were told at once
                    self._here.publish(Signal(found[1], int(found[2]), found[3]))

    def _keep_on(self, done: str, work: Callable[[psycopg.Connection, Callable[[], None]], None]) -> None:
        """Work on a connection, and on a new one when that fails, until it is time to stop."""
        delay, told = FIRST_DELAY, False

        def well() -> None:
            nonlocal delay, told
            if told:
                log.warning("Live signals are %s again.", done)
            delay, told = FIRST_DELAY, False

        while True:
            try:
                with _connect(self._url) as connection:
                    work(connection, well)
                return
            except psycopg.Error as error:
                if self._stopped.is_set():
                    return
                if not told:
                    reason = str(error).strip().partition("\n")[0] or type(error).__name__
                    log.warning("Live signals cannot be %s, trying again: %s", done, reason)
                    told = True
            self._stopped.wait(delay)
            delay = min(2 * delay, MAX_DELAY)


def _wire(signal: Signal) -> str:
    return f"{signal.trace} {signal.seq} {signal.status}"


def _notify(connection: psycopg.Connection, signals: Sequence[Signal]) -> None:
    """Tell all in one transaction of its own."""
    if signals:
        wires = [_wire(signal) for signal in signals]
        connection.execute(
            "SELECT pg_notify(%s, wire) FROM unnest(%s::text[]) AS wires (wire)", (CHANNEL, wires)
        )


def _connect(url: str) -> psycopg.Connection:
    parsed = make_url(url)
    arguments, given = parsed.get_dialect()().create_connect_args(parsed)
    options: dict[str, Any] = {**CONNECTION, **given, "autocommit": True}
    return psycopg.connect(*arguments, **options)
