"""Events as Python shows them (form A17): `type=<EventType.RUN_STARTED: 'RUN_STARTED'> thread_id='t' …` and
`RunStartedEvent(type=…, thread_id='t', …)`, alone, in lists, over several lines, or behind a log line's prefix.

Rules of this file: where an event begins and ends in the lines; its value is scanned by `literal` and named by
`names`. An event that is broken off is not understood, never guessed.
"""

from __future__ import annotations

import re

from webapp.readers.activities import is_activity
from webapp.readers.event_names import FAMILY
from webapp.readers.forms import Form, Score
from webapp.readers.head import Head
from webapp.readers.limits import Limits
from webapp.readers.linewise import LineReader
from webapp.readers.log.line import plain as plain_text
from webapp.readers.log.times import Times, find
from webapp.readers.python.activity import wire_activity
from webapp.readers.python.literal import Broken, Model, Scan
from webapp.readers.python.names import dumped, wire_event
from webapp.readers.signs import is_fenced, outside_json
from webapp.readers.tally import PAST, is_utf8

MAX_HELD_LINES = 20_000  # of one event shown over several lines
BRACKETS = "brackets around the events"
TRANSLATED = (
    "The records stand as Python shows them and were written as JSON: names in camelCase, members that "
    "are None left out. "
    "Whether the wire had other names, nulls or further members cannot be seen."
)
_START = re.compile(
    r"\b[A-Za-z_][\w.]{0,80}(?:Event|Activity)\w{0,20}\((?=\s*\w+=|$)|\bActivity\((?=\s*\w+=|$)"
    r"|\btype=(?=<EventType\.|EventType\.|'[A-Z][A-Z_]+')"
    r"|\{(?=')"  # of dicts, those without the type of an event are passed over
)
_GOES_ON = re.compile(r"\s|[)\]}]")
# one that is not closed goes to the end: no place is looked at twice
_STRINGS = re.compile(r"'(?:[^'\\]|\\.)*+(?:'|\\?$)|\"(?:[^\"\\]|\\.)*+(?:\"|\\?$)")
_LOOKS = re.compile(
    rb"type=<?EventType\.[A-Z_]+|\b\w{1,80}Event\((?:\w+=None, )*type=|'type': <?EventType\."
    rb"|'type': '" + FAMILY.encode() + rb"_[A-Z_]+'"
)
_OPENS = re.compile(rb"\b\w{1,80}Event\($")
_ACTIVITY = re.compile(
    rb"\b\w{0,60}Activity\w{0,20}\((?:\w+=|$)|"
    rb"\{'(?:additional_properties|type|channel_data|channel_id|from_property)': "
)
_STREAM = re.compile(rb"'streaminfo'|stream_?[tT]ype'?[=:] ?'|'typing'")
_PLAIN = (b"data:", b'{"', b'[{"')


class PythonReader(LineReader):
    """payload: JSON written here; prefix_at: the time the log line begins with."""

    name = "python"

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self._times = Times()
        self._held: list[tuple[str, bytes, int, int]] = []  # lines of an event that goes on
        self._held_bytes = 0
        self._depth = 0

    def line(self, text: bytes, number: int, offset: int, ended: bool) -> None:
        shown = plain_text(text).decode("utf-8", "replace")
        if self._held:
            if _GOES_ON.match(shown):
                self._hold(shown, text, number, offset)
                return
            self._give_up()
        if not self._events(shown, text, number, offset):
            if shown.strip() in ("[", "]", "],", "(", ")"):
                self.ignore(BRACKETS)
            else:
                self.stray(number, offset, text)

    def ending(self) -> None:
        self._give_up()
        for kind, sentence in self._times.notes():
            self.account.time_of_day = self.account.time_of_day or kind == "time-of-day"
            self.artefact(kind, sentence)

    def _events(self, shown: str, text: bytes, number: int, offset: int) -> bool:
        """Offer the events of one line, and hold one that goes on; False: there was none."""
        scan, pos, lines = Scan(shown), 0, 1
        used = self.account.records
        while (found := _START.search(shown, pos)) is not None:
            try:
                value, pos = self._value(scan, found)
            except Broken as broken:
                if broken.ended and lines and not found.group().startswith("type="):
                    self._held_bytes = 0
                    self._depth = 0
                    self._hold(shown[found.start() :], text, number, offset)
                    return True
                if not lines:  # a record and a broken one in one line
                    self._uncount(used)
                return False
            event = _wire(value)
            if event is None:
                continue
            at = self._times.take(find(shown[: found.start()])) if found.start() and lines else None
            self._offer(event, text, number, offset, lines, at)
            lines = 0
        return not lines

    def _uncount(self, used: int) -> None:
        """Take back what the line at hand was counted as: a record's, or past the limit."""
        account = self.account
        if account.records > used:
            account.records -= 1
        elif account.ignored.get(PAST, 0) > 1:
            account.ignored[PAST] -= 1
        else:
            account.ignored.pop(PAST, None)

    def _value(self, scan: Scan, found: re.Match[str]) -> tuple[Model | dict[str, object], int]:
        if found.group().startswith("type="):
            members, end = scan.fields(found.start())
            return Model("", members), end
        value, end = scan.value(found.start())
        if not isinstance(value, Model | dict):
            return {}, max(end, found.end())
        return value, end

    def _offer(
        self, event: bytes, text: bytes, number: int, offset: int, lines: int, at: float | None
    ) -> None:
        self.artefact("python-repr", TRANSLATED, number)
        notes = () if is_utf8(text) else ("invalid-utf8",)
        self.offer(event, number, offset, lines=lines, prefix_at=at, framing=notes)

    # -- events over several lines

    def _hold(self, shown: str, text: bytes, number: int, offset: int) -> None:
        self._held.append((shown, text, number, offset))
        self._held_bytes += len(text)
        bare = _STRINGS.sub("", shown)
        self._depth += sum(map(bare.count, "([{")) - sum(map(bare.count, ")]}"))
        if self._depth <= 0:
            self._join()
        elif self._held_bytes > self.limits.max_record_bytes or len(self._held) > MAX_HELD_LINES:
            self._give_up()

    def _join(self) -> None:
        whole = b"\n".join(text for _, text, _, _ in self._held)
        shown = "\n".join(shown for shown, _, _, _ in self._held)
        _, _, number, offset = self._held[0]
        found = _START.match(shown)
        try:
            event = None if found is None else _wire(self._value(Scan(shown), found)[0])
        except Broken:
            event = None
        if event is None:
            self._give_up()
            return
        lines = len(self._held)
        self._held.clear()
        self._offer(event, whole, number, offset, lines, None)

    def _give_up(self) -> None:
        held, self._held = self._held, []
        for _, text, number, offset in held:
            self.stray(number, offset, text)


def _wire(value: Model | dict[str, object]) -> bytes | None:
    """JSON of an event or activity; None: it is neither."""
    event = wire_event(value)
    if event is not None:
        return event
    activity = wire_activity(value)
    return dumped(activity) if isinstance(activity, dict) and is_activity(activity) else None


def score(head: Head) -> Score | None:
    lines = head.lines
    plain = sum(line.startswith(_PLAIN) for line in lines)
    if plain * 2 >= len(lines):
        return None
    value = 0.5 if is_fenced(lines) else 0.9 if plain else 1.0
    shown = list(map(outside_json, lines))
    found = sum(_LOOKS.search(line) is not None or _OPENS.search(line) is not None for line in shown)
    if found and any(map(_LOOKS.search, shown)):
        return Score(
            value, (f"{found:,} of the first {len(lines):,} lines show an event as Python does",), "ag-ui"
        )
    found = sum(_ACTIVITY.search(line) is not None for line in shown)
    if found and any(map(_STREAM.search, shown)):
        reason = f"{found:,} of the first {len(lines):,} lines show an activity as Python does"
        return Score(value, (reason,), "teams", "a log of Python objects, Teams activities")
    return None


FORM = Form(
    "python", "a log of Python objects",
    ("Events as Python shows them: `RunStartedEvent(type=…, thread_id='t')` or `type=… thread_id='t'`, "
    "also in log lines."),
    score, PythonReader,
)  # fmt: skip
