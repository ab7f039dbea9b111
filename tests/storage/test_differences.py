"""What databases do differently by themselves is done alike: text, sizes, numbers, errors."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from tests.streams import finished, message, started
from webapp.storage import bulk, events, items, texts, timeline, traces
from webapp.storage.db import Database
from webapp.storage.models import Density, EventRow, ItemRow, Segment, Trace

Store = Callable[..., Trace]
LONG = "".join(map(chr, random.Random(5).choices(range(0x4E00, 0x9FFF), k=5000)))  # 15,000 bytes


def row(model: Any, **values: Any) -> tuple[Any, ...]:
    """A tuple in the order of the table's columns: 0 or "" where nothing else is said."""
    defaults = {
        column.name: "" if column.type.python_type is str else 0 for column in model.__table__.columns
    }
    return tuple({**defaults, **values}.values())


def bare(session: Session, **values: Any) -> int:
    """A row of `traces` and nothing under it; gives its `pk`."""
    trace = Trace(**{"id": "bare", "name": "bare", "created": 1.0, "sha256": "", "size": 0, **values})
    session.add(trace)
    session.flush()
    return trace.pk


@pytest.mark.parametrize("chars", [1, 5, 9, 10, 11, 25, 29, 30, 31, 1000])
def test_the_end_of_a_text_is_counted_in_characters(session: Session, store: Store, chars: int) -> None:
    """Both ends of a text in several segments, each shorter, as long and longer than what is asked for."""
    pieces = ["äöüß👋12345", "b" * 10, "c" * 10]  # a delta that came alone is a segment
    call = {"toolCallId": "c"}
    stream = [started(), {"type": "TOOL_CALL_START", "toolCallName": "t", **call}]
    for number, piece in enumerate(pieces):
        stream += [
            {"type": "TOOL_CALL_ARGS", "delta": piece, **call},
            {"type": "CUSTOM", "name": "n", "value": number},
        ]
    trace = store([*stream, {"type": "TOOL_CALL_END", **call}, finished()])
    [item] = items.by_id(session, trace.pk, "c")
    whole = "".join(pieces)
    for head, expected in ((True, whole[:chars]), (False, whole[-chars:])):
        got = texts.end_of(session, trace.pk, item.ord, -1, trace.records, True, chars, head)
        assert got == expected


def test_ids_longer_than_a_page_of_an_index_are_stored_and_found(session: Session, store: Store) -> None:
    """An id is whatever the agent says; short and long ones are found side by side."""
    trace = store([started(), *message("short", "a"), *message(LONG, "b"), finished()])
    assert [item.id for item in items.by_id(session, trace.pk, LONG)] == [LONG]
    both = items.by_ids(session, trace.pk, ["short", LONG, "nobody"], ["text"])
    assert [item.id for item in both] == ["short", LONG]
    only = events.window(session, trace.pk, filters=events.Filters(item=LONG))
    assert [line.seq for line in only] == [4, 5, 6]


@pytest.mark.databases("postgresql")
def test_an_id_is_looked_up_by_its_index(session: Session, store: Store) -> None:
    """The words of a query must be those of the partial index, or it is of no use."""
    trace = store([started(), *message("short", "a"), finished()])
    session.execute(text("SET LOCAL enable_seqscan = off"))
    query = f"EXPLAIN SELECT * FROM items WHERE trace = {trace.pk} AND "
    wanted = items.with_ids(["short"]).compile(session.get_bind(), compile_kwargs={"literal_binds": True})
    plan = " ".join(session.scalars(text(query + str(wanted))))
    assert "items_id" in plan


def test_characters_that_no_text_may_hold_are_replaced_when_typed(database: Database, store: Store) -> None:
    """NUL in a note, a name, a search or an address is no fault of the database."""
    trace = store([started(), *message("m", "a"), finished()])
    with database.session() as session:
        traces.set_note(session, trace.pk, "before\0after")
        traces.rename(session, trace.pk, "na\0me")
    with database.session() as session:
        assert traces.get(session, "\0") is None
        assert traces.list_traces(session, q="\0", verdict="\0")[1] == 0
        assert events.count_filtered(session, trace.pk, events.Filters(q="\0", type="\0", item="\0")) == 0
        stored = traces.get(session, trace.id)
        assert stored is not None
        assert stored.note.startswith("before")
        assert stored.note.endswith("after")


@pytest.mark.parametrize(
    "word", ["100%", "a_b", "it's", 'a"b', "C:\\dir", "%s", "%(name)s", "$1", ":name", "?", "ÄÖ"]
)
def test_signs_that_mean_something_to_a_driver_mean_themselves(
    session: Session, store: Store, word: str
) -> None:
    """In a stored text and in a search for it, letter case aside."""
    trace = store([started(), *message("m", f"Before {word} after"), finished()], name=word)
    other = store([started(), *message("m", "Something else"), finished()], name="other")
    asked = f'"{word}"' if '"' not in word else word
    assert [found.pk for found in traces.list_traces(session, q=asked)[0]] == [trace.pk]
    assert [line.seq for line in events.window(session, trace.pk, filters=events.Filters(q=asked))] == [2]
    assert events.window(session, other.pk, filters=events.Filters(q=asked)) == []


def test_places_beyond_four_bytes_are_kept(session: Session) -> None:
    """Bytes of a file and milliseconds of a clock are more than 2^31."""
    far = 5 * 2**32
    pk = bare(session, size=far)
    at = dict.fromkeys(("severity", "item", "synth"), None)
    event = row(EventRow, trace=pk, offset=far, ts=-far, at=1e300, raw="{}", **at)
    bulk.add_originals(session, [(pk, 0, far, 1, 10, b"\0\xff\n\t\\N")])
    bulk.add_events(session, list(zip(event)))
    line = events.window(session, pk)[0]
    assert (line.offset, line.ts, line.at, line.severity) == (far, -far, 1e300, None)
    session.expire_all()
    assert traces.by_pk(session, pk).size == far  # type: ignore[union-attr]
    assert session.execute(text("SELECT data FROM originals")).scalar_one() == b"\0\xff\n\t\\N"


def test_density_of_a_very_long_trace_can_be_counted(session: Session) -> None:
    """Record numbers times parts are more than four bytes hold."""
    pk = bare(session)
    records = 2_000_000_000
    places = [0, 700_000_000, 1_999_999_999]
    rows = [
        row(ItemRow, trace=pk, ord=ord_, kind="text", id=f"m{ord_}", first=first, last=first)
        for ord_, first in enumerate(places)
    ]
    bulk.add_items(session, rows)
    timeline.write_density(session, pk, records)
    assert sum(count.number for count in timeline.overview(session, pk)) == 3
    wide = timeline.density(session, pk, records, [0], 0, records - 1, 92)
    assert [(count.slot, count.number) for count in sorted(wide, key=lambda c: c.slot)] == [
        (0, 1),
        (32, 1),
        (91, 1),
    ]
    near = timeline.density(session, pk, records, [0], 699_999_900, 700_000_100, 92)
    assert [count.number for count in near] == [1]
    assert session.query(Density).count() == 6


def test_rows_that_cannot_be_added_raise_and_leave_nothing(database: Database) -> None:
    """The same number twice: one error of SQLAlchemy's, and the next session works."""
    with database.session() as session:
        pk = bare(session)
    twice = row(Segment, trace=pk, first=1, kind="text", text="a")

    def add() -> None:
        with database.session() as session:
            bulk.add_segments(session, [row(Segment, trace=pk, first=0, kind="text", text="a"), twice, twice])

    with pytest.raises(DBAPIError):
        add()
    with database.session() as session:
        assert session.query(Segment).count() == 0
        bulk.add_segments(session, [twice])
    with database.session() as session:
        assert session.query(Segment).count() == 1
