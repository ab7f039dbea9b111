"""Rows copied out of a browser's EventStream tab (form A8): cells between tabs, of them one the event, one its time.

Rules of this file: which cell is what is found by looking, since browsers order and name them differently (Chrome:
Id, Type, Data, Time; Firefox: Data, Time). The time is one of day, in the zone of whoever copied it. Rows stay in
the order they were copied in.
"""

from __future__ import annotations

import re

from webapp.readers.forms import Form, Score
from webapp.readers.head import Head
from webapp.readers.linewise import LineReader

MAX_CELLS = 20  # tabs of a row: data may hold some
MAX_HEADER = 200  # bytes of the row of names
HEADER = "column names of the EventStream tab"
_TIME = re.compile(rb"(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d{1,6}))?\s*([AaPp])?\.?(?:[Mm]\.?)?")
_NAMES = {
    b"id",
    b"last event id",
    b"lasteventid",
    b"type",
    b"event name",
    b"event",
    b"data",
    b"time",
    b"retry",
}


def _row(line: bytes) -> tuple[bytes, float | None] | None:
    """The event and its time (seconds since midnight) of a row; None: it is none."""
    if not 0 < line.count(b"\t") <= MAX_CELLS:
        return None
    cells = line.split(b"\t")
    first = next((n for n, cell in enumerate(cells) if cell.lstrip().startswith((b"{", b"["))), None)
    if first is None:
        return None
    last = len(cells)
    at = None
    if last - first > 1 and (found := _TIME.fullmatch(cells[-1].strip())):
        last -= 1
        at = _seconds(found)
    elif first and (found := _TIME.fullmatch(cells[0].strip())):
        at = _seconds(found)  # the columns were put in another order
    if at is None and (first == 0 or not _plain(cells[:first])):
        return None
    return b"\t".join(cells[first:last]).strip(), at


def _plain(cells: list[bytes]) -> bool:
    """Whether the cells before the event are an id and a type, which are words."""
    return len(cells) <= 3 and all(re.fullmatch(rb"\s*[\w.:-]{0,80}\s*", cell) for cell in cells)


def _seconds(found: re.Match[bytes]) -> float:
    hour = int(found[1])
    if found[5]:
        hour = hour % 12 + (12 if found[5] in b"Pp" else 0)
    return hour * 3600 + int(found[2]) * 60 + int(found[3]) + float(f"0.{(found[4] or b'0').decode()}")


def _is_header(line: bytes) -> bool:
    if len(line) > MAX_HEADER:
        return False
    cells = [cell.strip().lower() for cell in line.split(b"\t")]
    return len(cells) > 1 and b"data" in cells and all(cell in _NAMES for cell in cells if cell)


class EventStreamReader(LineReader):
    """payload: the data cell; at: seconds since midnight."""

    name = "eventstream"

    def line(self, text: bytes, number: int, offset: int, ended: bool) -> None:
        if _is_header(text):
            self.ignore(HEADER)
            return
        row = _row(text)
        if row is None:
            bare = text.strip()
            if bare.startswith((b"{", b"[")) and b"\t" not in bare:
                self.offer(bare, number, offset)  # a row of which only the data was copied
            else:
                self.stray(number, offset, text)
            return
        payload, at = row
        if at is not None:
            self.account.time_of_day = True
            self.artefact(
                "time-of-day",
                "The browser's tab shows the time of day only: the date and the zone are not recorded.",
                number,
            )
        self.offer(payload, number, offset, at=at)


def score(head: Head) -> Score | None:
    lines = head.lines
    rows = sum(_row(line) is not None for line in lines)
    named = bool(lines) and _is_header(lines[0])
    if not rows or rows * 2 < len(lines) - named:
        return None
    share = rows / (len(lines) - named)
    return Score(
        round(0.6 + 0.4 * share, 2),
        (f"{rows:,} of the first {len(lines):,} lines are rows of a browser's EventStream tab",),
    )


FORM = Form(
    "eventstream", "rows of a browser's EventStream tab",
    "Rows copied from the EventStream tab of a browser's developer tools: id, type, data, time.",
    score, EventStreamReader,
)  # fmt: skip
