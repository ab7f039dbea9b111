"""What begins behind more text than is looked at first: where it may begin, found by reading on within a bound.

Rules of this file: signs that take no more than one look at any place; what is found is looked at by every form again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from webapp.readers.activities import TEXT
from webapp.readers.event_names import FAMILY, IN_JSON
from webapp.readers.head import HEAD_BYTES

LATE_BYTES = 4_000_000  # of text in front: held in memory until the form is known
BEFORE = 4_000  # bytes in front of the first sign that may belong to it: a head, a fence, an opening bracket
_OVERLAP = 1_000
_SIGN = re.compile(
    IN_JSON.pattern
    + rb"|(?i:"
    + TEXT.pattern
    + rb""")|["']type\\{0,3}["']\s{0,20}:\s{0,20}\\{0,3}["']"""
    + FAMILY.encode()
    + rb"""_[A-Z]|\btype=<?EventType\.|Event\(type=EventType|"""
    + FAMILY.encode()
    + rb"_[A-Z]{1,40}: \{|\btype: '"
    + FAMILY.encode()
)


@dataclass(frozen=True, slots=True)
class Late:
    """held: all that was read; ended: there is no more; start: where to look, None where no sign came."""

    held: bytes
    ended: bool
    start: int | None

    @property
    def window(self) -> bytes:
        """What is to be looked at, one byte more than a head where there is more."""
        return b"" if self.start is None else self.held[self.start : self.start + HEAD_BYTES + 1]

    @property
    def complete(self) -> bool:
        """Whether the window goes to the end."""
        return self.ended and self.start is not None and len(self.held) - self.start <= HEAD_BYTES


def read_on(head: bytes, rest: Iterator[bytes]) -> Late:
    """Go on behind a head that says nothing, until a sign of either protocol comes, or LATE_BYTES are read."""
    held = bytearray(head)
    looked = 0
    while (found := _SIGN.search(held, looked, LATE_BYTES)) is None:
        looked = max(0, len(held) - _OVERLAP)
        if len(held) >= LATE_BYTES:
            return Late(bytes(held), False, None)
        more = next(rest, None)
        if more is None:
            return Late(bytes(held), True, None)
        held += more
    start = held.rfind(b"\n", 0, found.start()) + 1
    if start > BEFORE:
        start = held.find(b"\n", start - BEFORE) + 1
    ended = False
    while len(held) <= start + HEAD_BYTES and not ended:
        more = next(rest, None)
        ended = more is None
        held += more or b""
    return Late(bytes(held), ended, start)
