"""What a timeline is made of: facts in, places out.

Rules of this file: data only. Values along the track are in axis units (seconds since the first record, or
record numbers); `axis.Scale` turns them into places. Texts are whole and not escaped: whoever draws them cuts
and escapes. `href` is a link of this site; `title` is read out and shown on hover.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from webapp.draw.axis import Cursor, Scale

KINDS = ("text", "tool", "reason", "activity")  # of bars, each a hue `k-…`


@dataclass(frozen=True, slots=True)
class Bar:
    """A message, call, reasoning or activity.

    key: the item's running number; x0, x1: its first and last piece; result: where its result arrived;
    until: it was never closed, and this is where its run (or the recording) ends; open_words: said of that;
    fault: being open is one; late: the last piece that came after its end; ghost: it was never opened;
    ticks: its pieces
    """

    key: int
    kind: str
    x0: float
    x1: float
    label: str
    title: str
    href: str
    result: float | None = None
    until: float | None = None
    open_words: str = "never closed"
    fault: bool = True
    late: float | None = None
    ghost: bool = False
    ticks: tuple[float, ...] = ()
    chosen: bool = False

    @property
    def end(self) -> float:
        return max(self.x1, *(v for v in (self.result, self.until, self.late) if v is not None), self.x0)


@dataclass(frozen=True, slots=True)
class Bracket:
    """A step, or a span of reasoning, over what happens in it. open: it was never closed."""

    kind: str
    x0: float
    x1: float
    label: str
    title: str
    href: str
    open: bool = False


@dataclass(frozen=True, slots=True)
class Tick:
    """A state event. href None: one of many, shown but not linked."""

    x: float
    title: str = ""
    href: str | None = None


@dataclass(frozen=True, slots=True)
class Pin:
    """A finding at its event, or `count` of them side by side. item: key of the bar it is tied to."""

    x: float
    severity: str
    label: str
    title: str
    href: str
    number: str = ""
    item: int | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Mark:
    """A line across the lane with words: an error that ended it, a run that begins. look: error | plain."""

    x: float
    number: str
    words: str
    title: str
    href: str
    look: str = "plain"


@dataclass(frozen=True, slots=True)
class Column:
    """Density: how many items of one kind begin between x0 and x1; share: of the fullest column, 0 … 1."""

    kind: str
    x0: float
    x1: float
    share: float


@dataclass(frozen=True, slots=True)
class Call:
    """One request of a stream on its ruler. href None: not linked.

    look: fine | refused | stopped | lost | dropped | sent
    """

    x: float
    look: str
    title: str
    href: str | None


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the axis with words: a burst, a silence. words: beside it where they fit; title: on hover."""

    x0: float
    x1: float
    words: str
    title: str


@dataclass(frozen=True, slots=True)
class Pace:
    """The one-per-second ruler of a stream. soon: where another request would come too soon, merged and in order."""

    calls: tuple[Call, ...]
    soon: tuple[tuple[float, float], ...] = ()
    bursts: tuple[Stretch, ...] = ()
    silences: tuple[Stretch, ...] = ()


@dataclass(frozen=True, slots=True)
class Limit:
    """The two-minute clock of a stream: from the start's answer, used up to `x1`, over at `end`.

    words: how much was left, or how far over; over: it went past the end
    """

    x0: float
    x1: float
    end: float
    words: str
    title: str
    over: bool = False


@dataclass(frozen=True, slots=True)
class Lane:
    """One swimlane. parent: `ord` of the lane it hangs under; tint: class `l0` …; x0, x1: its life, if known.

    sub: the line under the name; bad: that line tells of an error; columns replace most bars from afar
    """

    ord: int
    name: str
    sub: str = ""
    depth: int = 0
    parent: int | None = None
    tint: str = "l0"
    bad: bool = False
    x0: float | None = None
    x1: float | None = None
    bars: tuple[Bar, ...] = ()
    brackets: tuple[Bracket, ...] = ()
    states: tuple[Tick, ...] = ()
    pins: tuple[Pin, ...] = ()
    marks: tuple[Mark, ...] = ()
    columns: tuple[Column, ...] = ()
    pace: Pace | None = None
    limit: Limit | None = None


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of the track that is a link: closer in."""

    x0: float
    x1: float
    title: str
    href: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """The whole drawing.

    rejected: where the client stopped, what lies after it is faded; chosen: `ord` of the selected event’s lane
    """

    scale: Scale
    lanes: tuple[Lane, ...]
    summary: str
    cursor: Cursor | None = None
    rejected: float | None = None
    slices: tuple[Slice, ...] = ()
    chosen: int = 0


# ── places ───────────────────────────────────────────────────


@dataclass(slots=True)
class Placed:
    """One lane laid out. y, height in px.

    Rows: y of each bar by its place in `lane.bars`, None if it did not fit.
    """

    lane: Lane
    y: float
    height: float
    bar: float = 24  # height of a bar
    bars: list[float | None] = field(default_factory=list)
    brackets: list[float | None] = field(default_factory=list)
    pins: list[tuple[float, bool]] = field(default_factory=list)  # y, and whether its label is written
    marks: list[float | None] = field(default_factory=list)  # y of the words
    columns: dict[str, float] = field(default_factory=dict)  # kind -> base line
    states: float | None = None
    pace: float | None = None  # y of the ruler's foot
    limit: float | None = None  # y of the clock's bar

    @property
    def left_out(self) -> int:
        return sum(y is None for y in self.bars)
