"""Recordings of the agui-inspector (form A12): one JSON object with a session of exchanges and the frames they
received.

Rules of this file: the frames of one exchange are one stream. A frame's `envelope` is the text of the wire with its
delimiters, so it is read as the server-sent events it is; where it is missing, `data` is the event. Fields may be
missing anywhere. Times: the exchange's start and each frame's offset, in milliseconds.
"""

from __future__ import annotations

from typing import IO, Any

from webapp.core.records import Record
from webapp.readers.forms import Form, Score
from webapp.readers.head import Head
from webapp.readers.limits import Limits
from webapp.readers.plain.sse import SseReader
from webapp.readers.several import Part, Taken, left_out, numbered, run_input_of
from webapp.readers.signs import is_inspector
from webapp.readers.slices import Span, elements, members, number_of, string_of, unescaped
from webapp.readers.tally import parse
from webapp.readers.whole import HELD_BYTES, WholeReader

NAME = "agui-inspector"
UNIX_MS = 1e11  # a start beyond this is a date


def _lists(text: bytes) -> dict[str, list[Span]]:
    """The elements of the session's lists, by name."""
    session = members(text).get("session")
    if session is None:
        return {}
    found = members(text, session[0])
    return {
        name: list(elements(text, span[0]))
        for name, span in found.items()
        if text[span[0] : span[0] + 1] == b"["
    }


def _table(text: bytes) -> dict[str, Any]:
    try:
        value = parse(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _id(value: Any) -> str:
    return value if isinstance(value, str) else ""


class InspectorReader(WholeReader):
    """payload: the event's text of the wire. The exchange is the first that received frames."""

    name = NAME
    frame = "the recording around its frames"

    def all(self, text: bytes) -> None:
        lists = _lists(text)
        starts = {
            _id(call.get("id")): call
            for span in lists.get("exchanges", ())
            for call in (_table(text[slice(*span)]),)
        }
        chosen: str | None = None
        reader = SseReader(self.limits)
        last: tuple[int, float | None] | None = None
        for start, end in lists.get("frames", ()):
            frame = _table(text[start:end])
            owner = _id(frame.get("exchangeId"))
            chosen = owner if chosen is None else chosen
            if owner != chosen:
                self.artefact("connections", "Frames of other exchanges were left out.", self.line_of(start))
                continue
            at = _when(starts.get(owner, {}), frame)
            last = (start, at)
            self._give(self._read(reader, frame), start, end, at)
        if last is not None:
            self._give(reader.close(), last[0], None, last[1])
        if reader.account.artefacts and chosen is not None:
            for artefact in reader.account.artefacts:
                self.artefact(artefact.kind, artefact.message)
        self._about(starts.get(chosen or "", {}))

    def _read(self, reader: SseReader, frame: dict[str, Any]) -> list[Record]:
        envelope, data = frame.get("envelope"), frame.get("data")
        if isinstance(envelope, str) and envelope:
            records = reader.feed(unescaped(envelope))
            if not records and isinstance(data, str):  # the delimiter is not part of the envelope
                records = reader.feed(b"\n\n")
            return records
        if isinstance(data, str):
            return [Record(unescaped(data), 0, 0)]
        return []

    def _give(self, records: list[Record], start: int, end: int | None, at: float | None) -> None:
        for record in records:
            self.offer(record.payload, start, end, at=at, framing=record.framing)

    def _about(self, call: dict[str, Any]) -> None:
        status = number_of(call.get("status"))
        if status is not None and status >= 400:
            self.artefact("status", f"The answer has the HTTP status {int(status)}.")
        if call.get("transport") in ("transport-error", "user-stopped"):
            why = "by the user" if call["transport"] == "user-stopped" else "by a fault of the connection"
            self.artefact("stopped", f"The recording says that the stream was ended {why}.")


def _when(call: dict[str, Any], frame: dict[str, Any]) -> float | None:
    offset = number_of(frame.get("offsetMs"))
    started = number_of(call.get("startedAt"))
    if offset is None:
        return None
    return (started + offset if started is not None and started > UNIX_MS else offset) / 1000


class Exchanges:
    """See `several.Several`."""

    def __init__(self, file: IO[bytes], limits: Limits) -> None:
        file.seek(0)
        self._text = text = file.read(HELD_BYTES)
        lists = _lists(text)
        self._frames: dict[str, list[Span]] = {}
        for span in lists.get("frames", ()):
            self._frames.setdefault(_id(_table(text[slice(*span)]).get("exchangeId")), []).append(span)
        self._calls: dict[str, tuple[Span, dict[str, Any]]] = {}
        for span in lists.get("exchanges", ()):
            call = _table(text[slice(*span)])
            self._calls.setdefault(_id(call.get("id")), (span, call))
        self._inputs: dict[str, bytes] = {}
        for start, end in lists.get("runs", ()):
            run = members(text[start:end])
            if "exchangeId" in run and "input" in run:
                owner = string_of(text[start:end][slice(*run["exchangeId"])]) or ""
                self._inputs.setdefault(owner, text[start:end][slice(*run["input"])])
        self._names = list(self._frames)
        self.parts = numbered(self._part(place, name) for place, name in enumerate(self._names, 1))
        silent = sum(name not in self._frames for name in self._calls)
        self.notes = left_out(silent, "exchange without a frame", "exchanges without a frame")
        self.whole = len(self._frames) <= 1 and len(self._calls) <= 1

    def _part(self, place: int, name: str) -> Part:
        call = self._calls.get(name, ((0, 0), {}))[1]
        title = f"{call.get('method') or ''} {str(call.get('path') or '').partition('?')[0]}".strip()
        frames = self._frames[name]
        return Part(
            f"x{place}", title or f"exchange {name}", NAME, "ag-ui", sum(end - start for start, end in frames),
            len(frames), tuple(str(call[key]) for key in ("kind", "runId") if isinstance(call.get(key), str)),
        )  # fmt: skip

    def take(self, id: str) -> Taken:
        name = self._names[int(id[1:]) - 1]
        span, call = self._calls.get(name, ((0, 0), {}))
        exchanges = [self._text[slice(*span)]] if span[1] else []
        frames = [self._text[slice(*each)] for each in self._frames[name]]
        sifted = (
            b'{"version":0,"session":{"exchanges":[\n' + b",\n".join(exchanges) + b'\n],"frames":[\n'
            + b",\n".join(frames) + b"\n]}}\n"
        )  # fmt: skip
        body = call.get("requestBody")
        asked = run_input_of(body if isinstance(body, str) else None) or run_input_of(self._inputs.get(name))
        return Taken((sifted,), (), asked)


def score(head: Head) -> Score | None:
    if not is_inspector(head.data):
        return None
    return Score(1.0, ("it begins as a recording of the agui-inspector",), "ag-ui")


FORM = Form(
    NAME, "a recording of the agui-inspector", "A session recording of the agui-inspector: exchanges and frames.",
    score, InspectorReader,
)  # fmt: skip
