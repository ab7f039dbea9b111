"""Whose turn it is: one at a time for the same thing, and a bounded number of things at once.

Rules of this file: who waits for whom inside a process, and how long. What is done in a turn it does not know.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from threading import Condition


class Turns:
    """most: things that are done at the same time. Threads share it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: set[Hashable] = set()
        self._changed = Condition()

    @contextmanager
    def turn(self, thing: Hashable, seconds: float | None) -> Iterator[bool]:
        """A turn at `thing`, or False when it did not come. seconds: how long to wait for it, None without end."""
        with self._changed:
            got = self._changed.wait_for(lambda: self._free(thing), seconds)
            if got:
                self._taken.add(thing)
        try:
            yield got
        finally:
            if got:
                with self._changed:
                    self._taken.discard(thing)
                    self._changed.notify_all()

    def _free(self, thing: Hashable) -> bool:
        return thing not in self._taken and len(self._taken) < self._most
