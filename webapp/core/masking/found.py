"""What a credential's place is, and how its end is found.

Rules of this file: shapes and ends; bytes in, positions out. A value never ends inside an escape or a character, and
never goes beyond the JSON string it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

WINDOW = 16 * 1024  # bytes behind a place that may be looked at to judge it: a whole PEM key
BACK = 128  # bytes before a mark at which a value may begin
HEAD = b"[secret]"
SLASHES = 64  # backslashes that are counted
VALUE = 256  # bytes of a value that are looked at
LONGEST = 80  # bytes the end of a value may take

_DOUBLE = re.compile(rb'["\r\n]')
_SINGLE = re.compile(rb"""["'\r\n]""")
# what a value without quotes ends with; inside JSON the backslash begins an escape
BARE = re.compile(rb"""[\s"'\\&;,<>(){}\[\]|`]""")
LINE = re.compile(rb"[\r\n]")
# a string inside a string as some .NET serializers write it
ESCAPED = re.compile(rb"""\\u0022|\\{0,64}+"|[\r\n]""")
COOKIES = re.compile(rb"""[\r\n"'\\\]]""")
PLACEHOLDER = re.compile(
    rb"(?:\[secret\])?\**+|<[^<>]*+>|\$?\{+[^{}]*+\}+|%[sr]|\.{3,}+|\xe2\x80\xa6|x{3,}+"
    rb"|[\[(<*]*(?:redacted|filtered|masked|hidden|removed|secret)[\])>*]*"
    rb"|none|null|undefined|true|false|required|optional|oauth2?|basic|bearer|api_?key|user|bot|string",
    re.IGNORECASE,
)


class Quote(NamedTuple):
    """Closed by `mark` with as many backslashes as it was opened with: `\\"` in a JSON string inside another."""

    slashes: int
    mark: int

    def end(self, data: bytes, at: int, start: int, stop: int) -> int:
        """Where the value ends that began at `start`, looking from `at` to `stop`; -1: not there."""
        ends = _DOUBLE if self.mark == 0x22 else _SINGLE
        while (found := ends.search(data, at, stop)) is not None:
            at = found.start()
            if data[at] in b"\r\n":
                return at
            least, run = max(start, at - SLASHES), at
            while run > least and data[run - 1] == 0x5C:
                run -= 1
            count, level = at - run, self.slashes + 1
            if data[at] != self.mark:
                return run
            if count % (2 * level) == self.slashes:
                return at - self.slashes
            if count % (2 * level) != 2 * level - 1:
                return run  # an outer string ends here
            at += 1
        return -1

    def settled(self, data: bytes, at: int) -> int:
        """Up to where a value goes on whatever comes behind `data`: backslashes mean what the next quote says."""
        end = len(data)
        while end > at and len(data) - end < SLASHES and data[end - 1] == 0x5C:
            end -= 1
        return end


class Stop(NamedTuple):
    """Ends before what `pattern` finds, which is `longest` bytes at most."""

    pattern: re.Pattern[bytes]
    longest: int = 1

    def end(self, data: bytes, at: int, start: int, stop: int) -> int:
        found = self.pattern.search(data, at, stop)
        return -1 if found is None else found.start()

    def settled(self, data: bytes, at: int) -> int:
        return max(at, len(data) - self.longest + 1)


class Found(NamedTuple):
    """A value. until: how its end is found, or the end itself.

    chain: the first of a list of such; kept: it is to be left as it is, whatever is in it; head: the marker may begin
    with a word; counts: 0 for a further piece of the same credential
    """

    start: int
    until: Quote | Stop | int
    chain: bool = False
    kept: bool = False
    head: bool = True
    counts: int = 1


Looker = Callable[[bytes, re.Match[bytes], int], Sequence[Found]]


class Look(NamedTuple):
    """A kind of mark.

    pattern: begins with literal bytes (anything else is slow); lower: it is for lower case; look: judges the place;
    signs: bytes of lower case, of which one stands at each such place or one byte before it, see `signs`
    """

    pattern: re.Pattern[bytes]
    lower: bool
    look: Looker
    signs: Sequence[bytes]


def value_at(data: bytes, start: int, until: Quote | Stop, end: int) -> bytes:
    """The value, or as much of it as tells what it is."""
    end = min(end, start + VALUE)
    stop = until.end(data, start, start, end)
    return data[start : end if stop < 0 else stop]


def is_placeholder(value: bytes) -> bool:
    """Whether it stands for a value that is not there, or has been overwritten already."""
    return PLACEHOLDER.fullmatch(value.strip()) is not None


def secretish(value: bytes) -> bool:
    """Whether it looks made rather than written: with a digit, or capitals inside."""
    return re.search(rb"\d|[a-z][A-Z]", value) is not None
