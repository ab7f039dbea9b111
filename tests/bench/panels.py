"""Server time of each panel's fragment, on a large trace against a small one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from starlette.testclient import TestClient

from tests.bench.streams import sse, state_heavy
from webapp.app import create_app
from webapp.ingest.upload import ingest
from webapp.settings import Settings
from webapp.storage.db import open_database
from webapp.storage.migrate import migrate
from webapp.views.selection import PANELS

SMALL, LARGE = 1_000, 100_000
ROUNDS = 15
PATCHES, KILOBYTES = 2_000, 86


def state_panel(folder: Path) -> Iterator[tuple[str, float]]:
    """(place, seconds) of the State panel on a large state under many patches."""
    settings = Settings(data_dir=folder / "state")
    settings.data_dir.mkdir(exist_ok=True)
    migrate(settings.database_url)
    database = open_database(settings.database_url)
    trace = ingest(database, state_heavy(PATCHES, KILOBYTES), name="state.sse").id
    database.close()
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        for event in (2, PATCHES // 2, PATCHES * 99 // 100, PATCHES + 2):
            best = float("inf")
            for _ in range(ROUNDS):
                began = time.perf_counter()
                answer = client.get(f"/traces/{trace}/state?event={event}")
                best = min(best, time.perf_counter() - began)
                assert answer.status_code == 200, answer.status_code
            yield f"#{event}", best


def measure(folder: Path) -> Iterator[tuple[str, float, float, float]]:
    """(panel at place, ratio, seconds small, seconds large); asked near the start and at 99 % of the trace."""
    settings = Settings(data_dir=folder / "panels")
    settings.data_dir.mkdir(exist_ok=True)
    migrate(settings.database_url)
    database = open_database(settings.database_url)
    ids = {}
    for count in (SMALL, LARGE):
        ids[count] = ingest(database, sse(count), name=f"{count}.sse").id
    database.close()
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        for panel in PANELS:
            for place in ("#10", "99 %"):
                best = dict.fromkeys(ids, float("inf"))
                for _ in range(ROUNDS):
                    for count, trace in ids.items():
                        event = 10 if place == "#10" else count * 99 // 100
                        began = time.perf_counter()
                        answer = client.get(f"/traces/{trace}/{panel}?event={event}")
                        best[count] = min(best[count], time.perf_counter() - began)
                        assert answer.status_code == 200, (panel, answer.status_code)
                yield f"{panel} at {place}", best[LARGE] / best[SMALL], best[SMALL], best[LARGE]
