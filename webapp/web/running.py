"""What runs as long as the server does: recordings, copies of long traces, signals between workers, and the deleting of
what has had its time.

Rules of this file: starting and stopping, in that order; what each does is elsewhere.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from types import FrameType

from fastapi import FastAPI

from webapp.accounts import tries
from webapp.ingest.copies import drop_unused
from webapp.ingest.live.hub import EVERY
from webapp.ingest.retention import prune
from webapp.ingest.signals import Signal
from webapp.settings import Settings
from webapp.storage import sign_ins
from webapp.storage.db import Database, is_trouble
from webapp.web import call, proxy

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
    stopping = asyncio.Event()
    pruning = asyncio.create_task(_pruned(app.state.database, app.state.settings, stopping))
    try:
        _overlook_what_stays()
        # what goes through and what was called ends first, while the recorder still takes its end
        async with call.router.lifespan_context(app), proxy.router.lifespan_context(app):
            with _told_to_stop(hub.close):
                yield
    finally:
        stopping.set()
        hub.close()
        await asyncio.gather(asyncio.to_thread(app.state.copies.stop), asyncio.to_thread(recorder.stop))
        await asyncio.wait([pruning])  # what it deletes now is deleted whole
        signals.stop()
        await asyncio.to_thread(app.state.beside.close)


def _overlook_what_stays() -> None:
    """What was imported stays as long as the process does. To look through it for garbage takes a tenth of a second in
    which every thread stands still, and with them what is passed on. Only a server's own process has its loop in the
    main thread; another has things from before that are to go."""
    if threading.current_thread() is threading.main_thread():
        gc.collect()
        gc.freeze()


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


async def _pruned(database: Database, settings: Settings, stopping: asyncio.Event) -> None:
    """Once an hour: old traces go where the settings say so, and the copies of links that have ended."""
    while not stopping.is_set():
        try:
            if settings.retain_days or settings.retain_bytes:
                await asyncio.to_thread(prune, database, settings)
            await asyncio.to_thread(drop_ended, database, time.time())
        except Exception as error:  # whatever it was, it may be over in an hour
            if is_trouble(error):
                log.warning("old traces could not be deleted: %s", getattr(error, "orig", None) or error)
            else:
                log.exception("old traces could not be deleted")
        with suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), PRUNE_SECONDS)


def drop_ended(database: Database, now: float) -> None:
    """What has ended by itself goes: sign-ins, counts of tries, and the redacted copies whose last link has expired,
    of which no byte is kept."""
    with database.session() as session:
        sign_ins.drop_ended(session, now)
        tries.forget_old(session, now)
    with database.session() as session:
        gone = drop_unused(session)
    if gone:
        database.settle()
