"""Which kinds of credentials a piece of text may hold: a quick look that never misses one.

Rules of this file: a piece without the sign of a kind (`Look.sign`, how it begins, in small letters) holds none of that
kind. Each sign is one pass over all that comes in, so several kinds share one, a byte that is rare in texts may spare
it (to look for one byte costs next to nothing), and what no sign holds, nearly half of JSON, is left out before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from webapp.core.masking.found import Look
from webapp.core.masking.names import LOOKS as NAMES
from webapp.core.masking.shapes import LOOKS as SHAPES

LOOKS = (*NAMES, *SHAPES)
REACH = 32  # bytes a sign may take, and more
NEVER = b"0123456789\"'{}[]()<>:,;\\%&|!?*#@^$`"  # bytes of no sign
_LOWER = bytes(range(256)).lower()


def _rows() -> Iterator[tuple[bytes, re.Pattern[bytes], tuple[Look, ...]]]:
    """(bytes that have to be there or nothing, the sign, whose it is)"""
    for rare, sign in dict.fromkeys((look.rare, look.sign) for look in LOOKS):
        yield rare, re.compile(sign), tuple(look for look in LOOKS if (look.rare, look.sign) == (rare, sign))


_ROWS = tuple(_rows())


def present(data: bytes, start: int, end: int) -> list[Look]:
    """The kinds of which one may begin from `start` to before `end`."""
    piece = data[
        max(0, start - 1) : end + REACH
    ]  # one before: a sign may begin with what stands before the mark
    low = piece.translate(_LOWER, NEVER)
    return [look for rare, sign, looks in _ROWS if rare in piece and sign.search(low) for look in looks]
