"""How far JSON goes on without the scan having to stop: compiled expressions that jump from bracket to bracket.

Rules of this file: bytes only; nothing is parsed. Each stops at the byte that changes where a scan stands, or at the
end of what is there, so that it can go on with the next chunk. Possessive: no text makes them go back.
"""

from __future__ import annotations

import re

_STRING = rb'[^"\\]*+(?:\\.[^"\\]*+)*+'
_PLAIN = rb'[^"{}\[\]]*+'


def _balanced(depth: int) -> bytes:
    """What may stand between brackets: strings, and whole objects and arrays up to a depth."""
    unit = rb'"' + _STRING + rb'"'
    if depth:
        inner = _balanced(depth - 1)
        unit = rb"(?:" + unit + rb"|\{" + inner + rb"\}|\[" + inner + rb"\])"
    return _PLAIN + rb"(?:" + unit + _PLAIN + rb")*+"


TO_BRACKET = re.compile(_balanced(3), re.DOTALL)  # deeper ones are counted bracket by bracket
TO_DEEP_BRACKET = re.compile(
    _balanced(6), re.DOTALL
)  # the same, slower to fail, for texts that are there whole
TO_QUOTE = re.compile(_STRING, re.DOTALL)
