"""gzip in a bounded stream."""

from __future__ import annotations

import gzip
import random

import pytest

from webapp.readers.limits import Limits, TooLarge
from webapp.readers.packing.unpack import PIECE, Gunzip

TEXT = bytes(random.Random(1).choices(b"abcdef \n", k=200_000))


def expand(packed: bytes, size: int = 1000, limit: int = 10**9) -> tuple[bytes, list[str]]:
    gunzip = Gunzip(limit)
    pieces = [piece for at in range(0, len(packed), size) for piece in gunzip.feed(packed[at : at + size])]
    gunzip.close()
    assert all(0 < len(piece) <= PIECE for piece in pieces)
    return b"".join(pieces), [artefact.kind for artefact in gunzip.artefacts]


@pytest.mark.parametrize("size", [1, 7, 1000, 10**7])
def test_any_split_expands_to_the_same_bytes(size):
    """The pieces of the upload do not matter."""
    assert expand(gzip.compress(TEXT), size) == (TEXT, ["gzip"])


@pytest.mark.parametrize("size", [1, 10**7])
def test_members_in_a_row_are_one_stream(size):
    """Appending to a .gz file is common."""
    packed = gzip.compress(b"ab") + gzip.compress(b"") + gzip.compress(b"c")
    assert expand(packed, size) == (b"abc", ["gzip"])


@pytest.mark.parametrize("size", [1, 10**7])
def test_bytes_behind_the_data_are_noted_and_zeros_are_padding(size):
    """Only real bytes deserve a note."""
    assert expand(gzip.compress(b"ab") + b"\0" * 9, size) == (b"ab", ["gzip"])
    assert expand(gzip.compress(b"ab") + b"junk", size) == (b"ab", ["gzip", "gzip-trailing"])


def test_a_cut_file_gives_what_is_there():
    """A broken download is worth reading."""
    text, kinds = expand(gzip.compress(TEXT)[:-5000])
    assert TEXT.startswith(text)
    assert len(text) > 100_000
    assert kinds == ["gzip", "gzip-cut"]


@pytest.mark.parametrize("size", [1, 1000, 10**7])
def test_damage_gives_what_came_before_it(size):
    """Also when the damage is found in the same piece of input."""
    packed = bytearray(gzip.compress(TEXT))
    packed[-8] ^= 1  # the checksum
    assert expand(bytes(packed), size) == (TEXT, ["gzip", "gzip-broken"])


def test_a_bomb_is_refused_in_one_sentence():
    """The limit holds in the middle of a piece of input."""
    pieces = Gunzip(3_000_000).feed(gzip.compress(b"\0" * 50_000_000))
    got: list[bytes] = []
    with pytest.raises(TooLarge) as caught:
        got.extend(pieces)
    assert sum(map(len, got)) <= 3_000_000
    assert str(caught.value).startswith("The compressed file holds more than 3 MB;")


def test_exactly_the_limit_is_allowed():
    """The near case."""
    assert expand(gzip.compress(b"x" * 1000), limit=1000)[0] == b"x" * 1000


def test_the_default_limits_are_those_of_the_settings():
    """1 GB, 2 million records, 16 MB a record."""
    limits = Limits()
    assert (limits.max_expanded_bytes, limits.max_records, limits.max_record_bytes) == (
        10**9,
        2 * 10**6,
        16 * 10**6,
    )
