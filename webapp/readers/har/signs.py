"""Whether a text is a HAR file, or holds one in a shape that no exporter gives it.

Rules of this file: a HAR file has cookies and credentials in it and is never stored as something else, so that what
only may be one is looked through to its end. Texts that show an event or an activity are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from webapp.readers.event_names import IN_JSON
from webapp.readers.head import HEAD_BYTES
from webapp.readers.lines import BOM
from webapp.readers.slices import gap, value_end

_OPENERS = (b"{", b"[", b'"')
OVERLAP = 1000  # bytes of two pieces in which a sign may stand
# `log` first, or behind plain members where it has the members of a HAR file
_HAR = re.compile(
    rb'\s*\{\s*(?:"log"\s*:\s*\{|(?:"[^"\\]*+"\s*:\s*(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^\s"{}\[\],]++)\s*,\s*)++'
    rb'"log"\s*:\s*\{\s*"(?:version|creator|browser|pages|entries|comment)")',
    re.DOTALL,
)
# an entry of such a file, not quoted in another text
_HAR_ENTRY = re.compile(rb'(?<!\\)"startedDateTime"\s*+:')
_HAR_REQUEST = re.compile(
    rb'(?<!\\)"request"\s*+:\s*+\{\s*+"(?:method|url|httpVersion|comment|headersSize|headers|cookies|queryString|postData|bodySize)"'
)
# the same in a text that is a JSON string
_SPACE = rb"(?:\\[nrt]|\s){0,200}"
_QUOTED_ENTRY = re.compile(rb'\\"startedDateTime\\{1,7}"')
_QUOTED_REQUEST = re.compile(
    rb'\\"request\\{1,7}":'
    + _SPACE
    + rb"\{"
    + _SPACE
    + rb'\\{1,7}"(?:method|url|httpVersion|headers|cookies|bodySize)\\'
)
_ACTIVITY_TEXT = re.compile(rb'"type"\s*+:\s*+"(?:message|typing|conversationUpdate|event|invoke)"')


def is_har(head: bytes) -> bool:
    """Whether the text begins as a HAR file, the export of a network tab or proxy."""
    return _HAR.match(head) is not None


def holds_har(head: bytes) -> bool:
    """Whether entries of a HAR file stand in something that is none: an array, a JSON string, behind a comment."""
    if is_har(head.removeprefix(BOM)):
        return False
    seen = _Seen(head.lstrip(BOM + b" \t\r\n").startswith(_OPENERS))
    return seen.add(head) and not _speaks(head)


def may_hide(head: bytes) -> bool:
    """Whether entries may come further on in a text that begins so: with JSON that goes on, of neither protocol."""
    if len(head) <= HEAD_BYTES or is_har(head.removeprefix(BOM)):
        return False
    start = gap(head.removeprefix(BOM), 0)
    text = head.removeprefix(BOM)
    return text[start : start + 1] in _OPENERS and value_end(text, start) is None and not _speaks(head)


def hides(pieces: Iterable[bytes]) -> bool:
    """Whether a text that may hide entries has them."""
    seen, last = _Seen(True), b""
    for piece in pieces:
        if seen.add(last + piece):
            return True
        last = piece[-OVERLAP:]
    return False


class _Seen:
    """What was seen of an entry, plain or, where that counts, in a JSON string."""

    def __init__(self, quoted: bool) -> None:
        plain = (_HAR_ENTRY, _HAR_REQUEST)
        self._wanted = [
            list(each) for each in ((plain, (_QUOTED_ENTRY, _QUOTED_REQUEST)) if quoted else (plain,))
        ]

    def add(self, text: bytes) -> bool:
        """Whether all of one kind has been seen."""
        if (
            b"startedDateTime" not in text and b"request" not in text
        ):  # much faster than looking for the signs
            return False
        for wanted in self._wanted:
            wanted[:] = [sign for sign in wanted if sign.search(text) is None]
        return not all(self._wanted)


def _speaks(head: bytes) -> bool:
    return bool(IN_JSON.search(head) or _ACTIVITY_TEXT.search(head))
