"""A migrated database, and the same way in that an upload takes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from webapp.storage.db import Database, open_database
from webapp.storage.migrate import migrate


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    url = f"sqlite:///{tmp_path / 'lanescope.db'}"
    migrate(url)
    database = open_database(url)
    yield database
    database.close()
