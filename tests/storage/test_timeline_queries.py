"""The Timeline's queries: whole answers for a window, and never more work than the window is wide."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.orm import Session

from tests.streams import finished, message, started
from webapp.storage import timeline, traces
from webapp.storage.models import Trace

Store = Callable[..., Trace]


def many(number: int) -> list[dict[str, Any]]:
    """`number` messages of three records each, the first of them opened at #1 and closed at the very end."""
    long = message("long", "a")
    inner = [one for n in range(number) for one in message(f"m{n}", "x")]
    return [started(), *long[:2], *inner, long[2], finished()]


@pytest.fixture
def crowd(store: Store) -> Trace:
    """6,005 records, 2,001 messages."""
    return store(many(2000))


def numbers(found: list[timeline.Drawn]) -> list[str]:
    return [item.id for item in found]


def test_a_window_holds_what_begins_and_what_goes_on_in_it(session: Session, crowd: Trace) -> None:
    """A message opened five thousand records before is still there, though its deltas are not."""
    found = timeline.items_in(session, crowd.pk, 5000, 5005, 50)
    assert numbers(found) == ["long", "m1665", "m1666", "m1667"]
    assert [item.first for item in found] == sorted(item.first for item in found)


def test_a_window_never_gives_more_than_its_limit(session: Session, crowd: Trace) -> None:
    """The caller sees that there is more by asking for one more than it draws."""
    assert len(timeline.items_in(session, crowd.pk, 0, 6004, 131)) == 131


def test_items_of_other_traces_and_lanes_stay_out(session: Session, crowd: Trace, store: Store) -> None:
    """The words of the partial index's condition must not swallow the other conditions."""
    call = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "search"}
    other = store([started(), call, *many(900)[1:-1], finished()])
    assert {"long", "c"} <= set(numbers(timeline.items_in(session, other.pk, 2600, 2600, 9)))
    assert "c" not in numbers(timeline.items_in(session, crowd.pk, 2600, 2600, 50))
    assert timeline.items_in(session, crowd.pk, 2600, 2600, 50, lanes=[7]) == []


def test_an_item_left_open_is_in_every_later_window(session: Session, store: Store) -> None:
    """It is hatched to the end, so it must be found there; an activity is never open in that sense."""
    call = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "search"}
    activity = {"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "plan", "content": {}}
    trace = store([started(), call, activity, *many(900)[3:-2], finished()])
    assert numbers(timeline.items_in(session, trace.pk, 2400, 2402, 9))[0] == "c"
    assert "a" not in numbers(timeline.items_in(session, trace.pk, 2400, 2402, 9))


def test_density_counts_every_item_once(session: Session, crowd: Trace) -> None:
    """From the table and from the items themselves, the sum is the number of items that begin."""
    whole = timeline.density(session, crowd.pk, crowd.records, [0], 0, 6004, 92)
    assert sum(c.number for c in whole) == 2001
    assert {c.slot for c in whole} <= set(range(92))
    part = timeline.density(session, crowd.pk, crowd.records, [0], 3000, 3299, 92)
    assert sum(c.number for c in part) == 100
    assert timeline.density(session, crowd.pk, crowd.records, [3], 0, 6004, 92) == []


def test_the_overview_sums_all_lanes(session: Session, store: Store) -> None:
    """One row a kind and part, whatever the number of lanes; results and subagents are not drawn."""
    lanes = [{"type": "SUBAGENT_STARTED", "subagentRunId": f"L{n}", "name": "w"} for n in range(5)]
    talk = [one for n in range(5) for one in message(f"m{n}", "x", subagentRunId=f"L{n}")]
    ends = [{"type": "SUBAGENT_FINISHED", "subagentRunId": f"L{n}"} for n in range(5)]
    trace = store([started(), *lanes, *talk, *ends, finished()])
    counts = timeline.overview(session, trace.pk)
    assert {c.lane for c in counts} == {timeline.ALL_LANES}
    assert {c.kind for c in counts} == {"text"}
    assert sum(c.number for c in counts) == 5
    assert all(0 <= c.slot < timeline.PARTS for c in counts)


def test_around_gives_a_window_with_as_many_items(session: Session, crowd: Trace) -> None:
    """Half before the record and half after; fewer at the ends."""
    lo, hi = timeline.around(session, crowd.pk, 3000, 10)
    assert len([i for i in timeline.items_in(session, crowd.pk, lo, hi, 50) if i.id != "long"]) == 20
    assert timeline.around(session, crowd.pk, 0, 10)[0] == 0


def test_few_findings_come_one_by_one_and_many_in_parts(session: Session, store: Store) -> None:
    """Each part says how many it stands for and the worst of them; none is lost."""
    orphans = [{"type": "TEXT_MESSAGE_END", "messageId": f"x{n}"} for n in range(40)]
    trace = store([started(), *orphans, finished()])
    single = timeline.hits(session, trace.pk, 0, 41, 60, 8)
    assert [hit.first for hit in single if hit.records == 1][:3] == [1, 2, 3]
    parts = timeline.hits(session, trace.pk, 0, 41, 12, 8)
    assert len(parts) <= 8
    assert sum(hit.records for hit in parts) == len(single)
    assert all(hit.first <= hit.last and hit.severity == 0 for hit in parts)


def test_only_state_events_are_state_ticks(session: Session, store: Store) -> None:
    """Snapshots and patches, with their lane."""
    snapshot = {"type": "STATE_SNAPSHOT", "snapshot": {}}
    delta = {"type": "STATE_DELTA", "delta": []}
    trace = store([started(), snapshot, *message("m", "x"), delta, finished()])
    assert timeline.states(session, trace.pk, 0, 9, 100) == [(1, 0), (5, 0)]
    assert timeline.states(session, trace.pk, 2, 9, 100) == [(5, 0)]


def test_samples_run_from_the_first_record_to_the_last(session: Session, crowd: Trace) -> None:
    """Evenly, and every record of a small trace."""
    seqs = [stamp.seq for stamp in timeline.samples(session, crowd.pk, crowd.records)]
    assert (seqs[0], seqs[-1]) == (0, crowd.records - 1)
    assert len(seqs) == timeline.BUCKETS
    assert max(b - a for a, b in pairwise(seqs)) <= crowd.records / timeline.BUCKETS + 1


@pytest.mark.databases("sqlite")  # its planner
def test_windows_are_searched_by_index(session: Session, crowd: Trace) -> None:
    """No query of a window reads a table from end to end."""
    seen: list[tuple[str, Any]] = []
    bind = session.get_bind()

    def remember(*args: Any) -> None:
        seen.append((args[2], args[3]))

    event.listen(bind, "before_cursor_execute", remember)
    timeline.items_in(session, crowd.pk, 5000, 5100, 50)
    timeline.states(session, crowd.pk, 5000, 5100, 50)
    timeline.hits(session, crowd.pk, 5000, 5100, 60, 24)
    timeline.around(session, crowd.pk, 5000, 20)
    timeline.density(session, crowd.pk, crowd.records, [0], 0, 6004, 92)
    timeline.density(session, crowd.pk, crowd.records, [0], 5000, 5100, 92)
    timeline.pieces(session, crowd.pk, 5000, 5100, 3000)
    timeline.folded(session, crowd.pk, 5000, 5100, 100)
    event.remove(bind, "before_cursor_execute", remember)
    assert len(seen) >= 8
    connection = session.connection()
    plans = [
        row[3]
        for sql, values in seen
        for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values)
    ]
    assert not [plan for plan in plans if plan.startswith("SCAN")]
    assert any("items_wide" in plan for plan in plans)
    assert any("COVERING INDEX events_state" in plan for plan in plans)


def test_density_goes_with_its_trace(session: Session, crowd: Trace) -> None:
    """Deleting a trace leaves no counts behind."""
    count = text("SELECT count(*) FROM density WHERE trace = :pk")
    assert session.scalar(count, {"pk": crowd.pk})
    traces.delete(session, crowd.pk)
    assert session.scalar(count, {"pk": crowd.pk}) == 0


def test_a_trace_without_records_has_no_density(session: Session, store: Store) -> None:
    """Nothing to count is nothing, not a division by zero."""
    trace = store(json.dumps([]).encode())
    assert timeline.overview(session, trace.pk) == []
    assert timeline.samples(session, trace.pk, 0) == []
