"""What looks on while traffic goes through: it is told everything, waits for nothing and breaks nothing.

Rules of this file: the interface, and the fence around it. Whatever goes wrong in a recording stays in the recording.
"""

from __future__ import annotations

import logging
from typing import Protocol

from webapp.ingest.proxy.headers import Headers

log = logging.getLogger("lanescope")


class Watch(Protocol):
    """One request and its answer. Times are unix seconds. `ended` comes once and last."""

    def asked(self, chunk: bytes) -> None:
        """A part of the request's body."""

    def answered(self, status: int, headers: Headers, at: float) -> None:
        """The head of the answer."""

    def data(self, chunk: bytes, at: float) -> None:
        """A part of the answer's body, as it came: packed where the upstream packed it."""

    def ended(self, reason: str, at: float) -> None:
        """reason: a sentence when it did not end by itself; without an `answered` before it, no answer came."""

    def broke(self) -> None:
        """One of the above failed; nothing but this is called any more."""


class Nothing:
    """Traffic that is not recorded."""

    def asked(self, chunk: bytes) -> None:
        pass

    def answered(self, status: int, headers: Headers, at: float) -> None:
        pass

    def data(self, chunk: bytes, at: float) -> None:
        pass

    def ended(self, reason: str, at: float) -> None:
        pass

    def broke(self) -> None:
        pass


class Fenced:
    """A watch whose faults stop nothing but itself; they are logged once."""

    def __init__(self, watch: Watch) -> None:
        self._watch: Watch = watch

    def asked(self, chunk: bytes) -> None:
        try:
            self._watch.asked(chunk)
        except Exception:
            self._give_up()

    def answered(self, status: int, headers: Headers, at: float) -> None:
        try:
            self._watch.answered(status, headers, at)
        except Exception:
            self._give_up()

    def data(self, chunk: bytes, at: float) -> None:
        try:
            self._watch.data(chunk, at)
        except Exception:
            self._give_up()

    def ended(self, reason: str, at: float) -> None:
        try:
            self._watch.ended(reason, at)
        except Exception:
            self._give_up()

    def broke(self) -> None:
        self._give_up()

    def _give_up(self) -> None:
        log.exception("a request that is passed on cannot be recorded; the traffic goes on")
        broken, self._watch = self._watch, Nothing()
        try:
            broken.broke()
        except Exception:
            log.exception("its recording could not be told")
