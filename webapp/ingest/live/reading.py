"""How a live recording is read: its form by its first line, its protocol by its first records.

Rules of this file: the same answers however the bytes were split, since a recording may be judged again from what is
stored.
"""

from __future__ import annotations

from webapp.core.records import Record
from webapp.readers.base import Reader
from webapp.readers.detect import Detection, open_reader
from webapp.readers.limits import Limits
from webapp.readers.signs import protocol_of
from webapp.readers.tally import parse

FORMS = ("sse", "ndjson")
PROTOCOLS = ("ag-ui", "teams")
OTHERWISE = "ag-ui"  # where no record says anything
UNDECIDED = 20  # records waited for until one says which protocol it speaks
RECORDED = "it was recorded as it came"
BOM = b"\xef\xbb\xbf"


class Reading:
    """form, protocol: "" until they are known; records that say nothing are waited for, the others come at once."""

    def __init__(self, form: str, protocol: str, limits: Limits) -> None:
        self.form = form
        self.protocol = protocol
        self.reader: Reader | None = None
        self._limits = limits
        self._blank = bytearray()  # before the first line that is not blank
        self._waiting: list[Record] = []
        self._decided = False
        self._what = ""  # what the records are, in words

    def feed(self, data: bytes) -> list[Record]:
        """Whole lines, in order; the records they give, as soon as their protocol is known."""
        reader = self._opened(data, last=False)
        if reader is None:
            return []
        if self._blank:
            data, self._blank = bytes(self._blank), bytearray()
        return self._known(list(reader.feed(data)), last=False)

    def close(self) -> list[Record]:
        """The recording has ended."""
        reader = self._opened(b"", last=True)
        assert reader is not None
        records = list(reader.feed(bytes(self._blank))) if self._blank else []
        records += reader.close()
        return self._known(records, last=True)

    def found(self) -> Detection:
        """As the page tells it."""
        reasons = (RECORDED, self._what) if self._what else (RECORDED,)
        return Detection(self.form, 1.0, reasons, self.protocol or None)

    def _opened(self, data: bytes, last: bool) -> Reader | None:
        if self.reader is not None:
            return self.reader
        self._blank += data
        if not self.form:
            form = form_of(bytes(self._blank))
            if form is None and not last:
                return None
            self.form = form or "sse"
        self.reader = open_reader(self.form, self._limits)
        return self.reader

    def _known(self, records: list[Record], last: bool) -> list[Record]:
        """The records, once it is known what they are: by the first of them that says something."""
        if self._decided:
            return records
        for place, record in enumerate(records):
            self._waiting.append(record)
            spoken, what = protocol_of((_value(record),), b"")
            if not self.protocol:
                if spoken is None and len(self._waiting) < UNDECIDED:
                    continue
                self.protocol = spoken or OTHERWISE
            self._what = what if spoken == self.protocol else ""
            self._decided = True
            known, self._waiting = self._waiting, []
            return known + records[place + 1 :]
        if not last:
            return []
        self.protocol = self.protocol or OTHERWISE
        known, self._waiting = self._waiting, []
        return known


def form_of(begun: bytes) -> str | None:
    """The form of a recording that begins so; None: nothing but white space came yet."""
    start = begun.removeprefix(BOM).lstrip()
    if not start:
        return None
    return "ndjson" if start.startswith((b"{", b"[")) else "sse"


def _value(record: Record) -> object:
    try:
        return parse(record.payload)
    except ValueError:
        return None
