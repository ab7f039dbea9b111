"""An application on an empty, migrated database, and a client that follows no redirect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from webapp.app import create_app
from webapp.settings import Settings, load_settings
from webapp.storage.db import Database
from webapp.storage.models import Trace

BASE = "http://127.0.0.1:8321"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(data_dir=tmp_path, max_upload_bytes=2_000_000)


@pytest.fixture
def client(settings: Settings, database: Database) -> Iterator[TestClient]:
    app = create_app(settings, database)
    with TestClient(app, base_url=BASE, follow_redirects=False) as client:
        yield client


@pytest.fixture
def add_trace(database: Database) -> Callable[..., str]:
    """Store one row of `traces` without analysing anything; returns its id. Later ones are newer."""
    numbers = count(1)

    def add(**values: Any) -> str:
        number = next(numbers)
        row = {
            "id": f"trace{number:07}",
            "name": f"run-{number}.sse",
            "created": 1_700_000_000.0 + number,
            "sha256": f"{number:064}",
            "size": 1,
            "protocol": "ag-ui",
            "verdict": "conformant",
            "events": 10,
            "lane_count": 1,
            **values,
        }
        with database.session() as session:
            session.add(Trace(**row))
        return str(row["id"])

    return add
