"""A recorder that does what a test says, in the place of the real one."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any


@dataclass
class FakeLive:
    """fails: names of the calls that raise; full: `write` drops everything; over: why, when that is for good."""

    fails: frozenset[str] = frozenset()
    full: bool = False
    over: str = ""
    lost: list[tuple[int, float]] = field(default_factory=list)
    written: list[tuple[bytes, float | None]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    reason: str | None = None

    @property
    def body(self) -> bytes:
        return b"".join(data for data, _ in self.written)

    def write(self, data: bytes, at: float | None = None) -> bool:
        self._may_fail("write")
        taken = not (self.full or self.over)
        if taken:
            self.written.append((data, at))
        return taken

    def lose(self, size: int, at: float) -> None:
        self._may_fail("lose")
        self.lost.append((size, at))

    def note(self, kind: str, sentence: str) -> None:
        self._may_fail("note")
        self.notes.append(sentence)

    async def end(self, reason: str = "") -> None:
        self._may_fail("end")
        self.reason = reason

    def _may_fail(self, name: str) -> None:
        if name in self.fails:
            raise RuntimeError(f"{name} is broken")


@dataclass
class FakeRecorder:
    """begins: how many attempts fail first; gate: what `begin` waits for."""

    fails: frozenset[str] = frozenset()
    full: bool = False
    over: str = ""
    refuses: int = 0
    gate: asyncio.Event | None = None
    begun: list[tuple[dict[str, Any], FakeLive]] = field(default_factory=list)

    async def begin(self, **about: Any) -> FakeLive:
        if self.gate is not None:
            await self.gate.wait()
        if self.refuses:
            self.refuses -= 1
            raise RuntimeError("begin is broken")
        live = FakeLive(self.fails, self.full, self.over)
        self.begun.append((about, live))
        return live


class Tasks:
    """Runs what recordings leave behind; `done` waits for all of it."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(work))

    async def done(self) -> None:
        while self._tasks:
            await self._tasks.pop()
        await asyncio.sleep(0)
