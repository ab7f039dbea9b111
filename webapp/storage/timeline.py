"""What the Timeline asks for, a window at a time; and the density that spares it the rest.

Rules of this file: every query is bounded by its window or by a limit, never by the trace's size. Windows are
record numbers, both ends included. A partial index serves a query only where the words of its condition are
repeated exactly, so `WIDE` and `STATE` stand here as text. Order is that of the records, never that of a
clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    SQLColumnExpression,
    and_,
    func,
    insert,
    literal,
    or_,
    select,
    text,
)
from sqlalchemy.orm import Session

from webapp.storage.items import with_ids
from webapp.storage.models import Density, EventRow, ItemRow, Segment

BUCKETS = 512  # parts of a trace that density counts in
ALL_LANES = -1  # `Density.lane` of the sum over lanes, whose `bucket` counts PARTS
PARTS = 64
WIDE_SPAN = 1024  # records; an item that spans more is found by its own index
MOST_WIDE = 300  # such items looked at: one window has a few
DRAWN = ("text", "tool", "reasoning", "activity", "step", "span")

WIDE = text("(closed IS NULL AND kind <> 'activity' OR last - first >= 1024)")
STATE = text("type IN ('STATE_DELTA', 'STATE_SNAPSHOT')")


class Stamp(NamedTuple):
    """Where and when a record stands: the three clocks of `EventRow`."""

    seq: int
    at: float | None
    ts: int | None
    prefix_at: float | None
    type: str | None
    lane: int
    item: int | None


class Drawn(NamedTuple):
    """What is drawn of an item: columns of `ItemRow`; pieces is its `count`."""

    ord: int
    kind: str
    lane: int
    run: int | None
    name: str | None
    state: str
    number: int
    first: int
    last: int
    opened: int | None
    closed: int | None
    closed_by: int | None
    result: int | None
    pieces: int
    chars: int
    t0: float | None
    t1: float | None
    severity: int | None
    id: str


_STAMP = tuple(getattr(EventRow, name) for name in Stamp._fields)
_DRAWN = tuple(getattr(ItemRow, "count" if name == "pieces" else name) for name in Drawn._fields)


def product(number: SQLColumnExpression[int], factor: int) -> ColumnElement[int]:
    """A product that may be more than four bytes hold, where the database counts them (PostgreSQL does)."""
    return number * literal(factor, BigInteger)


# ── density ──────────────────────────────────────────────────


def write_density(session: Session, trace: int, records: int) -> None:
    """Count the items that begin in each of BUCKETS parts, by lane and kind.

    Part of an analysis, after its items.
    """
    if records <= 0:
        return
    columns = ("trace", "lane", "bucket", "kind", "count")
    slot = product(ItemRow.first, BUCKETS) // records
    drawn = and_(ItemRow.trace == trace, ItemRow.kind.in_(DRAWN))
    by_lane = select(literal(trace), ItemRow.lane, slot, ItemRow.kind, func.count()).where(drawn)
    session.execute(insert(Density).from_select(columns, by_lane.group_by(ItemRow.lane, slot, ItemRow.kind)))
    part = Density.bucket * PARTS // BUCKETS
    summed = select(literal(trace), literal(ALL_LANES), part, Density.kind, func.sum(Density.count))
    summed = summed.where(Density.trace == trace, Density.lane >= 0).group_by(part, Density.kind)
    session.execute(insert(Density).from_select(columns, summed))


class Count(NamedTuple):
    """How many items of a kind begin in part `slot` of the window."""

    lane: int
    slot: int
    kind: str
    number: int


def density(
    session: Session, trace: int, records: int, lanes: Iterable[int], lo: int, hi: int, slots: int
) -> list[Count]:
    """Counts of a window in `slots` parts: from the table where it is fine enough, else from the items.

    Slot n begins at record lo + n * (hi - lo + 1) / slots.
    """
    wide, chosen = hi - lo + 1, list(lanes)
    if wide * BUCKETS < records * slots:  # the table's parts are wider than the slots
        slot = product(ItemRow.first - lo, slots) // wide
        query = select(ItemRow.lane, slot, ItemRow.kind, func.count()).where(
            ItemRow.trace == trace,
            ItemRow.first.between(lo, hi),
            ItemRow.kind.in_(DRAWN),
            ItemRow.lane.in_(chosen),
        )
        rows = session.execute(query.group_by(ItemRow.lane, slot, ItemRow.kind))
    else:
        middle = product(Density.bucket, records) // BUCKETS + records // (2 * BUCKETS)
        slot = product(middle - lo, slots) // wide
        query = select(Density.lane, slot, Density.kind, func.sum(Density.count)).where(
            Density.trace == trace, Density.lane.in_(chosen), middle.between(lo, hi)
        )
        rows = session.execute(query.group_by(Density.lane, slot, Density.kind))
    return [Count(*row) for row in rows]


def overview(session: Session, trace: int) -> list[Count]:
    """Counts of the whole run on all lanes together, in PARTS slots; their sum is the number of items drawn."""
    query = select(Density.lane, Density.bucket, Density.kind, Density.count)
    query = query.where(Density.trace == trace, Density.lane == ALL_LANES)
    return [Count(*row) for row in session.execute(query)]


# ── items ────────────────────────────────────────────────────


def items_in(
    session: Session, trace: int, lo: int, hi: int, limit: int, lanes: Sequence[int] | None = None
) -> list[Drawn]:
    """Items that begin, go on or were left open in the window, in order of first mention, at most `limit`.

    Items never closed that began before are included whatever their run: the caller knows where a run ends.
    """
    base = select(*_DRAWN).where(ItemRow.trace == trace, ItemRow.kind.in_(DRAWN))
    if lanes is not None:
        base = base.where(ItemRow.lane.in_(lanes))
    alive = or_(ItemRow.last >= lo, and_(ItemRow.closed.is_(None), ItemRow.kind != "activity"))
    wide = (
        base.where(WIDE, ItemRow.first < lo - WIDE_SPAN, alive)
        .order_by(ItemRow.first.desc())
        .limit(MOST_WIDE)
    )
    near = base.where(ItemRow.first.between(lo - WIDE_SPAN, hi), alive).order_by(ItemRow.first).limit(limit)
    found = [Drawn(*row) for row in session.execute(wide)][::-1] if lo > WIDE_SPAN else []
    found += [Drawn(*row) for row in session.execute(near)]
    return found[:limit]


def items_at(session: Session, trace: int, ords: Iterable[int]) -> list[Drawn]:
    """Items by running number, at most 200."""
    wanted = sorted(set(ords))[:200]
    if not wanted:
        return []
    query = select(*_DRAWN).where(ItemRow.trace == trace, ItemRow.ord.in_(wanted), ItemRow.kind.in_(DRAWN))
    return [Drawn(*row) for row in session.execute(query.order_by(ItemRow.ord))]


def item_named(session: Session, trace: int, kind: str, id: str, upto: int) -> Drawn | None:
    """The newest item of this kind and id mentioned at or before a record: what a finding is about."""
    query = select(*_DRAWN).where(
        ItemRow.trace == trace, with_ids([id]), ItemRow.kind == kind, ItemRow.first <= upto
    )
    row = session.execute(query.order_by(ItemRow.first.desc()).limit(1)).first()
    return None if row is None else Drawn(*row)


def around(session: Session, trace: int, seq: int, half: int) -> tuple[int, int]:
    """A window with about `half` items beginning before a record and `half` after it."""
    starts = select(ItemRow.first).where(ItemRow.trace == trace, ItemRow.kind.in_(DRAWN))
    before = starts.where(ItemRow.first <= seq).order_by(ItemRow.first.desc()).limit(half)
    after = starts.where(ItemRow.first > seq).order_by(ItemRow.first).limit(half)
    lo, hi = list(session.scalars(before)), list(session.scalars(after))
    return (lo[-1] if lo else seq, hi[-1] if hi else seq)


# ── records ──────────────────────────────────────────────────


def stamps(session: Session, trace: int, seqs: Iterable[int | None]) -> dict[int, Stamp]:
    """Records by number, at most 2,000; None is passed over."""
    wanted = sorted({seq for seq in seqs if seq is not None})[:2000]
    if not wanted:
        return {}
    query = select(*_STAMP).where(EventRow.trace == trace, EventRow.seq.in_(wanted))
    return {row[0]: Stamp(*row) for row in session.execute(query)}


def samples(session: Session, trace: int, records: int) -> list[Stamp]:
    """Records at even distances through the trace, first and last included: what maps times to numbers."""
    if records <= 0:
        return []
    step = max(1.0, (records - 1) / (BUCKETS - 1))
    found = stamps(session, trace, {min(records - 1, round(n * step)) for n in range(BUCKETS)})
    return [found[seq] for seq in sorted(found)]


def pieces(session: Session, trace: int, lo: int, hi: int, limit: int) -> list[Stamp]:
    """Records that add to an item, in order; none at all if the window has more records than `limit`."""
    if hi - lo >= limit:
        return []
    query = select(*_STAMP).where(
        EventRow.trace == trace, EventRow.seq.between(lo, hi), EventRow.change == "grew"
    )
    return [Stamp(*row) for row in session.execute(query.order_by(EventRow.seq))]


def folded(session: Session, trace: int, lo: int, hi: int, limit: int) -> list[tuple[int, int, int, int]]:
    """Folded deltas beginning in the window: (item, first, last, count), in order, at most `limit`."""
    query = select(Segment.item, Segment.first, Segment.last, Segment.count).where(
        Segment.trace == trace, Segment.first.between(lo, hi)
    )
    return list(session.execute(query.order_by(Segment.first).limit(limit)))


def states(session: Session, trace: int, lo: int, hi: int, limit: int) -> list[tuple[int, int]]:
    """State snapshots and patches in the window: (number, lane), at most `limit`; the first of each type."""
    query = select(EventRow.seq, EventRow.lane).where(
        EventRow.trace == trace, EventRow.seq.between(lo, hi), STATE
    )
    return sorted(session.execute(query.limit(limit)))


# ── findings ────────────────────────────────────────


class Hits(NamedTuple):
    """Findings side by side: the first record of them, the last, the worst severity, how many records."""

    first: int
    last: int
    severity: int
    records: int


def hits(session: Session, trace: int, lo: int, hi: int, most: int, slots: int) -> list[Hits]:
    """Records with a finding: one by one if the window has at most `most`, else together in `slots` parts."""
    few = select(EventRow.seq, EventRow.severity).where(
        EventRow.trace == trace, EventRow.severity.is_not(None), EventRow.seq.between(lo, hi)
    )
    rows = list(session.execute(few.order_by(EventRow.seq).limit(most + 1)))
    if len(rows) <= most:
        return [Hits(seq, seq, severity or 0, 1) for seq, severity in rows]
    slot = product(EventRow.seq - lo, slots) // (hi - lo + 1)
    query = select(func.min(EventRow.seq), func.max(EventRow.seq), func.min(EventRow.severity), func.count())
    query = query.where(EventRow.trace == trace, EventRow.severity.is_not(None), EventRow.seq.between(lo, hi))
    grouped = session.execute(query.group_by(slot).order_by(slot))
    return [Hits(first, last, worst or 0, count) for first, last, worst, count in grouped]
