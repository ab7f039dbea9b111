"""A text as a reader takes it, with the way back: escapes decoded, wide characters narrow, invisible ones left out.

Rules of this file: one text in, one folded text out, and for each place in it where it stands in the first. Nothing is
judged here. `jane\\u0040example.com`, `jane&#64;example.com`, `jane%40example.com` and `jane＠example.com` fold to one.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from typing import Final

ROUNDS = 3  # an escape may be escaped
_NEEDED = re.compile(r"[\\&%]|[^\x00-\x7f]")
_INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff"
_SPELT: Final = re.compile(
    r"\\{1,16}u([Dd][89ABab][0-9A-Fa-f]{2})\\{1,16}u([Dd][C-Fc-f][0-9A-Fa-f]{2})"
    r"|\\{1,16}(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})|[nrtbf/])"
    r"|&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8}(?=;));?"
    r"|%([2-7][0-9A-Fa-f])"
    rf"|[{_INVISIBLE}]+"
)
_IDEOGRAPHIC_STOP = "\u3002\uff61"  # which a browser takes for a full stop in an address


class _Narrow(dict[int, str | int]):
    """Code point -> what it is folded to, always one character, so that places stay; filled as it is asked."""

    def __missing__(self, point: int) -> str | int:
        made = self[point] = _narrow(chr(point)) if point > 127 else point
        return made


def _narrow(character: str) -> str:
    if character in _IDEOGRAPHIC_STOP:
        return "."
    kind = unicodedata.category(character)
    if kind == "Nd":
        return str(unicodedata.decimal(character))
    if kind == "Pd" or character == "\u2212":
        return "-"
    folded = unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 else character


_NARROW = _Narrow()


class Folded:
    """text: the folded one; `back` gives the place in the first text, in code points, of a place in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._ways: list[tuple[list[int], list[int]]] = []
        if _NEEDED.search(text) is None:
            return
        if not text.isascii():
            self.text = text = text.translate(_NARROW)
        for _ in range(ROUNDS):
            if not self._round():
                break

    @property
    def is_same_length(self) -> bool:
        """Whether every place is the same in both."""
        return not self._ways

    def back(self, place: int) -> int:
        """Where the character at this place begins in the first text."""
        for after, before in reversed(self._ways):
            which = bisect_right(after, place) - 1
            place = before[which] + place - after[which]
        return place

    def _round(self) -> bool:
        text, after, before = self.text, [0], [0]
        out: list[str] = []
        at = length = 0
        for found in _SPELT.finditer(text):
            said = _decoded(found)
            if said is None:
                continue
            out += (text[at : found.start()], said)
            length += found.start() - at + len(said)
            at = found.end()
            after.append(length)
            before.append(at)
        if not at:
            return False
        self.text = "".join((*out, text[at:]))
        self._ways.append((after, before))
        return True


def _decoded(found: re.Match[str]) -> str | None:
    """One character, or none for what cannot be seen; None where nothing was spelt."""
    spelt = found[0]
    match spelt[0]:
        case "\\":
            high, low, *points = found.groups()[:5]
            if high:
                point = 0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF)
            elif digits := points[0] or points[1] or points[2]:
                point = int(digits, 16)
            else:
                return "/" if spelt[-1] == "/" else " "
            return _shown(chr(point)) if point <= 0x10FFFF else None
        case "&":
            said = html.unescape(spelt)
            return _shown(said) if len(said) == 1 else None
        case "%":
            return _shown(chr(int(found[6], 16)))
        case _:
            return ""


def _shown(character: str) -> str:
    """A line's end is a blank, as it is for whoever reads on."""
    return " " if character.isspace() or character < " " else character.translate(_NARROW)
