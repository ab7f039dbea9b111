"""Folding: consecutive records that only add text become one row, and one segment of text for each item.

Rules of this file: when a burst begins and ends, and the tuples of its segments. A *burst* is a run of consecutive
records that only add text, have no finding and reached equally far; it is cut at BURST_RECORDS records or
BURST_CHARS characters. `grow` runs once a record, so every line of it costs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from webapp.core.records import Item
from webapp.redact import joined
from webapp.storage.items import BURST_RECORDS
from webapp.storage.storable import storable

BURST_CHARS = 64 * 1024


class Bursts:
    """segments: finished ones, tuples in the order of `Segment`'s columns; the caller empties the list.

    length: characters of a piece; a redacted one says how many there were
    """

    def __init__(self, trace: int, length: Callable[[str], int] = len) -> None:
        self.segments: list[tuple[Any, ...]] = []
        self._trace = trace
        self._length = length
        self._parts: dict[
            int, tuple[list[Any], list[str]]
        ] = {}  # items.ord -> ([first, last, lane, kind], texts)
        self._item: Item | None = None  # the newest one, and its part
        self._part: list[Any] = []
        self._texts: list[str] = []
        self._first = 0
        self._last = -1
        self._end = 0  # record number at which the burst is full
        self._reached = 0
        self._room = 0  # characters that still fit

    def grow(self, item: Item, lane: int, seq: int, reached: int, delta: str) -> int:
        """A record that only adds text: 1 when it begins a burst, 0 when it is folded into the one before it."""
        head = 0
        if seq >= self._end or reached != self._reached or self._room <= 0:
            self.end()
            head = 1
            self._first = seq
            self._end = seq + BURST_RECORDS
            self._reached = reached
            self._room = BURST_CHARS
        self._last = seq
        self._room -= len(delta)
        if item is self._item:
            self._part[1] = seq
            self._texts.append(delta)
        else:
            self._turn_to(item, lane, seq, delta)
        return head

    def alone(self, item: Item, lane: int, seq: int, reached: int, delta: str) -> None:
        """A record that adds text and stands for itself: a burst of one."""
        self.grow(item, lane, seq, reached, delta)
        self.end()

    def end(self) -> None:
        """Whatever comes next is not folded into this burst."""
        self._end = 0
        self._item = None
        if self._parts:
            self.segments += self.unfinished()
            self._parts = {}

    def unfinished(self) -> list[tuple[Any, ...]]:
        """The segments of the burst that goes on, as if it ended here."""
        rows = []
        for ord_, ((first, last, lane, kind), texts) in self._parts.items():
            text = "".join(texts)
            where = (self._trace, first, last, self._first, self._last, ord_, lane, kind, self._reached)
            chars = len(text)
            if self._length is not len:
                chars, text = sum(map(self._length, texts)), joined(text)
            rows.append((*where, len(texts), chars, storable(text)))
        return rows

    @property
    def begun(self) -> int:
        """The first record of the newest burst."""
        return self._first

    def _turn_to(self, item: Item, lane: int, seq: int, delta: str) -> None:
        known = self._parts.get(item.ord)
        if known is None:
            known = self._parts[item.ord] = [seq, seq, lane, item.kind], []
        self._item = item
        self._part, self._texts = known
        self._part[1] = seq
        self._texts.append(delta)
