"""Look at the beginning of bytes that come in pieces, and lose none of them.

Rules of this file: no opinion about what stands there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain


def ahead(pieces: Iterable[bytes], size: int) -> tuple[bytes, Iterator[bytes]]:
    """The beginning, whole pieces until there are `size` bytes (fewer: that is all), and all pieces, it included."""
    source = iter(pieces)
    begun, held = [], 0
    while held < size and (piece := next(source, None)) is not None:
        begun.append(piece)
        held += len(piece)
    first = b"".join(begun)
    return first, chain((first,) if first else (), source)
