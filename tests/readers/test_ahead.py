"""The beginning is looked at, and nothing of it is lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from webapp.readers.ahead import ahead


@pytest.mark.parametrize(
    ("pieces", "size", "first"),
    [
        ([b"ab", b"cd", b"ef"], 3, b"abcd"),
        ([b"ab", b"", b"cd"], 4, b"abcd"),
        ([b"abcdef", b"gh"], 2, b"abcdef"),
        ([b"ab"], 3, b"ab"),
        ([], 3, b""),
    ],
)
def test_whole_pieces_are_read_until_there_is_enough(pieces: list[bytes], size: int, first: bytes) -> None:
    """What was looked at comes again, before all that was not."""
    begun, everything = ahead(pieces, size)
    assert begun == first
    assert b"".join(everything) == b"".join(pieces)


def test_no_more_is_taken_than_is_needed() -> None:
    """A body that is still arriving is not waited for."""
    taken: list[bytes] = []

    def arriving() -> Iterator[bytes]:
        for piece in (b"ab", b"cd", b"ef"):
            taken.append(piece)
            yield piece

    _, rest = ahead(arriving(), 3)
    assert taken == [b"ab", b"cd"]
    assert b"".join(rest) == b"abcdef"
