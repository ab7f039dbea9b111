"""What many tests start from is stored once a worker and copied: storing takes a tenth of a second, a copy a hundredth
of that.

Rules of this file: filling a test's empty database; no expectation, and nothing known of what is stored. Only SQLite is
copied; on PostgreSQL the database is filled each time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Hashable
from contextlib import closing
from typing import Any, TypeVar

from webapp.storage.db import Database

Made = TypeVar("Made")
_KEPT: dict[Hashable, tuple[sqlite3.Connection, Any]] = {}


def prepared(database: Database, key: Hashable, fill: Callable[[], Made]) -> Made:
    """What `fill` stores in `database`, which is empty, and what it gives: values that hold of every copy alike.

    key: the test module's name and whatever `fill` makes a difference of.
    """
    if database.engine.dialect.name != "sqlite":
        return fill()
    if key not in _KEPT:
        given = fill()
        store = sqlite3.connect(":memory:", check_same_thread=False)
        _copy(database, store, back=False)
        _KEPT[key] = store, given
        return given
    store, given = _KEPT[key]
    _copy(database, store, back=True)
    return given


def _copy(database: Database, store: sqlite3.Connection, *, back: bool) -> None:
    with closing(database.engine.raw_connection()) as borrowed:
        own = borrowed.driver_connection
        assert isinstance(own, sqlite3.Connection)
        if back:
            store.backup(own)
        else:
            own.backup(store)
