"""Bytes of a live recording on their way to the database: cut after whole lines, credentials overwritten, times kept.

Rules of this file: memory only; one thread. What is handed on ends with a line end, and in an event stream with an
event's, but for the end of the recording and for what is too long to wait for: so no credential is looked for in two
halves. Where bytes are missing, the lines that were torn by it are missing whole: half a line would be told as a fault
of the producer.
"""

from __future__ import annotations

from webapp.core.masking.masker import Masker, masked
from webapp.ingest.live.arrivals import GAP, packed
from webapp.storage.captures import Piece

MAX_LINE = 1024 * 1024  # bytes of a line that are waited for; of a longer one the beginning goes ahead
MAX_EVENT = 64 * 1024  # the same of an event in several lines
MAX_LINES = 64  # of an event; where it seems to have more, blank lines were lost, and the reader waits no longer either
BOM = b"\xef\xbb\xbf"


class Lines:
    """Incremental. on: credentials are looked for; count: how many were overwritten; size: bytes handed on;
    received: bytes taken; waiting: bytes of a line whose end has not come; missing: bytes that were left out;
    lost_end: nothing came behind the last of these."""

    def __init__(self, on: bool, size: int = 0) -> None:
        self.count = 0
        self.size = size
        self.missing = 0
        self._on = on
        self._held = bytearray()
        self._long: Masker | None = None  # of a line that goes ahead in parts
        self._ahead = False  # the beginning of a line went ahead
        self._torn = False  # up to the next line end nothing is taken
        self.lost_end = False
        self._events: bool | None = None  # it is an event stream; None until something came
        self.received = size
        self._marks: list[tuple[int, float]] = []  # of what was received and not handed on

    @property
    def waiting(self) -> int:
        return len(self._held)

    def feed(self, data: bytes, at: float) -> None:
        """Take the next bytes, which came at `at` (unix seconds)."""
        if self._torn:
            end = data.find(b"\n") + 1
            self.missing += end or len(data)
            if not end:
                return
            self._torn, data = False, data[end:]
        if data:
            self.lost_end = False
            self._add(data, at)

    def gap(self, size: int, at: float) -> None:
        """Of the stream, `size` bytes were lost here; the last of them came at `at`."""
        self.missing += size
        self._torn = True
        begun = len(self._held) - _whole_lines(self._held)
        if begun:
            self.missing += begun
            del self._held[-begun:]
            self.received -= begun
            came = [mark for mark in self._marks if mark[0] >= self.received][:1]
            self._marks = [mark for mark in self._marks if mark[0] < self.received]
            self._marks += [(self.received, time) for _, time in came]
        if self.received:  # a blank line: what comes after the gap is no part of the event before it
            self._add(b"\n\n" if self._ahead and not self._held else b"\n", at)
        self._marks.append((self.received, GAP))
        self.lost_end = True

    def take(self, last: bool = False) -> Piece | None:
        """What can be stored by now. last: the recording has ended, so everything."""
        held = self._held
        cut = len(held) if last else self._settled_up_to()
        if not cut and len(held) > MAX_LINE:
            cut = len(held)
            self._long = self._long or Masker()
        if not cut and not (last and self._long):
            return None
        text = bytes(held[:cut])
        del held[:cut]
        self._ahead = not text.endswith((b"\n", b"\r"))
        text = self._masked(text, last or not self._ahead)
        if not text:
            return None
        self.size += len(text)
        return Piece(text, packed(self._settled()), text.count(b"\n"))

    def _add(self, data: bytes, at: float) -> None:
        self._held += data
        self.received += len(data)
        self._marks.append((self.received, at))

    def _settled_up_to(self) -> int:
        """How much of what is held ends with a whole line and, where events are told apart by blank lines, event."""
        held = self._held
        cut = _whole_lines(held)
        if self._events is None and (begun := held.removeprefix(BOM).lstrip()):
            self._events = not begun.startswith((b"{", b"["))
        if cut and self._events:
            whole = _whole_events(held, cut)
            if cut - whole < MAX_EVENT and held.count(b"\n", whole, cut) < MAX_LINES:
                return whole
        return cut

    def _masked(self, text: bytes, ended: bool) -> bytes:
        if not self._on:
            self._long = None
            return text
        if self._long is None:
            text, count = masked(text)
            self.count += count
            return text
        masker = self._long
        before = masker.count
        text = masker.feed(text)
        if ended:
            text += masker.close()
            self._long = None
        self.count += masker.count - before
        return text

    def _settled(self) -> list[tuple[int, float]]:
        """The times of the bytes that are handed on; what is left of a chunk keeps its own."""
        done = [mark for mark in self._marks if mark[0] <= self.size]
        rest = self._marks[len(done) :]
        if rest and (not done or done[-1][0] < self.size):
            done.append((self.size, rest[0][1]))
        self._marks = rest
        return done


def _whole_lines(held: bytearray) -> int:
    """Bytes up to the last line end. A CR that ends them may have its LF still to come."""
    line = held.rfind(b"\n") + 1
    carriage = held.rfind(b"\r", line, len(held) - 1) + 1 if len(held) else 0
    return max(line, carriage)


def _whole_events(held: bytearray, cut: int) -> int:
    """Bytes up to the end of the last blank line before `cut`."""
    ends = [
        held.rfind(end, 0, cut) + len(end)
        for end in (b"\n\n", b"\n\r\n", b"\r\r")
        if held.rfind(end, 0, cut) >= 0
    ]
    return max(ends, default=1 if held.startswith(b"\n") else 0)
