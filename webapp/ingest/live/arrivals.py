"""When the bytes of a live recording came, by their place in it.

Rules of this file: pure; packing and looking up. A record arrived when its first byte did.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator

import msgspec

from webapp.core.records import Record

_PAIR = struct.Struct("<Qd")
GAP = float("-inf")  # instead of a time: bytes are missing before this offset


def packed(marks: Iterable[tuple[int, float]]) -> bytes:
    """Pairs (offset behind the last byte, unix seconds or GAP) as they are stored."""
    return b"".join([_PAIR.pack(end, at) for end, at in marks])


class Arrivals:
    """Bytes up to an offset, and when they came; added in order. end: the offset up to which they are known."""

    def __init__(self, stored: bytes = b"") -> None:
        self._ends = array("Q")
        self._times = array("d")
        self._gaps = array("Q")
        self._passed = 0  # gaps before the newest record
        self.add(stored)

    def __bool__(self) -> bool:
        return bool(self._ends)

    @property
    def end(self) -> int:
        return self._ends[-1] if self._ends else 0

    def add(self, stored: bytes) -> None:
        """More pairs, as `packed` gives them."""
        for end, at in _PAIR.iter_unpack(stored):
            if at == GAP:
                self._gaps.append(end)
                continue
            self._ends.append(end)
            self._times.append(at)

    def at(self, offset: int) -> float | None:
        """When the byte at `offset` came; None: not known (yet)."""
        place = bisect_right(self._ends, offset)
        return self._times[place] if place < len(self._times) else None

    def stamped(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records with their arrival, in order; those that tell a time of their own keep it. The first one behind
        a gap says so."""
        for record in records:
            if record.at is None and (at := self.at(record.offset)) is not None:
                # a stream of events has no rule about time
                notes = record.framing if "sse" in record.framing else (*record.framing, "arrived")
                record = msgspec.structs.replace(record, at=at, framing=notes)
            if self._passed < len(self._gaps) and self._gaps[self._passed] <= record.offset:
                self._passed = bisect_right(self._gaps, record.offset)
                record = msgspec.structs.replace(record, framing=(*record.framing, "gap"))
            yield record

    def again(self) -> None:
        """The records are read once more from the first."""
        self._passed = 0
