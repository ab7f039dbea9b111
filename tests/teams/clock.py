"""A clock that jumps over waiting, so that two minutes of a chat pass in milliseconds and never differ by a hair.

Rules of this file: time and the loop, nothing of the connector. The loop's time stands still while bytes are on their
way between agent and connector (real sockets, in one process and one loop); when nobody has anything to do but wait,
it moves straight to the next timer. A second of the agent's own waiting, of its client library's delays and of the
connector's limits is therefore one and the same second, and a busy machine changes no recording.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

STUCK = 30.0  # real seconds without a byte after which a scenario is called stuck

T = TypeVar("T")


class Clock(selectors.DefaultSelector):
    """The loop's selector: it waits for bytes that are under way, and for nothing else.

    The agent's side opens an exchange before it sends and closes it when it has the answer or gives up; the
    connector's side says when it has read the whole request and when it is about to answer.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self._open: set[str] = set()
        self._under_way: set[str] = set()

    def open(self, name: str) -> None:
        self._open.add(name)
        self._under_way.add(name)

    def arrived(self, name: str) -> None:
        self._under_way.discard(name)

    def answering(self, name: str) -> None:
        if name in self._open:  # else nobody waits for it any more
            self._under_way.add(name)

    def done(self, name: str) -> None:
        self._open.discard(name)
        self._under_way.discard(name)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if self._under_way or timeout is None:
            ready = super().select(STUCK)
            if not ready:
                raise RuntimeError(f"nothing arrives; under way: {sorted(self._under_way)}")
            return ready
        self.now += max(timeout, 0)
        return ready


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop on that clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        super().__init__(clock)

    def time(self) -> float:
        return self._clock.now


def run(main: Callable[[Clock], Coroutine[Any, Any, T]], library: frozenset[str]) -> T:
    """Run `main(clock)` on a loop of its own; tasks left over are cancelled at the end.

    A client library leaves refusals in tasks that nobody awaits: those are its own affair. Any other fault in a task
    comes out here, so that no scenario is quiet because it broke. library: packages whose exceptions may be left.
    """
    clock = Clock()
    faults: list[BaseException] = []

    def look(task: asyncio.Task[Any]) -> None:
        fault = None if task.cancelled() else task.exception()
        if fault is not None and type(fault).__module__.split(".")[0] not in library:
            faults.append(fault)

    def make_task(loop: asyncio.AbstractEventLoop, coroutine: Any, **more: Any) -> asyncio.Task[Any]:
        task = asyncio.Task(coroutine, loop=loop, **more)
        task.add_done_callback(look)
        return task

    with asyncio.Runner(loop_factory=lambda: JumpingLoop(clock)) as runner:
        runner.get_loop().set_task_factory(make_task)
        result = runner.run(main(clock))
    if faults:
        raise faults[0]
    return result
