"""Throttling: so many tries in so long, whichever worker counts them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from webapp.accounts.tries import Throttle, forget_old, place
from webapp.storage.db import Database
from webapp.storage.models import Try

pytestmark = pytest.mark.databases("sqlite", "postgresql")
THREE = Throttle("test", most=3, seconds=60)


@pytest.fixture
def session(database: Database) -> Iterator[Session]:
    with database.session() as session:
        yield session


def test_the_fourth_of_three_waits_for_the_end_of_the_window(session: Session) -> None:
    """Trying on does not make it longer."""
    assert [THREE.wait(session, "ada", 1000.0 + second) for second in range(5)] == [0, 0, 0, 57, 56]
    assert THREE.wait(session, "ada", 1059.0) == 1
    assert THREE.wait(session, "ada", 1060.0) == 0


def test_each_is_counted_by_themselves(session: Session) -> None:
    """Another person and another kind have tries of their own."""
    for _ in range(4):
        THREE.wait(session, "ada", 0.0)
    assert THREE.wait(session, "bob", 0.0) == 0
    assert Throttle("other", most=3, seconds=60).wait(session, "ada", 0.0) == 0
    assert THREE.wait(session, "ada", 0.0) > 0


def test_success_forgets_what_was_tried(session: Session) -> None:
    """Of the one who succeeded alone."""
    for who in ("ada", "bob"):
        for _ in range(4):
            THREE.wait(session, who, 0.0)
    THREE.forget(session, "ada")
    assert THREE.wait(session, "ada", 0.0) == 0
    assert THREE.wait(session, "bob", 0.0) > 0


def test_tries_at_the_same_time_are_all_counted(database: Database) -> None:
    """No two read the same number: of 12 at once, three go on."""

    def tried(_: int) -> float:
        with database.session() as session:
            return THREE.wait(session, "ada", 0.0)

    with ThreadPoolExecutor(6) as pool:
        waits = list(pool.map(tried, range(12)))
    assert sorted(waits) == [0] * 3 + [60] * 9


def test_nothing_is_kept_of_who_tried(session: Session) -> None:
    """No name."""
    THREE.wait(session, "ada.lovelace", 0.0)
    key = session.scalar(select(Try.key))
    assert key is not None
    assert "ada" not in key


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_an_ipv6_subscriber_is_one_place(address: str, counted: str) -> None:
    """They could take a new address for each try."""
    assert place(address) == counted


def test_windows_long_over_are_forgotten(database: Database) -> None:
    """Once an hour, not with a try, where two that clean up would wait for each other."""
    with database.session() as session:
        THREE.wait(session, "ada", 0.0)
        THREE.wait(session, "bob", 100_000.0)
    with database.session() as session:
        forget_old(session, 100_001.0)
        assert session.scalar(select(func.count()).select_from(Try)) == 1
