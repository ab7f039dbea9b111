"""Events in the envelopes of a debug stream (form A14):
`{"timestamp":…,"agentId":…,"threadId":…,"runId":…,"event":{…}}`.

Rules of this file: taking one event out of its envelope, and what a stream of such envelopes is made of. The lines
and their account are those of the reader of the text around (events of a stream, JSON lines, an array).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import IO, NamedTuple

from webapp.core.records import Record
from webapp.readers.base import Account, Artefact, Reader
from webapp.readers.forms import Form, Score
from webapp.readers.head import HEAD_BYTES, Head
from webapp.readers.limits import Limits
from webapp.readers.several import Part, Taken, numbered, pieces_of
from webapp.readers.slices import members, number_of, string_of
from webapp.readers.unread import UnreadReader

NAME = "debug-events"
TITLE = "a debug stream of enveloped events"
ABOUT = "The debug stream of a CopilotKit runtime (/cpk-debug-events): each event in an envelope."
KEPT = ("incomplete", "invalid-utf8", "too-long")  # the framing was that of the debug stream, not the agent's
_IDS = ("agentId", "threadId", "runId")
TAKEN_OUT = "Each event came in an envelope of a debug stream and was taken out of it; its `timestamp` is the arrival."


class Envelope(NamedTuple):
    """at: unix seconds; ids: agent, thread, run ("" where the envelope does not say)."""

    event: bytes
    at: float | None
    ids: tuple[str, ...]


def opened(payload: bytes) -> Envelope | None:
    """What is in an envelope; None: it is none."""
    found = members(payload)
    if "event" not in found or "type" in found or not ({"timestamp", *_IDS} & found.keys()):
        return None
    start, end = found["event"]
    event = payload[start:end].strip()
    if not event.startswith(b"{"):
        return None
    at = None
    if "timestamp" in found and (number := number_of(payload[slice(*found["timestamp"])])) is not None:
        at = number / 1000
    ids = tuple((string_of(payload[slice(*found[name])]) or "") if name in found else "" for name in _IDS)
    return Envelope(event, at, ids)


class EnvelopeReader:
    """payload: the event; at: the envelope's time. What stands outside of envelopes is offered as it is."""

    name = NAME

    def __init__(self, limits: Limits | None, choose: Callable[[Head], Form | None]) -> None:
        self.limits = limits or Limits()
        self.account = Account()
        self._choose = choose
        self._waiting = bytearray()
        self._inner: Reader | None = None
        self._told = False

    def feed(self, chunk: bytes) -> list[Record]:
        """Take the next bytes; the records that are whole."""
        if self._inner is not None:
            return self._out(self._inner.feed(chunk))
        self._waiting += chunk
        if len(self._waiting) <= HEAD_BYTES:
            return []
        return self._open(complete=False)

    def close(self) -> list[Record]:
        """The input ended."""
        held = self._open(complete=True) if self._inner is None else []
        return held if self._inner is None else [*held, *self._out(self._inner.close())]

    def _open(self, *, complete: bool) -> list[Record]:
        text = bytes(self._waiting)
        self._waiting.clear()
        form = self._choose(Head(text, complete=complete))
        self._inner = inner = UnreadReader(self.limits) if form is None else form.reader(self.limits)
        inner.account = self.account
        return self._out(inner.feed(text))

    def _out(self, records: Iterable[Record]) -> list[Record]:
        return [self._one(record) for record in records]

    def _one(self, record: Record) -> Record:
        envelope = opened(record.payload)
        notes = tuple(note for note in record.framing if note in KEPT)
        if envelope is None:
            return Record(record.payload, record.line, record.offset, record.at, notes)
        if not self._told:
            self._told = True
            told = self.account.artefacts
            told.append(Artefact("envelope", TAKEN_OUT, record.line))
        return Record(envelope.event, record.line, record.offset, envelope.at, notes)


def score(head: Head, inner: Callable[[Head], Form | None]) -> Score | None:
    """inner: the form of the text around the envelopes."""
    form = inner(head) if b'"event"' in head.data else None
    if form is None:
        return None
    reader = form.reader(Limits())
    records = list(reader.feed(head.data))
    if head.complete:
        records += reader.close()
    found = sum(opened(record.payload) is not None for record in records)
    if not found or found * 2 < len(records):
        return None
    return Score(1.0, (f"{found:,} of the first {len(records):,} records are envelopes of a debug stream",))


class Runs:
    """See `several.Several`: one stream is what has the same agent, thread and run."""

    def __init__(self, file: IO[bytes], limits: Limits, choose: Callable[[Head], Form | None]) -> None:
        self._file = file
        self._limits = limits
        self._choose = choose
        counts: dict[tuple[str, ...], list[int]] = {}
        for _, envelope, size in self._all():
            count = counts.setdefault(envelope.ids, [0, 0])
            count[0] += 1
            count[1] += size
        self._ids = list(counts)
        self.parts = numbered(
            Part(f"r{place}", _title(ids), NAME, "ag-ui", counts[ids][1], counts[ids][0], _reasons(ids))
            for place, ids in enumerate(self._ids, 1)
        )
        self.notes: tuple[str, ...] = ()
        self.whole = True

    def take(self, id: str) -> Taken:
        return Taken(self._of(self._ids[int(id[1:]) - 1]))

    def _of(self, ids: tuple[str, ...]) -> Iterator[bytes]:
        for payload, envelope, _ in self._all():
            if envelope.ids == ids:
                yield payload.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"

    def _all(self) -> Iterator[tuple[bytes, Envelope, int]]:
        pieces = pieces_of(self._file)
        head = next(pieces, b"")
        form = self._choose(Head(head, complete=len(head) <= HEAD_BYTES))
        if form is None:
            return
        reader = form.reader(self._limits)
        for piece in chain((head,), pieces):
            yield from _opened(reader.feed(piece))
        yield from _opened(reader.close())


def _opened(records: Iterable[Record]) -> Iterator[tuple[bytes, Envelope, int]]:
    for record in records:
        envelope = opened(record.payload)
        if envelope is not None:
            yield record.payload, envelope, len(record.payload)


def _title(ids: tuple[str, ...]) -> str:
    agent, thread, run = ids
    return (
        f"agent {agent}, run {run}"
        if agent and run
        else f"run {run}"
        if run
        else f"agent {agent or thread or 'unknown'}"
    )


def _reasons(ids: tuple[str, ...]) -> tuple[str, ...]:
    return (f"thread {ids[1]}",) if ids[1] else ()


def form(choose: Callable[[Head], Form | None]) -> Form:
    """The form; choose: which form a text inside has."""
    return Form(
        NAME, TITLE, ABOUT, lambda head: score(head, choose), lambda limits: EnvelopeReader(limits, choose)
    )
