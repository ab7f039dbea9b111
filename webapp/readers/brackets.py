"""How far JSON goes on without the scan having to stop: compiled expressions that jump from bracket to bracket.

Rules of this file: bytes only; nothing is parsed. Each expression stops at the byte that changes where a scan
stands, or at the end of what is there, so that it can go on with the next chunk.
Possessive: no text makes them go back.
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


class Nesting:
    """Where a scan stands in one JSON value, which may come in pieces."""

    __slots__ = ("_depth", "_quoted")

    def __init__(self) -> None:
        self._depth = 0
        self._quoted = False

    def begin(self, byte: int) -> bool:
        """A value begins with this byte; False: it has neither brackets nor quotes, so its end shows otherwise."""
        self._depth = int(byte in b"{[")
        self._quoted = byte == 0x22
        return bool(self._depth) or self._quoted

    def scan(self, buf: bytes, pos: int) -> tuple[int, bool]:
        """Go on behind the first byte: (behind the value, True), or (where to go on with more bytes, False).

        The latter is the end of `buf`, or a backslash that is its last byte.
        """
        end = len(buf)
        depth, quoted = self._depth, self._quoted
        while pos < end:
            if quoted:
                pos = TO_QUOTE.match(buf, pos).end()  # type: ignore[union-attr]
                if pos == end or buf[pos] == 0x5C:
                    break
                quoted = False
                pos += 1
            else:
                pos = TO_BRACKET.match(buf, pos).end()  # type: ignore[union-attr]
                if pos == end:
                    break
                byte = buf[pos]
                pos += 1
                if byte == 0x22:
                    quoted = True
                    continue
                depth += 1 if byte in b"{[" else -1
            if not depth:
                break
        self._depth, self._quoted = depth, quoted
        return pos, not (depth or quoted)
