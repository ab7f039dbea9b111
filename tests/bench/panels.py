"""Server time of each panel's fragment, on a large trace against a small one.

Rules of this file: both traces are asked at places alike, where a window holds about as much: a figure is to tell what
the trace's size costs, not that a window has more in it. So turns are short (a thousand events of long turns are five
turns, less than a window of some panels), and a place is counted from the nearer end (the window around the event at
99 % is cut off by the end of a small trace, and full in a large one).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from starlette.testclient import TestClient

from tests.bench.streams import SHORT, sse, state_heavy
from webapp.app import create_app
from webapp.ingest.upload import ingest
from webapp.settings import Settings
from webapp.storage.db import open_database
from webapp.storage.migrate import migrate
from webapp.views.selection import PANELS

SMALL, LARGE = 1_000, 100_000
ROUNDS = 15
PLACES: dict[str, Callable[[int], int]] = {
    "#10": lambda count: 10,
    "the middle": lambda count: count // 2,
    "10 from the end": lambda count: count - 10,
}
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
    """(panel at place, ratio, seconds small, seconds large)."""
    settings = Settings(data_dir=folder / "panels")
    settings.data_dir.mkdir(exist_ok=True)
    migrate(settings.database_url)
    database = open_database(settings.database_url)
    ids = {}
    for count in (SMALL, LARGE):
        ids[count] = ingest(database, sse(count, SHORT), name=f"{count}.sse").id
    database.close()
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        for panel in PANELS:
            for place, where in PLACES.items():
                best = dict.fromkeys(ids, float("inf"))
                for _ in range(ROUNDS):
                    for count, trace in ids.items():
                        began = time.perf_counter()
                        answer = client.get(f"/traces/{trace}/{panel}?event={where(count)}")
                        best[count] = min(best[count], time.perf_counter() - began)
                        assert answer.status_code == 200, (panel, answer.status_code)
                yield f"{panel} at {place}", best[LARGE] / best[SMALL], best[SMALL], best[LARGE]
