"""Who watches: positions of live traces on their way to open pages.

Rules of this file: positions only, never what lies there; a watcher that is slow gets the newest and misses those in
between. It belongs to the event loop; signals from other threads and workers are handed in by `Signals`.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

from webapp.ingest.signals import Signal

EVERY = "*"  # watches all traces
LIVE = "live"  # the status of a trace that is recorded
REMEMBERED = 500  # ended traces whose last position is kept for those who come late


class Hub:
    """`tell` it signals, `follow` one trace or all."""

    def __init__(self) -> None:
        self._watchers: dict[str, WeakSet[Following]] = {}
        self._newest: OrderedDict[str, Signal] = OrderedDict()
        self._held: set[asyncio.Task[Any]] = set()
        self._closed = False

    def tell(self, signal: Signal) -> None:
        """A trace has reached a position, or everybody is to look for himself (trace `*`)."""
        if signal.trace == EVERY:
            for watchers in list(self._watchers.values()):
                for watcher in watchers:
                    watcher.tell(signal)
            return
        self._newest[signal.trace] = signal
        self._newest.move_to_end(signal.trace)
        while len(self._newest) > REMEMBERED:
            self._newest.popitem(last=False)
        for key in (signal.trace, EVERY):
            if key in self._watchers and not self._watchers[key]:  # they left without a word
                del self._watchers[key]
            for watcher in self._watchers.get(key, ()):
                watcher.tell(signal)

    def newest(self, trace: str) -> Signal | None:
        """The last position told of a trace."""
        return self._newest.get(trace)

    @property
    def watching(self) -> int:
        """Open pages that watch."""
        return sum(map(len, self._watchers.values()))

    @property
    def closed(self) -> bool:
        """Whether the server stops."""
        return self._closed

    async def ended(self, trace: str, within: float) -> None:
        """Wait until a live trace is one no more, `within` seconds at most."""
        loop = asyncio.get_running_loop()
        end = loop.time() + within
        following = self.follow(trace, within)
        try:
            while (known := self._newest.get(trace)) is None or known.status == LIVE:
                if loop.time() >= end or self._closed:
                    return
                await following.news(end - loop.time())
        finally:
            await following.aclose()

    def follow(self, trace: str, beat: float) -> Following:
        """What is told from now on: an async iterator, see `Following`.

        trace: public id, or `*` for all; beat: seconds without news after which it gives an empty list.
        """
        following = Following(self, trace, beat)
        self._watchers.setdefault(trace, WeakSet()).add(following)
        return following

    def leave(self, trace: str, following: Following) -> None:
        """It watches no more."""
        mine = self._watchers.get(trace)
        if mine is not None:
            mine.discard(following)
            if not mine:
                del self._watchers[trace]

    @contextmanager
    def let_go(self) -> Iterator[None]:
        """For a request that has no end of its own: its task is cancelled when the server stops."""
        task = asyncio.current_task()
        assert task is not None
        self._held.add(task)
        try:
            yield
        finally:
            self._held.discard(task)

    def close(self) -> None:
        """The server stops: let everybody go, so that it need not wait for them."""
        self._closed = True
        for task in self._held:
            task.cancel()
        self._held.clear()
        for watchers in self._watchers.values():
            for watcher in watchers:
                watcher.wake()


class Following:
    """One open page. Each step gives what was told since the last one, newest only, one a trace.

    It counts from when it was made, so nothing is missed between looking at the database and waiting. It ends when the
    server stops; one that is dropped without `aclose` leaves the hub all the same.
    """

    def __init__(self, hub: Hub, trace: str, beat: float) -> None:
        self._hub = hub
        self._trace = trace
        self._beat = beat
        self._news: dict[str, Signal] = {}
        self._woken = asyncio.Event()

    def __aiter__(self) -> Following:
        return self

    async def __anext__(self) -> list[Signal]:
        news = [] if self._hub.closed else await self.news(self._beat)
        if self._hub.closed:
            await self.aclose()
            raise StopAsyncIteration
        return news

    async def aclose(self) -> None:
        """No more is wanted."""
        self._hub.leave(self._trace, self)

    async def news(self, within: float) -> list[Signal]:
        """The same as a step, with another patience."""
        try:
            await asyncio.wait_for(self._woken.wait(), max(0.0, within))
        except TimeoutError:
            return []
        self._woken.clear()
        news, self._news = self._news, {}
        return list(news.values())

    # ── for the hub ──────────────────────────────────────────

    def tell(self, signal: Signal) -> None:
        self._news.pop(signal.trace, None)  # so that the newest is the last
        self._news[signal.trace] = signal
        self._woken.set()

    def wake(self) -> None:
        self._woken.set()
