"""Geometry that diagrams share: times and sizes in words, how wide a text is, how to shorten it.

Rules of this file: pure functions from numbers and strings to numbers and strings; no markup. Widths are in
CSS pixels and are estimates made on the generous side, so that a label cut to fit really fits: no font is
measured.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise

ELLIPSIS = "…"
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")
_FSI, _PDI = "\u2068", "\u2069"
_NARROW = frozenset("fijlrtI .,:;'!|()[]{}-/\\\u2019\u00b7\u2009")
_WIDE = frozenset("mwMW@%\u2026\u2014")
_EXACT = (-1, 0, 1, 2, 3)  # decimals of times that stand under each other; -1: as short as they can be
_MONO = 0.61  # em of one cell in the monospaced faces of app.css


# ── times and sizes ──────────────────────────────────────────


def since(seconds: float) -> str:
    """Time since the start of the trace: `0 ms`, `9 ms`, `4.17 s`, `2 min 05 s`, `3 h 04 min`."""
    if seconds < 0:
        return "\u2212" + since(-seconds)
    if seconds < 0.0095:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 99.995:
        return f"{seconds:.2f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02d} min"


def apart(
    times: Sequence[float | None],
    exact: Callable[[float, int], str] | None = None,
    steps: Sequence[int] = _EXACT,
) -> list[str]:
    """Times since the start for rows that stand under each other, all as exact as it takes for neighbours that a
    millisecond or more parts to read differently: `5:50.35`, `5:50.37`. None is "".

    exact: writes seconds with so many decimals, one of steps; else as `since` does where that is enough
    """
    write = exact or _exact
    known = [seconds for seconds in times if seconds is not None]
    pairs = [(a, b) for a, b in pairwise(known) if abs(a - b) >= 0.0009995]
    for digits in steps:
        if all(write(a, digits) != write(b, digits) for a, b in pairs):
            break
    return ["" if seconds is None else write(seconds, digits) for seconds in times]


def _exact(seconds: float, digits: int) -> str:
    """As `since`, with so many decimals of the seconds where it would leave them out. digits: -1 adds nothing."""
    if seconds < 0:
        return "\u2212" + _exact(-seconds, digits)
    if digits == _EXACT[-1] and seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if digits < 0 or seconds < 0.0095:
        return since(seconds)
    if seconds < 99.995:
        return f"{seconds:.{max(2, digits)}f} s"
    size = round(seconds, digits)
    minutes, rest = int(size // 60), size % 60
    if not digits and minutes < 60:
        return since(size)
    told = f"{rest:0{digits + 3 if digits else 2}.{digits}f}"
    return f"{minutes}:{told}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{told}"


def duration(seconds: float) -> str:
    """How long something took: `9 ms`, `740 ms`, `3.2 s`, `41 s`, `2 min 05 s`."""
    if seconds < 0:
        return "\u2212" + duration(-seconds)
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    return since(seconds)


def gap(seconds: float) -> str:
    """Time since the event before: `+9 ms`, `+1.2 s`."""
    text = duration(seconds)
    return text if text.startswith("\u2212") else f"+{text}"


def size(count: int) -> str:
    """Bytes, in decimal units: `87 B`, `1.1 kB`, `34 kB`, `2.4 MB`."""
    if count < 1000:
        return f"{count} B"
    for unit in ("kB", "MB"):
        value = count / 1000
        if value < 9.95:
            return f"{value:.1f} {unit}"
        if value < 999.5:
            return f"{value:.0f} {unit}"
        count = round(value)
    return f"{count / 1000:.1f} GB"


def numbers(first: int, last: int) -> str:
    """Names of records: `#12`, `#23–350`."""
    return f"#{first}" if last <= first else f"#{first}–{last}"


# ── text ─────────────────────────────────────────────────────


def width(text: str, font: float = 12, mono: bool = False) -> float:
    """How wide a line of text is at a font size, both in px. Wide scripts and emoji count as wide."""
    return sum(_em(c, mono) for c in text) * font


def _em(char: str, mono: bool) -> float:
    if char <= "~":
        if mono:
            return _MONO
        if char in _NARROW:
            return 0.34
        if char in _WIDE:
            return 0.92
        return 0.69 if char.isupper() else 0.585
    if char in _JOINERS or char in _BIDI or unicodedata.combining(char):
        return 0.0
    if unicodedata.east_asian_width(char) in "WF":
        return 1.3 if char >= "\U0001f000" else 1.05
    if char >= "\U0001f000":
        return 1.3
    if mono:
        return _MONO if char < "\u0370" or "\u2000" <= char < "\u2600" else 0.8
    return 0.92 if char in _WIDE else 0.34 if char in _NARROW else 0.7


def plain(text: str) -> str:
    """Text of a trace made fit for one line: breaks become ⏎, controls and direction marks go."""
    if text.isascii() and text.isprintable():
        return text
    out: list[str] = []
    for c in text:
        if c == "\n":
            out.append("⏎")
        elif c in "\t\u2028\u2029":
            out.append(" ")
        elif c in _BIDI or c == "\r":
            continue
        elif unicodedata.category(c) in ("Cc", "Cs"):
            out.append("\ufffd")
        else:
            out.append(c)
    return "".join(out)


def isolate(text: str) -> str:
    """Text that may run from right to left, kept from turning its neighbours round."""
    return f"{_FSI}{text}{_PDI}" if any(_turns(c) for c in text) else text


def _turns(char: str) -> bool:
    return char > "\u0590" and unicodedata.bidirectional(char) in ("R", "AL", "AN")


def clip(text: str, px: float, font: float = 12, mono: bool = False) -> str:
    """The text, cut with … so that it is at most `px` wide; never inside a combined character."""
    if width(text, font, mono) <= px:
        return text
    room = px - width(ELLIPSIS, font, mono)
    used = 0.0
    cut = 0  # the last place where a cut splits no cluster
    for at, char in enumerate(text):
        if at and _boundary(text, at):
            cut = at
        used += _em(char, mono) * font
        if used > room:
            break
    return text[:cut].rstrip() + ELLIPSIS if cut else (ELLIPSIS if room >= 0 else "")


def _boundary(text: str, at: int) -> bool:
    """Whether text[:at] and text[at:] may stand apart."""
    here, before = text[at], text[at - 1]
    if unicodedata.combining(here) or here in _JOINERS or before == "\u200d":
        return False
    if "\U0001f3fb" <= here <= "\U0001f3ff":  # skin tones
        return False
    return not _flag(here) or _flags_before(text, at) % 2 == 0  # flags are pairs


def _flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    count = 0
    while at - count > 0 and _flag(text[at - count - 1]):
        count += 1
    return count


def quote(text: str, px: float, font: float = 12, mono: bool = False) -> str:
    """Text of a trace in quotation marks, on one line and at most `px` wide, the marks included."""
    marks = width("“”", font, mono)
    return f"“{isolate(clip(plain(text), px - marks, font, mono))}”"


def short_id(identifier: str, limit: int = 14) -> str:
    """An id shortened in the middle: `toolu_01…9fQz`. limit: characters at most, 5 or more."""
    shown = plain(identifier)
    if len(shown) <= limit:
        return isolate(shown)
    tail = max(2, (limit - 1) // 3)
    return isolate(shown[: limit - 1 - tail] + ELLIPSIS + shown[-tail:])
