"""A HAR file with connector calls of Teams (form T2) to exchange lines, in order of their request times.

Rules of this file: which calls are read, and the account of it. A conversation is read when one of its calls carries
fields of a stream; then all its calls are, since plain messages, edits and pings belong to the picture. Everything
else is not looked into, and `sifted` leaves it out. What a conversation is can be known only at the end, so all
records come then. line and offset are those of the line the entry begins in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from webapp.core.records import Record
from webapp.readers.forms import Form, Score
from webapp.readers.har import connector_entry
from webapp.readers.har.entries import EntryCutter
from webapp.readers.har.signs import is_har
from webapp.readers.head import Head
from webapp.readers.limits import Limits
from webapp.readers.tally import BLANK, PAST

HELD_BYTES = 128_000_000  # of calls kept until the end
OTHER = "another call of the HAR file"
FRAME = "the HAR file around its calls"
_HEAD = b'{"log":{"version":"1.2","creator":{"name":"Lanescope","version":"1"},"entries":['
_MAYBE = re.compile(rb"conversations/", re.IGNORECASE)
_SLASH = re.compile(rb"conversations\\/", re.IGNORECASE)  # some writers escape it


@dataclass(slots=True)
class Call:
    """A connector call. kept: what may be kept of it, a HAR entry in one line; when: unix seconds it is sorted by."""

    kept: bytes
    conversation: str
    streams: bool
    when: float
    line: int
    offset: int
    own: int
    shared: bool
    last: int


class HarReader(EntryCutter):
    """payload: an exchange line (form T1). `picked` and `sifted` speak once the reader is closed."""

    name = "har"

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self.picked: list[Call] = []  # in order of time
        self._calls: list[Call] = []  # in order of the file
        self._held = 0
        self._when = float("-inf")
        self._others = 0  # lines of entries that are no connector call
        self._broken = 0
        self._untaken = 0

    def feed(self, chunk: bytes) -> list[Record]:
        """Take the next bytes; no record yet."""
        self.cut_chunk(chunk)
        return []

    def close(self) -> list[Record]:
        """The input ended: all records."""
        self.pick()
        return self._records()

    def pick(self) -> None:
        """The input ended, and only `picked` and `sifted` are wanted."""
        lines = self.end()
        chats = {call.conversation for call in self._calls if call.streams}
        chosen = [call for call in self._calls if call.conversation in chats]
        self._tell(lines, chats)
        self.picked = sorted(chosen, key=lambda call: call.when)
        self._calls.clear()
        self._about(len(chosen))

    def sifted(self) -> bytes:
        """The HAR file with nothing but the picked calls and what may be kept of them, one a line."""
        if not self.picked:
            return _HEAD + b"]}}\n"
        return _HEAD + b"\n" + b",\n".join(call.kept for call in self.picked) + b"\n]}}\n"

    # -- entries

    def _entry(
        self, payload: bytes, line: int, offset: int, own: int, shared: bool, last: int, whole: bool
    ) -> None:
        call = None
        if len(payload) > self.limits.max_record_bytes:
            self.artefact(
                "too-long-record", "An entry of the HAR file is too long to be read; it was left out.", line
            )
        elif not whole or not payload.startswith(b"{"):
            self._broken += 1
        elif _MAYBE.search(payload) or _SLASH.search(payload):
            value = connector_entry.value_of(payload)
            self._broken += value is None
            call = connector_entry.kept(value)
        if call is None:
            self._others += own
            return
        data = connector_entry.dumped(call)
        if self._held + len(data) > HELD_BYTES:
            self._untaken += 1
            self._others += own
            return
        self._held += len(data)
        at = connector_entry.started(call)
        self._when = self._when if at is None else at
        self._calls.append(
            Call(
                data,
                connector_entry.conversation(call),
                connector_entry.streams(call),
                self._when,
                line,
                offset,
                own,
                shared,
                last,
            )
        )

    def _records(self) -> list[Record]:
        out = []
        bodiless = cut = 0
        for call in self.picked:
            entry = connector_entry.kept(connector_entry.value_of(call.kept)) or {}
            made = connector_entry.exchange_line(entry)
            bodiless += made.bodiless
            cut += made.cut
            payload = made.payload
            notes: tuple[str, ...] = ()
            if len(payload) > self.limits.max_record_bytes:
                payload, notes = self.cut(payload, call.line), ("too-long",)
            out.append(Record(payload, call.line, call.offset, connector_entry.started(entry), notes))
        if bodiless:
            self.artefact(
                "har-no-body",
                f"{bodiless:,} of the answers {_have(bodiless)} no body in the HAR file: "
                "what the service said is not known.",
            )
        if cut:
            self.artefact("har-cut-body", f"{cut:,} of the calls {_have(cut)} a body that is no whole JSON.")
        return out

    # -- the account

    def _tell(self, lines: int, chats: set[str]) -> None:
        """Every line once: with a picked call on it, with another one, around them, blank, or not understood."""
        records, others, claimed = 0, self._others, 0
        for call in self._calls:
            if call.conversation not in chats:
                others += call.own
                continue
            records += call.own
            if call.shared and claimed < call.line:
                records += 1
                others -= 1
            claimed = call.last
        account = self.account
        account.lines, account.records = lines, records
        self.ignore(OTHER, others)
        self.ignore(BLANK, self.blank)
        self.ignore(PAST, self.past)
        self.ignore(FRAME, lines - records - others - self.blank - self.past - account.not_understood)

    def _about(self, picked: int) -> None:
        """What is to be said about the file as a whole."""
        if picked < self.entries and picked:
            self.artefact(
                "har-others",
                f"{picked:,} of {self.entries:,} calls belong to a streamed reply; the others were not read.",
            )
        if self._broken:
            self.artefact("har-broken", f"{self._broken:,} of the entries could not be read.")
        if self._untaken:
            self.artefact(
                "har-too-much",
                f"{self._untaken:,} connector calls were left out: they are too large to be read at once.",
            )
        if self.full:
            most = self.limits.max_records
            self.artefact(
                "too-many-records", f"The input holds more than {most:,} records; the rest was not read."
            )
        if self.cut_off:
            self.artefact("har-cut", "The HAR file has no closing brackets: its end is missing.")


def _have(count: int) -> str:
    return "has" if count == 1 else "have"


def score(head: Head) -> Score | None:
    return Score(1.0, ("it begins as a HAR file",), "teams") if is_har(head.text) else None


NAME = "har"
FORM = Form(
    NAME, "a HAR file of connector calls", "The export of a network tab or proxy, with calls of the Teams connector.",
    score, HarReader,
)  # fmt: skip
