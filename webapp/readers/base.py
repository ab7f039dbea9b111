"""What every reader is: bytes in pieces in, records out, every line accounted for.

Rules of this file: the protocol and its data. No reader's grammar.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from webapp.core.evidence import ResponseHead
from webapp.core.records import Record
from webapp.core.seal import Seal

__all__ = ["MAX_STRAYS", "Account", "Artefact", "Reader", "ResponseHead", "Stray"]

MAX_STRAYS = 200  # enough to see what the text is; the count goes on


@dataclass(frozen=True, slots=True)
class Artefact:
    """Something the capture or export did to the stream; never blamed on the producer. line: 1-based."""

    kind: str
    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Stray:
    """A line no reader could use. text is cut to 200 characters."""

    line: int
    offset: int
    text: str


@dataclass(slots=True)
class Account:
    """How the input was used: lines in all, by use, with the strays kept (the first MAX_STRAYS).

    Whole after `close()`: lines == records + sum(ignored.values()) + not_understood.
    records counts the *lines* that went into records; a line that holds a record and text nobody could use
    counts as not understood.
    """

    lines: int = 0
    records: int = 0
    ignored: dict[str, int] = field(default_factory=dict)  # reason -> lines
    not_understood: int = 0
    strays: list[Stray] = field(default_factory=list)
    artefacts: list[Artefact] = field(default_factory=list)
    time_of_day: bool = False  # times count from midnight: the recording has no date
    head: ResponseHead | None = None
    # the recording begins later than what it records: known before the first record, or at the latest with it
    head_missing: bool = False
    # rules that what the recording left out would be needed for -> the reason; known like `head_missing`
    unjudged: dict[str, str] = field(default_factory=dict)
    # of a redacted file: what was concluded before texts were taken out; known like `head_missing`
    seal: Seal | None = None
    # why nothing of the input may be taken, one sentence: a redacted file that is not whole
    refused: str = ""


class Reader(Protocol):
    """Incremental: any split of the bytes over `feed` gives the same records."""

    name: str  # form id: sse, ndjson, array, har
    account: Account

    def feed(self, chunk: bytes) -> Iterable[Record]: ...

    def close(self) -> Iterable[Record]: ...
