"""Pages of live traces, made once for all who watch: everybody asks for the same page at the same position.

Rules of this file: what is kept is small, short-lived and bounded; a page is kept for one state of its trace only, so
nobody sees an old one. Threads that ask for what another is just making wait for it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock

KEPT = 64  # pages
WAIT = 30.0  # seconds that one waits for another's page


class Once:
    """`get` a text, made by whoever asks first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._made: OrderedDict[Hashable, Future[str]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], str]) -> str:
        """What `make` gives, or gave for this key; what it raises is raised for all who waited, and not kept."""
        with self._lock:
            known = self._made.get(key)
            if known is None:
                mine: Future[str] = Future()
                self._made[key] = mine
                while len(self._made) > KEPT:
                    self._made.popitem(last=False)
        if known is not None:
            return known.result(timeout=WAIT)
        try:
            text = make()
        except BaseException as error:
            with self._lock:
                self._made.pop(key, None)
            mine.set_exception(error)
            raise
        mine.set_result(text)
        return text
