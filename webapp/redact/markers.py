"""The marker that stands where a text was: `«redacted: 412 chars»`.

Rules of this file: the marker's form and nothing else. A marker says how long the text was and no more.
"""

from __future__ import annotations

import re

_MARKER = re.compile(r"«redacted: ([0-9]{1,15}) chars»")
_SEVERAL = re.compile(r"(?:«redacted: [0-9]{1,15} chars»){2,}+")


def marker(count: int) -> str:
    """What stands in place of a text. count: its length in code points."""
    return f"«redacted: {count} chars»"


def marked(text: str) -> int | None:
    """How many characters were behind a marker; None when the text is none."""
    found = _MARKER.fullmatch(text)
    return int(found[1]) if found else None


def joined(text: str) -> str:
    """Markers that stand side by side, as the pieces of one text do, made one with their sum."""
    return _SEVERAL.sub(lambda run: marker(sum(map(int, _MARKER.findall(run[0])))), text)
