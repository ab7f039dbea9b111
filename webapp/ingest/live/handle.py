"""One running recording, as those who record see it.

Rules of this file: it is used from the event loop and emptied by the recorder's thread. What both touch is behind one
lock, which is never held for longer than a few assignments: looking for credentials is the thread's work. Nothing here
waits for the database but `push`, `stored` and `end`, which wait for the thread.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

from webapp.errors import Busy, TooLarge, UserError
from webapp.ingest.live.lines import Lines
from webapp.ingest.live.pending import Pending, Taken
from webapp.ingest.live.transactions import LOST_END
from webapp.readers.limits import in_words
from webapp.storage.captures import Piece

MOST_PENDING = 8 * 1024 * 1024  # bytes received and not stored, of one recording
SLOW = 10.0  # seconds that `push` waits for room before it gives up
BEHIND = (
    "Recordings are stored more slowly than they come (the database is busy or cannot be written); "
    "send again in a moment."
)
OVER = "This recording is over."


class Live:
    """id: of the trace in URLs; pk: `traces.pk`; limit: bytes a recording may have; pending: of all recordings."""

    def __init__(
        self,
        public: str,
        pk: int,
        masking: bool,
        limit: int,
        wake: Callable[[], None],
        pending: Pending | None = None,
    ) -> None:
        self.id = public
        self.pk = pk
        self._limit = limit
        self._lock = threading.Lock()
        self._wake = wake
        self._all = pending or Pending()
        self._came: list[tuple[bytes | int, float]] = []  # chunks, and gaps of so many bytes
        self._received = 0
        self._pending = 0  # bytes that are not stored
        self._waiting: list[Future[None]] = []
        self._notes: list[tuple[str, str]] = []
        self._reason: str | None = None  # set when the recording ended
        self._failed: UserError | None = None  # nothing more is taken
        self._left = False  # the recorder looks after it no more
        # of the recorder's thread alone
        self._lines = Lines(masking)
        self._pieces: list[Piece] = []  # taken out of `lines`, not stored
        self._stored = 0  # bytes of those before them

    # ── for those who record ─────────────────────────────────

    def write(self, data: bytes, at: float | None = None) -> bool:
        """Take bytes that came at `at` (unix seconds, now if not given). Never waits; False: they were dropped."""
        at = time.time() if at is None else at
        size = len(data)
        with self._lock:
            if self._failed is not None or self._reason is not None:
                return False
            over = self._received + size > self._limit
            if over:
                self._reason = (
                    f"The recording reached {in_words(self._limit)}, the most this server keeps of one; what came "
                    "later is not here."
                )
                data = data[: self._limit - self._received]
                data = data[: data.rfind(b"\n") + 1]
                size = len(data)
            if self._pending + size > MOST_PENDING or not self._all.add(size):
                self._lose(size, at)
                self._wake()
                return False
            self._came.append((data, at))
            self._received += size
            self._pending += size
        self._wake()
        return not over

    def lose(self, size: int, at: float) -> None:
        """Of the stream, `size` bytes will not come; the last of them passed at `at`. The lines torn by it are left out
        whole, and the page says how much is missing."""
        with self._lock:
            if self._failed is None and self._reason is None:
                self._lose(size, at)
        self._wake()

    def _lose(self, size: int, at: float) -> None:
        if self._came and isinstance(lost := self._came[-1][0], int):
            self._came[-1] = (lost + size, at)
        else:
            self._came.append((size, at))

    @property
    def over(self) -> str:
        """Why nothing more is taken, in a sentence; empty while there is room for more, now or later."""
        with self._lock:
            if self._failed is not None:
                return self._failed.sentence
            return "" if self._reason is None else self._reason or OVER

    async def push(self, data: bytes, at: float | None = None) -> None:
        """The same, waiting for room. Raises Busy when none comes, TooLarge when no more is taken, NotFound when the
        trace was deleted."""
        at = time.time() if at is None else at
        for begin in range(0, len(data), MOST_PENDING // 2):
            piece = data[begin : begin + MOST_PENDING // 2]
            await self._room(len(piece))
            if not self.write(piece, at):
                self._fits(0)
                raise Busy(BEHIND)  # another recording took the room

    def _fits(self, size: int) -> bool:
        with self._lock:
            if self._failed is not None:
                raise self._failed
            if self._reason is not None:
                raise TooLarge(self._reason or OVER)
            return self._pending + size <= MOST_PENDING and self._all.fits(size)

    async def _room(self, size: int) -> None:
        end = time.monotonic() + SLOW
        while not self._fits(size):
            await self._told(end - time.monotonic())

    async def stored(self) -> None:
        """Wait until what was taken so far is in the database; a line without its end is not waited for. Raises Busy,
        NotFound when the trace was deleted."""
        await self._told(SLOW)

    def note(self, kind: str, sentence: str) -> None:
        """Something about the recording that its page says; never blamed on the producer."""
        with self._lock:
            self._notes.append((kind, sentence))
        self._wake()

    async def end(self, reason: str = "") -> None:
        """The recording is over. reason: a sentence when it did not end by itself."""
        self.stop(reason)
        await self.stored()

    def stop(self, reason: str = "") -> None:
        """The same, without waiting."""
        with self._lock:
            if self._reason is None:
                self._reason = reason
        self._wake()

    async def _told(self, within: float) -> None:
        future: Future[None] = Future()
        with self._lock:
            if self._failed is not None:
                raise self._failed
            if self._left:  # all of it is stored, and nobody would answer
                return
            self._waiting.append(future)
        self._wake()
        try:
            await asyncio.wait_for(asyncio.wrap_future(future), max(0.0, within))
        except TimeoutError:
            raise Busy(BEHIND) from None

    # ── for the recorder's thread ────────────────────────────

    def take(self) -> Taken | None:
        """What is to be stored now; None: nothing. What was taken before and not `done` comes again."""
        with self._lock:
            came, self._came = self._came, []
            notes, reason = list(self._notes), self._reason
            waiting, self._waiting = self._waiting, []
        lines = self._lines
        for data, at in came:
            if isinstance(data, int):
                lines.gap(data, at)
            else:
                lines.feed(data, at)
        if reason == "" and lines.lost_end:
            reason = LOST_END
        if (piece := lines.take(last=reason is not None)) is not None:
            self._pieces.append(piece)
        if not (self._pieces or waiting or notes or reason is not None):
            return None
        return Taken(
            self, list(self._pieces), self._stored, notes, lines.missing, lines.count, reason, waiting
        )

    def done(self, taken: Taken) -> None:
        """It is in the database."""
        self._stored += sum(len(piece.data) for piece in taken.pieces)
        del self._pieces[: len(taken.pieces)]
        held = self._lines.waiting + sum(len(piece.data) for piece in self._pieces)
        with self._lock:
            del self._notes[: len(taken.notes)]
            before = self._pending
            self._pending = held + sum(len(data) for data, _ in self._came if isinstance(data, bytes))
            self._all.change(self._pending - before)
            failed = self._failed
        _answer(taken.waiting, failed)

    def not_done(self, taken: Taken) -> None:
        """It is not: those who wait go on waiting."""
        with self._lock:
            self._waiting[:0] = taken.waiting

    @property
    def failed(self) -> bool:
        """Whether nothing of it is stored any more."""
        with self._lock:
            return self._failed is not None

    def tell_waiting(self, sentence: str) -> None:
        """Those who wait have waited long enough; what came is stored as soon as it can be."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        _answer(waiting, Busy(sentence))

    def fail(self, error: UserError) -> None:
        """Nothing more can be stored."""
        with self._lock:
            self._failed = error
            self._came.clear()
            waiting, self._waiting = self._waiting, []
        _answer(waiting, error)

    def drop(self) -> None:
        """It is looked after no more: what it holds counts no more, and nobody waits."""
        with self._lock:
            self._left = True
            self._all.change(-self._pending)
            self._pending = 0
            waiting, self._waiting = self._waiting, []
            failed = self._failed
        _answer(waiting, failed)


def _answer(waiting: list[Future[None]], error: UserError | None) -> None:
    for future in waiting:
        if future.set_running_or_notify_cancel():
            future.set_result(None) if error is None else future.set_exception(error)
