"""gzip to plain bytes, in a bounded stream.

Rules of this file: never more than PIECE bytes expanded at a time, never more than the limit in all. Broken
or cut data gives what could be read and a note; only too much raises.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from webapp.readers.base import Artefact
from webapp.readers.limits import TooLarge, in_words
from webapp.readers.several import Refused

MAGIC = b"\x1f\x8b"
PIECE = 256 * 1024
MAX_RATIO = (
    1000  # expanded bytes to packed ones, once there are RATIO_FROM of them: no recording packs so well
)
RATIO_FROM = 64_000_000
_GZIP = 16 + zlib.MAX_WBITS


class Gunzip:
    """Incremental: feed compressed bytes, take expanded pieces; several members in a row are one stream.

    limit: expanded bytes in all; beyond it `feed` raises TooLarge. artefacts: what is to be said about the
        packing.
    """

    def __init__(self, limit: int) -> None:
        self.artefacts = [
            Artefact("gzip", "The file was compressed with gzip; line numbers are of the text inside.")
        ]
        self._limit = limit
        self._size = 0
        self._packed = 0
        self._member = zlib.decompressobj(_GZIP)
        self._between = b""  # the first bytes behind a member, until they say whether another follows
        self._members = 0  # whole ones
        self._begun = False  # the member at hand has had bytes
        self._over = False  # nothing more can be read

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The expanded bytes, in pieces of at most PIECE."""
        data = chunk
        self._packed += len(chunk)
        more = True
        while more and not self._over:
            if not self._begun:
                data = self._between + data
                self._between = b""
                if len(data) < len(MAGIC) and MAGIC.startswith(data):
                    self._between = data
                    return
                if self._members and not data.startswith(MAGIC):
                    self._over = True
                    if data.strip(b"\0"):  # zeros are padding, and legal
                        self._note("gzip-trailing", "Bytes behind the compressed data were not read.")
                    return
                self._begun = True
            before = self._member.copy()
            try:
                piece = self._member.decompress(data, PIECE)
            except zlib.error:
                piece = _until_damage(before, data)
                self._over = True
                self._note("gzip-broken", "The compressed data is damaged; what came before was read.")
            self._size += len(piece)
            if self._size > self._limit:
                raise TooLarge(self._limit)
            check_ratio(self._size, self._packed)
            if piece:
                yield piece
            data = self._member.unconsumed_tail
            more = bool(data) or len(piece) == PIECE  # a full piece: zlib may hold more without further input
            if self._member.eof:
                data = self._member.unused_data
                more = bool(data)
                self._member = zlib.decompressobj(_GZIP)
                self._members += 1
                self._begun = False

    def close(self) -> None:
        """The input ended; notes it when the compressed data did not."""
        if not self._over and (self._begun or not self._members):
            self._note("gzip-cut", "The compressed file ends too early; what is there was read.")
        self._over = True

    def _note(self, kind: str, message: str) -> None:
        self.artefacts.append(Artefact(kind, message))


def check_ratio(size: int, packed: int) -> None:
    """Raises Refused when so many bytes out of so few are no recording but a trap."""
    if size > RATIO_FROM and size > packed * MAX_RATIO:
        raise Refused(
            f"The compressed file grows to more than {MAX_RATIO:,} times its size ({in_words(RATIO_FROM)} and more); "
            "no recording does, so it was not read."
        )


def _until_damage(member: zlib._Decompress, data: bytes) -> bytes:
    """What can still be expanded of damaged data: zlib itself gives nothing of such a piece."""
    out = bytearray()
    try:
        for at in range(len(data)):
            out += member.decompress(data[at : at + 1], PIECE - len(out))
            if len(out) == PIECE:
                break
    except zlib.error:
        pass
    return bytes(out)
