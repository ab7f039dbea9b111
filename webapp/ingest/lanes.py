"""Who produced what: lanes, as a trace goes by.

Rules of this file: the parent agent and the subagent invocations, numbered in order of first mention. `touch` runs
once a record.
"""

from __future__ import annotations

from typing import Any

from webapp.core.agui.events import SubagentError, SubagentFinished, SubagentStarted
from webapp.core.agui.values import SubagentSuspended
from webapp.core.records import Step
from webapp.storage.storable import storable

LIFECYCLE = frozenset({"SUBAGENT_STARTED", "SUBAGENT_FINISHED", "SUBAGENT_ERROR"})


class Lane:
    """One lane so far; the members are the columns of `LaneRow`."""

    __slots__ = ("ended", "first", "last", "message", "name", "parent", "started", "state", "tag")

    def __init__(self, tag: str | None, seq: int) -> None:
        self.tag = tag
        self.name = ""
        self.parent: int | None = None
        self.state = ""
        self.message: str | None = None
        self.first = seq
        self.last = seq
        self.started: int | None = None
        self.ended: int | None = None


class Lanes:
    """Lane 0 is the parent agent (tag None) and always there."""

    def __init__(self) -> None:
        self.all: list[Lane] = [Lane(None, 0)]
        self._ords: dict[str | None, int] = {None: 0}
        self._parent_seen = False

    def touch(self, tag: str | None, seq: int) -> int:
        """The number of the lane with this tag, which now reaches to record `seq`."""
        ord_ = self._ords.get(tag)
        if ord_ is None:
            return self.ord_of(tag, seq)
        lane = self.all[ord_]
        if ord_ == 0 and not self._parent_seen:
            self._parent_seen = True
            lane.first = seq
        lane.last = seq
        return ord_

    def ord_of(self, tag: str | None, seq: int) -> int:
        """The number of the lane with this tag; a new one begins at record `seq`."""
        ord_ = self._ords.get(tag)
        if ord_ is None:
            ord_ = self._ords[tag] = len(self.all)
            self.all.append(Lane(tag, seq))
        return ord_

    def lifecycle(self, step: Step) -> None:
        """A SUBAGENT_* record: who it is, whose child, how it ended."""
        event = step.event
        if isinstance(event, SubagentStarted):
            lane = self.all[self.ord_of(event.subagentRunId, step.seq)]
            lane.name = storable(event.name)
            lane.state = "running"
            if lane.started is None:
                lane.started = step.seq
            if isinstance(event.parentSubagentRunId, str):
                lane.parent = self.ord_of(event.parentSubagentRunId, step.seq)
            elif lane.tag is not None:
                lane.parent = 0
        elif isinstance(event, SubagentFinished):
            lane = self.all[self.ord_of(event.subagentRunId, step.seq)]
            lane.state = "suspended" if isinstance(event.outcome, SubagentSuspended) else "finished"
            lane.ended = step.seq
        elif isinstance(event, SubagentError):
            lane = self.all[self.ord_of(event.subagentRunId, step.seq)]
            lane.state = "error"
            lane.message = storable(event.message)
            lane.ended = step.seq

    def rows(self, trace: int) -> list[tuple[Any, ...]]:
        """Tuples in the order of `LaneRow`'s columns."""
        return [
            (
                trace,
                ord_,
                None if lane.tag is None else storable(lane.tag),
                lane.name,
                lane.parent,
                lane.state,
                lane.message,
                lane.first,
                lane.last,
                lane.started,
                lane.ended,
            )
            for ord_, lane in enumerate(self.all)
        ]
