"""What travels through the product: records in, steps out.

Rules of this file: data only. No behaviour beyond small properties, no imports from the engine.

A *record* is what the carrier delimits (an SSE block with data, a JSON line, an array element). Records are
numbered 0, 1, 2 … in file order; that number is `event` everywhere. A *step* is what the engine says about one
record: what reached the application, what was found wrong, which item changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import msgspec

from webapp.core.findings import Finding
from webapp.core.kinds import Change, DerivedChange, ItemKind, Reached, Via


class Record(msgspec.Struct, frozen=True, gc=False):
    """One received frame, as a reader delivers it.

    payload: the event's bytes (SSE: the joined data), exactly as received otherwise
    line:    1-based number of the first line it came from
    offset:  0-based byte offset of that line in the original
    at:      arrival time in seconds, when the carrier knows it (unix or relative)
    framing: notes for the engine, from `FRAMING`
    prefix_at: the time a log line begins with, in seconds (unix, or since midnight when it has no date)
    """

    payload: bytes
    line: int
    offset: int
    at: float | None = None
    framing: tuple[str, ...] = ()
    prefix_at: float | None = None


FRAMING = {
    "sse": "the payload came out of an SSE block (so an undecodable payload is the stream's fault)",
    "crlf": "an SSE line of this block ended in CR or CRLF",
    "empty-data": "an SSE block whose data is empty",
    "multi": "an SSE block of several data lines",
    "incomplete": "the last record of the input, cut before its delimiter",
    "invalid-utf8": "the bytes are not UTF-8",
    "too-long": "longer than the record limit: the payload holds only its beginning",
    "oversize": "the frame has more than `evidence.OVERSIZE` bytes",
    "proto": "the payload was made of a binary frame; with one of the notes below it only shows the frame's bytes",
    "frame-empty": "a frame of no bytes",
    "frame-broken": "a frame whose bytes are no message of the binary binding",
    "frame-two-arms": "a frame that holds two events",
    "frame-no-base": "a frame whose event has no `base_event`",
    "frame-other-type": "a frame whose `base_event` names another type than its event",
    "frame-unknown-arm": "a frame that holds an event the binary binding does not have",
    "frame-cut": "the input ends inside this frame",
    "gap": "records before this one are missing in the recording",
    "arrived": "`at` is when the record came to us, which says nothing about when it was sent",
    "sealed": "of a redacted file; behind the word stands how far the record came, see `readers/redacted`",
}


# how far a record came, as a number: the place of `Step.reached` in REACHED
REACHED: tuple[Reached, ...] = get_args(Reached)
DELIVERED, DROPPED, REFUSED, AFTER, LOST, SENT = range(len(REACHED))
SHOWN = (DELIVERED, SENT)  # it came to the screen, as far as the recording can tell


class Item(msgspec.Struct, gc=False, eq=False):
    """A thing that opens, grows and closes. One object per opening id and run, updated in place by the engine.

    kind: text | tool | reasoning | span | step | subagent | activity | result
    lane: the owner's tag; None is the parent agent
    state: open | closed | phantom (never opened, but something spoke to it) | abandoned
    opened, closed: record numbers; closed_by: record number of the event that ended a chunk stream, when it was
    not its own END
    name: tool name, message role, step or subagent name
    ord: running number, unique in a trace, in order of first mention
    """

    ord: int
    kind: ItemKind
    id: str
    lane: str | None
    run: int | None
    opened: int | None = None
    state: str = "open"
    closed: int | None = None
    closed_by: int | None = None
    via: Via = "explicit"
    name: str | None = None
    parent: str | None = None  # parentMessageId of a call, toolCallId of a result, parentSubagentRunId
    first: int = 0
    last: int = 0
    count: int = 0  # deltas
    chars: int = 0  # characters of all deltas
    owner: str | None = None  # whom continuations must agree with; differs from `lane` after a snapshot
    gone: int | None = None  # record number of the MESSAGES_SNAPSHOT that removed it from the application
    result: int | None = None  # record number of the first TOOL_CALL_RESULT of a call
    reopened: list[int] | None = None


class Emitted(msgspec.Struct, gc=False):
    """An event derived from a chunk or from the closing of a chunk stream; stands before the event that caused it.

    seq: record number of its cause; place: its place among what that record derives, from 0; event: the struct,
    None where nothing can be derived; change: opened | grew | closed; delta: the piece of text, if any
    """

    seq: int
    place: int
    event: Any
    item: Item
    change: DerivedChange
    delta: str | None = None

    @property
    def number(self) -> str:
        """`205a`: how a derived event is named."""
        return f"{self.seq}{chr(97 + self.place) if self.place < 26 else f'z{self.place - 25}'}"


class Step(msgspec.Struct, gc=False):
    """What the engine says about one record. Do not keep many of these alive: it slows the collector.

    type:    the wire `type` as sent (None when there is no JSON object with a string type)
    lane:    `subagentRunId` of the event, or of the invocation it is about; None is the parent agent
    event:   the decoded event (a struct of `agui.events`; Teams: an `Exchange`), None when dropped, expanded or
        undecodable
    item:    the item it is about, after the change; change: opened | grew | closed | result | touched | None
    delta:   text the event adds to the item
    reached: delivered | dropped (by enforcement) | refused (here the client stops) | after (never reached it);
        Teams: delivered | dropped (taken, with an error) | refused | lost (no answer) | sent (answers not recorded)
    synthesized: derived events, in order, standing before `event` (a chunk has only these)
    findings: new ones; amended: earlier ones whose text, count or relations changed
    ts:      the event's own `timestamp` (ms since epoch by convention), never used for order
    at:      request time in seconds, where the record itself tells it (Teams); None: as the reader says
    run:     number of the run it belongs to
    """

    seq: int
    type: str | None
    lane: str | None = None
    event: Any = None
    item: Item | None = None
    change: Change | None = None
    delta: str | None = None
    reached: Reached = "delivered"
    synthesized: Sequence[Emitted] = ()
    findings: Sequence[Finding] = ()
    amended: Sequence[Finding] = ()
    ts: int | None = None
    run: int | None = None
    wire: dict[str, Any] | None = None  # the event after enforcement, where that changed it; None = as sent
    at: float | None = None
