"""A HAR file with streamed answers of an agent (forms A9 and A10): which there are, one of them read, one taken out.

Rules of this file: an entry is a stream when its answer is `text/event-stream`, the binary binding, or holds AG-UI
events. The best clock is that of `_eventSourceMessages`; without them the file tells only when the call began and
ended. line and offset are those the body or the message stands on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from webapp.core.records import Record
from webapp.core.teams.times import iso_seconds
from webapp.readers.base import ResponseHead
from webapp.readers.forms import Form, Score
from webapp.readers.har import connector_entry, streamed_entry
from webapp.readers.har.entries import EntryCutter
from webapp.readers.har.signs import is_har
from webapp.readers.head import HEAD_BYTES, Head
from webapp.readers.limits import Limits, in_words
from webapp.readers.slices import elements, gap, members, number_of, unescaped
from webapp.readers.tally import BLANK, PAST, is_utf8

NAME = "har-stream"
TITLE = "the stream of a HAR file"
ABOUT = "The export of a browser's network tab, with an agent's streamed answer."
FRAME = "the HAR file around the stream"
HELD_BYTES = 96_000_000  # of streams kept until the end
ENTRY_BYTES = 48_000_000  # of one entry
_MARK = (
    b'{"log":{"version":"1.2","creator":{"name":"Lanescope","version":"1","comment":"a stream"},"entries":[\n'
)
_MAYBE = re.compile(rb"event-stream|vnd\.ag-ui|_eventSourceMessages|RUN_STARTED|RUN_ERROR", re.IGNORECASE)
_TYPE = "content-type"


@dataclass(slots=True)
class Stream:
    """A streamed call. number: of its entry, from 1; raw: the entry as it stands in the file, at byte `at`."""

    number: int
    raw: bytes
    line: int
    line_offset: int
    at: int
    call: dict[str, Any]
    facts: streamed_entry.Facts


class HarStreams(EntryCutter):
    """Collects the streamed calls; `streams` is whole after `end`."""

    def __init__(self, limits: Limits | None = None) -> None:
        given = limits or Limits()
        super().__init__(
            Limits(given.max_expanded_bytes, given.max_records, max(ENTRY_BYTES, given.max_record_bytes))
        )
        self.given = given
        self.streams: list[Stream] = []
        self.untaken = 0
        self.broken = 0
        self._held = 0

    def _entry(
        self, payload: bytes, line: int, offset: int, own: int, shared: bool, last: int, whole: bool
    ) -> None:
        if not _MAYBE.search(payload):
            return
        call = streamed_entry.kept(connector_entry.value_of(payload)) if whole else None
        if call is None:
            self.broken += not whole
            return
        if self._held + len(payload) > HELD_BYTES or len(payload) > self.limits.max_record_bytes:
            self.untaken += 1
            return
        self._held += len(payload)
        self.streams.append(
            Stream(self.entries, payload, line, offset, self.begun_at, call, streamed_entry.facts(call))
        )

    def ours(self) -> list[Stream]:
        """The streams to pick from: those of an agent, or all when there is none."""
        ranked = [stream for stream in self.streams if stream.facts.rank]
        return ranked or self.streams


def sifted(stream: Stream) -> bytes:
    """A HAR file with nothing but one stream and what may be kept of it."""
    return _MARK + streamed_entry.written(stream.call) + b"\n]}}\n"


class HarStreamReader(HarStreams):
    """payload: the event, or what stands in its place. The stream is the first of an agent."""

    name = NAME

    def __init__(self, limits: Limits | None, choose: Callable[[Head], Form | None]) -> None:
        super().__init__(limits)
        self._choose = choose
        self._records: list[Record] = []
        self._seen = (0, 0, -1)  # place, lines before it, the newest line end before it
        self._form: str | None = None  # of the body, when it is recorded as such

    def feed(self, chunk: bytes) -> list[Record]:
        """Take the next bytes; no record yet."""
        self.cut_chunk(chunk)
        return []

    def close(self) -> list[Record]:
        """The input ended: all records."""
        lines = self.end()
        self.limits = self.given
        self.full = False
        chosen = next((s for s in self.streams if s.facts.rank == 2), None) or next(iter(self.ours()), None)
        if chosen is not None:
            self._read(chosen)
            self._about(chosen)
        account = self.account
        account.lines = lines
        account.records = len({record.line for record in self._records})
        self.ignore(BLANK, self.blank)
        self.ignore(PAST, self.past)
        self.ignore(FRAME, lines - account.records - self.blank - self.past - account.not_understood)
        out, self._records = self._records, []
        return out

    def _read(self, stream: Stream) -> None:
        raw, found = stream.raw, members(stream.raw)
        if stream.call.get(streamed_entry.MESSAGES) and streamed_entry.MESSAGES in found:
            start = found[streamed_entry.MESSAGES][0]
            kept = iter(stream.call[streamed_entry.MESSAGES])
            for place, stop in elements(raw, start):
                message = connector_entry.value_of(raw[place:stop])
                if not isinstance(message, dict) or not isinstance(message.get("data"), str):
                    continue
                told = next(kept)
                if not self._offer(unescaped(told["data"]), stream, place, number_of(told.get("time")), ()):
                    return
            return
        response = members(raw, found["response"][0]) if "response" in found else {}
        content = members(raw, response["content"][0]) if "content" in response else {}
        place = content["text"][0] if "text" in content else gap(raw, 0)
        self._body(stream, place)

    def _body(self, stream: Stream, place: int) -> None:
        body = streamed_entry.body_of(stream.call["response"]["content"])
        if body.data is None:
            self.artefact(
                "har-no-body",
                "The HAR file does not have the body of the stream: browsers often leave it out. Save the response "
                "itself, or export again after the answer has ended.",
            )
            return
        form = self._choose(Head(body.data[: HEAD_BYTES + 1], complete=len(body.data) <= HEAD_BYTES))
        if form is None:
            self.artefact("har-body", "The body in the HAR file is no stream of events.")
            return
        inner = form.reader(self.given)
        self._form = form.name
        records = [*inner.feed(body.data), *inner.close()]
        started, took = iso_seconds(stream.call.get("startedDateTime")), stream.call.get("time")
        timed = b'"timestamp"' in body.data
        for n, record in enumerate(records):
            at = record.at
            if at is None and started is not None and not timed:
                at = started if n == 0 else None
                if n == len(records) - 1 and n and took is not None and took >= 0:
                    at = started + took / 1000
            if not self._offer(record.payload, stream, place, at, record.framing):
                break
        for artefact in inner.account.artefacts:
            self.artefact(artefact.kind, artefact.message)
        if inner.account.not_understood:
            self.artefact(
                "har-body-lines",
                f"{inner.account.not_understood:,} lines inside the body were not understood.",
            )
        self.artefact(
            "har-times", "The HAR file tells when the call began and ended, not when each event arrived."
        )
        if body.missing:
            self.account.unjudged["AGUI-TRN-10"] = "The end of the body is not in the HAR file."
            self.artefact(
                "har-truncated",
                f"The HAR file leaves out the end of the body, about {in_words(body.missing)} of it: what is missing "
                "there is the recording's fault.",
            )

    def _offer(
        self, payload: bytes, stream: Stream, place: int, at: float | None, framing: tuple[str, ...]
    ) -> bool:
        # places come in order: only what is new since the last one is looked at
        last, newlines, begin = self._seen
        newlines += stream.raw.count(b"\n", last, place)
        begin = max(begin, stream.raw.rfind(b"\n", last, place))
        self._seen = (place, newlines, begin)
        line = stream.line + newlines
        offset = stream.line_offset if begin < 0 else stream.at + begin + 1
        if not self.room(line):
            return False
        notes = framing
        if len(payload) > self.given.max_record_bytes:
            payload, notes = self.cut(payload, line), (*notes, "too-long")
        if not is_utf8(payload) and "invalid-utf8" not in notes:
            notes = (*notes, "invalid-utf8")
        self._records.append(Record(payload, line, offset, at, notes))
        return True

    def _about(self, stream: Stream) -> None:
        response = stream.call["response"]
        headers = {header["name"].lower(): header["value"] for header in response["headers"]}
        kind = headers.pop(_TYPE, "") or str(response["content"].get("mimeType") or "") or None
        status = response.get("status")
        self.account.head = ResponseHead(status or None, kind, tuple(headers), self._form)
        others = len(self.streams) - 1
        if others:
            self.artefact("har-others", f"{others:,} other streams of the HAR file were left out.")
        if self.cut_off:
            self.artefact("har-cut", "The HAR file has no closing brackets: its end is missing.")
        if error := stream.call.get("_error"):
            self.artefact("har-error", f"The browser noted a fault of the connection: {error}.")


def score(head: Head) -> Score | None:
    """Above the connector's HAR files where the head shows a stream of an agent and none of those calls."""
    if not is_har(head.text):
        return None
    if head.data.startswith(_MARK):
        return Score(1.0, ("it is one stream taken out of a HAR file",), "ag-ui")
    if re.search(rb"conversations(?:\\?/|%2f)[^\"]{1,500}activities", head.data, re.IGNORECASE):
        return None
    if re.search(rb"text/event-stream|_eventSourceMessages|vnd\.ag-ui", head.data):
        return Score(1.0, ("it is a HAR file with a streamed answer",), "ag-ui")
    return None


def form(choose: Callable[[Head], Form | None]) -> Form:
    """The form; choose: which form a text inside has."""
    return Form(NAME, TITLE, ABOUT, score, lambda limits: HarStreamReader(limits, choose))
