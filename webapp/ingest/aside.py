"""A packed upload, put aside until all of what is in it has been seen.

Rules of this file: nothing of it goes to the database before; it may be kept only if nothing in it had to be masked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from webapp.readers.several import pieces_of, spooled


class Aside:
    """binary: what is inside is no text, so that the text made of it cannot be the original."""

    def __init__(self, binary: bool) -> None:
        self._received = spooled(())
        self._inside: IO[bytes] | None = spooled(()) if binary else None

    def receive(self, chunk: bytes) -> None:
        """Bytes as they came."""
        self._received.write(chunk)

    def add(self, piece: bytes) -> None:
        """Bytes of what is inside, masked."""
        if self._inside is not None:
            self._inside.write(piece)

    def original(self, masked: bool) -> Iterator[bytes] | None:
        """What is kept as the original; None: the masked text is."""
        if not masked:
            return pieces_of(self._received)
        return None if self._inside is None else pieces_of(self._inside)

    def close(self) -> None:
        self._received.close()
        if self._inside is not None:
            self._inside.close()
