"""The tables of live recordings. Rules of this file: columns only, as in `models.py`, which is where they are imported
from.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Float, Integer, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from webapp.storage.base import Base, trace_key


class Capture(Base):
    """How a trace is, or was, recorded live. Times are unix seconds.

    What is stored may be ahead of what is judged: any worker writes `originals`, the owner reads on from there.
    """

    __tablename__ = "captures"

    trace: Mapped[int] = trace_key()
    kind: Mapped[str] = mapped_column(String(8))  # push | batch | proxy | call
    owner: Mapped[str] = mapped_column(String(40), index=True)  # the process that judges it; "" once it ended
    beat: Mapped[float] = mapped_column(Float)  # when the owner was last alive
    heard: Mapped[float] = mapped_column(Float)  # when bytes came last
    last: Mapped[int] = mapped_column(Integer, default=0)  # batch: the newest client number stored, from 1
    parts: Mapped[int] = mapped_column(Integer, default=0)  # rows of `originals`
    size: Mapped[int] = mapped_column(BigInteger, default=0)  # bytes in them
    line: Mapped[int] = mapped_column(Integer, default=1)  # number of the next line
    form: Mapped[str] = mapped_column(String(20), default="")  # sse | ndjson; "" until the first line tells
    protocol: Mapped[str] = mapped_column(String(10), default="")  # as told by the recorder; "" = by content
    masked: Mapped[int] = mapped_column(Integer, default=0)  # credentials overwritten
    head: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))  # of the recorded response
    notes: Mapped[list[Any]] = mapped_column(
        JSON, default=list
    )  # [{kind, message, line}]: artefacts of the capture
    ended: Mapped[float | None] = mapped_column(Float)
    reason: Mapped[str] = mapped_column(Text, default="")  # why, when it did not end by itself


class Arrival(Base):
    """When the bytes of a live recording came.

    data: pairs of (offset behind the last byte, unix seconds), both 8 bytes little-endian (`<Qd`), in order
    """

    __tablename__ = "arrivals"

    trace: Mapped[int] = trace_key()
    part: Mapped[int] = mapped_column(Integer, primary_key=True)  # 0, 1, 2 …; not those of `originals`
    data: Mapped[bytes] = mapped_column(LargeBinary)
