"""The base of readers that take a wrapping off, line by line, and hand what is inside to the reader of its own form.

Rules of this file: the map from lines inside to lines outside, and the account of both. What the wrapping is, the
subclass says; which form is inside is decided on the first bytes inside, by `choose`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable

from webapp.core.records import Record
from webapp.readers.base import MAX_STRAYS, Account, Reader, Stray
from webapp.readers.forms import Form
from webapp.readers.head import HEAD_BYTES, Head
from webapp.readers.limits import Limits
from webapp.readers.linewise import LineReader
from webapp.readers.tally import BLANK

SSE = "sse"  # the only form in which a CR alone ends a line
Choose = Callable[[Head], Form | None]


class WrappedReader(LineReader):
    """Subclasses write `line`, which calls `inside` for text of the stream, or `ignore` / `stray` for the rest.

    Blank lines are handed to `blank`, since inside they may matter. `chosen`: the form found inside, once known.
    """

    def __init__(self, limits: Limits | None, choose: Choose) -> None:
        super().__init__(limits)
        self._choose = choose
        self.chosen: Form | None = None
        self._inner: Reader | None = None
        self._waiting = bytearray()  # inside text, until its form is known
        self._lines = array("q")  # outside numbers of inside lines
        self._offsets = array("q")
        self._given = 0
        self._placed = 0  # lines outside that went inside
        self._open_end = False  # the last line inside had no line end: it gets one once another follows

    def inside(self, text: bytes, number: int, offset: int, ended: bool = True) -> None:
        """One line of the stream inside."""
        if self.long:
            self.stray(number, offset, text)
            self.artefact("too-long-line", "A line inside the wrapping is too long to be read.", number)
            return
        if not text and not ended:  # no byte of it reaches the reader inside
            self.ignore(BLANK)
            return
        self._place(text, number, offset)
        data = text + b"\n" if ended else text
        if self._open_end:
            data = b"\n" + data
        self._open_end = not ended
        if self._inner is not None:
            self._give(self._inner.feed(data))
            return
        self._waiting += data
        if len(self._waiting) > HEAD_BYTES:
            self._open(complete=False)

    def blank(self, number: int, offset: int) -> bool:
        """Whether a blank line belongs inside; else it is a blank line of the wrapping."""
        return False

    def _place(self, text: bytes, number: int, offset: int) -> None:
        """Where a line inside stands outside; the reader of an event stream makes several of one with a CR in it."""
        lines = 1
        if self.chosen is not None and self.chosen.name == SSE and b"\r" in text:
            lines += text.removesuffix(b"\r").count(b"\r")
        self._placed += 1
        for _ in range(lines):
            self._lines.append(number)
            self._offsets.append(offset)

    def ending(self) -> None:
        """The input ended: what is still held, then the reader inside."""
        if self._inner is None:
            self._open(complete=True)
        if self._inner is not None:
            self._give(self._inner.close())
            self._merge(self._inner)

    def _open(self, *, complete: bool) -> None:
        text = bytes(self._waiting)
        self._waiting.clear()
        self.chosen = self._choose(Head(text, complete=complete))
        if self.chosen is None:
            for place, line in enumerate(text.split(b"\n")[: len(self._lines)]):
                if line.strip():
                    self.stray(self._lines[place], self._offsets[place], line)
                else:
                    self.ignore(BLANK)
            self._lines = array("q")
            self._offsets = array("q")
            self._open_end = False
            self._placed = 0
            return
        if self.chosen.name == SSE and b"\r" in text:
            held, numbers, offsets = text.split(b"\n"), self._lines, self._offsets
            self._lines, self._offsets, self._placed = array("q"), array("q"), 0
            for line, number, offset in zip(held, numbers, offsets, strict=False):
                self._place(line, number, offset)
        self._inner = self.chosen.reader(self.limits)
        self._give(self._inner.feed(text))

    def _give(self, records: Iterable[Record]) -> None:
        if self._inner is not None:
            mine, its = self.account, self._inner.account
            mine.head_missing = mine.head_missing or its.head_missing
            mine.time_of_day = mine.time_of_day or its.time_of_day
            mine.head = its.head or mine.head
        for record in records:
            place = min(max(record.line, 1), len(self._lines)) - 1
            self._given += 1
            self._records.append(
                Record(
                    record.payload,
                    self._lines[place],
                    self._offsets[place],
                    record.at,
                    record.framing,
                    record.prefix_at,
                )
            )

    def _merge(self, inner: Reader) -> None:
        """The inner account, told in outside lines."""
        mine, its = self.account, inner.account
        self._lines_as_outside(its)
        mine.records += its.records
        mine.not_understood += its.not_understood
        for reason, count in its.ignored.items():
            self.ignore(reason, count)
        mine.strays += its.strays
        mine.strays.sort(key=lambda stray: stray.line)
        del mine.strays[MAX_STRAYS:]
        for artefact in its.artefacts:
            line = artefact.line
            outside = None if line is None else self._lines[min(max(line, 1), len(self._lines)) - 1]
            self.artefact(artefact.kind, artefact.message, outside)

    def _lines_as_outside(self, its: Account) -> None:
        """Several lines inside that are one outside count once, and as used rather than passed over."""
        strays: list[Stray] = []
        for stray in its.strays:
            place = min(max(stray.line, 1), len(self._lines)) - 1
            moved = Stray(self._lines[place], self._offsets[place], stray.text)
            if strays and strays[-1].line == moved.line:
                its.not_understood -= 1
            else:
                strays.append(moved)
        its.strays[:] = strays
        more = its.records + sum(its.ignored.values()) + its.not_understood - self._placed
        unseen = min(
            max(more, 0), its.not_understood - len(strays)
        )  # of which nobody can say where they stand
        its.not_understood -= unseen
        more -= unseen
        for reason in sorted(its.ignored):
            taken = min(max(more, 0), its.ignored[reason])
            its.ignored[reason] -= taken
            more -= taken
        its.records -= min(max(more, 0), its.records)

    def _one(self, text: bytes, length: int, ended: bool) -> None:
        if text.strip() or self.full:
            super()._one(text, length, ended)
            return
        number, offset = self._number, self._offset
        if self.blank(number, offset):
            self._number += 1
            self._offset += length
            self.account.lines += 1
            self.inside(b"", number, offset)
        else:
            super()._one(text, length, ended)
