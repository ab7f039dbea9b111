"""The tables. Rules of this file: columns and indexes only; nothing that PostgreSQL could not do.

`traces.pk` is the small integer every other table points at; `traces.id` is the public, random name in URLs.
Originals and raw records are the truth; runs, lanes, items, segments, checkpoints and findings are derived
from them, stamped with the engine's version and rebuilt when the engine is newer.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

_HIT = text("severity IS NOT NULL")
# The planner uses a partial index only where a query repeats these words exactly: see timeline.py.
_STATE = text("type IN ('STATE_DELTA', 'STATE_SNAPSHOT')")
_WIDE = text("closed IS NULL AND kind <> 'activity' OR last - first >= 1024")


class Base(DeclarativeBase):
    """Everything below; `Base.metadata` is what migrations are compared with."""


def _trace() -> Mapped[int]:
    return mapped_column(ForeignKey("traces.pk", ondelete="CASCADE"), primary_key=True)


class Trace(Base):
    """One recording and the summary a list needs. Times are unix seconds."""

    __tablename__ = "traces"

    pk: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    name: Mapped[str] = mapped_column(String(200))
    source: Mapped[str] = mapped_column(String(300), default="")  # file name as uploaded, or "paste"
    created: Mapped[float] = mapped_column(Float, index=True)
    status: Mapped[str] = mapped_column(String(12), default="ready")  # analysing | ready | failed
    error: Mapped[str | None] = mapped_column(Text)  # why analysis failed, one sentence
    sha256: Mapped[str] = mapped_column(String(64), index=True)
    size: Mapped[int] = mapped_column(BigInteger)
    lines: Mapped[int] = mapped_column(Integer, default=0)
    note: Mapped[str] = mapped_column(Text, default="")
    ticket: Mapped[str] = mapped_column(String(100), default="")

    format: Mapped[str] = mapped_column(String(20), default="")
    protocol: Mapped[str] = mapped_column(String(10), default="")
    protocol_version: Mapped[str | None] = mapped_column(String(40))
    engine: Mapped[str] = mapped_column(String(20), default="")
    verdict: Mapped[str] = mapped_column(String(14), default="unchecked", index=True)
    rejected_at: Mapped[int | None] = mapped_column(Integer)
    records: Mapped[int] = mapped_column(Integer, default=0)
    heads: Mapped[int] = mapped_column(Integer, default=0)  # rows of the folded view
    events: Mapped[int] = mapped_column(Integer, default=0)
    not_understood: Mapped[int] = mapped_column(Integer, default=0)
    artefacts: Mapped[list[Any]] = mapped_column(JSON, default=list)  # [{kind, message, line}]
    skipped_rules: Mapped[list[Any]] = mapped_column(JSON, default=list)  # [{rule, reason}]
    input: Mapped[dict[str, Any] | None] = mapped_column(
        JSON(none_as_null=True)
    )  # the RunAgentInput uploaded beside it
    clock: Mapped[str] = mapped_column(String(12), default="none")  # unix | relative | time-of-day | none
    clock_source: Mapped[str | None] = mapped_column(String(10))  # arrival | event | prefix
    started: Mapped[float | None] = mapped_column(Float)  # first time on that clock, seconds
    ended: Mapped[float | None] = mapped_column(Float)

    fatals: Mapped[int] = mapped_column(Integer, default=0)
    errors: Mapped[int] = mapped_column(Integer, default=0)
    warnings: Mapped[int] = mapped_column(Integer, default=0)
    infos: Mapped[int] = mapped_column(Integer, default=0)
    run_count: Mapped[int] = mapped_column(Integer, default=0)
    types: Mapped[dict[str, int]] = mapped_column(
        JSON, default=dict
    )  # records of each wire type (the first 200)
    lane_count: Mapped[int] = mapped_column(Integer, default=0)
    item_count: Mapped[int] = mapped_column(Integer, default=0)
    messages: Mapped[int] = mapped_column(Integer, default=0)  # text messages the stream tells of
    messages_seen: Mapped[int] = mapped_column(Integer, default=0)  # those of which the user saw something
    headline: Mapped[str] = mapped_column(Text, default="")  # the first cause, one clause
    headline_event: Mapped[int | None] = mapped_column(Integer)
    headline_party: Mapped[str | None] = mapped_column(String(12))


class Original(Base):
    """The upload byte for byte, in independently compressed parts (zlib).

    Parts 0, 1, 2 … are the bytes as uploaded. A gzip upload also has its expanded text, in parts -1, -2, -3 …
    (the `line` of its parts 0, 1 … means nothing).
    """

    __tablename__ = "originals"

    trace: Mapped[int] = _trace()
    part: Mapped[int] = mapped_column(Integer, primary_key=True)
    offset: Mapped[int] = mapped_column(BigInteger)  # of its first byte
    line: Mapped[int] = mapped_column(Integer)  # 1-based number of the line its first byte belongs to
    size: Mapped[int] = mapped_column(Integer)  # bytes before compression
    data: Mapped[bytes] = mapped_column(LargeBinary)


class EventRow(Base):
    """One record. raw is for showing and searching, what is no text replaced; `originals` has the bytes."""

    __tablename__ = "events"
    __table_args__ = (
        Index(
            "events_heads", "trace", "seq", sqlite_where=text("head = 1"), postgresql_where=text("head = 1")
        ),
        Index("events_hits", "trace", "seq", "severity", sqlite_where=_HIT, postgresql_where=_HIT),
        Index("events_state", "trace", "type", "seq", "lane", sqlite_where=_STATE, postgresql_where=_STATE),
    )

    trace: Mapped[int] = _trace()
    seq: Mapped[int] = mapped_column(Integer, primary_key=True)
    head: Mapped[int] = mapped_column(Integer)  # 1: a row of its own in a folded view, 0: inside a burst
    at: Mapped[float | None] = mapped_column(Float)  # arrival, seconds
    ts: Mapped[int | None] = mapped_column(BigInteger)  # the event's own timestamp, ms
    prefix_at: Mapped[float | None] = mapped_column(Float)  # log prefix, seconds
    type: Mapped[str | None] = mapped_column(String(60))
    lane: Mapped[int] = mapped_column(Integer)  # lanes.ord
    item: Mapped[int | None] = mapped_column(Integer)  # items.ord
    change: Mapped[str | None] = mapped_column(String(8))
    reached: Mapped[int] = mapped_column(Integer)  # 0 delivered 1 dropped 2 refused 3 after the rejection
    severity: Mapped[int | None] = mapped_column(Integer)  # worst finding here: 0 fatal … 3 info
    synth: Mapped[str | None] = mapped_column(
        Text
    )  # derived events, change and items.ord: "end:12;start:13;grew:13"
    line: Mapped[int] = mapped_column(Integer)
    offset: Mapped[int] = mapped_column(BigInteger)
    raw: Mapped[str] = mapped_column(Text)


class RunRow(Base):
    __tablename__ = "runs"

    trace: Mapped[int] = _trace()
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

    trace: Mapped[int] = _trace()
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
        Index("items_id", "trace", "id"),
        Index("items_wide", "trace", "first", sqlite_where=_WIDE, postgresql_where=_WIDE),
    )

    trace: Mapped[int] = _trace()
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

    trace: Mapped[int] = _trace()
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

    trace: Mapped[int] = _trace()
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
    """What holds after record `seq`: items open then, and the message list where a snapshot set it."""

    __tablename__ = "checkpoints"

    trace: Mapped[int] = _trace()
    seq: Mapped[int] = mapped_column(Integer, primary_key=True)
    open: Mapped[list[Any]] = mapped_column(JSON)  # items.ord, the newest MAX_OPEN
    messages: Mapped[list[Any] | None] = mapped_column(
        JSON(none_as_null=True)
    )  # [[id, role]] after a snapshot
    state: Mapped[str | None] = mapped_column(Text)


class FindingRow(Base):
    """A finding as `core.findings.Finding` has it; ord is their order in the report."""

    __tablename__ = "findings"
    __table_args__ = (Index("findings_event", "trace", "event"), Index("findings_rule", "rule"))

    trace: Mapped[int] = _trace()
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


class Share(Base):
    """A link to one trace. Only the token's SHA-256 is kept."""

    __tablename__ = "shares"

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    trace: Mapped[int] = mapped_column(ForeignKey("traces.pk", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(120))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    created: Mapped[float] = mapped_column(Float)
    expires: Mapped[float] = mapped_column(Float)
    revoked: Mapped[float | None] = mapped_column(Float)
    views: Mapped[int] = mapped_column(Integer, default=0)
    last_viewed: Mapped[float | None] = mapped_column(Float)
    panel: Mapped[str] = mapped_column(String(14), default="events")
    event: Mapped[int | None] = mapped_column(Integer)
