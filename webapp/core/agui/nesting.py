"""How deep a payload's JSON is nested.

Rules of this file: bytes in, levels out; the limit is the caller's. Only brackets outside texts count. It is for valid
JSON: of anything else the answer means nothing, but it comes.
"""

from __future__ import annotations

import re
from itertools import accumulate

_KEPT = b'"[]{}'
_OTHERS = bytes(byte for byte in range(256) if byte not in _KEPT)
_TEXT = re.compile(rb'"[^"]*"')
_STEP = [0] * 256
for _byte in b"[{":
    _STEP[_byte] = 1
for _byte in b"]}":
    _STEP[_byte] = -1


def deeper(raw: bytes, most: int) -> bool:
    """Whether values stand more than `most` levels inside each other; the whole object is the first level."""
    if raw.count(b"{") + raw.count(b"[") <= most:
        return False
    plain = raw.replace(b"\\\\", b"").replace(b'\\"', b"")  # what is left of a text ends at its quote
    brackets = _TEXT.sub(b"", plain.translate(None, _OTHERS))
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0) > most
