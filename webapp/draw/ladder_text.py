"""Words of a ladder made to fit: the end or the beginning of a text on a few lines, times of the ruler.

Rules of this file: pure; strings and numbers in, short strings out; no markup.
"""

from __future__ import annotations

from collections.abc import Sequence

from webapp.draw import layout

_SEEN = 400  # characters of a text that can matter to a few short lines


def tail(text: str, px: float, lines: int = 2, font: float = 12) -> list[str]:
    """The end of a text on at most `lines` lines; … says that its beginning is left out."""
    cut = len(text) > _SEEN
    rows = _wrapped(_shown(text[-_SEEN:]), px, font)
    if len(rows) > lines or cut:
        rows = rows[-lines:]
        rows[0] = _headless(rows[0], px, font)
    return [layout.isolate(row) for row in rows]


def head(text: str, px: float, lines: int = 2, font: float = 12) -> list[str]:
    """The beginning of a text on at most `lines` lines; … says that its end is left out."""
    rows = _wrapped(_shown(text[:_SEEN]), px, font)
    if len(rows) > lines or len(text) > _SEEN:
        last = f"{rows[lines - 1] if len(rows) >= lines else rows[-1]}{layout.ELLIPSIS}"
        rows = [*rows[: lines - 1], layout.clip(last, px, font)]
    return [layout.isolate(row) for row in rows]


def _shown(text: str) -> str:
    """On one line: a bubble of two lines has no room for the text's own."""
    return layout.plain(" ".join(text.split()))


def _wrapped(text: str, px: float, font: float) -> list[str]:
    """Lines that break at spaces, and inside a word only where it is wider than a line."""
    rows: list[str] = []
    row = ""
    for word in text.split(" "):
        longer = f"{row} {word}" if row else word
        if layout.width(longer, font) <= px:
            row = longer
            continue
        if row:
            rows.append(row)
        while layout.width(word, font) > px:
            at = _fitting(word, px, font)
            rows.append(word[:at])
            word = word[at:]
        row = word
    return [*rows, row] if row or not rows else rows


def _fitting(word: str, px: float, font: float) -> int:
    """How many characters of a long word fit; never inside a combined character, at least one."""
    clipped = layout.clip(word, px + layout.width(layout.ELLIPSIS, font), font).removesuffix(layout.ELLIPSIS)
    return max(1, len(clipped))


def _headless(row: str, px: float, font: float) -> str:
    """The line with … before it; words go from its beginning until that fits."""
    while layout.width(layout.ELLIPSIS + row, font) > px and " " in row:
        row = row.partition(" ")[2]
    while layout.width(layout.ELLIPSIS + row, font) > px and len(row) > 1:
        row = row[1:]
    return layout.ELLIPSIS + row


def fitting(words: Sequence[str], px: float, font: float, mono: bool = False) -> str:
    """The first of these that fits; the last one, cut, when none does."""
    for one in words:
        if layout.width(one, font, mono) <= px:
            return one
    return layout.clip(words[-1], px, font, mono) if words else ""


def stamp(seconds: float, digits: int = 0) -> str:
    """A place on the ruler: `0 s`, `1.7 s`, `2:05`, `1:02:03`. digits: decimals below 100 s."""
    sign = "\u2212" if seconds < 0 else ""
    value = abs(seconds)
    if value < 99.995:
        return f"{sign}{value:.{digits}f} s"
    return sign + minutes(value, min(digits, 1))


def minutes(seconds: float, digits: int = 0) -> str:
    """`2:05`, `0:00.1`, `1:02:03`. digits: decimals of the seconds."""
    value = round(seconds, digits)
    whole = int(value // 60)
    rest = value - whole * 60
    text = f"{rest:0{3 + digits if digits else 2}.{digits}f}"
    return f"{whole // 60}:{whole % 60:02d}:{text}" if whole >= 60 else f"{whole}:{text}"


def share(seconds: float) -> str:
    """How long, for the clock: `1.6 s`, `118 s`."""
    return f"{seconds:.1f} s" if seconds < 99.95 else f"{seconds:.0f} s"
