"""A recording in which both protocols speak: it is judged as one, and the records of the other are counted.

Rules of this file: one cheap look at each record, and a second one only at those that may be the other's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from webapp.core.records import Record
from webapp.readers.activities import TEXT
from webapp.readers.base import Account, Artefact
from webapp.readers.event_names import IN_JSON
from webapp.readers.signs import protocol_of
from webapp.readers.tally import parse

BEGIN = 36  # bytes of a record's beginning: the longest type of a delta fits
MOST = 100  # beginnings remembered
_NAMES = {
    "ag-ui": (
        "AG-UI",
        "an exchange or activity of Microsoft Teams",
        "exchanges and activities of Microsoft Teams",
    ),
    "teams": ("Microsoft Teams", "an event of AG-UI", "events of AG-UI"),
}


def counted(records: Iterable[Record], protocol: str, account: Account) -> Iterator[Record]:
    """The same records; once they are used up, the account tells those of the other protocol."""
    other = "teams" if protocol == "ag-ui" else "ag-ui"
    sign = TEXT if other == "teams" else IN_JSON
    count = 0
    line: int | None = None
    known: set[bytes] = set()  # beginnings that name an event of AG-UI: nearly every record has one of them
    for record in records:
        payload = record.payload
        if payload[:BEGIN] in known:
            yield record
            continue
        if other == "teams" and len(known) < MOST and IN_JSON.search(payload, 0, BEGIN) is not None:
            known.add(payload[:BEGIN])
        if (
            sign.search(payload) is not None
            and (other == "ag-ui" or IN_JSON.search(payload) is None)
            and protocol_of([_value(payload)], b"")[0] == other
        ):
            count += 1
            line = line or record.line
        yield record
    if count:
        account.artefacts.append(Artefact("both-protocols", told(protocol, count), line))


def told(protocol: str, count: int) -> str:
    """The sentence; protocol: the one the recording is taken for."""
    name, one, more = _NAMES[protocol]
    which = f"one record is {one}" if count == 1 else f"{count:,} records are {more}"
    return (
        f"The recording holds both protocols: it is taken for {name}, and {which}. Only one is judged at a time; to "
        "judge the other, read the recording again as that protocol (on a terminal: `--protocol`)."
    )


def _value(payload: bytes) -> Any:
    try:
        return parse(payload)
    except ValueError:
        return None
