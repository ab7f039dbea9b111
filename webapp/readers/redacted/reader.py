"""A redacted file: the seal on its first line, then one line a record.

Rules of this file: lines to records and the seal to the account. Such a file is taken whole or not at all, since its
findings name records by number: the first thing that does not fit makes it refused, in one sentence. Which texts were
taken out is not looked at. The form is described in docs/redaction.md.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from webapp.core import seal
from webapp.core.evidence import ResponseHead
from webapp.core.teams.times import FAR
from webapp.readers.base import Artefact
from webapp.readers.forms import Form, Score
from webapp.readers.head import Head
from webapp.readers.limits import Limits, in_words
from webapp.readers.linewise import LineReader

NAME = "redacted"
AGAIN = "so nothing of the file is taken; get the redacted file once more."
NO_SEAL = "This is no redacted file: its first line does not say so. Upload it without naming a form."
NOT_READ = "not read: the file is refused"
AROUND = 1000  # bytes of a line beside its record
_PROTOCOL = re.compile(rb'"protocol"\s*+:\s*+"(ag-ui|teams)"')


REACHED_IN = {
    "ag-ui": ("delivered", "dropped", "refused", "after"),
    "teams": ("delivered", "dropped", "refused", "lost", "sent"),
}
Time = Annotated[float, Meta(gt=-FAR, lt=FAR)]


class _Line(msgspec.Struct):
    """One record. record: with its texts out; raw: what stands for one that is no JSON object."""

    seq: Annotated[int, Meta(ge=0)]
    record: msgspec.Raw | UnsetType = UNSET
    raw: str | UnsetType = UNSET
    at: Time | None = None
    prefix_at: Time | None = None
    reached: str = "delivered"
    new: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None


_read_line = msgspec.json.Decoder(_Line).decode


def sealed_note(reached: str, new: int | None) -> str:
    """How a record's framing says what was known of it: how far it came, how many characters were new on screen."""
    return f"sealed {reached}" if new is None else f"sealed {reached} {new}"


class RedactedReader(LineReader):
    """payload: the record as the file has it; framing: one note, see `sealed_note`."""

    name = NAME

    def __init__(self, limits: Limits | None = None) -> None:
        chosen = limits or Limits()
        # a line holds more than its record
        super().__init__(replace(chosen, max_record_bytes=chosen.max_record_bytes + AROUND))
        self.limits = chosen
        self._begun = False

    def line(self, text: bytes, number: int, offset: int, ended: bool) -> None:
        """The seal, or one record."""
        if not self._begun:
            self._begun = True
            self._seal(text)
            self.ignore("the seal")
        elif self.account.refused:
            self.ignore(NOT_READ)
        elif fault := self._record(text, number, offset):
            self.account.refused = f"Line {number:,} of this redacted file {fault}, {AGAIN}"
            self.ignore(NOT_READ)

    def ending(self) -> None:
        """The number of records is that of the seal, unless this server reads no more."""
        sealed = self.account.seal
        if sealed is None:
            self.account.refused = self.account.refused or NO_SEAL
        elif not self.account.refused and not self.full and self.count != sealed.records:
            self.account.refused = (
                f"This redacted file is not whole: its first line tells of {sealed.records:,} records and "
                f"{self.count:,} are there. Get it once more."
            )

    def _seal(self, text: bytes) -> None:
        if not seal.begins(text):
            self.account.refused = NO_SEAL
            return
        if self.long:
            most = in_words(self.limits.max_record_bytes)
            self.account.refused = f"The first line of this redacted file is longer than {most}, {AGAIN}"
            return
        try:
            found = self.account.seal = seal.read(text)
        except seal.Unsealed as error:
            self.account.refused = str(error)
            return
        self.account.time_of_day = found.clock == "time-of-day"
        self.account.artefacts += [Artefact(note.kind, note.message) for note in found.artefacts]
        if found.head is not None:
            self.account.head = ResponseHead(found.head.status, found.head.content_type)

    def _record(self, text: bytes, number: int, offset: int) -> str:
        """Offer the record; what is wrong with the line, a clause, "" when nothing is."""
        if self.long:
            return f"is longer than {in_words(self.limits.max_record_bytes)}"
        try:
            line = _read_line(text)
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            return "cannot be read"
        if line.seq != self.count:
            return f"should hold record #{self.count} and holds #{min(line.seq, 2**53)}"
        if (line.record is UNSET) == (line.raw is UNSET):
            return "holds no record"
        if line.reached not in REACHED_IN[self.account.seal.protocol if self.account.seal else "ag-ui"]:
            return "says of its record what this protocol does not know"
        payload = bytes(line.record) if isinstance(line.record, msgspec.Raw) else _text(line.raw)
        note = sealed_note(line.reached, line.new)
        self.offer(payload, number, offset, at=line.at, prefix_at=line.prefix_at, framing=(note,))
        return ""


def _text(marker: str | UnsetType) -> bytes:
    return marker.encode("utf-8", "replace") if isinstance(marker, str) else b""


def score(head: Head) -> Score | None:
    if not seal.begins(head.data):
        return None
    found = _PROTOCOL.search(head.data)
    protocol = "ag-ui" if found is None else found[1].decode()
    return Score(1.0, ("its first line says that texts were taken out of it",), protocol)


FORM = Form(
    NAME, "a redacted file", "A recording whose texts were taken out, with the verdict from before that.",
    score, RedactedReader,
)  # fmt: skip
