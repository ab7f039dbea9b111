"""Log lines with events in them (form A15) and `TYPE: {json}` lines (form A16) to records.

Rules of this file: which lines hold an event, which belong together, and the account of it; what one line holds is
`line.py`’s, its time `times.py`’s. Lines with a prefix and no event are ignored; lines with neither are not
understood. An event that a second logger prints too is taken once.
"""

from __future__ import annotations

import json
import re
from collections import deque

from webapp.readers.cut import CUT_LINES, CutLines, ends_inside
from webapp.readers.event_names import FAMILY
from webapp.readers.limits import Limits
from webapp.readers.linewise import LineReader
from webapp.readers.log import line as logline
from webapp.readers.log import times
from webapp.readers.log.line import Found
from webapp.readers.tally import is_tail

QUIET = "log line without an event"
REPEAT = "event printed again by another logger"
SHAPES = 200  # prefixes that are remembered
BACK = 100  # events among which a repeat is looked for
HELD_LINES = 5_000  # lines of one event
HELD_BYTES = 8_000_000

_DATA = re.compile(rb"data:")
_LEVEL = re.compile(r"\b(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b", re.IGNORECASE)
_ANY_NAME = re.compile(rb"\b" + FAMILY.encode() + rb"_[A-Z]+")
_DIGITS = re.compile(r"[0-9a-fA-F]*\d[0-9a-fA-F]*")
# a container runtime cuts long lines: `TIME stdout P part`, then `TIME stdout F rest`
_PART = re.compile(rb"(\d{4}-\S+ (?:stdout|stderr) )([PF]) ")
_LEFT_OUT = re.compile(
    rb"\W*(?:\.{3}|\xe2\x80\xa6)\W*|.{0,40}\b(?:lines?|entries|logs?|output)\b.{0,20}\b(?:omitted|truncated|skipped)\b.{0,40}",
    re.IGNORECASE | re.DOTALL,
)
_INNER = (b" ", b"\t", b'"', b"{", b"}", b"[", b"]")  # how a line inside a JSON object begins
# one that is not closed goes to the end: no place is looked at twice
_STRINGS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)


class LogReader(LineReader):
    """prefixed, members, bare: events behind a prefix, in members of JSON logs, and plain ones, for the score."""

    name = "log"

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self.times = times.Times()
        self.prefixed = self.members = self.bare = self.typed = 0
        self._shapes: set[str] = set()
        self._recent: deque[tuple[int, str, set[str]]] = deque(maxlen=BACK)
        self._repeats = 0
        self._before: times.Time | None = None  # of the last line without an event
        self._sizes: dict[bytes, int] = {}  # bytes of them
        self._parts: dict[bytes, list[tuple[bytes, int, int]]] = {}  # cut container lines, by stream
        self._block: list[tuple[bytes, int, int]] = []  # an event over several lines, until it ends
        self._depth = 0
        self._size = 0
        self._lost = False  # a line before the next record was an event that was cut
        self._lengths, self._payloads = CutLines(), CutLines()  # of lines, and of the JSON in them

    # -- lines that belong together

    def line(self, text: bytes, number: int, offset: int, ended: bool) -> None:
        if self.long:
            self.artefact("too-long-line", "A log line is too long to be read.", number)
            self._lengths.long(len(text))
            self._payloads.long(len(text))
            self.stray(number, offset, text)
            return
        text = logline.plain(text)
        if text.startswith(b"\x1b") or not text.strip():
            self.ignore(QUIET)
        elif self._block:
            self._more(text, number, offset)
        elif (part := _PART.match(text)) is not None and (part[2] == b"P" or part[1][-7:] in self._parts):
            self._piece(part, text, number, offset)
        else:
            self._entry(text, number, offset, 1)

    def ending(self) -> None:
        """The input ended: what waits for its rest, then what is to be said of the whole."""
        self._give_up()
        for parts in self._parts.values():
            for text, number, offset in parts:
                self.stray(number, offset, text)
        self._parts.clear()
        self.account.strays.sort(key=lambda stray: stray.line)
        if any(each.kind == CUT_LINES for each in self.account.artefacts):
            self.cut_lines(self._payloads)
            self.cut_lines(self._lengths)
        for kind, sentence in self.times.notes():
            self.artefact(kind, sentence)
        if self._repeats:
            self.artefact(
                "repeated-by-logger",
                f"{self._repeats:,} of the events stand in the log twice, printed by two loggers; each was read once.",
            )

    def _piece(self, part: re.Match[bytes], text: bytes, number: int, offset: int) -> None:
        """A piece of a line that the container runtime cut."""
        stream = part[1][-7:]
        parts = self._parts.setdefault(stream, [])
        parts.append((text if not parts else text[part.end() :], number, offset))
        self._sizes[stream] = size = self._sizes.get(stream, 0) + len(text)
        if part[2] == b"P" and size < HELD_BYTES:
            return
        del self._parts[stream], self._sizes[stream]
        self.artefact("joined-lines", "The container runtime cut long lines; the pieces were joined.", number)
        self._entry(b"".join(piece for piece, _, _ in parts), number, offset, len(parts))

    def _more(self, text: bytes, number: int, offset: int) -> None:
        """A further line of an event over several lines."""
        if text[:1] not in _INNER and self._is_entry(text):
            self._give_up()
            self._entry(text, number, offset, 1)
            return
        self._block.append((text, number, offset))
        self._size += len(text)
        self._depth += _depth(text)
        if self._depth > 0 and len(self._block) < HELD_LINES and self._size < HELD_BYTES:
            return
        joined = b"\n".join(line for line, _, _ in self._block)
        found = logline.look(joined) if self._depth <= 0 else None
        if found is None or found.kind == "cut":
            self._give_up()
            return
        block, self._block = self._block, []
        if found.kind == "event":
            self.artefact(
                "several-lines",
                "Some events stand over several lines of the log; they were joined.",
                block[0][1],
            )
        self._found(found, joined, block[0][1], block[0][2], len(block))

    def _give_up(self) -> None:
        """What looked like an event over several lines is none: its lines are judged one by one."""
        block, self._block = self._block, []
        for text, number, offset in block:
            self._alone(logline.look(text), text, number, offset, 1)

    # -- one entry of the log

    def _entry(self, text: bytes, number: int, offset: int, lines: int) -> None:
        found = logline.look(text)
        if lines == 1:
            self._lengths.add(text, number)
            if found is not None:
                before = len(found.prefix.encode("utf-8", "surrogateescape"))
                self._payloads.add(found.payload or text[before:], number)
        opens = text.rstrip().endswith(b"{") and (found is None or found.kind == "cut")
        if opens and lines == 1 and logline.speaks(_readable(text.rstrip()[:-1])):
            self._block = [(text, number, offset)]
            self._depth, self._size = _depth(text), len(text)
            if self._depth > 0:
                return
            self._block = []
        self._alone(found, text, number, offset, lines)

    def _alone(self, found: Found | None, text: bytes, number: int, offset: int, lines: int) -> None:
        if found is not None and found.kind != "cut":
            self._found(found, text, number, offset, lines)
        elif found is not None and (_shape(found.prefix) in self._shapes or _ANY_NAME.search(text)):
            self.artefact(
                CUT_LINES, "Some log lines end in the middle of an event; those are not understood.", number
            )
            self._lost = self._lost or (_ANY_NAME.search(text) is not None and ends_inside(text) == "string")
            self._stray(text, number, offset, lines)
        elif self._is_entry(text):
            self._quiet(text, lines)
        else:
            if number == 1 and is_tail(text):
                self.begins_late(number)
            self._stray(text, number, offset, lines)

    def _is_entry(self, text: bytes) -> bool:
        start = _readable(text[:400])
        time = times.find(start)
        return time is not None or _LEVEL.search(start[:80]) is not None or text.startswith(b"{")

    def _quiet(self, text: bytes, lines: int) -> None:
        self._before = times.find(_readable(text[:400]))
        self.ignore(QUIET, lines)

    def _stray(self, text: bytes, number: int, offset: int, lines: int) -> None:
        if not self.count and len(text) < 200 and _LEFT_OUT.fullmatch(text.strip()):
            self.begins_late(number)
            self.ignore("note that lines were left out", lines)
            return
        self.stray(number, offset, text)
        self.ignore("further piece of a line that is not understood", lines - 1)

    def _found(self, found: Found, text: bytes, number: int, offset: int, lines: int) -> None:
        shape = f"{found.how}{_shape(found.prefix)}"
        speaks = logline.speaks(found.prefix)
        if found.kind != "event" and not (shape in self._shapes and speaks):
            if speaks or self._is_entry(text):
                self._quiet(text, lines)
            else:
                self._stray(text, number, offset, lines)
            return
        self._count(found, text, speaks)
        if self._is_repeat(found, shape):
            self._repeats += 1
            self.ignore(REPEAT, lines)
            return
        if len(self._shapes) < SHAPES:
            self._shapes.add(shape)
        self._about(found, speaks, number)
        time = found.time or times.find(found.prefix)
        if time is None and text[:1] in (b" ", b"\t"):
            time = self._before  # members under their log line
        at = self.times.take(time)
        self.account.time_of_day = self.times.dated is False
        # an event is missing here, and nobody is blamed for what may have been in it
        framing, self._lost = ("gap",) if self._lost else (), False
        self.offer(found.payload, number, offset, lines=lines, prefix_at=at, framing=framing)

    def _count(self, found: Found, text: bytes, speaks: bool) -> None:
        if found.how == "member":
            self.members += 1
        elif not speaks or _DATA.match(text):
            self.bare += 1
        elif logline.TYPED.fullmatch(found.prefix.strip()) is not None:
            self.typed += 1
        else:
            self.prefixed += 1

    def _about(self, found: Found, speaks: bool, number: int) -> None:
        """What was taken off."""
        if found.how == "member":
            self.artefact(
                "unwrapped",
                f"The events are members `{found.prefix[-60:]}` of JSON log entries; they were taken out.",
                number,
            )
        elif speaks:
            self.artefact("log-prefix", "What stands before the events on their lines was taken off.", number)
        if found.how == "named":
            self.artefact(
                "type-before-event", "The type stands before the event and not in it; it was put in.", number
            )
        elif found.how == "string":
            self.artefact(
                "quoted-event", "The events are printed as quoted text; the quotes were taken off.", number
            )

    def _is_repeat(self, found: Found, shape: str) -> bool:
        """Whether another logger has printed this event before, and this one not yet."""
        key = hash(json.dumps(found.value, sort_keys=True))
        for known, by, again in self._recent:
            if known == key and by != shape and shape not in again:
                again.add(shape)
                return True
        self._recent.append((key, shape, set()))
        return False


def _readable(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _shape(prefix: str) -> str:
    """A prefix without what differs from line to line."""
    return _DIGITS.sub("#", prefix[-160:])


def _depth(text: bytes) -> int:
    """Brackets that open on a line and are not closed on it."""
    bare = _STRINGS.sub(b"", text)
    return bare.count(b"{") + bare.count(b"[") - bare.count(b"}") - bare.count(b"]")
