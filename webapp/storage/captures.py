"""Live recordings as they are stored: who records, how far, and the bytes that came.

Rules of this file: queries on `captures`, `arrivals` and the growing `originals`; sessions come in and are never
committed. `trace` is `traces.pk`. Numbers of parts are given by the row of `captures`, which is locked while one is
written, so any worker may add to a recording.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from webapp.storage import bulk
from webapp.storage.db import write_first
from webapp.storage.models import Arrival, Capture, Original
from webapp.storage.originals import PART_BYTES

CUT = "capture-cut"  # kind of a note: the recording was ended, and the stream may have gone on
BROKE_OFF = "stream-cut"  # the stream itself broke off
LEVEL = 1  # as for uploads: event streams shrink tenfold all the same


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of a recording that came together: whole lines, masked. arrivals: as `Arrival.data`; lines: ended in it."""

    data: bytes
    arrivals: bytes
    lines: int


@dataclass(frozen=True, slots=True)
class Stored:
    """Where a piece lies. part: of `originals`; offset: of its first byte."""

    part: int
    offset: int


def get(session: Session, trace: int) -> Capture | None:
    return session.get(Capture, trace)


def locked(session: Session, trace: int) -> Capture | None:
    """The same, held against other writers until the transaction ends, and as the last one of them left it."""
    write_first(session)
    query = select(Capture).where(Capture.trace == trace).with_for_update()
    return session.scalar(query.execution_options(populate_existing=True))


def append(session: Session, capture: Capture, piece: Piece) -> Stored:
    """Add bytes to a recording whose row is locked."""
    part, offset = capture.parts, capture.size
    packed = zlib.compress(piece.data, LEVEL)
    bulk.add_originals(session, [(capture.trace, part, offset, capture.line, len(piece.data), packed)])
    if piece.arrivals:
        bulk.add_arrivals(session, [(capture.trace, part, piece.arrivals)])
    capture.parts = part + 1
    capture.size = offset + len(piece.data)
    capture.line += piece.lines
    return Stored(part, offset)


def parts_from(session: Session, trace: int, part: int, limit: int) -> list[bytes]:
    """Up to `limit` stored parts in order, from number `part` on."""
    rows = session.scalars(
        select(Original.data)
        .where(Original.trace == trace, Original.part >= part)
        .order_by(Original.part)
        .limit(limit)
    )
    return [zlib.decompress(data) for data in rows]


def arrivals(session: Session, trace: int) -> bytes:
    """All of them, as `Arrival.data`; empty when the trace was not recorded live."""
    return b"".join([data for _, data in arrivals_from(session, trace, 0)])


def arrivals_from(session: Session, trace: int, part: int) -> list[tuple[int, bytes]]:
    """(part, as `Arrival.data`) from number `part` on."""
    query = select(Arrival.part, Arrival.data).where(Arrival.trace == trace, Arrival.part >= part)
    return [(number, data) for number, data in session.execute(query.order_by(Arrival.part))]


def unowned(session: Session, owner: str, alive_since: float) -> list[int]:
    """Recordings that are not judged to their end, and whose owner, somebody else, was not alive since then."""
    dead = select(Capture.trace).where(Capture.owner.not_in(("", owner)), Capture.beat < alive_since)
    return list(session.scalars(dead.order_by(Capture.trace)))


def owned(session: Session, owner: str, kind: str) -> list[int]:
    """Recordings of this owner and kind that go on."""
    mine = select(Capture.trace).where(Capture.ended.is_(None), Capture.owner == owner, Capture.kind == kind)
    return list(session.scalars(mine.order_by(Capture.trace)))


def idle(session: Session, owner: str, kind: str, heard_since: float) -> list[int]:
    """Recordings of this owner that go on and of which nothing came since then."""
    left = select(Capture.trace).where(
        Capture.ended.is_(None), Capture.owner == owner, Capture.kind == kind, Capture.heard < heard_since
    )
    return list(session.scalars(left.order_by(Capture.trace)))


def ended_so(session: Session, trace: int, kind: str, reasons: Sequence[str], since: float) -> bool:
    """Whether a recording of this kind ended since then, for one of these reasons."""
    capture = session.get(Capture, trace)
    if capture is None or capture.ended is None or capture.kind != kind:
        return False
    return capture.ended >= since and capture.reason in reasons


def of(session: Session, traces: Sequence[int]) -> dict[int, Capture]:
    """Those of several traces, by `traces.pk`, read anew."""
    query = select(Capture).where(Capture.trace.in_(traces)).execution_options(populate_existing=True)
    return {capture.trace: capture for capture in session.scalars(query)}


def beat(session: Session, owner: str, now: float) -> None:
    """The owner is alive."""
    session.execute(
        update(Capture).where(Capture.owner == owner).values(beat=now),
        execution_options={"synchronize_session": False},
    )


def compact(session: Session, capture: Capture) -> None:
    """Cut a recording that came in many small parts anew, as an upload is cut; its bytes stay the same."""
    trace = capture.trace
    if capture.parts > 2 * (capture.size // PART_BYTES + 1):
        rows = list(_cut(session, trace))
        session.execute(sa.delete(Original).where(Original.trace == trace))
        bulk.add_originals(session, rows)
        capture.parts = len(rows)
    times = arrivals(session, trace)
    session.execute(sa.delete(Arrival).where(Arrival.trace == trace))
    if times:
        bulk.add_arrivals(session, [(trace, 0, times)])


def _cut(session: Session, trace: int) -> Iterator[tuple[int, int, int, int, int, bytes]]:
    """Rows of `originals`, each PART_BYTES or a little more: a new part begins where an old one did."""
    query = (
        select(Original.offset, Original.line, Original.data)
        .where(Original.trace == trace)
        .order_by(Original.part)
    )
    held, first, part = bytearray(), (0, 1), 0
    for offset, line, data in session.execute(query):
        if not held:
            first = (offset, line)
        held += zlib.decompress(data)
        if len(held) >= PART_BYTES:
            yield trace, part, *first, len(held), zlib.compress(bytes(held), LEVEL)
            held, part = bytearray(), part + 1
    if held:
        yield trace, part, *first, len(held), zlib.compress(bytes(held), LEVEL)


def forget_note(capture: Capture, kind: str) -> None:
    """Take an artefact back."""
    capture.notes = [known for known in capture.notes if known["kind"] != kind]


def note(capture: Capture, kind: str, message: str) -> None:
    """Add an artefact of the capture; the same sentence once, so that storing it again changes nothing."""
    if all((known["kind"], known["message"]) != (kind, message) for known in capture.notes):
        capture.notes = [*capture.notes, {"kind": kind, "message": message, "line": None}]
