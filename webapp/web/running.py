"""What runs as long as the server does: recordings, signals between workers, and the deleting of old traces.

Rules of this file: starting and stopping, in that order; what each does is elsewhere.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import FrameType

from fastapi import FastAPI
from sqlalchemy.exc import DBAPIError

from webapp.ingest.live.hub import EVERY
from webapp.ingest.retention import prune
from webapp.ingest.signals import Signal
from webapp.settings import Settings
from webapp.storage.db import Database
from webapp.web import call

log = logging.getLogger("lanescope")

PRUNE_SECONDS = 3600.0


@asynccontextmanager
async def running(app: FastAPI) -> AsyncIterator[None]:
    """Start what the handlers need; when the server stops, end the recordings and let every watching page go."""
    signals, hub, recorder = app.state.signals, app.state.hub, app.state.recorder

    def heard(signal: Signal) -> None:
        if signal.status == "raw":
            recorder.heard(signal.trace)
        elif signal.status == call.STOP:
            call.stop_told(app, signal.trace)
        else:
            if signal.trace == EVERY:
                recorder.heard(EVERY)
            hub.tell(signal)

    signals.start(asyncio.get_running_loop(), heard)
    recorder.start()
    pruning = asyncio.create_task(_pruned(app.state.database, app.state.settings))
    try:
        with _told_to_stop(hub.close):
            yield
    finally:
        pruning.cancel()
        hub.close()
        await asyncio.to_thread(recorder.stop)
        signals.stop()


@contextmanager
def _told_to_stop(act: Callable[[], None]) -> Iterator[None]:
    """Call `act` on the event loop as soon as the process is told to stop.

    The server itself waits until requests are over before it ends this, and those that watch or push have no end of
    their own. Only a process's main thread can hear signals; elsewhere nothing is called.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def stop(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(act)
        if callable(known := before[signal.Signals(number)]):
            known(number, frame)

    for number, known in before.items():
        if callable(known):  # else the process ends at once, as it was asked to
            signal.signal(number, stop)
    try:
        yield
    finally:
        for number, known in before.items():
            if signal.getsignal(number) is stop:
                signal.signal(number, known)


async def _pruned(database: Database, settings: Settings) -> None:
    """Old traces go, once an hour, where the settings say so."""
    while settings.retain_days or settings.retain_bytes:
        try:
            await asyncio.to_thread(prune, database, settings)
        except DBAPIError as error:
            log.warning("old traces could not be deleted: %s", error.orig)
        await asyncio.sleep(PRUNE_SECONDS)
