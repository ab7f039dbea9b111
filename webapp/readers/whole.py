"""The base of readers that need the whole text before they can say anything: exports, dumps, archives.

Rules of this file: holding bytes within a bound, and the account of lines; what is in them, the reader says in `all`.
"""

from __future__ import annotations

from bisect import bisect_right

from webapp.core.records import Record
from webapp.readers.base import Stray
from webapp.readers.limits import Limits, in_words
from webapp.readers.lines import BOM
from webapp.readers.tally import BLANK, PAST, Tally, is_utf8

HELD_BYTES = 128_000_000


class WholeReader(Tally):
    """Subclasses write `all(text)`, which calls `offer` for each record, in order; lines are accounted for here.

    frame: what is said of lines that are not blank and belong to no record
    """

    name = ""
    frame = "the export around its records"

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self._held = bytearray()
        self._over = False
        self._records: list[Record] = []
        self._used: set[int] = set()  # lines that went into records
        self._strayed: set[int] = set()  # lines with something nobody could use
        self._starts: list[int] = []

    def all(self, text: bytes) -> None:
        """The whole text, without a byte order mark. Offsets are those of `text`."""
        raise NotImplementedError

    def feed(self, chunk: bytes) -> list[Record]:
        """Take the next bytes; no record yet."""
        room = HELD_BYTES - len(self._held)
        self._held += chunk[:room]
        self._over = self._over or len(chunk) > room
        return []

    def close(self) -> list[Record]:
        """The input ended: all records."""
        text = bytes(self._held)
        self._held.clear()
        bom = len(BOM) if text.startswith(BOM) else 0
        text = text[bom:]
        self._starts = _line_starts(text)
        if self._over:
            self.artefact("too-large", f"Only the first {in_words(HELD_BYTES)} of this form can be read.")
        self.all(text)
        self._account(text)
        if bom:
            self._records = [_moved(record, bom) for record in self._records]
            self.account.strays[:] = [
                Stray(stray.line, stray.offset + bom, stray.text) for stray in self.account.strays
            ]
        out, self._records = self._records, []
        return out

    def stray(self, line: int, offset: int, text: bytes) -> None:
        """Something nobody could use; a line counts once."""
        if line not in self._strayed:
            self._strayed.add(line)
            super().stray(line, offset, text)

    def line_of(self, offset: int) -> int:
        """The 1-based number of the line a byte of `text` is in."""
        return bisect_right(self._starts, offset)

    def offer(
        self,
        payload: bytes,
        offset: int,
        end: int | None = None,
        *,
        at: float | None = None,
        prefix_at: float | None = None,
        framing: tuple[str, ...] = (),
    ) -> None:
        """One record. offset, end: the bytes of `text` it was made of (end None: it has just its line)."""
        number = self.line_of(offset)
        last = number if end is None else self.line_of(max(end - 1, offset))
        if not self.room(number):
            return
        notes = framing
        if len(payload) > self.limits.max_record_bytes:
            payload = self.cut(payload, number)
            notes += ("too-long",)
        if not is_utf8(payload):
            notes += ("invalid-utf8",)
        self._used.update(range(number, last + 1))
        self._records.append(Record(payload, number, self._starts[number - 1], at, notes, prefix_at))

    def _account(self, text: bytes) -> None:
        account = self.account
        account.lines = len(self._starts)
        account.records = len(self._used - self._strayed)
        rest = blank = 0
        for number in range(1, len(self._starts) + 1):
            if number in self._used or number in self._strayed:
                continue
            end = self._starts[number] if number < len(self._starts) else len(text)
            if not text[self._starts[number - 1] : end].strip():
                blank += 1
            else:
                rest += 1
        self.ignore(BLANK, blank)
        self.ignore(PAST if self.full else self.frame, rest)


def _line_starts(text: bytes) -> list[int]:
    starts, at = [0] if text else [], 0
    while (at := text.find(b"\n", at) + 1) and at < len(text):
        starts.append(at)
    return starts


def _moved(record: Record, by: int) -> Record:
    return Record(
        record.payload, record.line, record.offset + by, record.at, record.framing, record.prefix_at
    )
