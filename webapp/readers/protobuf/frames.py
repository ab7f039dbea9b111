"""A body of frames to frames: 4 bytes of big-endian length, then that many bytes.

Rules of this file: cutting in bounded memory, whatever the lengths say; what is in a frame is not looked at.
"""

from __future__ import annotations

from typing import NamedTuple

PREFIX = 4


class Frame(NamedTuple):
    """offset: of its prefix; size: bytes its prefix declares, None when the prefix itself is cut.

    body: its bytes, of one over the limit only the beginning; have: bytes of it that came
    """

    offset: int
    size: int | None
    body: bytes
    have: int

    @property
    def whole(self) -> bool:
        return self.size == self.have


class FrameCutter:
    """most: bytes of a frame that are held; of a longer one `keep` bytes are."""

    def __init__(self, most: int, keep: int) -> None:
        self.start = 0  # offset of the frame that is being read
        self._most = most
        self._keep = keep
        self._held = bytearray()
        self._skipped = 0  # bytes of a frame over the limit that went by and are not in `_held`

    @property
    def idle(self) -> bool:
        """Whether the bytes so far end with a frame."""
        return not self._held

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that are whole now."""
        self._held += data
        out: list[Frame] = []
        at, end = 0, len(self._held)
        while end - at >= PREFIX:
            size = int.from_bytes(self._held[at : at + PREFIX])
            have = end - at - PREFIX + self._skipped
            if have < size:
                if size > self._most:
                    at = self._skip(at)
                break
            rest = have - size
            body = bytes(self._held[at + PREFIX : min(end - rest, at + PREFIX + self._kept(size))])
            out.append(Frame(self.start, size, body, size))
            self.start += PREFIX + size
            at, self._skipped = end - rest, 0
        del self._held[:at]
        return out

    def close(self) -> Frame | None:
        """What is left when the body ends: a frame that was cut; None when nothing is."""
        held = bytes(self._held)
        if not held:
            return None
        if len(held) < PREFIX:
            return Frame(self.start, None, b"", 0)
        size = int.from_bytes(held[:PREFIX])
        body = held[PREFIX : PREFIX + self._kept(size)]
        return Frame(self.start, size, body, len(held) - PREFIX + self._skipped)

    def ends_with(self, data: bytes) -> bool:
        """Whether frames would end exactly where `data` does, if it came next."""
        held = len(self._held)
        if held < PREFIX:
            data, at = bytes(self._held) + data, 0
        else:
            at = PREFIX + int.from_bytes(self._held[:PREFIX]) - held - self._skipped
        while at + PREFIX <= len(data):
            at += PREFIX + int.from_bytes(data[at : at + PREFIX])
        return at == len(data)

    def _kept(self, size: int) -> int:
        return size if size <= self._most else min(size, self._keep)

    def _skip(self, at: int) -> int:
        """Of a frame over the limit let go what is not kept; it stays at the beginning of `_held`."""
        del self._held[:at]
        over = len(self._held) - PREFIX - self._keep
        if over > 0:
            del self._held[PREFIX + self._keep :]
            self._skipped += over
        return 0
