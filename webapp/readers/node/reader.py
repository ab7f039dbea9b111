"""Objects that Node logged (form T7): `util.inspect` and `console.log` of axios and SDK calls, activities and events.

Rules of this file: which lines belong to one logged object, and the account of them. What the object says is scanned by
`literal`; what is a call in it, `calls` decides.
"""

from __future__ import annotations

import re

from webapp.readers.event_names import FAMILY
from webapp.readers.forms import Form, Score
from webapp.readers.head import Head
from webapp.readers.limits import Limits
from webapp.readers.linewise import LineReader
from webapp.readers.log.times import Times, find
from webapp.readers.node.calls import Made, made_of
from webapp.readers.node.literal import Scan
from webapp.readers.python.literal import Broken
from webapp.readers.signs import is_fenced, outside_json
from webapp.readers.tally import is_utf8

MAX_HELD_LINES = 50_000  # of one object; sockets and agents make long dumps
REACH = 200  # characters before a bracket at a line's end in which its class may stand
OTHER = "line without an object"
STACK = "line of an error’s stack"
NO_CALL = "logged object that is no call"
NOT_WHOLE = "event that Node did not show whole"
ASKED = "request that stands again with its answer"
TRANSLATED = "Node’s way of showing objects was read and written as JSON."
HIDDEN = (
    "Node shows only the upper levels of an object, so a part of {count:,} of them is missing. A body "
    "that lacks its text or "
    "entities is not judged, and an event that lacks more than additions is left out."
)
# where an object begins in a line: at its end, or whole
_OPEN = re.compile(
    r"(?:<ref \*\d+> )?(?:[A-Za-z_$][\w$]{0,80}(?:\(\d+\))? )?(?:\[Object: null prototype\] )?[\[{]\s*$"
)
_WHOLE = re.compile(r"(?<![^\s:=(])[\[{] ?[^\s\]}]")
_AT = re.compile(r"\s+at \S")
_SAID = re.compile(r"(?:Error|Exception)\]?: (.{1,2000})")
# one that is not closed goes to the end: no place is looked at twice
_STRINGS = re.compile(
    r"'(?:[^'\\]|\\.)*+(?:'|\\?$)|\"(?:[^\"\\]|\\.)*+(?:\"|\\?$)|`(?:[^`\\]|\\.)*+(?:`|\\?$)"
)
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_BARE_KEY = re.compile(
    rb"(?:^|[{,])[ \t]{0,400}+(?:url|body|data|type|streamType|statusCode|config|entities|"
    rb"request|response|code|messageId): ?(?=['\"`{\[\d<A-Z])",
    re.M,
)
_TEAMS = re.compile(
    rb"conversations/[^\s'\"`]{1,400}/activities|type: '(?:streaminfo|typing)'|streamType: '"
    rb"|\"type\\*\": ?\\*\"streaminfo"
)
_AG_UI = re.compile(rb"type: '" + FAMILY.encode() + rb"_[A-Z_]+'")


class InspectedReader(LineReader):
    """payload: exchange lines, activities or events, written here; at: the time the log line begins with."""

    name = "js-objects"

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self._times = Times()
        self._held: list[tuple[str, bytes, int, int]] = []
        self._held_bytes = 0
        self._depth = 0
        self._said = ""  # the words of the error whose members follow
        self._at: float | None = None
        self._asked: tuple[Made, int, int, int, float | None] | None = (
            None  # a request: its answer may follow
        )
        self._hidden = 0

    def line(self, text: bytes, number: int, offset: int, ended: bool) -> None:
        shown = _ANSI.sub("", text.decode("utf-8", "replace"))
        if self._held:
            self._hold(shown, text, number, offset)
            return
        if (error := _SAID.search(shown)) is not None:
            self._said = error[1].removesuffix("{").strip()
        start = _start(shown)
        if start is not None:
            self._at = self._times.take(find(shown[:start]))
            self._depth = self._held_bytes = 0
            self._hold(shown[start:], text, number, offset)
        elif _AT.match(shown):
            self.ignore(STACK)
        else:
            self.ignore(OTHER)
            if error is None and not shown[:1].isspace():
                self._said = ""

    def ending(self) -> None:
        self._give_up()
        self._flush()
        if self._hidden:
            self.artefact("inspect-cut", HIDDEN.format(count=self._hidden))
        for kind, sentence in self._times.notes():
            self.account.time_of_day = self.account.time_of_day or kind == "time-of-day"
            self.artefact(kind, sentence)

    # -- one object

    def _hold(self, shown: str, text: bytes, number: int, offset: int) -> None:
        self._held.append((shown, text, number, offset))
        self._held_bytes += len(text)
        bare = _STRINGS.sub("", shown)
        self._depth += sum(map(bare.count, "[{")) - sum(map(bare.count, "]}"))
        if self._depth <= 0:
            self._close()
        elif self._held_bytes > self.limits.max_record_bytes or len(self._held) > MAX_HELD_LINES or self.long:
            self._give_up()

    def _close(self) -> None:
        _, _, number, offset = self._held[0]
        lines = len(self._held)
        try:
            value, _ = Scan("\n".join(shown for shown, _, _, _ in self._held)).value(0)
        except Broken:
            self._give_up()
            return
        bad = not all(is_utf8(text) for _, text, _, _ in self._held)
        self._held.clear()
        records = list(made_of(value, self._said, self._at))
        self._said = ""
        if not records:
            self.ignore(NO_CALL, lines)
            return
        self.artefact("js-objects", TRANSLATED, number)
        for place, record in enumerate(records):
            self._take_record(record, number, offset, 0 if place else lines, bad)

    def _take_record(self, record: Made, number: int, offset: int, lines: int, bad: bool) -> None:
        asked = self._asked
        at = self._at
        if asked is not None and record.answered and record.key == asked[0].key:
            self.ignore(ASKED, asked[3])
            self._asked = None
            at = asked[4] if asked[4] is not None else at
        self._flush()
        if record.key and not record.answered:
            self._asked = (record, number, offset, lines, at)
            return
        self._hidden += record.hidden
        if not record.payload:
            self.ignore(NOT_WHOLE, lines)
            return
        self.offer(
            record.payload, number, offset, lines=lines, at=at, framing=("invalid-utf8",) if bad else ()
        )

    def _flush(self) -> None:
        if self._asked is not None:
            record, number, offset, lines, at = self._asked
            self._asked = None
            self._hidden += record.hidden
            self.offer(record.payload, number, offset, lines=lines, at=at)

    def _give_up(self) -> None:
        held, self._held = self._held, []
        for _, text, number, offset in held:
            self.stray(number, offset, text)


def _start(shown: str) -> int | None:
    """Where an object begins in a line: at its end, or somewhere in it when the line ends with a bracket."""
    bare = shown.rstrip()
    if bare.endswith(("{", "[")):
        tail = max(len(bare) - REACH, 0)
        found = _OPEN.search(bare, tail)
        return None if found is None else found.start()
    if bare.rstrip(",;) \t").endswith(("}", "]")):
        found = _WHOLE.search(shown)
        return None if found is None else found.start()
    return None


def score(head: Head) -> Score | None:
    data = head.data
    names = sum(len(_BARE_KEY.findall(outside_json(line))) for line in data.splitlines())
    if not names or not (_TEAMS.search(data) or _AG_UI.search(data)):
        return None
    plain = sum(line.startswith((b"data:", b'{"', b'[{"')) for line in head.lines)
    if plain * 4 >= len(head.lines) * 3:
        return None
    protocol = "teams" if _TEAMS.search(data) else "ag-ui"
    return Score(
        0.5 if is_fenced(head.lines) else 1.0,
        ("its objects are written as Node shows them, names without quotes",),
        protocol,
    )


FORM = Form(
    "js-objects", "a log of JavaScript objects",
    "What `console.log` or `util.inspect` shows of axios or SDK calls, activities or events.",
    score, InspectedReader,
)  # fmt: skip
