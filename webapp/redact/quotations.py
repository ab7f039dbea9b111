"""What sentences of findings quote of a trace at level `personal`, as the trace looks after redaction.

Rules of this file: sentences in, sentences out, and what was overwritten or hidden remembered for them. A quotation may
be shortened with `…` and may begin or end inside what was overwritten.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from webapp.redact.base import Redactor
from webapp.redact.folding import Folded
from webapp.redact.sentences import WORDS
from webapp.redact.texts import DOT, NO_MAIL, Place, merged, overwritten, places
from webapp.redact.values import write

SHORTEST_PIECE = 4  # characters of a quotation that can be looked for in texts
MAX_LOOKED = 2_000_000  # characters of texts that are looked through for a quotation
MAX_SHORT = 10_000  # hidden values that are shorter than a piece
MAX_HIDDEN = 1_000  # strings and numbers of one hidden value
_QUOTED = re.compile(r"\"([^\"]{4,})\"")
_LEFT = re.compile(r"[\w.%+'-]{1,64}@[\w.-]{1,80}")
_CUT = re.compile(r"(?<=\"…)[\d .()/+-]{4,}|[\d .()/+-]{5,}(?=…\")")

Changed = list[tuple[str, str]]  # texts in which something was overwritten: before, after


class Quotations:
    """Of one trace. more: texts that others have overwritten."""

    def __init__(self, red: Redactor, more: Callable[[], Changed]) -> None:
        self._red = red
        self._more = more
        self._changed: Changed = []
        self._short: set[str] = set()
        self._size = 0

    def overwritten(self, before: str, after: str) -> None:
        """A text was made another one of the same length."""
        if self._size <= MAX_LOOKED:  # once beyond it nothing is quoted any more
            self._size += len(before)
            self._changed.append((before, after))

    def hidden(self, value: Any) -> None:
        """A value was taken out whole: its strings and numbers are not quoted."""
        stack, left = [value], MAX_HIDDEN
        while stack and left:
            left -= 1
            one = stack.pop()
            if isinstance(one, dict):
                stack += [*one.keys(), *one.values()]
            elif isinstance(one, list):
                stack += one
            elif one is not None and not isinstance(one, bool):
                self._hide(one if isinstance(one, str) else write(one).decode())
        if stack:
            self._size = MAX_LOOKED + 1

    def _hide(self, text: str) -> None:
        for said in {text, write(text).decode()[1:-1]}:
            said = said.replace("`", "'")  # as the engine quotes it
            if len(said) >= SHORTEST_PIECE:
                self.overwritten(said, DOT * len(said))
            elif said and len(self._short) < MAX_SHORT:
                self._short.add(said)

    def words(self, sentence: str) -> str:
        """What is overwritten in the texts is overwritten in quotations of them, cut ones too."""
        parts = sentence.split("`")
        for place, part in enumerate(parts):
            if place % 2 and part in self._red.aliases:
                parts[place] = self._red.aliases[part]
            elif not (place % 2 and (part in self._red.ids or part in WORDS)):
                parts[place] = self._said(part, code=bool(place % 2))
        return "`".join(parts)

    def _said(self, part: str, *, code: bool) -> str:
        part = self._as_made(part) if code else _QUOTED.sub(lambda hit: f'"{self._as_made(hit[1])}"', part)
        part = overwritten(part, merged(places(part) + _begun(part)), self._red.removed)
        return _CUT.sub(lambda hit: DOT * len(hit[0]), part)

    def _as_made(self, quoted: str) -> str:
        """A piece of a text as that text looks now; of a shortened one its head and its tail."""
        return "…".join(self._piece_as_made(piece) for piece in quoted.split("…"))

    def _piece_as_made(self, quoted: str) -> str:
        """Where there are too many texts to look through it is left out."""
        piece = quoted.strip('"')
        if len(piece) < SHORTEST_PIECE:
            return quoted.replace(piece, DOT * len(piece)) if piece in self._short else quoted
        left = MAX_LOOKED
        for before, after in (*self._changed, *self._more(), *self._red.aliases.items()):
            left -= len(before)
            if left < 0:
                break
            if (at := before.find(piece)) >= 0:
                return quoted.replace(piece, after[at : at + len(piece)])
        return quoted if left >= 0 and self._size <= MAX_LOOKED else self._red.text(quoted, "quotations")


def _begun(part: str) -> list[Place]:
    """Addresses of which the end was cut off."""
    folded = Folded(part)
    return [
        Place(folded.back(hit.start()), folded.back(hit.end()), "e-mail addresses")
        for hit in _LEFT.finditer(folded.text)
        if not hit[0].lower().endswith(NO_MAIL)
    ]
