"""Records and steps in, database rows out.

Rules of this file: folding and counting while a trace goes by; tuples only, no session. `add` runs once a record,
so every line of it costs: no row objects, nothing looked up twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from webapp.core.findings import Related
from webapp.core.kinds import Change
from webapp.core.records import REACHED as NAMES
from webapp.core.records import SHOWN, Item, Record, Step
from webapp.ingest.bursts import Bursts
from webapp.ingest.lanes import LIFECYCLE, Lanes
from webapp.ingest.states import STATE_TYPES, States
from webapp.storage.findings import SEVERITY_NUMBER
from webapp.storage.storable import storable

CHECKPOINT_RECORDS = 1000
MAX_OPEN = 2000  # open items a checkpoint lists: the newest; more are open only in hostile traces
MAX_MESSAGES = 5000  # messages a checkpoint lists: the newest
MAX_TYPES = 200  # distinct wire types that are counted; the specification has 31
REACHED = {name: number for number, name in enumerate(NAMES)}
SYNTH = {"closed": "end", "opened": "start", "grew": "grew"}
SNAPSHOT = "MESSAGES_SNAPSHOT"

# places of columns in a row of `events`
SEQ, HEAD, AT, TS, PREFIX = 1, 2, 3, 4, 5
TYPE, ITEM, SYNTHS = 6, 8, 12

Row = tuple[Any, ...]


class Entry:
    """What the index adds to an item. number: within its kind, from 1; seen: characters delivered."""

    __slots__ = ("item", "lane", "number", "seen")

    def __init__(self, item: Item, number: int, lane: int) -> None:
        self.item = item
        self.number = number
        self.lane = lane
        self.seen = 0


class Indexer:
    """Rows of one trace as it goes by; the caller takes and empties `events`, `bursts.segments`, `checkpoints`.

    held: gives (id, role) of the messages held after a snapshot; state: gives the shared state now;
    length: characters of a piece of text (see `Bursts`)
    """

    def __init__(
        self,
        trace: int,
        held: Callable[[], list[tuple[str, str]]],
        state: Callable[[], Any] = dict,
        length: Callable[[str], int] = len,
    ) -> None:
        self.trace = trace
        self.events: list[Row] = []
        self.bursts = Bursts(trace, length)
        self._length = length
        self.checkpoints: list[dict[str, Any]] = []
        self.lanes = Lanes()
        self.entries: dict[int, Entry] = {}
        self.kinds: dict[str, int] = {}  # items of each kind
        self.hits: dict[int, int] = {}  # record number -> severity as written
        self._held = held
        self._states = States(state)
        self._types: dict[
            str, list[Any]
        ] = {}  # wire type -> [records, as stored, whether more is to be done]
        self._open: dict[int, Item] = {}
        self._tag: Any = self  # the tag of the newest record's lane; itself: there is none yet
        self._lane = self.lanes.all[0]
        self._lane_ord = 0

    @property
    def types(self) -> dict[str, int]:
        """Records of each wire type."""
        return {stored: count for count, stored, _ in self._types.values()}

    def add(self, record: Record, step: Step) -> None:
        """One record and what the engine said about it, in order."""
        seq = step.seq
        raw = record.payload.decode("utf-8", "replace")
        if "\0" in raw:
            raw = raw.replace("\0", "\u2400")
        reached = REACHED[step.reached]
        if step.lane is self._tag:  # nearly always that of the record before
            lane = self._lane_ord
            self._lane.last = seq
        else:
            lane = self._turn_to(step.lane, seq)

        item = step.item
        change = step.change
        delta = step.delta
        growth = change == "grew"
        synth = ord_ = None
        if step.synthesized:
            synth, only_grew, item, change, delta = self._derived(step)
            growth = only_grew and change == "grew"
        if item is not None:
            ord_ = item.ord
            entry = self.entries.get(ord_) or self._enter(item, seq)
            if change == "opened":
                self._open[ord_] = item
            if delta and reached in SHOWN and item.gone is None:  # after `gone` it is shown nowhere
                entry.seen += self._length(delta)

        severity = self._severity(step) if step.findings or step.amended else None
        head = 1
        if item is not None and growth and severity is None:
            head = self.bursts.grow(item, lane, seq, reached, delta or "")
        else:
            self.bursts.end()
            if delta and item is not None:
                self.bursts.alone(item, lane, seq, reached, delta)

        kind = step.type
        state = None
        if kind is not None:
            counted = self._types.get(kind) or self._new_type(kind)
            counted[0] += 1
            kind = counted[1]
            if counted[2]:
                if kind in STATE_TYPES:
                    state = self._states.add(kind, len(raw))
                else:
                    self.lanes.lifecycle(step)
        at = record.at if step.at is None else step.at
        # columns of EventRow
        self.events.append(
            (self.trace, seq, head, at, step.ts, record.prefix_at, kind, lane, ord_, change, reached, severity, synth,
             record.line, record.offset, raw)
        )  # fmt: skip
        if kind == SNAPSHOT and reached == 0:
            self._checkpoint(seq, [[storable(id_), role] for id_, role in self._held()[-MAX_MESSAGES:]])
        elif state is not None or not (seq + 1) % CHECKPOINT_RECORDS:
            self._checkpoint(seq, None, state)

    def _turn_to(self, tag: str | None, seq: int) -> int:
        self._tag, self._lane_ord = tag, self.lanes.touch(tag, seq)
        self._lane = self.lanes.all[self._lane_ord]
        return self._lane_ord

    def finish(self) -> None:
        """The last burst ends with the input."""
        self.bursts.end()

    def _derived(self, step: Step) -> tuple[str, bool, Item | None, Change | None, str | None]:
        """Of a record with synthesized events: their text form, whether they only add text, what the record did.

        A chunk has no event of its own: what it did is what its last derived event did.
        """
        item, change, delta = step.item, step.change, step.delta
        parts = []
        only_grew = True
        for emitted in step.synthesized:
            about = emitted.item
            if about.ord not in self.entries:
                self._enter(about, step.seq)
            if emitted.change == "opened":
                self._open[about.ord] = about
            only_grew = only_grew and emitted.change == "grew"
            parts.append(f"{SYNTH[emitted.change]}:{about.ord}")
        last = step.synthesized[-1]
        if item is None and step.event is None:
            item = last.item
        if item is last.item:
            delta = last.delta if delta is None else delta
            if change is None:
                opened = any(e.change == "opened" and e.item is item for e in step.synthesized)
                change = "opened" if opened else last.change
        return ";".join(parts), only_grew, item, change, delta

    def _enter(self, item: Item, seq: int) -> Entry:
        number = self.kinds[item.kind] = self.kinds.get(item.kind, 0) + 1
        entry = self.entries[item.ord] = Entry(item, number, self.lanes.ord_of(item.lane, seq))
        if item.state == "open" or item.state == "phantom":
            self._open[item.ord] = item
        return entry

    def _severity(self, step: Step) -> int | None:
        """The worst finding at this record, merged ones that came again included."""
        seq = step.seq
        here = [f for f in step.findings if f.event == seq]
        here += [f for f in step.amended if f.related and f.related[-1] == Related(seq, "again")]
        if not here:
            return None
        worst = self.hits[seq] = min(SEVERITY_NUMBER[f.severity] for f in here)
        return worst

    def _new_type(self, kind: str) -> list[Any]:
        stored = storable(kind)[:60]
        if len(self._types) >= MAX_TYPES:
            return [0, stored, kind in LIFECYCLE or kind in STATE_TYPES]
        counted = self._types[kind] = [0, stored, kind in LIFECYCLE or kind in STATE_TYPES]
        return counted

    def _checkpoint(self, seq: int, messages: list[list[str]] | None, state: str | None = None) -> None:
        self._open = {ord_: item for ord_, item in self._open.items() if item.state in ("open", "phantom")}
        self.checkpoints.append(
            {
                "trace": self.trace,
                "seq": seq,
                "open": list(self._open)[-MAX_OPEN:],
                "messages": messages,
                "state": state,
            }
        )
