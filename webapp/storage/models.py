"""The tables. Rules of this file: columns, indexes and a sum of columns; nothing that PostgreSQL could not do.

`traces.pk` is the small integer every other table points at; `traces.id` is the public, random name in URLs.
Originals and raw records are the truth; runs, lanes, items, segments, checkpoints and findings are derived
from them and stamped with the version of the engine that judged.
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
    false,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from webapp.storage.base import Base, trace_key
from webapp.storage.captured import Arrival, Capture
from webapp.storage.derived import Checkpoint, Density, FindingRow, ItemRow, LaneRow, RunRow, Segment
from webapp.storage.people import Act, ApiKey, SignIn, Try, User

_HIT = text("severity IS NOT NULL")
# The planner uses a partial index only where a query repeats these words exactly: see timeline.py.
_STATE = text("type IN ('STATE_DELTA', 'STATE_SNAPSHOT')")
_ACTIVITY = text("type IN ('ACTIVITY_DELTA', 'ACTIVITY_SNAPSHOT')")
# AG-UI's types are in capitals: comparing a letter keeps nearly every event from the dearer list
_STREAM = text("type > 'a' AND type IN ('delete', 'edit', 'final', 'informative', 'streaming')")


__all__ = [
    "Act",
    "ApiKey",
    "Arrival",
    "Base",
    "Capture",
    "Checkpoint",
    "Density",
    "EventRow",
    "FindingRow",
    "ItemRow",
    "LaneRow",
    "Original",
    "RunRow",
    "Segment",
    "Share",
    "SignIn",
    "Trace",
    "Try",
    "User",
]


class Trace(Base):
    """One recording and the summary a list needs. Times are unix seconds."""

    __tablename__ = "traces"
    # a number that was used once is never used again: a deleted trace may still be remembered somewhere
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012

    pk: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    name: Mapped[str] = mapped_column(String(200))
    source: Mapped[str] = mapped_column(String(300), default="")  # file name as uploaded, or "paste"
    created: Mapped[float] = mapped_column(Float, index=True)
    status: Mapped[str] = mapped_column(String(12), default="ready", index=True)  # live | ready | failed
    error: Mapped[str | None] = mapped_column(Text)  # why analysis failed, one sentence
    sha256: Mapped[str] = mapped_column(String(64), index=True)
    size: Mapped[int] = mapped_column(BigInteger)
    lines: Mapped[int] = mapped_column(Integer, default=0)
    # kept whatever its age, when old traces are deleted
    pinned: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    # who added it; None: no accounts then, or the account is gone
    owner: Mapped[int | None] = mapped_column(ForeignKey("users.pk", ondelete="SET NULL"), index=True)
    # a redacted copy: what its links show; it stands in no list and goes with its trace
    copy_of: Mapped[int | None] = mapped_column(ForeignKey("traces.pk", ondelete="CASCADE"), index=True)
    redaction: Mapped[str] = mapped_column(String(10), default="", server_default="")  # structure | personal
    # verdict and findings were told before texts were taken out: {engine, level, by, removed}, see ingest/seal_notes.py
    sealed: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    note: Mapped[str] = mapped_column(Text, default="")
    ticket: Mapped[str] = mapped_column(String(100), default="")

    format: Mapped[str] = mapped_column(String(20), default="")
    read_as: Mapped[str] = mapped_column(String(100), default="", server_default="")  # the form in words
    # credentials overwritten before storage; None: they were not looked for
    masked: Mapped[int | None] = mapped_column(Integer)
    protocol: Mapped[str] = mapped_column(String(10), default="")
    protocol_version: Mapped[str | None] = mapped_column(String(40))  # as the first run declares it
    version_used: Mapped[str | None] = mapped_column(
        String(10)
    )  # the oldest that has all that is used; None: unknown
    engine: Mapped[str] = mapped_column(String(20), default="")
    verdict: Mapped[str] = mapped_column(String(14), default="unchecked", index=True)
    rejected_at: Mapped[int | None] = mapped_column(Integer)
    records: Mapped[int] = mapped_column(Integer, default=0)
    heads: Mapped[int] = mapped_column(Integer, default=0)  # rows of the folded view
    events: Mapped[int] = mapped_column(Integer, default=0)
    not_understood: Mapped[int] = mapped_column(Integer, default=0)
    artefacts: Mapped[list[Any]] = mapped_column(JSON, default=list)  # [{kind, message, line}]
    # those of the upload itself (packing, streams left out), which a new reading cannot find out again
    upload_notes: Mapped[list[Any] | None] = mapped_column(JSON(none_as_null=True))
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
    read_because: Mapped[list[Any] | None] = mapped_column(JSON(none_as_null=True))  # phrases: why this form
    # of the recorded response: {status, content_type, headers: names}
    head: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    strays: Mapped[list[Any] | None] = mapped_column(
        JSON(none_as_null=True)
    )  # 1-based lines not understood, the first 200
    headline: Mapped[str] = mapped_column(Text, default="")  # the first cause, one clause
    headline_event: Mapped[int | None] = mapped_column(Integer)
    headline_party: Mapped[str | None] = mapped_column(String(12))

    @property
    def finding_count(self) -> int:
        return self.fatals + self.errors + self.warnings + self.infos


class Original(Base):
    """The upload byte for byte, in independently compressed parts (zlib).

    Parts 0, 1, 2 … are the bytes as uploaded. A gzip upload also has its expanded text, in parts -1, -2, -3 …
    (the `line` of its parts 0, 1 … means nothing).
    """

    __tablename__ = "originals"

    trace: Mapped[int] = trace_key()
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
        Index("events_activity", "trace", "item", "seq", sqlite_where=_ACTIVITY, postgresql_where=_ACTIVITY),
        Index(
            "events_stream",
            "trace",
            "lane",
            "reached",
            "seq",
            "type",
            sqlite_where=_STREAM,
            postgresql_where=_STREAM,
        ),
    )

    trace: Mapped[int] = trace_key()
    seq: Mapped[int] = mapped_column(Integer, primary_key=True)
    head: Mapped[int] = mapped_column(Integer)  # 1: a row of its own in a folded view, 0: inside a burst
    at: Mapped[float | None] = mapped_column(Float)  # arrival, seconds
    ts: Mapped[int | None] = mapped_column(BigInteger)  # the event's own timestamp, ms
    prefix_at: Mapped[float | None] = mapped_column(Float)  # log prefix, seconds
    type: Mapped[str | None] = mapped_column(String(60))
    lane: Mapped[int] = mapped_column(Integer)  # lanes.ord
    item: Mapped[int | None] = mapped_column(Integer)  # items.ord
    change: Mapped[str | None] = mapped_column(String(8))
    reached: Mapped[int] = mapped_column(
        Integer
    )  # core.records.REACHED: 0 delivered … 3 after the rejection, 5 sent
    severity: Mapped[int | None] = mapped_column(Integer)  # worst finding here: 0 fatal … 3 info
    synth: Mapped[str | None] = mapped_column(
        Text
    )  # derived events, change and items.ord: "end:12;start:13;grew:13"
    line: Mapped[int] = mapped_column(Integer)
    offset: Mapped[int] = mapped_column(BigInteger)
    raw: Mapped[str] = mapped_column(Text)


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
    # what its reader sees: structure | personal | everything
    level: Mapped[str] = mapped_column(String(10), default="structure", server_default="structure")
    maker: Mapped[int | None] = mapped_column(
        ForeignKey("users.pk", ondelete="SET NULL")
    )  # never shown to its reader
