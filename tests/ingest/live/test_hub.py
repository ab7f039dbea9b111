"""Watchers of live traces: nothing told after they began is missed, and the slow get the newest."""

from __future__ import annotations

import asyncio
import gc

import pytest

from webapp.ingest.live.hub import EVERY, REMEMBERED, Hub
from webapp.ingest.signals import Signal


def test_what_is_told_before_the_first_step_is_not_missed() -> None:
    """A page looks at the database between beginning to follow and waiting."""

    async def watch() -> list[Signal]:
        hub = Hub()
        following = hub.follow("t", 1000)
        hub.tell(Signal("t", 5, "live"))
        return await anext(following)

    assert asyncio.run(watch()) == [Signal("t", 5, "live")]


def test_a_slow_watcher_gets_the_newest() -> None:
    """One signal a trace, whatever happened in between."""

    async def watch() -> list[Signal]:
        hub = Hub()
        following = hub.follow(EVERY, 1000)
        for seq in range(100):
            hub.tell(Signal("a", seq, "live"))
            hub.tell(Signal("b", seq, "live"))
        return await anext(following)

    assert asyncio.run(watch()) == [Signal("a", 99, "live"), Signal("b", 99, "live")]


@pytest.mark.parametrize("status", ["ready", "failed", "gone"])
def test_waiting_for_the_end_takes_any_end(status: str) -> None:
    """Told before, or while one waits; a running trace is waited for no longer than asked."""

    async def watch() -> list[float]:
        hub, loop, took = Hub(), asyncio.get_running_loop(), []
        hub.tell(Signal("t", 1, "live"))
        begun = loop.time()
        await hub.ended("t", 0.01)
        assert loop.time() - begun >= 0.01
        loop.call_soon(hub.tell, Signal("t", 2, "live"))
        loop.call_later(0, hub.tell, Signal("t", 2, status))
        await hub.ended("t", 1000)
        await hub.ended("t", 1000)
        assert hub.watching == 0
        return took

    asyncio.run(watch())


def test_when_the_server_stops_everybody_goes() -> None:
    """Those who wait, those who come later, and those who wait for an end."""

    async def watch() -> None:
        hub = Hub()

        async def follow() -> list[list[Signal]]:
            return [news async for news in hub.follow("t", 1000)]

        waiting = [asyncio.create_task(follow()) for _ in range(3)]
        waiting.append(asyncio.create_task(hub.ended("t", 1000)))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        assert hub.watching == 4
        hub.close()
        assert await asyncio.gather(*waiting) == [[], [], [], None]
        assert await follow() == []
        assert hub.watching == 0

    asyncio.run(watch())


def test_a_watcher_that_is_dropped_leaves_no_trace() -> None:
    """A page whose connection broke before its first step, or that nobody closed."""

    async def watch() -> None:
        hub = Hub()
        hub.follow("t", 1)
        following = hub.follow("t", 1)
        assert hub.watching == 1
        await following.aclose()
        await following.aclose()
        del following
        gc.collect()
        assert hub.watching == 0
        hub.tell(Signal("t", 1, "live"))
        hub.follow("t", 1)
        hub.tell(Signal("t", 1, "live"))
        assert hub.watching == 0

    asyncio.run(watch())


def test_what_is_remembered_is_bounded() -> None:
    """Of many traces only the newest are known."""
    hub = Hub()
    for number in range(REMEMBERED + 10):
        hub.tell(Signal(f"t{number}", 1, "ready"))
    assert hub.newest("t5") is None
    assert hub.newest(f"t{REMEMBERED + 9}") == Signal(f"t{REMEMBERED + 9}", 1, "ready")
