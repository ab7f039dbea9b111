"""What is known of a recording so far: chats, their streams, and the calls that still matter.

Rules of this file: data and look-up; it judges nothing. Memory is bounded by the number of chats
and streams, not of calls: a stream keeps its newest text and at most PENDING failed calls.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import msgspec

from webapp.core.findings import Finding
from webapp.core.kinds import Basis, ItemKind, Severity
from webapp.core.ledger import Ledger, Place
from webapp.core.records import Item
from webapp.core.rules import catalogue
from webapp.core.teams import rejection
from webapp.core.teams.exchanges import Exchange
from webapp.core.teams.tables import OPEN

PENDING = 50  # failed calls of a stream that a later call may repeat
MAX_GAPS = 500
MAX_SENDS = 1800  # the hour's quota
MAX_OPEN = 50
MAX_WAITS = 6
MAX_BLAMED = 10_000
TURN_SECONDS = 120.0  # without `replyToId`, a pause of this length begins another turn
TEST_CHANNELS = frozenset({"webchat", "directline", "emulator"})


class Call(msgspec.Struct, kw_only=True, eq=False):
    """One record on its way through the engine.

    at, ended: request and answer time, seconds; turn: number of the agent's turn in its chat
    stream:    the stream it belongs to (for an attempt that was refused too), None for the chat itself
    state:     the stream's state before this call, "" without a stream; rule: what the table says it breaks
    starts:    it opens a stream, or tries to; foreign: it names a stream that no recorded answer issued
    nameless:  it belongs to a stream and carries no id
    repeats:   the failed call of which it is a repetition; tries: how often the same was sent before; waits: seconds
               that the agent waited before each of those, the newest MAX_WAITS
    told:      rules told of this very call so far, with the finding that holds each
    """

    seq: int
    ex: Exchange
    chat: Chat
    at: float | None = None
    ended: float | None = None
    turn: int = 0
    stream: Stream | None = None
    state: str = ""
    rule: str | None = None
    starts: bool = False
    foreign: bool = False
    nameless: bool = False
    repeats: Call | None = None
    tries: int = 0
    waits: tuple[float, ...] = ()
    told: dict[str, Finding | None] = {}

    @property
    def fine(self) -> bool:
        """Accepted, or nothing else is known."""
        return self.ex.answered in ("ok", "unknown")

    @property
    def arrived(self) -> bool:
        """A final that came back as complete already after the first try's answer was lost: it had arrived."""
        return self.ex.key == "E403-DONE" and self.repeats is not None and self.repeats.ambiguous

    @property
    def ambiguous(self) -> bool:
        """It failed in a way that leaves open whether it was carried out: 412, 5xx, or no answer."""
        return self.ex.answered == "lost" or self.ex.key in ("E412", "E500", "E5XX")

    @property
    def failed(self) -> bool:
        """Refused, or the answer never came: it may be sent again."""
        return self.ex.answered in ("refused", "lost")

    @property
    def basis(self) -> Basis:
        """Whether a recorded answer stands behind what is said of this call."""
        return "predicted" if self.ex.answered in ("unknown", "lost") else "confirmed"


class Gap(msgspec.Struct, frozen=True):
    """Numbers that nobody had when a higher one came: those between `low` and `high`; told: what was said of it."""

    low: int
    high: int
    told: Finding | None


class Stream(msgspec.Struct, kw_only=True, eq=False):
    """One streamed reply, or the attempt at one.

    ord: running number; id: as issued
    tag: its id, or `#12` (its first record) while none was issued, or where an earlier stream has the same
    anchored: its start is recorded; start: the call that opened it, or tried to (the newest try)
    opened: record number of the accepted start; since: time of the start's answer
    text, text_call: what the user's bubble holds, and the call that put it there (C of the specification)
    status, status_call: the newest accepted status line
    highest: greatest sequence number so far, highest_call: the call that had it
    gap: the newest number that left others out; astray: calls since `highest_call` whose own number was none that
    fits, astray_key: key of the finding about the newest of those
    last: its newest call of any outcome; ended_by: the call whose answer ended it (final, Stop, time limit …)
    edited: record number of the plain edit that saved the text after the time limit
    slowest: the call whose answer came last so far, for the overlap of calls
    refused_by: the newest call that was refused for good while the stream was open
    left: (record number, how) of what shows that the open stream was turned away from: `inbound`, `turn`, `message`
    rejected: record number of the first call that the service refused for a fault of the agent
    unclosed: the recording shows that the stream was left open
    redacted: texts are masked in this recording, so they are not compared
    goes_on, newer: the first stream of the reply that this one starts once more (TEAMS-014), and, on that first
    one, the newest; again: a later start went on from it
    """

    ord: int
    tag: str
    chat: Chat
    turn: int
    item: Item
    id: str | None = None
    anchored: bool = True
    start: Call | None = None
    guessed: bool = False  # `id` is only a transcript's own id of the start, or nothing is known of it
    opened: int | None = None
    since: float | None = None
    state: str = "refused"
    text: str = ""
    text_call: Call | None = None
    status: str = ""
    status_call: Call | None = None
    highest: int | None = None
    highest_call: Call | None = None
    gap: Gap | None = None
    astray: int = 0
    astray_key: str | None = None
    first: int = 0
    last: Call | None = None
    ended_by: Call | None = None
    edited: int | None = None
    pending: list[Call] = []
    gaps: list[float] = []  # seconds between streaming chunks, the first MAX_GAPS
    prefix_break: Call | None = None  # the newest call whose text does not begin with `text`
    slowest: Call | None = None
    refused_by: Call | None = None
    left: tuple[int, str] | None = None
    rejected: int | None = None
    unclosed: bool = False
    redacted: bool = False
    goes_on: Stream | None = None
    newer: Stream | None = None
    again: bool = False

    @property
    def open(self) -> bool:
        return self.state in OPEN


class Chat(msgspec.Struct, kw_only=True, eq=False):
    """One conversation. streams: in order of their first record; by_id: those that have an id.

    turn: number of the current turn; reply_to: the activity of the user it answers; newest_at: time of its newest call
    sends: request times of the newest MAX_SENDS sends (all kinds), seconds
    last_streamed: the newest streaming call (any stream), for the pace
    open: streams that are open now; replies: activities of the user that were answered; the newest MAX_OPEN of both
    crowded: findings about the send quota, by basis
    bodiless: the newest POST whose body was not recorded
    group: a call showed that it is no personal chat
    hosted: a call of it went to a host of Teams; teams: False on a test channel, where the rules of Teams do not bind
    """

    id: str
    streams: list[Stream] = []
    by_id: dict[str, Stream] = {}
    turn: int = 0
    reply_to: str | None = None
    newest_at: float | None = None
    last_streamed: Call | None = None
    sends: deque[float] = msgspec.field(default_factory=lambda: deque(maxlen=MAX_SENDS))
    open: list[Stream] = []
    replies: dict[str, None] = {}
    crowded: dict[str, Finding] = {}
    bodiless: Call | None = None
    hosted: bool = False
    teams: bool = True
    group: bool = False

    @property
    def newest(self) -> Stream | None:
        return self.streams[-1] if self.streams else None

    def in_turn(self, turn: int) -> Stream | None:
        """The newest stream, or attempt, of a turn."""
        newest = self.newest  # turns only go up
        return newest if newest is not None and newest.turn == turn else None


class World:
    """Everything the rule families read. `tell` is their only way to say something."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.chats: dict[str, Chat] = {}
        self.streams: list[Stream] = []  # of all chats, by `ord`
        self.tags: set[str] = set()  # of those
        self.items = 0
        self.events = 0  # exchanges so far
        self.records = 0
        self.answered = 0  # exchanges with a recorded answer, or known to have got none
        self.timed = 0  # exchanges with a request time
        self.newest_at: float | None = None
        self.blamed: dict[int, str] = {}  # key of the first error told of a record, the newest MAX_BLAMED
        self.rejected: int | None = None  # as `Stream.rejected`, of calls outside any stream
        self.bodied = 0  # exchanges whose activity was recorded
        self.ended = 0  # exchanges with a time of the answer
        self.calls = 0  # exchanges that are calls, not bare activities

    def chat(self, exchange: Exchange) -> Chat:
        """The chat of an exchange; one without an id shares a nameless one."""
        found = self.chats.get(exchange.conversation)
        if found is None:
            found = self.chats[exchange.conversation] = Chat(id=exchange.conversation)
        return found

    def new_item(
        self, kind: ItemKind, id: str, lane: str | None, run: int | None, seq: int, name: str
    ) -> Item:
        """An item numbered in order of first mention."""
        item = Item(
            ord=self.items, kind=kind, id=id, lane=lane, run=run, name=name, opened=seq, first=seq, last=seq
        )
        self.items += 1
        return item

    def tell(
        self,
        rule: str,
        call: Call,
        title: str,
        why: str = "",
        *,
        severity: Severity | None = None,
        reason: str | None = None,
        related: Sequence[Place] = (),
        cause: str | None = None,
        path: str | None = None,
        basis: Basis | None = None,
        stream: Stream | None = None,
        count: int = 1,
    ) -> Finding | None:
        """One rule broken by one call. stream: when it is another's than the call's; basis: the call's if not given.

        title: one clause without a full stop; why: whole sentences; `#12` names a record.
        """
        about = stream or call.stream
        item = None if about is None else (about.item.kind, about.item.id)
        found = self.ledger.add(
            rule,
            call.seq,
            title,
            why,
            reason=reason,
            run=None if about is None else about.ord,
            lane=None if about is None else about.tag,
            item=item,
            path=path,
            related=related,
            cause=cause,
            severity=severity,
            basis=basis or call.basis,
            count=count,
        )
        call.told[rule] = found
        if (severity or catalogue()[rule].severity) == "error":
            if found is not None:
                self.blamed.setdefault(call.seq, found.key)
                if len(self.blamed) > MAX_BLAMED:
                    del self.blamed[next(iter(self.blamed))]
            rejection.note(self, call, rule, basis or call.basis)
        return found
