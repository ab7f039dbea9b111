"""A recording that traffic does not wait for: what comes before it has begun is held, and it may fail.

Rules of this file: nothing here raises and nothing is waited for; the beginning and the end run in tasks of their own.
What is missing is told in the trace, where there is one, and once in the log.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol

from webapp.ingest.live.transactions import BROKE_OFF, STOPPED

log = logging.getLogger("lanescope")

HELD_BYTES = 4 * 1024 * 1024  # of what comes before the recording has begun
LEFT = "The client went away before the answer ended."
HERE = (STOPPED, LEFT)  # ends of a recording that say nothing about the stream
KIND = "proxy"  # of what is said about a capture


class Live(Protocol):
    """What is used of `webapp.ingest.live.handle.Live`."""

    @property
    def over(self) -> str: ...

    def write(self, data: bytes, at: float | None = None) -> bool: ...

    def lose(self, size: int, at: float) -> None: ...

    def note(self, kind: str, sentence: str) -> None: ...

    async def end(self, reason: str = "") -> None: ...


Spawn = Callable[[Coroutine[Any, Any, None]], None]  # runs something beside the traffic


class Recording:
    """begin: makes the live recording, or gives None when it turns out that there is nothing to record.

    failed: it could not begin, has dropped something or broke; stillborn: it could not begin, and `lost` bytes with it;
    over: it takes nothing more though the traffic goes on, since its trace is full or was deleted.
    """

    def __init__(self, begin: Callable[[], Awaitable[Live | None]], spawn: Spawn) -> None:
        self.failed = False
        self.stillborn = False
        self.over = False
        self.lost = 0
        self._begin = begin
        self._spawn = spawn
        self._live: Live | None = None
        self._off = False  # nothing is taken any more
        self._held: list[tuple[bytes, float]] = []
        self._size = 0
        self._missing = 0  # bytes that found no room before it began
        self._missing_at = 0.0  # when the last of them came
        self._notes: list[str] = []
        self._reason: str | None = None  # set when it has ended
        self._broke = False
        spawn(self._run())

    def write(self, data: bytes, at: float) -> None:
        """Bytes that came at `at` (unix seconds)."""
        if self.stillborn:
            self.lost += len(data)
        if self._off or self.over or self._reason is not None:
            return
        if self._live is not None:
            self._put(self._live, data, at)
        elif self._size + len(data) > HELD_BYTES or self._missing:
            self._missing += len(data)
            self._missing_at = at
        else:
            self._held.append((data, at))
            self._size += len(data)

    def note(self, sentence: str) -> None:
        """Something that the page says about the capture."""
        if self._live is None:
            self._notes.append(sentence)
        elif not self._off:
            self._say(self._live, sentence)

    def end(self, reason: str = "", broke: bool = False) -> None:
        """It is over; `reason` as in `Live.end`. broke: the stream itself did not end by itself."""
        if self._reason is None:
            self._reason, self._broke = reason, broke
            if self._live is not None:
                self._spawn(self._end(self._live))

    async def _run(self) -> None:
        try:
            live = await self._begin()
        except Exception as error:
            self.failed = self.stillborn = self._off = True
            self.lost = self._size + self._missing
            self._held.clear()
            told = getattr(error, "sentence", None)
            log.warning("traffic is passed on, but not recorded: %s", told or repr(error))
            return
        if live is None:
            self._off = True
            self._held.clear()
            return
        for sentence in self._notes:
            self._say(live, sentence)
        for data, at in self._held:
            self._put(live, data, at)
        self._held.clear()
        if self._missing:
            self._lose(live)
        self._live = live
        if self._reason is not None:
            await self._end(live)

    async def _end(self, live: Live) -> None:
        try:
            if self._broke:
                live.note(BROKE_OFF, self._reason or "")
            await live.end("" if self._broke else self._reason or "")
        except Exception as error:
            self._log(error)

    def _put(self, live: Live, data: bytes, at: float) -> None:
        if self._off or self.over:
            return
        try:
            taken = live.write(data, at)
        except Exception as error:
            self._log(error)
            self._off = True
            self._say(live, "The recording broke: what came after this is missing. The traffic went on.")
            self.end("The recording broke.")
        else:
            if not taken:
                self._dropped(live)

    def _dropped(self, live: Live) -> None:
        why = live.over
        self.over = bool(why)
        if not self.failed:
            self.failed = True  # it counts what it drops, and tells it itself
            if why:
                log.warning("traffic is passed on, but not recorded any more: %s", why)
            else:
                log.warning("traffic comes faster than it can be recorded; the trace says what is missing")

    def _lose(self, live: Live) -> None:
        try:
            live.lose(self._missing, self._missing_at)
        except Exception as error:
            self._log(error)
        else:
            self.failed = True
            log.warning("traffic came before its recording could begin; the trace says what is missing")

    def _say(self, live: Live, sentence: str) -> None:
        try:
            live.note(KIND, sentence)
        except Exception as error:
            self._log(error)

    def _log(self, error: Exception) -> None:
        if not self.failed:
            log.warning("a recording of passed-on traffic broke: %r; the traffic goes on", error)
        self.failed = True
