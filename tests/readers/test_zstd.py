"""zstd in a bounded stream."""

from __future__ import annotations

import random

import pytest
import zstandard

from webapp.readers.limits import TooLarge
from webapp.readers.packing.unpack import PIECE
from webapp.readers.packing.zstd import Unzstd
from webapp.readers.several import Refused

TEXT = bytes(random.Random(1).choices(b"abcdef \n", k=200_000))
pack = zstandard.ZstdCompressor().compress


def expand(packed: bytes, size: int = 1000, limit: int = 10**9) -> tuple[bytes, list[str]]:
    unzstd = Unzstd(limit)
    pieces = [piece for at in range(0, len(packed), size) for piece in unzstd.feed(packed[at : at + size])]
    unzstd.close()
    assert all(0 < len(piece) <= PIECE for piece in pieces)
    return b"".join(pieces), [artefact.kind for artefact in unzstd.artefacts]


@pytest.mark.parametrize("size", [1, 7, 1000, 10**7])
def test_any_split_expands_to_the_same_bytes(size: int) -> None:
    """The pieces of the upload do not matter."""
    assert expand(pack(TEXT), size) == (TEXT, ["zstd"])


@pytest.mark.parametrize("size", [1, 10**7])
def test_frames_in_a_row_are_one_stream(size: int) -> None:
    """Appending to a .zst file is possible, and a frame may be there to be skipped."""
    skipped = b"\x53\x2a\x4d\x18\x03\x00\x00\x00xyz"
    assert expand(pack(b"ab") + skipped + pack(b"c"), size) == (b"abc", ["zstd"])


@pytest.mark.parametrize("size", [1, 10**7])
def test_bytes_behind_the_data_are_noted(size: int) -> None:
    """They are not read."""
    assert expand(pack(b"ab") + b"rest", size) == (b"ab", ["zstd", "zstd-trailing"])


def test_a_cut_or_damaged_file_gives_what_is_there() -> None:
    """A note says that it is not all."""
    packed = pack(TEXT)
    assert expand(packed[:-100])[1] == ["zstd", "zstd-cut"]
    assert expand(packed[:4] + b"\xff" * 5000) == (b"", ["zstd", "zstd-broken"])


def test_a_bomb_is_refused_in_one_sentence() -> None:
    """By what it grows to, and by how much it grows."""
    bomb = zstandard.ZstdCompressor(level=1).compress(b"\0" * 100_000_000)
    with pytest.raises(TooLarge, match="holds more than 1 MB"):
        expand(bomb, limit=1_000_000)
    with pytest.raises(Refused, match="more than 1,000 times its size"):
        expand(bomb)


def test_a_frame_that_asks_for_too_much_memory_is_damage() -> None:
    """The window of a frame is bounded."""
    params = zstandard.ZstdCompressionParameters(window_log=30, compression_level=1)
    compressor = zstandard.ZstdCompressor(compression_params=params).compressobj()
    packed = compressor.compress(b"x" * 1000) + compressor.flush()
    assert expand(packed) == (b"", ["zstd", "zstd-broken"])
