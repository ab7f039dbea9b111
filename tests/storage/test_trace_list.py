"""The list finds what a person types, and deleting leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from tests.streams import finished, message, started
from webapp.storage import shares, traces
from webapp.storage.base import hanging_on_traces
from webapp.storage.db import Database
from webapp.storage.models import Trace


def found(session: Session, q: str, **more: str) -> list[str]:
    rows, total = traces.list_traces(session, q=q, **more)  # type: ignore[arg-type]
    assert total == len(rows)
    return [row.name for row in rows]


@pytest.fixture
def three(store: Callable[..., Trace], session: Session) -> None:
    store("proto-subagents", source="proto.sse")
    store("pydantic-parallel")
    noted = store(
        [started("thread-9"), *message("m1", "Total: 100% of ", "a_b"), finished("thread-9")], name="Third"
    )
    traces.set_note(session, noted.pk, "the customer’s second call")
    traces.set_ticket(session, noted.pk, "SUP-1234")
    session.flush()


@pytest.mark.parametrize(
    ("q", "names"),
    [
        ("", ["Third", "pydantic-parallel", "proto-subagents"]),
        ("third", ["Third"]),  # name, letter case aside
        ("proto.sse", ["proto-subagents"]),  # file
        ("SUP-1234", ["Third"]),  # ticket
        ("second call", ["Third"]),  # note
        ("thread-9", ["Third"]),  # thread id
        ("run-parallel", ["pydantic-parallel"]),  # run id
        ("TOL-02", ["pydantic-parallel"]),  # rule
        ("rejected", ["pydantic-parallel"]),  # verdict
        ("already closed", ["pydantic-parallel"]),  # headline
        ("weather", ["pydantic-parallel"]),  # tool
        ("researcher", ["proto-subagents"]),  # subagent
        ('"fan out"', ["proto-subagents"]),  # step
        ("100%", ["Third"]),  # message text; the sign means itself
        ('"% of a"', ["Third"]),  # text that came in two pieces
        ("a_b", ["Third"]),
        ("0%l", []),
        ("Third weather", []),  # every word must be found
        ("nobody", []),
    ],
)
def test_the_list_is_searched(session: Session, three: None, q: str, names: list[str]) -> None:
    """Names, ids, rules, tools, text, ticket and note, each taken literally."""
    assert found(session, q) == names


def test_a_day_is_found(session: Session, three: None) -> None:
    """`2026-11-29` means traces added on that day, UTC."""
    for trace in traces.list_traces(session)[0]:
        trace.created = 1_795_996_800.0 - (1 if trace.name == "Third" else 0)  # 2026-11-30 00:00 UTC
    session.flush()
    assert found(session, "2026-11-29") == ["Third"]
    assert len(found(session, "2026-11-30")) == 2


def test_verdict_and_protocol_narrow_and_are_counted(session: Session, three: None) -> None:
    """The chips and their numbers."""
    assert found(session, "", verdict="rejected") == ["pydantic-parallel"]
    assert found(session, "", protocol="teams") == []
    counted = traces.facets(session)
    assert counted["verdict"]["rejected"] == 1
    assert counted["protocol"] == {"ag-ui": 3}


def test_pages_do_not_overlap(session: Session, three: None) -> None:
    """Two pages of two hold three traces, and both know the total."""
    first, total = traces.list_traces(session, limit=2)
    second, again = traces.list_traces(session, offset=2, limit=2)
    assert (total, again) == (3, 3)
    assert [row.name for row in (*first, *second)] == ["Third", "pydantic-parallel", "proto-subagents"]


def test_a_trace_is_renamed(session: Session, three: None) -> None:
    """The new name is cut to what fits and nothing else changes."""
    trace = traces.list_traces(session, q="third")[0][0]
    traces.rename(session, trace.pk, "x" * 500)
    session.expire_all()
    renamed = traces.get(session, trace.id)
    assert renamed is not None
    assert (renamed.name, renamed.ticket) == ("x" * 200, "SUP-1234")


def test_deleting_leaves_no_row(database: Database, store: Callable[..., Trace]) -> None:
    """Every table has nothing of the deleted trace; others stay."""
    kept = store("pydantic-parallel")
    gone = store([started(), *message("m1", "the secret sauce"), finished()], name="secret sauce")
    with database.session() as session:
        shares.create(session, gone.pk, name="link", now=0, days=1)
    with database.session() as session:
        traces.delete(session, gone.pk)
    with database.session() as session:
        for table in hanging_on_traces():
            left = session.scalar(select(func.count()).select_from(table).where(table.c.trace == gone.pk))
            assert (table.name, left) == (table.name, 0)
        assert traces.by_pk(session, gone.pk) is None
        assert traces.get(session, kept.id) is not None


@pytest.mark.databases("sqlite")
def test_deleting_leaves_no_byte(database: Database, store: Callable[..., Trace]) -> None:
    """After the log is folded in, the file itself has nothing of the deleted trace."""
    gone = store([started(), *message("m1", "the secret sauce"), finished()], name="secret sauce")
    with database.session() as session:
        traces.delete(session, gone.pk)
    database.settle()
    database.close()
    assert b"secret sauce" not in Path(database.url.removeprefix("sqlite:///")).read_bytes()


def test_a_duplicate_needs_the_same_run_input(session: Session, store: Callable[..., Trace]) -> None:
    """The same bytes judged with another request are another trace."""
    trace = store("pydantic-parallel")
    assert traces.find_duplicate(session, trace.sha256) is None
    same = traces.find_duplicate(session, trace.sha256, trace.input)
    assert same is not None
    assert same.id == trace.id
    assert traces.find_duplicate(session, "0" * 64, trace.input) is None
