"""Old traces go by age and by total size; what somebody still needs stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from webapp.ingest import retention
from webapp.ingest.retention import DAY, Plan, plan, prune
from webapp.settings import load_settings
from webapp.storage import shares, traces
from webapp.storage.db import Database
from webapp.storage.models import Trace

NOW = 1_800_000_000.0
Add = Callable[..., str]


@pytest.fixture
def add(database: Database) -> Add:
    """Store the row of a trace that is `days` old and `size` bytes big."""

    def added(name: str, days: float, size: int = 100, **values: Any) -> str:
        row = {"created": NOW - days * DAY, "sha256": name, "size": size, **values}
        with database.session() as session:
            session.add(Trace(id=name, name=name, **row))
        return name

    return added


def names(database: Database, **limits: Any) -> list[tuple[str, str]]:
    return [(each.id, each.why) for each in plan(database, load_settings(**limits), NOW).expired]


def test_nothing_goes_unless_a_limit_is_set(database: Database, add: Add) -> None:
    """Without a setting the oldest trace stays, and pruning deletes nothing."""
    add("ancient", 5_000)
    assert prune(database, load_settings(), NOW).expired == []
    with database.session() as session:
        assert traces.count(session) == 1


def test_traces_over_the_age_go(database: Database, add: Add) -> None:
    """Only what is older than the limit, oldest first."""
    add("young", 29), add("old", 31), add("older", 40)
    assert names(database, retain_days=30) == [("older", "age"), ("old", "age")]


def test_the_oldest_go_until_the_rest_fits(database: Database, add: Add) -> None:
    """By total size, no more than is needed."""
    add("one", 3, 100), add("two", 2, 100), add("three", 1, 100)
    assert names(database, retain_bytes=200) == [("one", "size")]
    assert names(database, retain_bytes=199) == [("one", "size"), ("two", "size")]
    assert names(database, retain_bytes=300) == []


def test_age_and_size_count_together(database: Database, add: Add) -> None:
    """What went by age is not counted against the size again."""
    add("old", 31, 100), add("young", 2, 100), add("new", 1, 100)
    assert names(database, retain_days=30, retain_bytes=200) == [("old", "age")]


def test_what_is_needed_stays(database: Database, add: Add) -> None:
    """Shared, pinned and live traces stay; one whose link has ended goes."""
    for name in ("shared", "ended", "revoked"):
        add(name, 99)
    add("pinned", 99, pinned=True), add("live", 99, status="live")
    with database.session() as session:
        for name, days in (("shared", 7), ("ended", -1), ("revoked", 7)):
            trace = traces.get(session, name)
            assert trace is not None
            share, _ = shares.create(session, trace.pk, name="x", now=NOW, days=days)
            if name == "revoked":
                share.revoked = NOW
    assert {name for name, _ in names(database, retain_days=30, retain_bytes=1)} == {"ended", "revoked"}


def test_a_dry_run_deletes_nothing_and_pruning_what_it_said(
    database: Database, add: Add, tmp_path: Path
) -> None:
    """`plan` and `prune` agree, and only one of them changes anything."""
    add("old", 31), add("new", 1)
    settings = load_settings(retain_days=30)
    said = plan(database, settings, NOW)
    with database.session() as session:
        assert traces.count(session) == 2
    assert prune(database, settings, NOW) == said
    with database.session() as session:
        assert traces.get(session, "old") is None
        assert traces.get(session, "new") is not None


@pytest.mark.databases("sqlite", "postgresql")
@pytest.mark.parametrize("needed", ["pinned", "shared", "live", "deleted"])
def test_what_somebody_needs_by_now_stays(
    database: Database, add: Add, monkeypatch: pytest.MonkeyPatch, needed: str
) -> None:
    """Between looking and deleting much may happen: pinned, shared, taken up again, deleted by hand."""
    add("old", 31), add("older", 40)

    def planned(*about: Any) -> Plan:
        made = plan(*about)
        with database.session() as session:
            trace = traces.get(session, "older")
            assert trace is not None
            if needed == "pinned":
                traces.pin(session, trace.pk, True)
            elif needed == "shared":
                shares.create(session, trace.pk, name="x", now=NOW, days=7)
            elif needed == "live":
                trace.status = "live"
            else:
                traces.delete(session, trace.pk)
        return made

    monkeypatch.setattr(retention, "plan", planned)
    done = prune(database, load_settings(retain_days=30), NOW)
    assert [each.id for each in done.expired] == ["old"]
    with database.session() as session:
        assert traces.get(session, "old") is None
        assert (traces.get(session, "older") is None) is (needed == "deleted")
