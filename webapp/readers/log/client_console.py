"""What the debug output of an AG-UI client prints: `[VERIFY] Event: {json}`, one event once a stage (form A18).

Rules of this file: the stages, and which of them is read. Every event passes several; the earliest stage that has all
is taken, since later ones have lost or changed something. Which has all is known only at the end, so lines are held
until then, within a bound.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from webapp.readers.forms import Form, Score
from webapp.readers.head import Head
from webapp.readers.limits import Limits
from webapp.readers.linewise import LineReader
from webapp.readers.log import line as logline
from webapp.readers.log import times
from webapp.readers.tally import BLANK

OTHER, REPEAT = "other line of the console", "the same event at another stage"
HELD_BYTES = 128_000_000
STAGES = (
    "HTTP",
    "SSE",
    "PROTO",
    "TRANSFORM",
    "ENFORCE",
    "VERIFY",
    "LEGACY",
    "APPLY",
)  # in the order of the pipeline
_LINE = re.compile(rb"\[(" + "|".join(STAGES).encode() + rb")\] ?([A-Za-z_ ]{1,60}):? ?(?=\{|$)")
_MARK = re.compile(rb"\[ag-ui\]|\[(?:LIFECYCLE|" + "|".join(STAGES).encode() + rb")\]")
REACH = 400  # bytes in which the stage is looked for
# what a stage derives from chunks is none of the wire
_DERIVED = re.compile(r"(?:TEXT_MESSAGE|REASONING_MESSAGE|TOOL_CALL)_(?:START|CONTENT|ARGS|END)")


class Shown(NamedTuple):
    """One event as one stage printed it. key: equal for the same event at another stage."""

    stage: str
    payload: bytes
    key: int
    derived: bool  # of a kind that is derived from chunks
    chunk: bool
    number: int
    offset: int
    time: times.Time | None


class ConsoleReader(LineReader):
    """Records come at the end, when it is known which stage has all events."""

    name = "console"

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self._shown: list[Shown] = []
        self._size = 0
        self._stage: str | None = None  # once it is decided
        self._left = 0
        self._times = times.Times()

    def line(self, text: bytes, number: int, offset: int, ended: bool) -> None:
        text = logline.plain(text)
        stage = _LINE.search(text[:REACH])
        if self.long or (stage is not None and stage.end() >= len(text)):
            self.stray(number, offset, text)
        elif stage is None:
            self._else(text, number, offset)
        elif (shown := _shown(stage, text, number, offset)) is None:
            self.artefact(
                "shortened",
                "Some console lines do not hold the whole event; those are not understood.",
                number,
            )
            self.stray(number, offset, text)
        else:
            self._hold(shown)

    def ending(self) -> None:
        """Now it is known which stage has all events."""
        self._decide()
        if self._left:
            self.artefact(
                "repeated-stages",
                f"The console shows the events once a stage of the client; those of {self._stage} were read and "
                f"{self._left:,} repeats at other stages left out.",
            )
        for kind, sentence in self._times.notes():
            self.artefact(kind, sentence)

    def _else(self, text: bytes, number: int, offset: int) -> None:
        if not text.strip():
            self.ignore(BLANK)
        elif _MARK.search(text[:REACH]) or b"{" not in text:
            self.ignore(OTHER)
        else:
            self.stray(number, offset, text)

    def _hold(self, shown: Shown) -> None:
        if self._stage is not None:
            self._settle(shown)
            return
        self._shown.append(shown)
        self._size += len(shown.payload) + 200
        if self._size > HELD_BYTES:
            self._decide()

    def _decide(self) -> None:
        held, self._shown = self._shown, []
        if self._stage is None and held:
            self._stage = _best(held)
        for shown in held:
            self._settle(shown)

    def _settle(self, shown: Shown) -> None:
        if shown.stage != self._stage:
            self._left += 1
            self.ignore(REPEAT)
            return
        at = self._times.take(shown.time)
        self.account.time_of_day = self._times.dated is False
        self.offer(shown.payload, shown.number, shown.offset, prefix_at=at)


def _shown(stage: re.Match[bytes], text: bytes, number: int, offset: int) -> Shown | None:
    found = logline.look(text[stage.end() :])
    if found is None or found.kind == "cut" or found.prefix.strip():
        return None
    value, payload = found.value, found.payload
    if stage[2].startswith(b"Event invalid") and isinstance(value.get("json"), dict):
        value = value["json"]
        payload = logline.member(payload.decode("utf-8", "surrogateescape"), ("json",), value)
    kind = value.get("type")
    kind = kind if isinstance(kind, str) else ""
    key = hash(json.dumps(value, sort_keys=True))
    return Shown(
        stage[1].decode(), payload, key, _DERIVED.fullmatch(kind) is not None, kind.endswith("_CHUNK"), number, offset,
        times.find(text[: stage.start()].decode("utf-8", "replace")),
    )  # fmt: skip


def _best(held: list[Shown]) -> str:
    """The earliest stage that has every event; where none has, the one with the most."""
    keys: dict[str, set[int]] = {}
    counts: dict[str, int] = {}
    chunked: set[str] = set()
    for shown in held:
        keys.setdefault(shown.stage, set()).add(shown.key)
        counts[shown.stage] = counts.get(shown.stage, 0) + 1
        if shown.chunk:
            chunked.add(shown.stage)
    order = [stage for stage in STAGES if stage in keys]
    for stage in order:
        if all(
            shown.key in keys[stage] or (shown.derived and stage in chunked)
            for shown in held
            if shown.stage != stage
        ):
            return stage
    return max(order, key=lambda stage: counts[stage])


def score(head: Head) -> Score | None:
    """Lines with a stage in brackets and an event behind it."""
    hits = sum(
        (found := _LINE.search(line[:REACH])) is not None and line[found.end() : found.end() + 2] == b'{"'
        for line in map(logline.plain, head.lines)
    )
    if not hits or hits * 3 < len(head.lines):
        return None
    return Score(
        1.0,
        (f"{hits:,} of the first {len(head.lines):,} lines are debug output of an AG-UI client",),
        "ag-ui",
    )


FORM = Form(
    "console",
    "debug output of an AG-UI client",
    "The console of a browser or terminal with the client’s debug output: `[VERIFY] Event: {…}`.",
    score,
    ConsoleReader,
)
