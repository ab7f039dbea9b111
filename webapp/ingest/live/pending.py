"""What recordings hold in memory: how much all of them together may, and what one hands to be stored.

Rules of this file: data and counting only.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webapp.storage.captures import Piece

if TYPE_CHECKING:
    from webapp.ingest.live.handle import Live

MOST_TOGETHER = 128 * 1024 * 1024  # bytes received and not stored, of all recordings of this process


class Pending:
    """Bytes received and not stored, of all recordings together. Safe between threads."""

    def __init__(self, most: int = MOST_TOGETHER) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._size = 0

    @property
    def size(self) -> int:
        with self._lock:
            return self._size

    def fits(self, size: int) -> bool:
        with self._lock:
            return self._size + size <= self._most

    def add(self, size: int) -> bool:
        """Count them in; False: there is no room, and they are not counted."""
        with self._lock:
            if self._size + size > self._most:
                return False
            self._size += size
            return True

    def change(self, by: int) -> None:
        """More or fewer bytes, room or not."""
        with self._lock:
            self._size += by


@dataclass(slots=True)
class Taken:
    """Of one recording, what one transaction stores.

    offset: bytes of it that lie before the first piece; missing: bytes lost so far; masked: credentials overwritten so
    far; reason: None while it goes on
    """

    live: Live
    pieces: list[Piece]
    offset: int
    notes: list[tuple[str, str]]
    missing: int
    masked: int
    reason: str | None
    waiting: list[Future[None]]
