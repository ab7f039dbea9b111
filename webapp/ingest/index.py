"""Records and steps in, database rows out.

Rules of this file: folding and counting while a trace goes by; tuples only, no session. `add` runs once a record,
so every line of it costs: no row objects, nothing looked up twice.

A *burst* is a run of consecutive records that only add text, have no finding and reached equally far; it is cut at
BURST_RECORDS records or BURST_CHARS characters. Its first record is a head, the others are folded under it. Every
other record is a head of its own, and where it carries text, a burst of one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from webapp.core.findings import Related
from webapp.core.records import Item, Record, Step
from webapp.ingest.lanes import LIFECYCLE, Lanes
from webapp.storage.findings import SEVERITY_NUMBER
from webapp.storage.items import BURST_RECORDS
from webapp.storage.plain import storable

BURST_CHARS = 64 * 1024
CHECKPOINT_RECORDS = 1000
MAX_OPEN = 2000  # open items a checkpoint lists: the newest; more are open only in hostile traces
MAX_MESSAGES = 5000  # messages a checkpoint lists: the newest
MAX_TYPES = 200  # distinct wire types that are counted; the specification has 31
REACHED = {"delivered": 0, "dropped": 1, "refused": 2, "after": 3}
SYNTH = {"closed": "end", "opened": "start", "grew": "grew"}
SNAPSHOT = "MESSAGES_SNAPSHOT"

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
    """Rows of one trace as it goes by; the caller empties `events`, `segments` and `checkpoints`.

    held: gives (id, role) of the messages held after a snapshot
    """

    def __init__(self, trace: int, held: Callable[[], list[tuple[str, str]]]) -> None:
        self.trace = trace
        self.events: list[Row] = []
        self.segments: list[Row] = []
        self.checkpoints: list[dict[str, Any]] = []
        self.lanes = Lanes()
        self.entries: dict[int, Entry] = {}
        self.kinds: dict[str, int] = {}  # items of each kind
        self.hits: dict[int, int] = {}  # record number -> severity as written
        self.heads = 0
        self._held = held
        self._types: dict[str, list[Any]] = {}  # wire type -> [records, as stored]
        self._open: dict[int, Item] = {}
        self._burst: dict[int, list[Any]] = {}  # items.ord -> [first, last, lane, kind, count, chars, texts]
        self._burst_first = 0
        self._burst_last = 0
        self._burst_reached = 0
        self._burst_chars = 0

    @property
    def types(self) -> dict[str, int]:
        """Records of each wire type."""
        return {stored: count for count, stored in self._types.values()}

    def add(self, record: Record, step: Step) -> None:
        seq = step.seq
        raw = record.payload.decode("utf-8", "replace")
        if "\0" in raw:
            raw = raw.replace("\0", "\u2400")
        reached = REACHED[step.reached]
        tag = step.lane
        lane = self.lanes.touch(tag, seq)

        item = step.item
        change = step.change
        delta = step.delta
        growth = change == "grew"
        synth = None
        if step.synthesized:
            synth, only_grew, item, change, delta = self._derived(step)
            growth = only_grew and change == "grew"
        if item is not None:
            ord_ = item.ord
            entry = self.entries.get(ord_)
            if entry is None:
                entry = self._enter(item, seq)
            if change == "opened":
                self._open[ord_] = item
            if delta and reached == 0:
                entry.seen += len(delta)

        severity = self._severity(step) if step.findings or step.amended else None
        if growth and severity is None and item is not None:
            if (
                self._burst
                and reached == self._burst_reached
                and seq - self._burst_first < BURST_RECORDS
                and self._burst_chars < BURST_CHARS
            ):
                head = 0
            else:
                if self._burst:
                    self._end_burst()
                head = 1
                self._burst_first = seq
                self._burst_reached = reached
            self._burst_last = seq
            self._grow(item, lane, seq, delta or "")
        else:
            head = 1
            if self._burst:
                self._end_burst()
            if delta and item is not None:
                self._burst_first = self._burst_last = seq
                self._burst_reached = reached
                self._grow(item, lane, seq, delta)
                self._end_burst()
        self.heads += head

        kind = step.type
        if kind is not None:
            counted = self._types.get(kind) or self._new_type(kind)
            counted[0] += 1
            kind = counted[1]
            if kind in LIFECYCLE:
                self.lanes.lifecycle(step)
        self.events.append(
            (
                self.trace,
                seq,
                head,
                record.at,
                step.ts,
                None,
                kind,
                lane,
                None if item is None else item.ord,
                change,
                reached,
                severity,
                synth,
                record.line,
                record.offset,
                raw,
            )
        )
        if kind == SNAPSHOT and reached == 0:
            self._checkpoint(seq, [[storable(id_), role] for id_, role in self._held()[-MAX_MESSAGES:]])
        elif seq % CHECKPOINT_RECORDS == CHECKPOINT_RECORDS - 1:
            self._checkpoint(seq, None)

    def finish(self) -> None:
        """The last burst ends with the input."""
        if self._burst:
            self._end_burst()

    def _derived(self, step: Step) -> tuple[str, bool, Item | None, str | None, str | None]:
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
            return [0, stored]
        counted = self._types[kind] = [0, stored]
        return counted

    def _grow(self, item: Item, lane: int, seq: int, delta: str) -> None:
        self._burst_chars += len(delta)
        segment = self._burst.get(item.ord)
        if segment is None:
            self._burst[item.ord] = [seq, seq, lane, item.kind, 1, len(delta), [delta]]
            return
        segment[1] = seq
        segment[4] += 1
        segment[5] += len(delta)
        segment[6].append(delta)

    def _end_burst(self) -> None:
        for ord_, (first, last, lane, kind, count, chars, texts) in self._burst.items():
            self.segments.append(
                (
                    self.trace,
                    first,
                    last,
                    self._burst_first,
                    self._burst_last,
                    ord_,
                    lane,
                    kind,
                    self._burst_reached,
                    count,
                    chars,
                    storable("".join(texts)),
                )
            )
        self._burst = {}
        self._burst_chars = 0

    def _checkpoint(self, seq: int, messages: list[list[str]] | None) -> None:
        self._open = {ord_: item for ord_, item in self._open.items() if item.state in ("open", "phantom")}
        self.checkpoints.append(
            {
                "trace": self.trace,
                "seq": seq,
                "open": list(self._open)[-MAX_OPEN:],
                "messages": messages,
                "state": None,
            }
        )
