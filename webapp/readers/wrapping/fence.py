"""Markdown around a stream: fences, quote marks and the prose of a chat message (form A5).

Rules of this file: what is a fence and which of them hold events; what is inside is read by the reader of its own form.
Of several fences those with events are read in order, as one stream. Prose and other fences are ignored, with a count.
"""

from __future__ import annotations

import re

from webapp.readers.event_names import NAME as EVENT_NAME
from webapp.readers.forms import Form, Score
from webapp.readers.head import HEAD_BYTES, Head
from webapp.readers.limits import Limits
from webapp.readers.tally import BLANK
from webapp.readers.wrapping.reader import Choose, WrappedReader

PROSE, FENCE, ELSE = "text around the stream", "Markdown fence", "fence without events"
_QUOTE = re.compile(rb"(?: {0,3}> ?)++")
_FENCE = re.compile(rb"\s{0,12}(?P<mark>`{3,40}|~{3,40})(?P<info>[^`]{0,200})")
_NAME = EVENT_NAME.encode()
NONE, HELD, READ = "not read", "held", "read"
# an event of AG-UI in JSON, quoted or not, in Python's spelling, behind its type; something of Teams
EVENTS = re.compile(
    rb"""["']type\\{0,3}["']\s*:\s*\\{0,3}["'](?:"""
    + _NAME
    + rb""")\b|\btype=<?EventType\.|Event\(type=|(?:"""
    + _NAME
    + rb""")\s{0,5}[:=]?>?\s{0,5}\{|stream_?(?:info|Type|Sequence|Id)\b|/conversations/[^"/\s]{1,400}/activities"""
    rb"""|["']type["']\s*:\s*["'](?:message|typing|conversationUpdate)["']"""
)


NAME = "markdown"
TITLE = "a stream in Markdown"
ABOUT = "A chat message or ticket with the stream in a code fence or behind quote marks."


class FenceReader(WrappedReader):
    """Lines behind quote marks lose them; quoted lines with events need no fence."""

    name = NAME

    def __init__(self, limits: Limits | None, choose: Choose) -> None:
        super().__init__(limits, choose)
        self._mark = b""  # of the fence that is open
        self._held: list[tuple[bytes, int, int, bool]] = []  # its lines, until it is known what it holds
        self._size = 0
        self._state = NONE
        self._quoted = False  # the open fence stands behind quote marks
        self._fences = self._read = 0
        self._quotes = False  # a quotation without a fence is being read

    def line(self, text: bytes, number: int, offset: int, ended: bool) -> None:
        quote = _QUOTE.match(text)
        plain = text[quote.end() :] if quote is not None and (self._quoted or not self._mark) else text
        fence = _FENCE.fullmatch(plain)
        if self._mark:
            if fence is not None and not fence["info"].strip() and fence["mark"].startswith(self._mark):
                self._close(number, offset)
            else:
                self.inside(plain, number, offset, ended)
        elif fence is not None:
            self._mark, self._state, self._size = fence["mark"], HELD, 0
            self._quoted, self._quotes = quote is not None, False
            self._fences += 1
            self.ignore(FENCE)
        elif quote is not None and (self._quotes or EVENTS.search(plain)):
            self._quotes = True
            self.artefact("quoted", "The lines stand behind quote marks; those were taken off.", number)
            self.inside(plain, number, offset, ended)
        else:
            self._quotes = False
            self.ignore(PROSE if plain.strip() else BLANK)

    def blank(self, number: int, offset: int) -> bool:
        """A blank line in a fence belongs to what is in it."""
        return bool(self._mark) or self._quotes

    def inside(self, text: bytes, number: int, offset: int, ended: bool = True) -> None:
        """A line of a fence or quotation: held until the fence shows an event, then read."""
        if not self._mark or self._state == READ:
            super().inside(text, number, offset, ended)
        elif self._state == NONE:
            self.ignore(ELSE if text.strip() else BLANK)
        else:
            self._held.append((text, number, offset, ended))
            self._size += len(text) + 1
            if EVENTS.search(text):
                self._read += 1
                self._settle(READ)
            elif self._size > HEAD_BYTES:
                self._settle(NONE)

    def ending(self) -> None:
        """The input ended, perhaps in a fence."""
        if self._state == HELD:
            self._settle(NONE)
        if self._read:
            self.artefact(
                "fence",
                "The stream stands in a Markdown fence; the fence and the text around it were taken off.",
            )
        if self._fences > self._read:
            self.artefact(
                "other-fences",
                f"{self._read:,} of {self._fences:,} fences hold events; the others were not read.",
            )
        super().ending()

    def _close(self, number: int, offset: int) -> None:
        """The end of a fence: a blank line to the stream in it, since pasting loses the last one."""
        if self._state == READ:
            self.inside(b"", number, offset)
        else:
            self._settle(NONE)
            self.ignore(FENCE)
        self._mark, self._state, self._quoted = b"", NONE, False

    def _settle(self, state: str) -> None:
        """It is known whether the fence is read."""
        self._state = state
        held, self._held = self._held, []
        for line in held:
            self.inside(*line)


def score(head: Head) -> Score | None:
    """A fence with an event in it, or events behind quote marks."""
    mark, fences, quoted = b"", 0, 0
    for line in head.lines:
        quote = _QUOTE.match(line)
        plain = line if quote is None else line[quote.end() :]
        fence = _FENCE.fullmatch(plain)
        if mark:
            if fence is not None and not fence["info"].strip() and fence["mark"].startswith(mark):
                mark = b""
            elif EVENTS.search(line):
                fences += 1
        elif fence is not None:
            mark = fence["mark"]
        elif quote is not None and EVENTS.search(plain):
            quoted += 1
        elif quote is None and EVENTS.search(plain):
            quoted -= 1
    if fences:
        return Score(1.0, ("its events stand in a Markdown fence",))
    if quoted > 0:
        return Score(1.0, ("its events stand behind quote marks",))
    return None


def form(choose: Choose) -> Form:
    """The form; choose: which form a text inside has."""
    return Form(NAME, TITLE, ABOUT, score, lambda limits: FenceReader(limits, choose))
