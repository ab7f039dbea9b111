"""The console of the Teams SDKs (form T6): level and logger before every line, of pretty JSON too.

Rules of this file: what the prefix is, and which lines behind it are JSON; the JSON, put together again, is read by the
form it has. Lines of another logger in between are no part of it.
"""

from __future__ import annotations

import re

from webapp.readers.forms import Form, Score
from webapp.readers.head import Head
from webapp.readers.limits import Limits
from webapp.readers.log.line import plain
from webapp.readers.wrapping.reader import Choose, WrappedReader

NAME = "sdk-console"
TITLE = "the console of a Teams SDK"
ABOUT = "Console output of the Teams SDKs: level, logger and colours before every line of the JSON."
OTHER = "console line without JSON"
TOLD = "Level and logger stood before every line and were taken off, colours too; the JSON was put together again."
_PREFIX = re.compile(
    rb"(?:\S{1,40} ){0,2}\[ ?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL|LOG) ?\] "
    rb"(?P<name>\S{1,120}) ?(?P<text>.*)",
    re.IGNORECASE | re.DOTALL,
)
_OPENS = re.compile(rb"\s*(?:\{\s*(?:\"|\}|$)|\[\s*(?:\{|\]|$))")
_OPENS_ALONE = re.compile(rb"\s*[\[{]\s*$")
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?$)')
_NAMED = re.compile(rb'\s+"[\w-]{1,80}"\s*:')


class ConsoleReader(WrappedReader):
    """payload: what the form inside gives."""

    name = NAME

    def __init__(self, limits: Limits | None, choose: Choose) -> None:
        super().__init__(limits, choose)
        self._depth = 0
        self._logger = b""  # whose JSON goes on

    def line(self, text: bytes, number: int, offset: int, ended: bool) -> None:
        found = _PREFIX.match(plain(text))
        if found is None:
            if self._depth > 0:
                self._json(text, number, offset)
            else:
                self.stray(number, offset, text)
            return
        logger, inside = found["name"], found["text"]
        if self._depth > 0 and logger == self._logger:
            self._json(inside, number, offset)
        elif self._depth <= 0 and _OPENS.match(inside):
            self.artefact("console-prefix", TOLD, number)
            self._depth, self._logger = 0, logger
            self._json(inside, number, offset)
        else:
            self.ignore(OTHER)

    def _json(self, text: bytes, number: int, offset: int) -> None:
        bare = _STRINGS.sub(b"", text)
        self._depth += bare.count(b"{") + bare.count(b"[") - bare.count(b"}") - bare.count(b"]")
        self.inside(text, number, offset)


def score(head: Head) -> Score | None:
    lines = head.lines
    found = [match for line in lines if (match := _PREFIX.match(plain(line)))]
    opens = sum(_OPENS_ALONE.match(match["text"]) is not None for match in found)
    members = sum(_NAMED.match(match["text"]) is not None for match in found)
    if not opens or not members or len(found) * 2 < len(lines):
        return None
    return Score(
        1.0,
        (
            f"{len(found):,} of the first {len(lines):,} lines begin with level and logger of an SDK’s console",
        ),
    )


def form(choose: Choose) -> Form:
    """The form; choose: which form a text inside has."""
    return Form(NAME, TITLE, ABOUT, score, lambda limits: ConsoleReader(limits, choose))
