"""The audit is appended and never changed, and reads newest first."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import DBAPIError

from webapp.storage import audit
from webapp.storage.db import Database
from webapp.storage.models import Act, Trace


def filled(database: Database, count: int = 5) -> None:
    with database.session() as session:
        for number in range(count):
            audit.add(
                session, at=float(number), who="ada", how="session", what="uploaded", about=f"t{number}"
            )


@pytest.mark.parametrize("change", [update(Act).values(who="somebody else"), delete(Act)])
def test_no_line_can_be_changed_or_taken_away(database: Database, change: object) -> None:
    """The database itself refuses, whoever asks."""
    filled(database)
    with pytest.raises(DBAPIError, match="append-only"), database.session() as session:
        session.execute(change)  # type: ignore[call-overload]
    with database.session() as session:
        assert [line.who for line in audit.newest(session)[0]] == ["ada"] * 5


def test_lines_are_read_newest_first_and_exported_oldest_first(database: Database) -> None:
    """A page of the list, of one trace, and all of them a batch at a time."""
    filled(database)
    with database.session() as session:
        lines, total = audit.newest(session, limit=2, offset=1)
        assert ([line.about for line in lines], total) == (["t3", "t2"], 5)
        assert [line.about for line in audit.newest(session, about="t3")[0]] == ["t3"]
        assert audit.newest(session, what="deleted") == ([], 0)
        assert [line.about for line in audit.all_lines(session, batch=2)] == ["t0", "t1", "t2", "t3", "t4"]


def test_traces_are_named_as_they_are_called_now(database: Database, store: Callable[..., Trace]) -> None:
    """Those that stand; one that is gone, or none at all, has no name."""
    trace = store("pydantic-parallel")
    with database.session() as session:
        assert audit.names_of(session, [trace.id, "gonegonegone", ""]) == {trace.id: "pydantic-parallel"}
        assert audit.names_of(session, []) == {}


def test_what_somebody_did_is_a_line_and_what_nobody_did_is_none(database: Database) -> None:
    """With the name they had then, whoever they are."""
    with database.session() as session:
        audit.done(session, None, "uploaded", "t1", at=1.0)
        audit.done(
            session, audit.By(None, "n" * 200, "header"), "deleted", "t2", at=2.0, detail={"why": "age"}
        )
        audit.done(session, audit.COMMAND, "read anew", "t3", at=3.0)
    with database.session() as session:
        told = [
            (line.who[:12], len(line.who), line.how, line.about, line.detail)
            for line in audit.all_lines(session)
        ]
    assert told == [
        ("nnnnnnnnnnnn", 100, "header", "t2", {"why": "age"}),
        ("command line", 12, "command", "t3", {}),
    ]
