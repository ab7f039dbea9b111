"""Exports of the CopilotKit inspector (form A13): an array of events with `agentId` and `payload`, the newest first.

Rules of this file: the events of one agent are one stream, put in the order they came in. The inspector keeps the
newest 200 of each agent and 500 in all: an export that is full may begin in the middle of a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise
from typing import IO, Any, NamedTuple

from webapp.readers.forms import Form, Score
from webapp.readers.head import Head
from webapp.readers.limits import Limits
from webapp.readers.several import Part, Taken, numbered
from webapp.readers.slices import elements, members, number_of, string_of
from webapp.readers.whole import HELD_BYTES, WholeReader

NAME = "copilotkit"
AGENT_CAP = 200  # events the inspector keeps of one agent
TOTAL_CAP = 500  # and in all
FULL = b'{"capped":true}'  # stands first in what was taken out of an export that was full
MAX_ROWS = 20_000  # the inspector never exports so many
HEAD_ROWS = 50  # of the head, looked at for the score


class Row(NamedTuple):
    """One event. start, end: its element in the text; at: unix seconds; place: running number in its id, -1 if none."""

    start: int
    end: int
    agent: str
    payload: bytes
    at: float | None
    place: int


def row(text: bytes, start: int, end: int) -> Row | None:
    """What an element says; None: it is no event of this form."""
    element = text[start:end]
    found = members(element)
    if not {"agentId", "type", "payload"} <= found.keys():
        return None

    def raw(name: str) -> bytes:
        return element[slice(*found[name])].strip() if name in found else b""

    payload = raw("payload")
    if payload.startswith(b'"'):  # some versions export the payload as text
        payload = (string_of(payload) or "").encode("utf-8", "surrogatepass").strip()
    if payload.startswith(b"{") and "type" not in members(payload):
        rest = payload[1:].lstrip()
        payload = b'{"type":' + raw("type") + (b"" if rest.startswith(b"}") else b",") + rest
    at = number_of(raw("timestamp")) if "timestamp" in found else None
    number = (string_of(raw("id")) or "").rpartition(":")[2]
    place = int(number) if number.isdecimal() and len(number) < 16 else -1
    return Row(start, end, string_of(raw("agentId")) or "", payload, None if at is None else at / 1000, place)


def rows_of(text: bytes) -> list[Row | tuple[int, int]]:
    """Every element, as far as MAX_ROWS: a row, or where one that is none stands."""
    return [row(text, start, end) or (start, end) for start, end in islice(elements(text), MAX_ROWS)]


def newest_first(rows: Sequence[Row]) -> bool:
    """By running numbers, else by times, else as the inspector writes it."""
    for values in ([r.place for r in rows if r.place >= 0], [r.at for r in rows if r.at is not None]):
        downs = sum(a > b for a, b in pairwise(values))
        ups = sum(a < b for a, b in pairwise(values))
        if ups != downs:
            return downs > ups
    return len(rows) > 1


class CopilotkitReader(WholeReader):
    """payload: the event; at: unix seconds. The agent is that of the newest event."""

    name = NAME
    frame = "the export around its events"

    def all(self, text: bytes) -> None:
        found = rows_of(text)
        rows = [each for each in found if isinstance(each, Row)]
        if len(found) == MAX_ROWS:
            self.artefact("too-many-records", f"Only the first {MAX_ROWS:,} events of the export were read.")
        full = len(rows) >= TOTAL_CAP
        for each in found:
            if not isinstance(each, Row) and text[slice(*each)] == FULL:
                full = True
            elif not isinstance(each, Row):
                self.stray(self.line_of(each[0]), self._starts[self.line_of(each[0]) - 1], text[slice(*each)])
        agents = dict.fromkeys(each.agent for each in rows)
        if len(agents) > 1:
            self.artefact("agents", f"Events of other agents than {rows[0].agent} were left out.")
        mine = [each for each in rows if each.agent == rows[0].agent]
        if len(mine) >= AGENT_CAP or full:
            self.account.head_missing = True
            self.artefact(
                "capped",
                f"The inspector keeps the newest {AGENT_CAP} events of an agent and {TOTAL_CAP} in all: earlier ones "
                "may be missing, so rules about missing starts cannot be told.",
            )
        if newest_first(mine):
            mine.reverse()
            self.artefact(
                "newest-first", "The export has the newest event first; the order was turned around."
            )
        for each in mine:
            self.offer(each.payload, each.start, each.end, at=each.at)


class Agents:
    """See `several.Several`."""

    def __init__(self, file: IO[bytes], limits: Limits) -> None:
        file.seek(0)
        self._text = text = file.read(HELD_BYTES)
        rows = [each for each in rows_of(text) if isinstance(each, Row)]
        self._of: dict[str, list[Row]] = {}
        for each in rows:
            self._of.setdefault(each.agent, []).append(each)
        full = len(rows) >= TOTAL_CAP
        self._names = list(self._of)
        self.parts = numbered(
            Part(
                f"a{place}", f"agent {name}" if name else "an agent without a name", NAME, "ag-ui",
                sum(each.end - each.start for each in self._of[name]), len(self._of[name]),
                ("the head may be missing",) if full or len(self._of[name]) >= AGENT_CAP else (),
            )
            for place, name in enumerate(self._names, 1)
        )  # fmt: skip
        self._full = full
        self.notes: tuple[str, ...] = ()
        self.whole = True

    def take(self, id: str) -> Taken:
        rows = self._of[self._names[int(id[1:]) - 1]]
        body = b",\n".join([FULL] * self._full + [self._text[each.start : each.end] for each in rows])
        return Taken((b"[\n" + body + b"\n]\n",))


def score(head: Head) -> Score | None:
    if not head.text.startswith(b"[") or b'"agentId"' not in head.data or b'"payload"' not in head.data:
        return None
    seen: list[Any] = []
    for start, end in elements(head.text):
        seen.append(row(head.text, start, end))
        if len(seen) == HEAD_ROWS:
            break
    found = sum(each is not None for each in seen)
    if not found or found * 2 < len(seen):
        return None
    reasons = (f"{found:,} of its first {len(seen):,} elements are events of the CopilotKit inspector",)
    return Score(1.0, reasons, "ag-ui")


FORM = Form(
    NAME, "an export of the CopilotKit inspector", "The event list exported by the CopilotKit inspector.",
    score, CopilotkitReader,
)  # fmt: skip
