"""Turns: the same thing one after the other, different things side by side, and never more than there is room for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from webapp.ingest.turns import Turns


def test_different_things_are_done_side_by_side() -> None:
    """Neither goes on before the other has begun."""
    turns, both = Turns(2), Barrier(2, timeout=20)

    def take(thing: str) -> bool:
        with turns.turn(thing, None) as mine:
            both.wait()
            return mine

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(take, "ab")) == [True, True]


@pytest.mark.parametrize(("most", "thing"), [(5, "a"), (1, "b")], ids=["the same thing", "no room"])
def test_a_turn_that_does_not_come_is_told(most: int, thing: str) -> None:
    """After the time that one waits for it; and it takes nothing away from whoever has theirs."""
    turns = Turns(most)
    with turns.turn("a", 0) as mine:
        assert mine
        with turns.turn(thing, 0) as late:
            assert not late
        with turns.turn(thing, 0.01) as later:
            assert not later
    with turns.turn(thing, 0) as mine:
        assert mine


def test_whoever_waits_is_next() -> None:
    """As soon as the one before has done, whatever came of it."""
    turns, begun, go = Turns(1), Event(), Event()
    order: list[str] = []

    def first() -> None:
        with turns.turn("a", None):
            begun.set()
            assert go.wait(20)
            order.append("first")
            raise ValueError

    def second() -> None:
        assert begun.wait(20)
        go.set()
        with turns.turn("a", None):
            order.append("second")

    with ThreadPoolExecutor(2) as pool:
        failed, done = pool.submit(first), pool.submit(second)
        with pytest.raises(ValueError):
            failed.result()
        done.result()
    assert order == ["first", "second"]
