"""Text a database can hold.

Rules of this file: one function; no table, no session.
"""

from __future__ import annotations

import re

_UNPAIRED = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """The text with what no database takes replaced: a lone surrogate by U+FFFD, NUL by its picture U+2400.

    Decoded JSON may hold both. Two halves that met when pieces were joined become the character they spell.
    """
    if "\0" in text:
        text = text.replace("\0", "\u2400")
    try:
        text.encode()
    except UnicodeEncodeError:
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        return _UNPAIRED.sub("\ufffd", whole)
    return text
