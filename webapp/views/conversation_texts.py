"""Texts of a window of the conversation, loaded together.

Rules of this file: which text is read whole and which only at its ends; a fixed number of queries for all short
texts, two more for each long one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy.orm import Session

from webapp.redact import joined, marked, marker
from webapp.storage import events, texts
from webapp.storage.models import ItemRow
from webapp.storage.texts import MAX_SMALL, Piece, Total
from webapp.views import bodies
from webapp.views.bodies import Body

RESULT = 30_000  # characters of a result's payload that are read


class Texts:
    """Texts as of record `upto`. base: where a whole text can be had, "" = nowhere; out: markers stand for texts."""

    def __init__(self, session: Session, trace: int, upto: int, base: str, out: bool = False) -> None:
        self.session, self.trace, self.upto, self.base = session, trace, upto, base
        self._out = out
        self.totals: dict[tuple[int, bool], Total] = {}
        self._pieces: dict[tuple[int, bool], str] = {}
        self._after: dict[int, int] = {}
        self.results: dict[int, str] = {}

    def load(self, rows: Sequence[ItemRow], after: Mapping[int, int]) -> None:
        """after: by item, the record whose snapshot had set its text; only later pieces count."""
        groups: dict[int, list[int]] = {}
        for row in rows:
            since = self._after[row.ord] = after.get(row.ord, -1)
            groups.setdefault(since, []).append(row.ord)
        for since, ords in groups.items():
            self._load(ords, since)
        asked = [row.result for row in rows if row.kind == "tool"]
        asked += [row.first for row in rows if row.kind == "result"]
        seqs = [seq for seq in asked if seq is not None and seq <= self.upto]
        self.results = events.payloads(self.session, self.trace, seqs, RESULT + 1)

    def _load(self, ords: list[int], after: int) -> None:
        for total in texts.totals(self.session, self.trace, ords, after, self.upto):
            self._add(total)
        small = [ord_ for ord_ in ords if self._chars(ord_) <= MAX_SMALL]
        pieces = texts.pieces(self.session, self.trace, small, after, self.upto)
        for total, piece in texts.cut(self.session, self.trace, ords, after, self.upto):
            self._add(replace(total, chars=marked(joined(piece.text)) or 0) if self._out else total)
            pieces.append(piece)
        for piece in sorted(pieces, key=_place):
            key = (piece.item, piece.kept)
            self._pieces[key] = self._pieces.get(key, "") + piece.text

    def _add(self, more: Total) -> None:
        key = (more.item, more.kept)
        had = self.totals.get(key)
        if had is not None:
            more = Total(*key, had.count + more.count, had.chars + more.chars, had.first, more.last)
        self.totals[key] = more

    def _chars(self, ord_: int) -> int:
        return sum(t.chars for kept in (True, False) if (t := self.totals.get((ord_, kept))) is not None)

    def text(self, item: ItemRow, kept: bool, *, code: bool = False, before: str = "") -> Body | None:
        """The text of an item, None when nothing came. before: what a snapshot had set already."""
        key = (item.ord, kept)
        total = self.totals.get(key)
        make = bodies.code if code else bodies.body
        if total is None:
            return make(before) if before else None
        if self._out:  # pieces of one text have a marker each
            return make(joined(before + marker(total.chars)) if total.chars else before)
        href = self.link(f"text/{item.ord}?upto={self.upto}")
        piece = self._pieces.get(key, "")
        if len(piece) >= total.chars:
            return make(before + piece, href)
        head = bodies.SHOWN - bodies.TAIL
        where = (self.session, self.trace, item.ord, self._after[item.ord], self.upto, kept)
        start = texts.end_of(*where, head, True)
        end = texts.end_of(*where, bodies.TAIL, False) + piece
        size = len(before) + total.chars
        return make((before + start)[:head], href, tail=end[-bodies.TAIL :], chars=size)

    def last(self, item: ItemRow) -> int:
        """The last of an item's records so far."""
        if item.last <= self.upto:
            return item.last
        ends = [t.last for kept in (True, False) if (t := self.totals.get((item.ord, kept))) is not None]
        return max([item.first, *ends])

    def result(self, seq: int) -> Body:
        """The content of the result at a record."""
        raw = self.results.get(seq, "")
        whole = len(raw) <= RESULT
        content = bodies.result(raw, whole)
        href = self.link(f"record/{seq}")
        if content == "":
            return bodies.body("an empty text")
        if content is None:
            return bodies.body(
                "It is too long to be shown here." if not whole else "It has no content.", href
            )
        if isinstance(content, list):
            text, chips = bodies.parts(content)
            return bodies.body("\n".join([text, *chips]).strip(), href)
        made = bodies.value(content, href)
        if whole:
            return made
        return Body(made.head, bodies.body("").tail, max(1, made.left), href, made.code)

    def link(self, tail: str) -> str:
        return f"{self.base}/{tail}" if self.base else ""


def _place(piece: Piece) -> tuple[int, int]:
    return piece.item, piece.first
