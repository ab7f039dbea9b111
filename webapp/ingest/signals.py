"""The live signal: how far a trace is that is being recorded, told to every worker that shows it.

Rules of this file: what a signal is, how those that wait are kept, and the way inside one process. A signal carries a
position and never content: whoever misses one, or hears one twice, looks at the database and is right again. Nothing
here raises into the recorder. Between processes: `signals_postgres`.
"""

from __future__ import annotations

import logging
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from sqlalchemy.engine import make_url

MAX_WAITING = 10_000  # signals; of more, everybody is told to look at every trace

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Signal:
    """trace: public id, or "*" for all; seq: a position in it, -1 for none; status: one lower-case word."""

    trace: str
    seq: int
    status: str


CHECK = Signal("*", -1, "check")  # signals may have been missed: look at every trace that is followed
OnSignal = Callable[[Signal], None]


class Signals(Protocol):
    """The way from recorders, in any thread and process, to one callback in each worker's event loop."""

    def start(self, loop: AbstractEventLoop, on_signal: OnSignal) -> None:
        """From now on `on_signal` is called in `loop`, for signals published here and in other workers."""

    def publish(self, signal: Signal) -> None:
        """Tell everybody, soon; from any thread. Of several that wait, of one trace and status, the newest is told."""

    def stop(self) -> None:
        """End it; `on_signal` is not called again. Waits a moment for what is on its way to other workers."""


def signals_for(database_url: str) -> Signals:
    """The way that fits the database: SQLite has one worker, PostgreSQL several."""
    if make_url(database_url).get_backend_name() == "postgresql":
        from webapp.ingest.signals_postgres import PostgresSignals

        return PostgresSignals(database_url)
    return InProcess()


def _key(signal: Signal) -> tuple[str, str]:
    return signal.trace, signal.status


class Waiting:
    """The newest signal of each trace and status, until somebody takes them. For several threads."""

    def __init__(self, most: int = MAX_WAITING) -> None:
        self._most = most
        self._lock = Lock()
        self._signals: dict[tuple[str, str], Signal] = {}

    def add(self, signal: Signal) -> bool:
        """Whether it is the first that waits. Its place in the order stays; a position never goes back."""
        key = _key(signal)
        with self._lock:
            first = not self._signals
            known = self._signals.get(key)
            if known is None and len(self._signals) >= self._most:
                self._signals = {_key(CHECK): CHECK}
            if known is None or known.seq < signal.seq:
                self._signals[key] = signal
            return first

    def take(self) -> list[Signal]:
        """All that wait, those that waited longest first."""
        with self._lock:
            taken, self._signals = self._signals, {}
        return list(taken.values())

    def put_back(self, signals: Iterable[Signal]) -> None:
        """What could not be told; a newer signal of the same trace and status wins."""
        with self._lock:
            self._signals = {**{_key(signal): signal for signal in signals}, **self._signals}

    def __len__(self) -> int:
        return len(self._signals)


class InProcess:
    """Inside one process."""

    def __init__(self) -> None:
        self._waiting = Waiting()
        self._loop: AbstractEventLoop | None = None
        self._on_signal: OnSignal | None = None

    def start(self, loop: AbstractEventLoop, on_signal: OnSignal) -> None:
        self._loop, self._on_signal = loop, on_signal
        if self._waiting:
            self._wake()

    def publish(self, signal: Signal) -> None:
        if self._waiting.add(signal):
            self._wake()

    def stop(self) -> None:
        self._loop = self._on_signal = None

    def _wake(self) -> None:
        loop = self._loop
        if loop is None:
            return
        try:
            loop.call_soon_threadsafe(self._hand_over)
        except RuntimeError:  # the loop is closed: the server stops, and nobody is left to be told
            log.debug("a live signal came after the end")

    def _hand_over(self) -> None:
        for signal in self._waiting.take():
            tell = self._on_signal
            if tell is None:
                return
            try:
                tell(signal)
            except Exception:  # one viewer's fault must not keep the others from being told
                log.exception("a live signal of %s was not taken", signal.trace)
