"""UTF-16 and UTF-32 text to UTF-8, in a bounded stream: what some shells and editors write.

Rules of this file: known by its byte order mark or by the zeros between ASCII letters; what is no character becomes
U+FFFD. Lines and offsets are then those of the UTF-8 text, and the artefact says so.
"""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator

from webapp.readers.base import Artefact
from webapp.readers.limits import TooLarge

PIECE = 256 * 1024
_MARKS = (
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


def encoding_of(first: bytes) -> str | None:
    """The encoding of text that begins so (4 bytes are enough); None: it is none of these."""
    for mark, name in _MARKS:
        if first.startswith(mark):
            return name
    if len(first) < 4:
        return None
    shown = [32 <= byte < 127 or byte in b"\t\r\n\x1b" for byte in first[:4]]
    zero = [not byte for byte in first[:4]]
    if shown[0] and zero[1] and shown[2] and zero[3]:
        return "utf-16-le"
    return "utf-16-be" if zero[0] and shown[1] and zero[2] and shown[3] else None


class Transcode:
    """Incremental: feed bytes as received, take UTF-8. limit: bytes of UTF-8 in all; beyond it TooLarge."""

    def __init__(self, encoding: str, limit: int) -> None:
        name = encoding.upper().removesuffix("-LE").removesuffix("-BE")
        self.artefacts = [
            Artefact(
                "transcoded",
                f"The file was {name} and was brought to UTF-8; line numbers and offsets are of the UTF-8 text.",
            )
        ]
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._begun = False
        self._limit = limit
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The same text as UTF-8, in bounded pieces."""
        for at in range(0, len(chunk), PIECE):
            yield from self._made(self._decoder.decode(chunk[at : at + PIECE]))

    def close(self) -> None:
        """The input ended; half a character at its end is left out, and said."""
        if self._decoder.getstate()[0]:
            self.artefacts.append(
                Artefact(
                    "transcoded-cut", "The file ends in the middle of a character; that one was left out."
                )
            )

    def _made(self, text: str) -> Iterator[bytes]:
        if text and not self._begun:
            self._begun = True
            text = text.removeprefix("\ufeff")
        if not text:
            return
        data = text.encode("utf-8", "replace")
        self._size += len(data)
        if self._size > self._limit:
            raise TooLarge(self._limit)
        yield data


def as_utf8(head: bytes) -> bytes:
    """The first bytes of a file as UTF-8, whatever they are in."""
    encoding = encoding_of(head[:4])
    if encoding is None:
        return head
    return b"".join(Transcode(encoding, sys.maxsize).feed(head))
