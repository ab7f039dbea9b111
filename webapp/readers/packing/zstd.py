"""zstd to plain bytes, in a bounded stream.

Rules of this file: the same as for gzip (`unpack`). The packed bytes go in a few at a time, since a block of four
bytes may hold 128 kB: so no call gives more than some megabytes.

Source: RFC 8878.
"""

from __future__ import annotations

from collections.abc import Iterator

import zstandard

from webapp.readers.base import Artefact
from webapp.readers.limits import TooLarge
from webapp.readers.packing.unpack import PIECE, check_ratio

MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = tuple(bytes((0x50 | n, 0x2A, 0x4D, 0x18)) for n in range(16))
STEP = 512  # packed bytes at a time
MAX_WINDOW = 128 * 1024 * 1024  # bytes a frame may ask to look back on; the tool's own limit


class Unzstd:
    """Incremental: feed compressed bytes, take expanded pieces; several frames in a row are one stream."""

    def __init__(self, limit: int) -> None:
        self.artefacts = [
            Artefact("zstd", "The file was compressed with zstd; line numbers are of the text inside.")
        ]
        self._limit = limit
        self._size = 0
        self._packed = 0
        self._frame = self._fresh()
        self._between = b""  # the first bytes behind a frame, until they say whether another follows
        self._frames = 0  # whole ones
        self._begun = False  # the frame at hand has had bytes
        self._over = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The expanded bytes, in pieces of at most PIECE."""
        self._packed += len(chunk)
        data = self._between + chunk
        self._between = b""
        at = 0
        while at < len(data) and not self._over:
            if not self._begun:
                sign = data[at : at + len(MAGIC)]
                if len(sign) < len(MAGIC) and any(magic.startswith(sign) for magic in (MAGIC, *_SKIPPABLE)):
                    self._between = sign
                    return
                if not sign.startswith((MAGIC, *_SKIPPABLE)):
                    self._end(sign)
                    return
                self._begun = True
            part = data[at : at + STEP]
            at += len(part)
            try:
                out = self._frame.decompress(part)
            except zstandard.ZstdError:
                self._over = True
                self._note("zstd-broken", "The compressed data is damaged; what came before was read.")
                return
            if self._frame.eof:
                at -= len(self._frame.unused_data)
                self._frame, self._begun = self._fresh(), False
                self._frames += 1
            self._size += len(out)
            if self._size > self._limit:
                raise TooLarge(self._limit)
            check_ratio(self._size, self._packed)
            for start in range(0, len(out), PIECE):
                yield out[start : start + PIECE]

    def close(self) -> None:
        """The input ended; notes it when the compressed data did not."""
        if not self._over and (self._begun or self._between or not self._frames):
            self._note("zstd-cut", "The compressed file ends too early; what is there was read.")
        self._over = True

    def _end(self, rest: bytes) -> None:
        self._over = True
        if self._frames and rest.strip(b"\0"):
            self._note("zstd-trailing", "Bytes behind the compressed data were not read.")

    def _note(self, kind: str, message: str) -> None:
        self.artefacts.append(Artefact(kind, message))

    @staticmethod
    def _fresh() -> zstandard.ZstdDecompressionObj:
        return zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW).decompressobj()
