"""The tables that analysis derives from records. Rules of this file: columns and indexes only, as in `models.py`,
which is where they are imported from.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Boolean, Float, Index, Integer, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from webapp.storage.base import Base, trace_key

# PostgreSQL's index pages take 2,700 bytes at most, four a character; SQLite's index has every id.
INDEXED_CHARS = 600
INDEXED = f"length(items.id) < {INDEXED_CHARS}"

# The planner uses a partial index only where a query repeats these words exactly: see timeline.py.
_GONE = text("gone IS NOT NULL")
_WRITTEN = text("state IS NOT NULL")
_ACTIVITY = text("kind = 'activity'")
_WIDE = text("closed IS NULL AND kind <> 'activity' OR last - first >= 1024")


class RunRow(Base):
    __tablename__ = "runs"

    trace: Mapped[int] = trace_key()
    ord: Mapped[int] = mapped_column(Integer, primary_key=True)
    thread_id: Mapped[str | None] = mapped_column(Text)
    run_id: Mapped[str | None] = mapped_column(Text)
    outcome: Mapped[str] = mapped_column(String(12))
    claimed: Mapped[str | None] = mapped_column(String(12))
    first: Mapped[int] = mapped_column(Integer)
    last: Mapped[int] = mapped_column(Integer)


class LaneRow(Base):
    """The parent agent (ord 0, tag null) and each subagent invocation, in order of first mention."""

    __tablename__ = "lanes"

    trace: Mapped[int] = trace_key()
    ord: Mapped[int] = mapped_column(Integer, primary_key=True)
    tag: Mapped[str | None] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text, default="")
    parent: Mapped[int | None] = mapped_column(Integer)  # lanes.ord
    state: Mapped[str] = mapped_column(String(12), default="")  # running | finished | error | suspended | ""
    message: Mapped[str | None] = mapped_column(Text)  # of SUBAGENT_ERROR
    first: Mapped[int] = mapped_column(Integer)
    last: Mapped[int] = mapped_column(Integer)
    started: Mapped[int | None] = mapped_column(Integer)  # its SUBAGENT_STARTED
    ended: Mapped[int | None] = mapped_column(Integer)  # its SUBAGENT_FINISHED or SUBAGENT_ERROR


class ItemRow(Base):
    """A message, call, reasoning, span, step, activity or result. t0, t1: seconds on the trace's clock."""

    __tablename__ = "items"
    __table_args__ = (
        Index("items_first", "trace", "first"),
        Index("items_id", "trace", "id", postgresql_where=text(INDEXED)),
        Index("items_gone", "trace", "gone", sqlite_where=_GONE, postgresql_where=_GONE),
        Index("items_activity", "trace", "ord", sqlite_where=_ACTIVITY, postgresql_where=_ACTIVITY),
        Index("items_wide", "trace", "first", sqlite_where=_WIDE, postgresql_where=_WIDE),
    )

    trace: Mapped[int] = trace_key()
    ord: Mapped[int] = mapped_column(Integer, primary_key=True)
    kind: Mapped[str] = mapped_column(String(12))
    id: Mapped[str] = mapped_column(Text)
    lane: Mapped[int] = mapped_column(Integer)
    run: Mapped[int | None] = mapped_column(Integer)
    name: Mapped[str | None] = mapped_column(Text)  # tool, step or subagent name; a message's role
    parent: Mapped[str | None] = mapped_column(Text)
    via: Mapped[str] = mapped_column(String(10))
    state: Mapped[str] = mapped_column(String(10))  # open | closed | phantom | abandoned, at the end
    number: Mapped[int] = mapped_column(Integer)  # 1-based within its kind: "message 2"
    first: Mapped[int] = mapped_column(Integer)
    last: Mapped[int] = mapped_column(Integer)
    opened: Mapped[int | None] = mapped_column(Integer)
    closed: Mapped[int | None] = mapped_column(Integer)
    closed_by: Mapped[int | None] = mapped_column(Integer)
    gone: Mapped[int | None] = mapped_column(Integer)  # MESSAGES_SNAPSHOT that took it from the application
    result: Mapped[int | None] = mapped_column(Integer)
    count: Mapped[int] = mapped_column(Integer)
    chars: Mapped[int] = mapped_column(Integer)
    chars_seen: Mapped[int] = mapped_column(Integer)  # delivered before any rejection
    t0: Mapped[float | None] = mapped_column(Float)
    t1: Mapped[float | None] = mapped_column(Float)
    severity: Mapped[int | None] = mapped_column(Integer)


class Density(Base):
    """How many items begin in each 512th part of a trace's records, for the Timeline from afar.

    lane: lanes.ord, or -1 for all lanes together. Written by `storage.timeline.write_density` after the
    items.
    """

    __tablename__ = "density"

    trace: Mapped[int] = trace_key()
    lane: Mapped[int] = mapped_column(Integer, primary_key=True)
    bucket: Mapped[int] = mapped_column(Integer, primary_key=True)
    kind: Mapped[str] = mapped_column(String(12), primary_key=True)
    count: Mapped[int] = mapped_column(Integer)


class Segment(Base):
    """Consecutive deltas of one item inside one burst, folded.

    burst, burst_last: record numbers of the burst's first and last record; a record that stands alone is a
    burst of one. first, last: the item's own first and last record in it.
    """

    __tablename__ = "segments"
    __table_args__ = (Index("segments_item", "trace", "item", "first"),)

    trace: Mapped[int] = trace_key()
    first: Mapped[int] = mapped_column(Integer, primary_key=True)
    last: Mapped[int] = mapped_column(Integer)
    burst: Mapped[int] = mapped_column(Integer)
    burst_last: Mapped[int] = mapped_column(Integer)
    item: Mapped[int] = mapped_column(Integer)
    lane: Mapped[int] = mapped_column(Integer)
    kind: Mapped[str] = mapped_column(String(12))
    reached: Mapped[int] = mapped_column(Integer)
    count: Mapped[int] = mapped_column(Integer)
    chars: Mapped[int] = mapped_column(Integer)
    text: Mapped[str] = mapped_column(Text)


class Checkpoint(Base):
    """What holds after record `seq`: items open then, the message list where a snapshot set it, and now and then
    the shared state as JSON. The state may be megabytes, so it is loaded only when it is asked for.
    """

    __tablename__ = "checkpoints"
    __table_args__ = (
        Index("checkpoints_state", "trace", "seq", sqlite_where=_WRITTEN, postgresql_where=_WRITTEN),
    )

    trace: Mapped[int] = trace_key()
    seq: Mapped[int] = mapped_column(Integer, primary_key=True)
    open: Mapped[list[Any]] = mapped_column(JSON)  # items.ord, the newest MAX_OPEN
    messages: Mapped[list[Any] | None] = mapped_column(
        JSON(none_as_null=True)
    )  # [[id, role]] after a snapshot
    state: Mapped[str | None] = mapped_column(Text, deferred=True)


class FindingRow(Base):
    """A finding as `core.findings.Finding` has it; ord is their order in the report."""

    __tablename__ = "findings"
    __table_args__ = (Index("findings_event", "trace", "event"), Index("findings_rule", "rule"))

    trace: Mapped[int] = trace_key()
    ord: Mapped[int] = mapped_column(Integer, primary_key=True)
    key: Mapped[str] = mapped_column(String(40))
    rule: Mapped[str] = mapped_column(String(20))
    slug: Mapped[str] = mapped_column(String(60))
    severity: Mapped[int] = mapped_column(Integer)
    event: Mapped[int] = mapped_column(Integer)
    title: Mapped[str] = mapped_column(Text)
    why: Mapped[str] = mapped_column(Text)
    reason: Mapped[str | None] = mapped_column(String(30))
    run: Mapped[int | None] = mapped_column(Integer)
    lane: Mapped[str | None] = mapped_column(Text)  # the tag, null = parent
    item_kind: Mapped[str | None] = mapped_column(String(12))
    item_id: Mapped[str | None] = mapped_column(Text)
    label: Mapped[str | None] = mapped_column(String(30))
    party: Mapped[str] = mapped_column(String(12))
    related: Mapped[list[Any]] = mapped_column(JSON)  # [[event, role]]
    cause: Mapped[str | None] = mapped_column(String(40))
    after_rejection: Mapped[bool] = mapped_column(Boolean)
    count: Mapped[int] = mapped_column(Integer)
    basis: Mapped[str] = mapped_column(String(10))
