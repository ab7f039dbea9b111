"""How one text goes on from another. Rules of this file: text in, words out; counted in UTF-16 code units.

A text that was cut between the halves of a surrogate pair (a lone surrogate at its end) still extends. Source:
specification, TEAMS-020 and 2.8; the public streaming page says that a chunk contains all text streamed before.
"""

from __future__ import annotations

import contextlib
import html
import re

import msgspec

# A citation mark, whole or cut off at the end of the text: `[1]`, `[doc1`, `[^2`, `[`, `【4:0†` …
_MARK = re.compile(
    r"\[\^?[A-Za-z]{0,12}[ _-]?\d{1,4}\]|\[\^?[A-Za-z]{0,12}[ _-]?\d{0,4}\Z|【[^【】\s]{0,20}(?:】|\Z)"
)
_NOISE = str.maketrans(dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff*_`~#>\\"))  # white space apart
_ENDS_SENTENCE = (".", "!", "?", "…", ":", "。", "！", "？")
_BEGUN_ALIKE = 4  # characters that a next piece does not share with the beginning of the text, but for chance


class Difference(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How `new` stands to `old`, the text on screen.

    kind: None: it begins with all of it and may only add; else the reason that TEAMS-020 gives, one of
          delta       only the next piece was sent, without what came before
          normalised  the same once white space, escapes and mark-up are left out of account
          stale       an earlier, shorter state of the text
          moved       all of it stands elsewhere in the new text
          rewritten   it ends inside a citation mark such as `[doc1`, and the mark became another
          changed     anything else
    at: index of the first difference in UTF-16 code units; agree: units that agree before it (the same number)
    old_units, new_units: length of both texts in UTF-16 code units
    """

    kind: str | None
    at: int
    agree: int
    old_units: int
    new_units: int


def difference(old: str, new: str) -> Difference:
    """What `new` does to `old`; `kind` is None when it extends it."""
    old_units, new_units = units(old), units(new)
    agree = shared_units(old, new)
    kind = None if extends(old, new) else _kind(old, new)
    if kind is None:
        agree = old_units
    return Difference(kind=kind, at=agree, agree=agree, old_units=old_units, new_units=new_units)


def units(text: str) -> int:
    """UTF-16 code units of a text: what Teams counts."""
    return len(text) + sum(ord(ch) > 0xFFFF for ch in text) if not text.isascii() else len(text)


def shared(old: str, new: str) -> int:
    """Characters that both begin with."""
    if new.startswith(old):
        return len(old)
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[:middle] == new[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def shared_units(old: str, new: str) -> int:
    """UTF-16 code units that both begin with; the first half of a surrogate pair may be the last of them."""
    place = shared(old, new)
    agree = units(old[:place])
    if place < len(old) and place < len(new):
        half = _high(old[place])
        agree += half is not None and half == _high(new[place])
    return agree


def extends(old: str, new: str) -> bool:
    """Whether `new` begins with all of `old`, halves of surrogate pairs included."""
    if new.startswith(old):
        return True
    place = len(old) - 1
    if place < 0 or len(new) <= place or not _lone_high(old[place]):
        return False
    return new.startswith(old[:place]) and _high(old[place]) == _high(new[place])


def unit_at(text: str, at: int) -> str:
    """The character that holds a UTF-16 unit, "" behind the end."""
    return from_unit(text, at)[:1]


def from_unit(text: str, at: int) -> str:
    """The text from a UTF-16 unit on; a pair that the unit lies in is kept whole."""
    if text.isascii():
        return text[at:]
    seen = 0
    for place, ch in enumerate(text):
        seen += 2 if ord(ch) > 0xFFFF else 1
        if seen > at:
            return text[place:]
    return ""


def _lone_high(ch: str) -> bool:
    return 0xD800 <= ord(ch) <= 0xDBFF


def _high(ch: str) -> int | None:
    """The first surrogate of a character beyond the first plane, or the lone one that the character is."""
    code = ord(ch)
    if code > 0xFFFF:
        return 0xD800 + ((code - 0x10000) >> 10)
    return code if _lone_high(ch) else None


def _kind(old: str, new: str) -> str:
    if old in new:
        return "moved"
    plain, other = _plain(old), _plain(new)
    if plain and other.startswith(plain):
        return "normalised"
    if old.startswith(new) or (_lone_high(new[-1]) and extends(new, old)):
        return "stale"
    same = shared(old, new)
    if _in_mark(old, same):
        return "rewritten"
    return "delta" if _goes_on(old, new, same) else "changed"


def _plain(text: str) -> str:
    """What is left of a text without white space, escapes and mark-up."""
    with contextlib.suppress(ValueError):  # a character reference of thousands of digits
        text = html.unescape(text)
    return "".join(text.split()).translate(_NOISE)


def _in_mark(old: str, place: int) -> bool:
    """Whether a citation mark of the text on screen holds the first difference."""
    return any(mark.start() <= place < mark.end() for mark in _MARK.finditer(old, max(0, place - 24)))


def _goes_on(old: str, new: str, same: int) -> bool:
    """Whether `new` reads like the next piece: it is not begun like the old text, and begins in mid-sentence."""
    if same >= min(_BEGUN_ALIKE, len(old)) or old.split(maxsplit=1)[:1] == new.split(maxsplit=1)[:1]:
        return False
    if not new[:1].isupper():
        return True
    return not (old.rstrip().endswith(_ENDS_SENTENCE) or new.rstrip().endswith(_ENDS_SENTENCE))


def repeats_answer(streamed: str, message: str) -> bool:
    """Whether a plain message says once more what was streamed: the same text, or one that begins with it.

    A few characters begin many texts, so they must be the whole of it.
    """
    base = streamed.strip()
    if not base:
        return False
    return extends(base, message.strip()) and (len(base) >= _BEGUN_ALIKE or base == message.strip())
