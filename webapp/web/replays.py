"""The stream of one replay: the grammar of an event stream, when each record is due, how many run at once.

Rules of this file: bytes and waiting; no database. Pages of records come from a function that is awaited between two
waits, the clock is given. Nothing is held but a page.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from sse_starlette import EventSourceResponse
from starlette.types import Receive, Scope, Send

from webapp.ingest.playback import Frame
from webapp.views.playback import Pace

MAX_REPLAYS = 50  # at once, of one server process; each costs a timer and a page of records
CHUNK = 64_000  # bytes sent at once where nothing is waited for
LATE = 1.0  # seconds a reader may be behind before what is due counts from now
_LINE_END = re.compile(rb"\r\n|\r|\n")


def block(frame: Frame) -> bytes:
    """One record as an SSE block: its number, and each line of its payload behind `data: `.

    A CR is a line end in this grammar and comes out as LF. Where the recording ends inside the record, so does the
    block.
    """
    lines = b"".join(b"data: %s\n" % line for line in _LINE_END.split(frame.payload))
    return b"id: %d\n%s" % (frame.record.seq, lines[:-1] if frame.cut else lines + b"\n")


async def played(
    pages: Callable[[int], Awaitable[list[Frame]]],
    start: int,
    pace: Pace,
    speed: float,
    gap: float,
    now: Callable[[], float],
    sleep: Callable[[float], Awaitable[Any]],
) -> AsyncIterator[bytes]:
    """Blocks from record `start` on, each when it is due; speed: how many times the recorded pace, inf for no waits.

    A reader that falls behind is not rushed afterwards: what is due counts from when the last block was taken.
    """
    due = now()
    held = bytearray()
    first = start
    while frames := await pages(start):
        for frame in frames:
            wait = min(pace.wait(frame.record) / speed, gap)
            if frame.record.seq == first:
                wait = 0.0
            due += wait
            if held and wait and now() < due:
                yield bytes(held)
                held.clear()
            late = now() - due
            if wait and late < 0:
                await sleep(-late)
            elif late > LATE:
                due = now()
            held += block(frame)
            if len(held) > CHUNK:
                yield bytes(held)
                held.clear()
        start = frames[-1].record.seq + 1
    if held:
        yield bytes(held)


class Slots:
    """How many replays run. taken: never more than MAX_REPLAYS."""

    def __init__(self) -> None:
        self.taken = 0

    def take(self) -> bool:
        if self.taken >= MAX_REPLAYS:
            return False
        self.taken += 1
        return True


class Replay(EventSourceResponse):
    """The stream of one replay, which gives its place back however it ends.

    sse-starlette sends bytes as they are given, notices at once that the reader has gone, and ends when the server is
    told to stop. Its comments against silence come between blocks, never inside one.
    """

    def __init__(self, content: AsyncIterator[bytes], slots: Slots, headers: dict[str, str]) -> None:
        super().__init__(content, headers=headers, sep="\n")
        self._slots = slots

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._slots.taken -= 1
