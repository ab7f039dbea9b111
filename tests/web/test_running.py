"""What runs beside the pages goes on whatever happens to it once."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from webapp.settings import load_settings
from webapp.storage.db import Database
from webapp.web import running

FAULTS = [
    NoConnection("no connection is free"),
    OperationalError("", None, Exception("database is locked")),
    RuntimeError("a fault of ours"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=["no connection", "locked", "fault"])
def test_old_traces_are_looked_for_again_after_a_bad_moment(
    database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: Exception,
) -> None:
    """The log has a line, and the next hour comes."""
    seen = 0

    async def main() -> None:
        stopping = asyncio.Event()
        loop = asyncio.get_running_loop()

        def failing(*_: Any) -> None:
            nonlocal seen
            seen += 1
            if seen == 3:
                loop.call_soon_threadsafe(stopping.set)
            raise fault

        monkeypatch.setattr(running, "prune", failing)
        monkeypatch.setattr(running, "PRUNE_SECONDS", 0.0)
        settings = load_settings(data_dir=tmp_path, retain_days=1)
        await asyncio.wait_for(running._pruned(database, settings, stopping), 10)

    with caplog.at_level(logging.WARNING, "lanescope"):
        asyncio.run(main())
    assert seen == 3
    assert all(record.getMessage().startswith("old traces could not be deleted") for record in caplog.records)
    assert len(caplog.records) == 3
