"""What tests of every part start from: an empty, migrated database in a folder of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from webapp.settings import load_settings
from webapp.storage.db import Database, open_database
from webapp.storage.migrate import migrate


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    url = load_settings(data_dir=tmp_path).database_url
    migrate(url)
    database = open_database(url)
    yield database
    database.close()
