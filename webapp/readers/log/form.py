"""How well the first bytes fit as a log: lines with a prefix and an event, JSON logs, `TYPE: {json}` lines.

Rules of this file: scores only. The first bytes are read as a log would be, and what was found behind prefixes is
weighed against what stands there plain: a clean stream is never a log.
"""

from __future__ import annotations

import re

from webapp.core.records import Record
from webapp.readers.forms import Form, Score
from webapp.readers.head import Head
from webapp.readers.limits import Limits
from webapp.readers.log.reader import LogReader
from webapp.readers.signs import protocol_of
from webapp.readers.tally import parse

_STARTS_ELSE = re.compile(rb"\[\s*(?:[{\[\]\"]|$)|(?:data|event|id|retry):|:")
_TITLES = {"ag-ui": "AG-UI events", "teams": "calls of the Teams connector"}


def _read(head: Head) -> tuple[LogReader, list[Record]] | None:
    """The log reader, done with the first bytes; None where they are certainly no log."""
    text = head.text
    if b"{" not in text or _STARTS_ELSE.match(text):
        return None
    if text.startswith(b"{") and not isinstance(_first(head), dict):
        return None
    reader = LogReader(Limits(max_records=1000))
    records = [*reader.feed(head.data), *reader.close()]
    return reader, records


def _first(head: Head) -> object:
    try:
        return parse(head.lines[0])
    except (ValueError, IndexError):
        return None


def _title(records: list[Record], members: bool) -> str:
    values = []
    for record in records[:50]:
        try:
            values.append(parse(record.payload))
        except ValueError:
            continue
    protocol = protocol_of(values, b"")[0]
    kind = "JSON log" if members else "log"  # who wrote the lines is not told by how they begin
    return f"a {kind} of {_TITLES.get(protocol or '', 'events')}"


def log(head: Head) -> Score | None:
    """Lines with a prefix before an event, or entries of a JSON log that hold one."""
    read = _read(head)
    if read is None:
        return None
    reader, records = read
    hits = reader.prefixed + reader.members
    rivals = reader.bare + reader.typed
    if not hits:
        return None
    members = reader.members > reader.prefixed
    most = 1.0 if members and not rivals else 0.95
    lines = f"{hits:,} of the first {reader.account.lines:,} lines"
    reason = (
        f"{lines} are log entries that hold an event" if members else f"{lines} hold an event behind a prefix"
    )
    value = round(0.4 + (most - 0.4) * hits / (hits + rivals), 2)
    return Score(value, (reason,), title=_title(records, members))


def typed(head: Head) -> Score | None:
    """Lines that begin with the type of the event that follows."""
    read = _read(head)
    if read is None or not read[0].typed:
        return None
    reader = read[0]
    share = reader.typed / (reader.typed + reader.bare + reader.prefixed + reader.members)
    reason = f"{reader.typed:,} of the first {reader.account.lines:,} lines are a type and an event"
    return Score(round(0.4 + 0.56 * share, 2), (reason,))


LOG = Form(
    "log",
    "log lines with events",
    "A log whose lines hold events behind a prefix, or a JSON log.",
    log,
    LogReader,
)
TYPED = Form(
    "typed",
    "lines of type and event",
    "`TYPE: {json}` lines, as scripts print them.",
    typed,
    LogReader,
)
