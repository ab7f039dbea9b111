"""What a stream had shown by a record: answered from the index, whatever else the recording holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import event

from tests.core.teams.script import lines
from webapp.ingest.upload import ingest
from webapp.settings import load_settings
from webapp.storage import streams, traces
from webapp.storage.db import Database

SCRIPT = """
+0.0 informative 1 "Looking" -> 201 A
+1.6 streaming 2 "One" @A -> 202
+3.2 streaming 3 "One two" @A -> 429 "API calls quota exceeded"
+5.0 streaming 3 "One two" @A -> 202
+6.6 streaming 4 "other" @A -> E403-PREFIX
+300 streaming 1 "Two" {"replyToId": "r2"} -> 201 B
+302 final "One two three" @A -> lost
"""


@pytest.fixture
def stored(database: Database, tmp_path: Path) -> int:
    id_ = ingest(
        database, [b"\n".join(lines(SCRIPT))], name="t", settings=load_settings(data_dir=tmp_path)
    ).id
    with database.session() as session:
        trace = traces.get(session, id_)
        assert trace is not None
        return trace.pk


def test_the_newest_text_that_was_taken(database: Database, stored: int) -> None:
    """Refused, lost and later ones do not count; nor does the other stream."""
    with database.session() as session:
        found = [streams.shown(session, stored, 1, upto) for upto in range(7)]
        assert found == [[], [1], [1], [3], [3], [3], [3]]
        assert streams.shown(session, stored, 2, 6) == [5]
        assert streams.shown(session, stored, 1, 6, ("informative",)) == [0]


def test_what_stood_before_each_of_a_window(database: Database, stored: int) -> None:
    """One query for all of them; the first text of a stream has nothing before it."""
    with database.session() as session:
        assert streams.shown_before(session, stored, range(7)) == {2: 1, 3: 1, 4: 3, 6: 3}


def test_the_tail_is_the_newest_first(database: Database, stored: int) -> None:
    """With how each was answered."""
    with database.session() as session:
        acts = streams.tail(session, stored, 1, 6, 3)
    assert [(act.seq, act.type, act.reached) for act in acts] == [
        (6, "final", 4),
        (4, "streaming", 2),
        (3, "streaming", 0),
    ]


def test_payloads_nearest_to_the_chosen_come_first(database: Database, stored: int) -> None:
    """The budget of characters bounds what is loaded."""
    with database.session() as session:
        every = streams.payloads(session, stored, range(7), 0)
        assert sorted(every) == list(range(7))
        some = streams.payloads(session, stored, range(7), 6, len(every[6]) + len(every[5]))
        assert sorted(some) == [5, 6]


def test_outcomes_and_answers_of_a_trace(database: Database, stored: int) -> None:
    """How many streams ended in which way; how the first calls were answered."""
    with database.session() as session:
        assert sum(streams.outcomes(session, [stored])[stored].values()) == 2
        assert streams.reaches(session, stored) == {0, 2, 4}


@pytest.mark.databases("sqlite")  # its planner
def test_every_look_up_goes_by_the_index(database: Database, stored: int) -> None:
    """A recording of a million calls must not be walked for one bubble."""
    asked: list[tuple[str, object]] = []

    def note(_connection: object, _cursor: object, statement: str, parameters: object, *_: object) -> None:
        asked.append((statement, parameters))

    with database.session() as session:
        event.listen(database.engine, "before_cursor_execute", note)
        try:
            streams.shown(session, stored, 1, 6)
            streams.tail(session, stored, 1, 6, 3)
            streams.shown_before(session, stored, [2, 4])
        finally:
            event.remove(database.engine, "before_cursor_execute", note)
        plans = []
        for statement, parameters in asked:
            rows = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)  # type: ignore[arg-type]
            plans.append(" ".join(row[-1] for row in rows))
    assert len(plans) == 8
    assert all("events_stream" in plan for plan in plans), plans
