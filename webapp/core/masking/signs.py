"""Which kinds of credentials a piece of text may hold: a quick look that never misses one.

Rules of this file: a piece without a sign of a kind (`Look.signs`, how it begins, in small letters) holds none of that
kind. All signs are looked for in one pass, since everything that comes in goes through here.
"""

from __future__ import annotations

from ahocorasick_rs import BytesAhoCorasick, Implementation

from webapp.core.masking.found import Look
from webapp.core.masking.names import LOOKS as NAMES
from webapp.core.masking.shapes import LOOKS as SHAPES

LOOKS = (*NAMES, *SHAPES)
REACH = 32  # bytes a sign may take, and more
_SIGNS = list(dict.fromkeys(sign for look in LOOKS for sign in look.signs))
_ALL = BytesAhoCorasick(_SIGNS, implementation=Implementation.DFA)
_ROWS = tuple((look, frozenset(map(_SIGNS.index, look.signs))) for look in LOOKS)


def present(data: bytes, start: int, end: int) -> list[Look]:
    """The kinds of which one may begin from `start` to before `end`."""
    # one before: a sign may begin with what stands before the mark
    piece = data[max(0, start - 1) : end + REACH].lower()
    met = {sign for sign, _, _ in _ALL.find_matches_as_indexes(piece, overlapping=True)}
    return [look for look, signs in _ROWS if not met.isdisjoint(signs)] if met else []
