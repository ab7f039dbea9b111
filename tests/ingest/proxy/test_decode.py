"""The copy that is recorded is readable, bounded, and never the reason that something fails."""

from __future__ import annotations

import gzip
import zlib

import pytest
import zstandard

from webapp.ingest.proxy.decode import Copy, unpacked

TEXT = b"".join(b'data: {"n":%d}\n\n' % n for n in range(500))


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize("step", [1, 7, 100_000])
@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        (None, TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT)),
        ("X-GZIP", gzip.compress(TEXT[:900]) + gzip.compress(TEXT[900:])),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
        ("zstd", zstandard.ZstdCompressor().compress(TEXT)),
    ],
)
def test_each_packing_is_read_however_it_is_split(encoding: str | None, packed: bytes, step: int) -> None:
    """The same text, whatever the parts it comes in."""
    copy = Copy(encoding)
    out = b"".join(piece for at in range(0, len(packed), step) for piece in copy.feed(packed[at : at + step]))
    assert out == TEXT
    assert copy.told == []


def test_what_was_flushed_is_read_at_once() -> None:
    """A stream that is packed as it goes is readable as it goes."""
    packer = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    copy = Copy("gzip")
    for number in range(5):
        event = b"data: %d\n\n" % number
        packed = packer.compress(event) + packer.flush(zlib.Z_SYNC_FLUSH)
        assert b"".join(copy.feed(packed)) == event


@pytest.mark.parametrize(
    ("encoding", "packed", "words"),
    [
        ("br", b"xxxx", "packed as br"),
        ("gzip, br", b"xxxx", "packed as gzip, br"),
        ("gzip", gzip.compress(TEXT)[:60] + b"\0" * 60, "damaged"),
        ("deflate", b"\xff\xff\xff\xff", "damaged"),
        ("zstd", b"\x28\xb5\x2f\xfd" + b"\xff" * 200, "damaged"),
        ("gzip", gzip.compress(bytes(9_000_000)), "too large"),
        ("deflate", zlib.compress(bytes(9_000_000)), "too large"),
    ],
)
def test_what_cannot_be_read_is_told_once_and_raises_nothing(
    encoding: str, packed: bytes, words: str
) -> None:
    """Unknown, damaged, or a trap."""
    copy = Copy(encoding, limit=1_000_000)
    size = sum(len(piece) for _ in range(3) for piece in copy.feed(packed))
    assert size <= 1_000_000
    assert len(copy.told) == 1
    assert words in copy.told[0]
    assert unpacked(packed, encoding, 1_000_000) is None


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd"])
def test_what_ends_too_early_is_told_at_the_end(encoding: str) -> None:
    """What is there is read; a body that never came is no fault."""
    pack = {"gzip": gzip.compress, "deflate": zlib.compress, "zstd": zstandard.ZstdCompressor().compress}
    packed = pack[encoding](TEXT)[:-9]
    copy = Copy(encoding)
    assert TEXT.startswith(b"".join(copy.feed(packed)))
    assert copy.told == []
    copy.close()
    assert len(copy.told) == 1
    assert "ends too early" in copy.told[0]
    assert unpacked(packed, encoding, 1_000_000) is None
    assert unpacked(b"", encoding, 1_000_000) == b""
