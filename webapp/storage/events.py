"""Records of one trace, a window at a time.

Rules of this file: queries on `events`. A list never loads a whole payload: `Line.raw` is cut, `one` has it
all. `head = 1` stands literally in every query, since a partial index does not match a bound value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, case, func, literal_column, select
from sqlalchemy.orm import Session

from webapp.storage.items import with_ids
from webapp.storage.models import EventRow, ItemRow
from webapp.storage.search import raw_contains, terms

RAW_WHOLE = (
    4_000  # characters of a payload that a list still has whole: frameworks send their own event along
)
RAW_SHOWN = 600  # characters of a longer one

_HEAD = literal_column("events.head") == literal_column("1")


@dataclass(frozen=True, slots=True)
class Filters:
    """Which records are wanted; the default is all.

    q: words in the payload; type: wire type; lane: `lanes.ord`; item: an item's id; hits: only records with a
    finding; heads: only rows of the folded view
    """

    q: str = ""
    type: str = ""
    lane: int | None = None
    item: str = ""
    hits: bool = False
    heads: bool = False
    types: tuple[str, ...] = ()  # any of these wire types

    @property
    def narrow(self) -> bool:
        """Whether anything but folding is asked for."""
        return bool(self.q or self.type or self.types or self.item or self.hits or self.lane is not None)


class Line(NamedTuple):
    """One record in a list: the columns of `EventRow`, `raw` cut where its `size` is over RAW_WHOLE."""

    seq: int
    head: int
    at: float | None
    ts: int | None
    prefix_at: float | None
    type: str | None
    lane: int
    item: int | None
    change: str | None
    reached: int
    severity: int | None
    synth: str | None
    line: int
    offset: int
    raw: str
    size: int


_COLUMNS = tuple(
    case(
        (func.length(EventRow.raw) <= RAW_WHOLE, EventRow.raw), else_=func.substr(EventRow.raw, 1, RAW_SHOWN)
    ).label("raw")
    if name == "raw"
    else func.length(EventRow.raw).label("size")
    if name == "size"
    else getattr(EventRow, name)
    for name in Line._fields
)
EVERYTHING = Filters()
FOLDED = Filters(heads=True)


def _where(session: Session, trace: int, filters: Filters) -> list[ColumnElement[bool]]:
    wanted: list[ColumnElement[bool]] = [EventRow.trace == trace]
    if filters.heads:
        wanted.append(_HEAD)
    if filters.hits:
        wanted.append(EventRow.severity.is_not(None))
    if filters.type:
        wanted.append(EventRow.type == filters.type)
    if filters.types:
        wanted.append(EventRow.type.in_(filters.types))
    if filters.lane is not None:
        wanted.append(EventRow.lane == filters.lane)
    if filters.item:
        named = select(ItemRow.ord, ItemRow.first, ItemRow.last).where(
            ItemRow.trace == trace, with_ids([filters.item])
        )
        places = session.execute(named.limit(1000)).all()
        wanted.append(EventRow.item.in_([ord_ for ord_, _, _ in places]))
        if places:  # an item's records lie between its first and its last: no need to look further
            wanted.append(EventRow.seq >= min(first for _, first, _ in places))
            wanted.append(EventRow.seq <= max(last for _, _, last in places))
    wanted += [raw_contains(EventRow.raw, word) for word in terms(filters.q)]
    return wanted


def _read(session: Session, query: Select[Any]) -> list[Line]:
    return [Line(*row) for row in session.execute(query)]


def window(
    session: Session, trace: int, *, start: int = 0, limit: int = 100, filters: Filters = EVERYTHING
) -> list[Line]:
    """At most `limit` wanted records from number `start` on, in order."""
    query = select(*_COLUMNS).where(*_where(session, trace, filters), EventRow.seq >= start)
    return _read(session, query.order_by(EventRow.seq).limit(limit))


def backwards(
    session: Session, trace: int, *, before: int, limit: int = 100, filters: Filters = EVERYTHING
) -> list[Line]:
    """At most `limit` wanted records with numbers under `before`: the nearest ones, in ascending order."""
    query = select(*_COLUMNS).where(*_where(session, trace, filters), EventRow.seq < before)
    return _read(session, query.order_by(EventRow.seq.desc()).limit(limit))[::-1]


def around(
    session: Session, trace: int, seq: int, *, before: int, after: int, filters: Filters = EVERYTHING
) -> list[Line]:
    """Up to `before` wanted records ahead of number `seq`, itself if wanted, and up to `after` behind it.

    Where one side has fewer, the other is not extended. In a folded view (`heads`) a record inside a burst is
    stood for by the burst's first record.
    """
    if filters.heads:
        seq = head_of(session, trace, seq)
    ahead = backwards(session, trace, before=seq, limit=before, filters=filters)
    return ahead + window(session, trace, start=seq, limit=after + 1, filters=filters)


def heads(session: Session, trace: int, seq: int, before: int, after: int) -> list[Line]:
    """`around` in the folded view."""
    return around(session, trace, seq, before=before, after=after, filters=FOLDED)


def head_of(session: Session, trace: int, seq: int) -> int:
    """The row that stands for a record when bursts are folded: the burst's first record, or itself."""
    query = select(func.max(EventRow.seq)).where(EventRow.trace == trace, _HEAD, EventRow.seq <= seq)
    found = session.scalar(query)
    return seq if found is None else found


def one(session: Session, trace: int, seq: int) -> EventRow | None:
    """One record, whole."""
    return session.get(EventRow, (trace, seq))


def some(session: Session, trace: int, seqs: Iterable[int]) -> dict[int, Line]:
    """Records by number, such as those a finding names (at most 1,000)."""
    wanted = sorted(set(seqs))[:1000]
    query = select(*_COLUMNS).where(EventRow.trace == trace, EventRow.seq.in_(wanted))
    return {line.seq: line for line in _read(session, query)}


def payloads(session: Session, trace: int, seqs: Iterable[int], limit: int) -> dict[int, str]:
    """Payloads by record number (at most 200), each cut to `limit` characters."""
    wanted = sorted(set(seqs))[:200]
    if not wanted:
        return {}
    query = select(EventRow.seq, func.substr(EventRow.raw, 1, limit)).where(
        EventRow.trace == trace, EventRow.seq.in_(wanted)
    )
    return dict(session.execute(query).all())


def count_filtered(session: Session, trace: int, filters: Filters) -> int:
    """How many records are wanted. Without filters read `Trace.records` or `Trace.heads` instead."""
    query = select(func.count()).select_from(EventRow).where(*_where(session, trace, filters))
    return session.scalar(query) or 0


def next_hit(session: Session, trace: int, seq: int) -> int | None:
    """The next record after `seq` that has a finding."""
    hit = (EventRow.trace == trace, EventRow.severity.is_not(None), EventRow.seq > seq)
    return session.scalar(select(func.min(EventRow.seq)).where(*hit))


def prev_hit(session: Session, trace: int, seq: int) -> int | None:
    """The nearest record before `seq` that has a finding."""
    hit = (EventRow.trace == trace, EventRow.severity.is_not(None), EventRow.seq < seq)
    return session.scalar(select(func.max(EventRow.seq)).where(*hit))


def hits(session: Session, trace: int, limit: int = 10_000) -> list[tuple[int, int]]:
    """(record number, severity) of the records that have findings, in order."""
    query = select(EventRow.seq, EventRow.severity).where(
        EventRow.trace == trace, EventRow.severity.is_not(None)
    )
    rows = session.execute(query.order_by(EventRow.seq).limit(limit))
    return [(seq, severity) for seq, severity in rows if severity is not None]
