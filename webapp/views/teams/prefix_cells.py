"""Text as cells, one UTF-16 code unit or pair each: how a character looks that cannot be seen by itself.

Rules of this file: pure; text in, cells out. At most BEFORE cells of what agrees and AFTER of what follows.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from webapp.core.teams.compare import units
from webapp.views import names

BEFORE = 30  # cells of what agrees: HEAD of its beginning, … and the rest of its end
AFTER = 60
_HEAD = 9
_SIGNS = {" ": "·", "\n": "⏎", "\r": "␍", "\t": "⇥", "\u00a0": "⍽"}
_NAMES = {
    " ": "a space",
    "\n": "a line feed",
    "\r": "a carriage return",
    "\t": "a tab",
    "\u00a0": "a no-break space",
}
_UNSEEN = ("Cc", "Cf", "Zs", "Zl", "Zp", "Co", "Cn", "Mn", "Me")


@dataclass(frozen=True, slots=True)
class Cell:
    """One UTF-16 unit, or a pair that is one character (wide). look: same | del | add | gap; name: on hover."""

    sign: str
    look: str
    name: str = ""
    wide: bool = False


def _name(char: str) -> str:
    """The name of a character that cannot be seen by itself; empty for the others."""
    if char in _NAMES:
        return _NAMES[char].split(" ", 1)[1]
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:
        return f"half of a surrogate pair (U+{code:04X})"
    if unicodedata.category(char) not in _UNSEEN:
        return ""
    return f"{unicodedata.name(char, 'control character').lower()} (U+{code:04X})"


def in_words(char: str) -> str:
    """`“d”`, `a space`, `zero width space (U+200B)`; `nothing` behind the end of a text."""
    if not char:
        return "nothing"
    return _NAMES.get(char) or _name(char) or f"“{char}”"


def legend(cells: Iterable[Cell]) -> list[tuple[str, str]]:
    """The signs among these cells that stand for white space, and what each means."""
    used = {cell.sign for cell in cells if cell.name and cell.look != "gap"}
    return [(sign, _name(char)) for char, sign in _SIGNS.items() if sign in used]


def _cell(char: str, look: str) -> Cell:
    name = _name(char)
    if char in _SIGNS:
        return Cell(_SIGNS[char], look, name)
    if not name:
        return Cell(char, look, wide=ord(char) > 0xFFFF)
    if unicodedata.category(char) in ("Mn", "Me"):
        return Cell(f"\u25cc{char}", look, name)
    return Cell(f"{ord(char):X}", look, name, wide=True)


def same(text: str, agree: int) -> Iterator[Cell]:
    """The agreeing part: whole, or its beginning, … and its end."""
    part = _units_of(text, agree)
    if len(part) <= BEFORE:
        yield from (_cell(char, "same") for char in part)
        return
    tail = part[-(BEFORE - _HEAD - 1) :]
    left = units(part) - units(part[:_HEAD]) - units(tail)
    yield from (_cell(char, "same") for char in part[:_HEAD])
    yield Cell("…", "gap", f"{names.plural(left, 'character')} that agree")
    yield from (_cell(char, "same") for char in tail)


def _units_of(text: str, count: int) -> str:
    """The first units of a text; half a pair at the end is kept as what it is."""
    if text.isascii():
        return text[:count]
    wide = text.encode("utf-16-le", "surrogatepass")[: 2 * count]
    return wide.decode("utf-16-le", "surrogatepass")


def rest(text: str, agree: int, look: str) -> tuple[list[Cell], int]:
    """Cells from the first difference on, and how many units are left out behind them."""
    raw = text.encode("utf-16-le", "surrogatepass")[2 * agree :]
    part = raw.decode("utf-16-le", "surrogatepass") if not text.isascii() else text[agree:]
    shown = part[:AFTER]
    return [replace(_cell(char, look), look=look) for char in shown], units(part[AFTER:])
