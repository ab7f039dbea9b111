"""Records a window at a time: order, folding, filters, and the ways from finding to finding."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import event as hook
from sqlalchemy import text
from sqlalchemy.orm import Session

from tests.streams import finished, message, started
from webapp.storage import events, texts
from webapp.storage.db import Database
from webapp.storage.events import FOLDED, RAW_SHOWN, Filters
from webapp.storage.models import Trace


def seqs(lines: list[events.Line]) -> list[int]:
    return [line.seq for line in lines]


def test_a_window_is_what_it_says(session: Session, long_trace: Trace) -> None:
    """From a record on, in order, no more than asked for, and nothing past the end."""
    assert seqs(events.window(session, long_trace.pk, start=1000, limit=3)) == [1000, 1001, 1002]
    assert seqs(events.backwards(session, long_trace.pk, before=3, limit=10)) == [0, 1, 2]
    last = long_trace.records - 1
    assert seqs(events.window(session, long_trace.pk, start=last, limit=9)) == [last]
    assert events.window(session, long_trace.pk, start=last + 1, limit=9) == []


def test_around_has_both_sides(session: Session, long_trace: Trace) -> None:
    """Records ahead, the record itself, records behind."""
    assert seqs(events.around(session, long_trace.pk, 500, before=2, after=2)) == [498, 499, 500, 501, 502]


def test_the_folded_view_has_one_row_a_burst(session: Session, long_trace: Trace) -> None:
    """1,200 pieces are three rows, cut every 500 records; a start and an end stand for themselves."""
    rows = events.window(session, long_trace.pk, filters=FOLDED, limit=100)
    assert seqs(rows)[:7] == [0, 1, 2, 502, 1002, 1202, 1203]
    assert len(rows) == long_trace.heads == events.count_filtered(session, long_trace.pk, FOLDED)


def test_a_record_inside_a_burst_is_stood_for_by_its_head(session: Session, long_trace: Trace) -> None:
    """Jumping to #600 in the folded view lands on the burst that holds it."""
    assert events.head_of(session, long_trace.pk, 600) == 502
    assert seqs(events.heads(session, long_trace.pk, 600, 1, 1)) == [2, 502, 1002]


def test_filters_narrow(session: Session, long_trace: Trace) -> None:
    """Type, item and words each leave only what matches, and they add up."""
    pk = long_trace.pk
    assert seqs(events.window(session, pk, filters=Filters(type="TOOL_CALL_END"))) == [2404]
    only = Filters(item="m2", type="TEXT_MESSAGE_END")
    assert seqs(events.window(session, pk, filters=only)) == [2601, 2602]
    assert events.count_filtered(session, pk, Filters(item="m2")) == 198
    assert seqs(events.window(session, pk, filters=Filters(q='"w77 "'))) == [79]
    assert events.window(session, pk, filters=Filters(item="nobody")) == []


def test_words_are_meant_literally(session: Session, store: Callable[..., Trace]) -> None:
    """A per cent sign and an underscore are themselves; quotes and escapes of JSON are seen through."""
    trace = store([started(), *message("m1", "100% sure", 'say "hi"', "caf\u00e9", "a_b"), finished()])

    def found(q: str) -> list[int]:
        return seqs(events.window(session, trace.pk, filters=Filters(q=q)))

    assert found("100%") == [2]
    assert found("0%u") == []
    assert found('say "hi"') == [3]
    assert found("caf\u00e9") == [4]
    assert found("a_b") == [5]
    assert found("a_c") == []


def test_findings_are_walked_in_both_directions(session: Session, long_trace: Trace) -> None:
    """The fault is at #2602; from either side it is found, and past it there is none."""
    pk = long_trace.pk
    assert events.next_hit(session, pk, 0) == 2602
    assert events.prev_hit(session, pk, 2603) == 2602
    assert events.next_hit(session, pk, 2602) is None
    assert events.prev_hit(session, pk, 2602) is None
    assert events.hits(session, pk) == [(2602, 0)]
    assert seqs(events.window(session, pk, filters=Filters(hits=True))) == [2602]


def test_a_list_never_loads_a_whole_payload(session: Session, store: Callable[..., Trace]) -> None:
    """A megabyte in one record is cut in a list and whole on its own."""
    trace = store([started(), *message("m1", "x" * 1_000_000), finished()])
    line = events.window(session, trace.pk, start=2, limit=1)[0]
    assert (len(line.raw), line.size > 1_000_000) == (RAW_SHOWN, True)
    whole = events.one(session, trace.pk, 2)
    assert whole is not None
    assert len(whole.raw) == line.size
    assert events.one(session, trace.pk, 99) is None


def test_records_by_number(session: Session, long_trace: Trace) -> None:
    """Those a finding names, in one query; unknown numbers are not there."""
    assert sorted(events.some(session, long_trace.pk, [5, 2602, 5, 9999])) == [5, 2602]


@pytest.mark.databases("sqlite")  # its planner
@pytest.mark.parametrize(
    ("asked", "index"),
    [
        (lambda s, pk: events.next_hit(s, pk, 0), "events_hits"),
        (lambda s, pk: events.window(s, pk, start=10, limit=50, filters=FOLDED), "events_heads"),
        (lambda s, pk: events.head_of(s, pk, 700), "events_heads"),
        (lambda s, pk: list(texts.stream(s, pk, 0, 2603)), "segments_item"),
    ],
)
def test_windows_use_their_index(
    database: Database, long_trace: Trace, asked: Callable[[Session, int], object], index: str
) -> None:
    """A window's cost must not grow with the trace: the plan names the index made for it."""
    plans: list[str] = []

    def explain(connection, cursor, statement, parameters, context, many):  # type: ignore[no-untyped-def]
        if statement.startswith("SELECT"):
            rows = connection.connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            plans.extend(row[3] for row in rows)

    hook.listen(database.engine, "before_cursor_execute", explain)
    with database.session() as session:
        asked(session, long_trace.pk)
    assert [plan for plan in plans if index in plan], plans
    assert not [plan for plan in plans if plan.startswith("SCAN")], plans


@pytest.mark.databases("sqlite")  # its planner
def test_an_unfolded_window_needs_no_sorting(database: Database, long_trace: Trace) -> None:
    """Order comes from the primary key."""
    with database.session() as session:
        plan = session.execute(
            text(
                "EXPLAIN QUERY PLAN SELECT seq FROM events WHERE trace = 1 AND seq >= 5 ORDER BY seq LIMIT 9"
            )
        ).all()
    assert "SEARCH" in plan[0][3]
    assert len(plan) == 1
