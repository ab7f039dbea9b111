"""What a sequence diagram is made of: facts about records in, rows of arrows out.

Rules of this file: data only. `sequence_rows.py` turns facts into rows, `sequence.py` rows into SVG,
`mermaid.py` rows into text. Columns are indexes into `Diagram.lifelines`, from the left. Texts are on one
line but not cut and not escaped: whoever draws them does that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from webapp.core.records import DELIVERED
from webapp.draw import layout

MAX_LANES = 8  # lifelines of lanes drawn; further ones share one
MAX_PARTS = 6  # lines of one loop frame


# ── facts in ─────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class LaneFact:
    """One lane. ord 0 is the parent agent; started, ended: record numbers, None if never said."""

    ord: int
    name: str
    tag: str | None = None
    parent: int | None = None
    first: int = 0
    last: int = 0
    started: int | None = None
    ended: int | None = None


@dataclass(frozen=True, slots=True)
class ItemFact:
    """One message, call, … number: 1-based within its kind; chunked: it came in the chunk shorthand; away: a snapshot
    had removed it when the record came, so that it had no target."""

    ord: int
    kind: str
    id: str
    number: int
    name: str | None = None
    chunked: bool = False
    away: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """One record.

    seconds:  on the trace's clock, since its start; None when it has no time
    synth:    derived events, in order: (end | start | grew, item)
    text:     the piece of text it carries; detail: what else tells it apart (a name, an outcome, a message)
    severity: word of the worst finding here; fault: that finding's title, a clause
    in_expansion: a chunk rule refused it, so it never left the expansion stage
    culprit:  a finding names this record as the one that closed its item
    """

    seq: int
    type: str | None
    lane: int = 0
    seconds: float | None = None
    reached: int = DELIVERED
    item: ItemFact | None = None
    change: str | None = None
    synth: tuple[tuple[str, ItemFact], ...] = ()
    text: str | None = None
    detail: str = ""
    severity: str | None = None
    fault: str = ""
    in_expansion: bool = False
    culprit: bool = False

    @property
    def first(self) -> int:
        return self.seq

    @property
    def last(self) -> int:
        return self.seq


@dataclass(frozen=True, slots=True)
class Part:
    """The deltas of one item inside a burst. size: bytes of text; seconds: from first to last, or None."""

    item: ItemFact
    lane: int
    count: int
    size: int
    seconds: float | None = None
    reached: int = DELIVERED


@dataclass(frozen=True, slots=True)
class Burst:
    """A run of content records, folded. seconds: of its first record, as in Fact."""

    first: int
    last: int
    parts: tuple[Part, ...]
    seconds: float | None = None


Entry = Fact | Burst


# ── rows out ─────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Lifeline:
    """One column. role: lane | more | expansion | client | screen.

    kind, name: the two lines of its head (name alone when kind is empty); full: on hover; tint: 0–4
    begins, ends: record numbers between which the lane is at work; None is from the start, to the end
    """

    role: str
    name: str
    kind: str = ""
    full: str = ""
    tint: int = 0
    begins: int | None = None
    ends: int | None = None


@dataclass(frozen=True, slots=True)
class Arrow:
    """One arrow between two columns. style: solid | derived | lost; detail: words after the event's name."""

    a: int
    b: int
    kind: str
    style: str = "solid"
    name: str = ""
    short: str = ""  # the name when the whole one has no room
    detail: str = ""
    extra: str = ""  # more words, only where everything fits
    quote: str | None = None  # text it carries, shown in quotation marks
    note: str = ""  # a consequence, under the line
    alarm: bool = False  # that consequence led to a finding


@dataclass(frozen=True, slots=True)
class Line:
    """Arrows at one height, left to right, and what the user saw of it. bad: the pill tells of an error."""

    arrows: tuple[Arrow, ...]
    pill: str = ""
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the diagram. shape: plain | loop | stop (words between what arrived and what did not)."""

    first: int
    last: int
    lines: tuple[Line, ...] = ()
    shape: str = "plain"
    seconds: float | None = None
    severity: str | None = None
    fault: str = ""  # written under a lost arrow
    gone: bool = False
    text: str = ""  # of a stop row
    sentence: str = ""  # the row for those who hear it

    def holds(self, event: int | None) -> bool:
        return self.shape != "stop" and event is not None and self.first <= event <= self.last


@dataclass(frozen=True)
class Diagram:
    """A window of rows. selected: record number; rejected_at as in the report; name: of the trace."""

    lifelines: tuple[Lifeline, ...]
    rows: tuple[Row, ...]
    selected: int | None = None
    rejected_at: int | None = None
    name: str = ""

    @cached_property
    def times(self) -> list[str]:
        """When each row was, in words; "" where that is not known."""
        return layout.apart([row.seconds for row in self.rows])


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column a lane has. lanes: ord -> column; more: the shared one."""

    client: int
    screen: int
    expansion: int | None = None
    more: int | None = None
    lanes: dict[int, int] = field(default_factory=dict)

    def of(self, lane: int) -> int:
        found = self.lanes.get(lane, self.more)
        return 0 if found is None else found
