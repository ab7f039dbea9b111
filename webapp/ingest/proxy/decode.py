"""A readable copy of a packed body, in bounded pieces.

Rules of this file: the copy for the recording only; what the client gets stays packed. Never raises: what cannot be
read is told in `told`, and nothing more of it is read.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Protocol

from webapp.readers.base import Artefact
from webapp.readers.limits import TooLarge
from webapp.readers.packing.unpack import PIECE, Gunzip, check_ratio
from webapp.readers.packing.zstd import Unzstd
from webapp.readers.several import Refused

LIMIT = 256 * 1024 * 1024  # bytes of one body once expanded


class _Unpacker(Protocol):
    artefacts: list[Artefact]  # the first says how it was packed, the others what is wrong with it

    def feed(self, chunk: bytes) -> Iterator[bytes]: ...

    def close(self) -> None: ...


class Copy:
    """encoding: the header Content-Encoding, None: there is none. told: sentences about what could not be read;
    lost: there is such a thing."""

    def __init__(self, encoding: str | None, limit: int = LIMIT) -> None:
        self.told: list[str] = []
        self._name = (encoding or "").strip().lower()
        self._plain = self._name in ("", "identity")
        self._unpack: _Unpacker | None = None
        if self._name in ("gzip", "x-gzip"):
            self._unpack = Gunzip(limit)
        elif self._name == "zstd":
            self._unpack = Unzstd(limit)
        elif self._name == "deflate":
            self._unpack = _Inflate(limit)
        elif not self._plain:
            self.told.append(f"The body is packed as {self._name[:40]}, which cannot be read here.")

    @property
    def lost(self) -> bool:
        return bool(self.told)

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The same bytes unpacked, as far as they can be by now."""
        if self._plain:
            yield chunk
        elif self._unpack is not None:
            try:
                yield from self._unpack.feed(chunk)
                self._look(self._unpack)
            except (TooLarge, Refused):
                self._give_up("The packed body grows too large; what came before was read.")
            except zlib.error:
                self._give_up("The packed body is damaged; what came before was read.")

    def close(self) -> None:
        """The body is over; tells it when what is packed is not."""
        if self._unpack is not None:
            self._unpack.close()
            self._look(self._unpack)

    def _look(self, unpack: _Unpacker) -> None:
        if len(unpack.artefacts) > 1:
            self._give_up(unpack.artefacts[1].message.replace("file", "body"))

    def _give_up(self, sentence: str) -> None:
        self.told.append(sentence)
        self._unpack = None


class _Inflate:
    """`deflate`: zlib's form as RFC 9110 has it, or the bare one that some servers send."""

    def __init__(self, limit: int) -> None:
        self.artefacts = [Artefact("deflate", "The body was packed as deflate.")]
        self._limit = limit
        self._size = self._packed = 0
        self._begun = b""
        self._inflate: zlib._Decompress | None = None

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        self._packed += len(chunk)
        if self._inflate is None:
            self._begun += chunk
            if len(self._begun) < 2:
                return
            first, second = self._begun[:2]
            wrapped = first & 15 == 8 and (first << 8 | second) % 31 == 0
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)
            chunk, self._begun = self._begun, b""
        while True:
            piece = self._inflate.decompress(chunk, PIECE)
            self._size += len(piece)
            if self._size > self._limit:
                raise TooLarge(self._limit)
            check_ratio(self._size, self._packed)
            if piece:
                yield piece
            chunk = self._inflate.unconsumed_tail
            if not chunk and len(piece) < PIECE:
                return

    def close(self) -> None:
        if self._packed and (self._inflate is None or not self._inflate.eof):
            self.artefacts.append(
                Artefact("deflate-cut", "The packed body ends too early; what is there was read.")
            )


def unpacked(body: bytes, encoding: str | None, limit: int) -> bytes | None:
    """A whole body as it was before it was packed; None: it cannot be read."""
    copy = Copy(encoding, limit)
    out = b"".join(copy.feed(body))
    if body:
        copy.close()
    return None if copy.lost else out
