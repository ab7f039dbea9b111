"""What a ladder is made of: rungs, headings, ends and clocks.

Rules of this file: data only. Times are seconds since the recording's start; texts are neither cut nor escaped:
whoever draws them does that. `views/teams/ladder_rungs.py` makes these, `ladder.py` draws them.
"""

from __future__ import annotations

from dataclasses import dataclass

from webapp.core.records import DELIVERED


@dataclass(frozen=True, slots=True)
class Bubble:
    """What the user's chat shows. style: status | text | final | edit | message | user | typing.

    text: whole, or its end; caption: a small line under it; alarm: drawn red
    """

    style: str
    text: str = ""
    caption: str = ""
    alarm: bool = False


@dataclass(frozen=True, slots=True)
class Rung:
    """One exchange, or a run of uneventful ones folded into one (`last` > `first`).

    kind:     of `core.teams.exchanges.KINDS`
    label:    words on the request's arrow; number: in its disc, "" for a call without one
    reached:  as `core.records.REACHED`; answers: words of the answer, longest first; missing: words where there is none
    at, ended: time of the request and of its answer (a fold: first request, last answer); None when not known
    shown:    what appears in the chat; reason: why nothing does; calm: that is nobody's fault
    severity, note: of the worst finding here, and its title
    stream:   lanes.ord, 0 for the chat itself; apart: seconds since the streaming call before it in the same chat
    """

    first: int
    last: int
    kind: str
    label: str
    number: str = ""
    reached: int = DELIVERED
    answers: tuple[str, ...] = ()
    missing: str = ""
    at: float | None = None
    ended: float | None = None
    shown: Bubble | None = None
    reason: str = ""
    calm: bool = False
    severity: str | None = None
    note: str = ""
    stream: int = 0
    apart: float | None = None
    sentence: str = ""

    @property
    def folded(self) -> bool:
        return self.last > self.first

    @property
    def inbound(self) -> bool:
        return self.kind == "inbound"

    def holds(self, event: int | None) -> bool:
        return event is not None and self.first <= event <= self.last


@dataclass(frozen=True, slots=True)
class Head:
    """Where another stream begins, or goes on. tint: 0–4"""

    stream: int
    words: str
    tint: int = 0


@dataclass(frozen=True, slots=True)
class End:
    """What stands after a stream's last call. then: what becomes of the bubble; last: the recording ends here too."""

    words: str
    bubble: Bubble | None = None
    then: str = ""
    last: bool = False


Entry = Rung | Head | End


@dataclass(frozen=True, slots=True)
class Clock:
    """The two minutes of one stream. since: its start's answer; ended: its last known moment.

    open: it was still running then; early: it began before this window; over: when Teams said that the time is up
    """

    stream: int
    since: float
    ended: float
    open: bool = False
    early: bool = False
    over: float | None = None


@dataclass(frozen=True, slots=True)
class Ladder:
    """A window of entries. selected: record number; agent, chat: second lines of the heads.

    untimed: the sentence that stands for ruler and clock when no time is known, "" when they are drawn
    """

    entries: tuple[Entry, ...]
    clocks: tuple[Clock, ...] = ()
    selected: int | None = None
    agent: str = ""
    chat: str = ""
    untimed: str = ""
    ends: bool = False  # its last rung is the recording's last record

    @property
    def rungs(self) -> tuple[Rung, ...]:
        return tuple(entry for entry in self.entries if isinstance(entry, Rung))
