"""The recorder fails in each place: the client gets every byte all the same, and the trace says what is missing."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from tests.live.proxied import agent, call, proxying, recorded, run
from webapp.errors import Busy
from webapp.ingest.live import handle
from webapp.ingest.live.handle import Live
from webapp.ingest.proxy import agui
from webapp.storage.db import Database

ACTIVITY = json.dumps({"type": "message", "text": "Hello"}).encode()


def broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError("broken on purpose")


def no_beginning(app: FastAPI) -> None:
    async def begin(**_: Any) -> Live:
        raise Busy("The database cannot be written.")

    app.state.recorder.begin = begin


def no_recorder(app: FastAPI) -> None:
    app.state.recorder.begin = broken


def with_live(change: Callable[[Live], None]) -> Callable[[FastAPI], None]:
    """Every recording begins, and is changed then."""

    def change_app(app: FastAPI) -> None:
        really = app.state.recorder.begin

        async def begin(**about: Any) -> Live:
            live: Live = await really(**about)
            change(live)
            return live

        app.state.recorder.begin = begin

    return change_app


def write_raises(live: Live) -> None:
    live.write = broken  # type: ignore[method-assign]


def note_raises(live: Live) -> None:
    live.note = broken  # type: ignore[method-assign]


def end_raises(live: Live) -> None:
    really = live.end

    async def end(reason: str = "") -> None:
        await really(reason)
        broken()

    live.end = end  # type: ignore[method-assign]


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    with agent() as url:
        yield url


@pytest.mark.parametrize(
    ("change", "traces"),
    [
        (no_beginning, 0),
        (no_recorder, 0),
        (with_live(write_raises), 1),
        (with_live(note_raises), 1),
        (with_live(end_raises), 1),
    ],
)
def test_traffic_flows_whatever_the_recorder_does(
    database: Database,
    tmp_path: Path,
    served: str,
    caplog: pytest.LogCaptureFixture,
    change: Callable[[FastAPI], None],
    traces: int,
) -> None:
    """The same bytes as without the proxy, and at most one line in the log."""
    direct = run(f"{served}/agent", words=50, pause=0.001).read()
    with (
        caplog.at_level(logging.WARNING, "lanescope"),
        proxying(database, tmp_path, change, shop=served) as url,
    ):
        assert run(f"{url}/proxy/shop/agent", words=50, pause=0.001).read() == direct
    found = recorded(database)
    assert len(found) == traces
    assert len(caplog.records) <= 1
    if traces and found[0].body != direct:
        assert "missing" in found[0].notes


def test_traffic_flows_when_it_cannot_be_stored_fast_enough(
    database: Database, tmp_path: Path, served: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recorder with next to no room: what was dropped is counted in the trace."""
    monkeypatch.setattr(handle, "MOST_PENDING", 150)
    direct = run(f"{served}/agent", words=200).read()
    with proxying(database, tmp_path, shop=served) as url:
        assert run(f"{url}/proxy/shop/agent", words=200).read() == direct
    [found] = recorded(database)
    assert len(found.body) < len(direct)
    assert "bytes are missing" in found.notes


@pytest.mark.parametrize("place", ["asked", "answered", "data", "ended", "_decoded", "_name"])
def test_traffic_flows_when_the_proxy_s_own_recording_breaks(
    database: Database, tmp_path: Path, served: str, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """A fault in any step of it."""
    monkeypatch.setattr(agui.RunWatch, place, broken)
    with proxying(database, tmp_path, shop=served) as url:
        assert b"RUN_FINISHED" in run(f"{url}/proxy/shop/agent").read()
    for found in recorded(database):
        assert "missing" in found.notes


@pytest.mark.parametrize(
    "change", [no_beginning, no_recorder, with_live(write_raises), with_live(note_raises)]
)
def test_connector_calls_flow_too(
    database: Database, tmp_path: Path, served: str, change: Callable[[FastAPI], None]
) -> None:
    """Each is answered by the upstream, whose answer here is that it knows no such path."""
    with proxying(database, tmp_path, change, shop=served) as url:
        for _ in range(3):
            answer = call(f"{url}/proxy/shop/v3/conversations/a%3A1/activities", "POST", ACTIVITY)
            assert (answer.status, json.load(answer)) == (404, {"detail": "Not Found"})
