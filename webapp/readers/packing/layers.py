"""Which packing a file has, by its first bytes, and what takes it off.

Rules of this file: one layer only. An archive inside of another packing is not opened: it is told what it is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from webapp.readers.ahead import ahead
from webapp.readers.packing import unpack, utf16, zstd
from webapp.readers.packing.unpack import Gunzip
from webapp.readers.packing.utf16 import Transcode
from webapp.readers.packing.zstd import Unzstd

Packed = Gunzip | Unzstd | Transcode
SIGN_BYTES = 4  # enough to know every packing
ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # the second begins an archive without a file
PACKED = (unpack.MAGIC, zstd.MAGIC)
SUFFIXES = (".gz", ".zst", ".zstd", ".gzip")


def unpacker(first: bytes, limit: int) -> Packed | None:
    """What brings a file that begins so to plain UTF-8, up to `limit` bytes; None: it is that already."""
    if first.startswith(unpack.MAGIC):
        return Gunzip(limit)
    if first.startswith(zstd.MAGIC):
        return Unzstd(limit)
    encoding = utf16.encoding_of(first)
    return None if encoding is None else Transcode(encoding, limit)


def is_archive(head: bytes) -> bool:
    """Whether these bytes begin a zip archive or packed data."""
    return head.startswith((*ZIP, *PACKED))


def expanded(packed: Packed, source: Iterable[bytes]) -> Iterator[bytes]:
    """The plain bytes, UTF-16 inside brought to UTF-8; TooLarge and Refused come from here."""
    if isinstance(packed, Transcode):
        yield from _opened(packed, source)
        return
    first, pieces = ahead(_opened(packed, source), SIGN_BYTES)
    encoding = utf16.encoding_of(first)
    if encoding is None:
        yield from pieces
        return
    inner = Transcode(encoding, sys.maxsize)  # what comes out of the packing is bounded already
    yield from _opened(inner, pieces)
    packed.artefacts += inner.artefacts


def _opened(packed: Packed, source: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in source:
        yield from packed.feed(chunk)
    packed.close()


def plain_name(name: str) -> str:
    """A file's name without the suffix of its packing."""
    return next((name[: -len(suffix)] for suffix in SUFFIXES if name.lower().endswith(suffix)), name)
