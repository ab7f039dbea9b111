"""The proxy of one process: its targets, its connections and what is recorded beside the traffic.

Rules of this file: composition, and the tasks that recordings leave behind. Which requests are recorded is decided
here and nowhere else.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any

from webapp.ingest.live.transactions import STOPPED
from webapp.ingest.proxy.agui import RunWatch
from webapp.ingest.proxy.forward import Answer, Asked, forward
from webapp.ingest.proxy.recording import Live
from webapp.ingest.proxy.targets import Target, found, targets_of
from webapp.ingest.proxy.teams import Conversations, is_call
from webapp.ingest.proxy.upstream import Pool
from webapp.ingest.proxy.watch import Fenced, Nothing, Watch

log = logging.getLogger("lanescope")

STOP_SECONDS = 5.0  # that recordings may take to end


class Proxy:
    """listed: the setting, name -> URL; recorder: gives the process's `Recorder` when it is needed."""

    def __init__(self, listed: Mapping[str, str], recorder: Callable[[], Any]) -> None:
        self.targets = targets_of(listed)
        self._recorder = recorder
        self._pool = Pool()
        self._tasks: set[asyncio.Task[None]] = set()
        self._conversations = Conversations(self._spawn)

    def place(self, raw_path: bytes, query: bytes) -> tuple[Target, bytes, str]:
        """The target of an address, the path to ask it for, and the URL without its query.

        Raises NotFound and BadInput.
        """
        target, rest = found(self.targets, raw_path)
        return target, target.path(rest, query), target.address(rest)

    async def forward(self, target: Target, address: str, asked: Asked, answer: Answer) -> None:
        """Pass a request on, recorded where it is a run or a connector call. Raises Failed and Cut."""
        await forward(self._pool, target, asked, self._watch(target, address, asked), answer)

    async def stop(self) -> None:
        """End what is recorded; called before the recorder stops."""
        self._conversations.end(STOPPED)
        self._pool.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=STOP_SECONDS)

    def _watch(self, target: Target, address: str, asked: Asked) -> Watch:
        method, headers = asked.method, asked.headers
        begin = partial(self._begin, by=asked.by)
        try:
            if is_call(method, address):
                return Fenced(self._conversations.watch(target, method, address, headers, begin))
            if method == "POST":
                return Fenced(RunWatch(begin, self._spawn, target.name, address, headers))
        except Exception:
            log.exception("a request that is passed on cannot be recorded; the traffic goes on")
        return Nothing()

    async def _begin(self, **about: Any) -> Live:
        live: Live = await self._recorder().begin(**about)
        return live

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
