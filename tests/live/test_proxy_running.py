"""What starts and stops with a server that passes traffic on."""

from __future__ import annotations

import asyncio
import gc
import threading
from pathlib import Path

import pytest
from fastapi import FastAPI

from webapp.app import create_app
from webapp.settings import load_settings
from webapp.storage.db import Database


async def while_running(app: FastAPI) -> int:
    """Start the server's own things and stop them; how many objects are out of the collector's sight in between."""
    async with app.router.lifespan_context(app):
        return gc.get_freeze_count()


@pytest.fixture
def app(database: Database, tmp_path: Path) -> FastAPI:
    return create_app(load_settings(data_dir=tmp_path, targets={"shop": "http://127.0.0.1:9"}), database)


def test_what_was_imported_holds_up_no_traffic(app: FastAPI) -> None:
    """A search for garbage through all of it stops every thread for a tenth of a second, in the middle of a stream."""
    gc.unfreeze()  # what the tests have put out of sight themselves
    before = len(gc.get_objects())
    assert gc.get_freeze_count() == 0
    assert asyncio.run(while_running(app)) > before // 2


def test_a_server_beside_something_else_leaves_its_garbage_alone(app: FastAPI) -> None:
    """In a thread of another program, a test for instance, nothing is kept for ever."""
    seen, out_of_sight = list[int](), gc.get_freeze_count()
    thread = threading.Thread(target=lambda: seen.append(asyncio.run(while_running(app))))
    thread.start()
    thread.join()
    assert seen == [out_of_sight]


def test_what_is_passed_on_and_called_ends_before_the_recorder(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their recordings have an end of their own, which somebody has to store."""
    ended: list[str] = []

    class Noting:
        def __init__(self, name: str) -> None:
            self.name = name

        async def stop(self) -> None:
            ended.append(self.name)

        close = stop

    stop = app.state.recorder.stop

    def noted() -> None:
        ended.append("recorder")
        stop()

    monkeypatch.setattr(app.state.recorder, "stop", noted)
    app.state.proxy, app.state.calls = Noting("proxy"), Noting("calls")
    asyncio.run(while_running(app))
    assert sorted(ended[:2]) == ["calls", "proxy"]
    assert ended[2:] == ["recorder"]
