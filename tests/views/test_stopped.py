"""A recording that was stopped in the middle of a run is never shown as a pass."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.ingest.live.taking import Taking
from tests.streams import finished, message, sse, started
from webapp.app import create_app
from webapp.settings import load_settings
from webapp.storage.db import Database

OPEN = sse(started(), *message("m", "Hello")[:2])
WHOLE = sse(started(), *message("m", "Hello"), finished())


@pytest.fixture
def take(database: Database, tmp_path: Path) -> Taking:
    return Taking(database, load_settings(data_dir=tmp_path))


@pytest.fixture
def client(take: Taking) -> TestClient:
    return TestClient(create_app(take.settings, take.database), base_url="http://127.0.0.1:8321")


def stopped(take: Taking, data: bytes) -> str:
    live = take.begin()
    live.write(data)
    live.stop("It was stopped by hand.")
    take.round()
    return live.id


def test_its_page_and_its_row_say_that_it_was_stopped(take: Taking, client: TestClient) -> None:
    """No green, no tick, no sentence about an end that nobody saw; and it opens at its last event."""
    public = stopped(take, OPEN)
    page = client.get(f"/traces/{public}").text
    banner = page[page.index('id="banner"') - 200 : page.index('id="main"')]
    assert "Recording stopped" in banner
    assert "up to where the recording was stopped" in banner
    assert "as they should" not in banner
    assert 'class="banner ok' not in page
    assert re.search(r'data-event="2"', page)
    row = client.get("/").text
    assert "Nothing wrong up to where the recording was stopped." in row
    assert 'class="verdict ok' not in row


def test_a_run_that_had_ended_before_is_as_good_as_any(take: Taking, client: TestClient) -> None:
    """A client that goes away after the last event takes nothing from the run."""
    page = client.get(f"/traces/{stopped(take, WHOLE)}").text
    assert "Recording stopped" not in page
    assert 'class="banner ok' in page


def test_the_same_bytes_uploaded_are_judged_to_their_end(take: Taking, client: TestClient) -> None:
    """An upload never gets the verdict of a recording whose end was not judged."""
    stopped(take, OPEN)
    answer = client.post("/api/traces", content=OPEN).json()
    assert (answer["duplicate"], answer["verdict"]) == (False, "nonconformant")
    assert client.post("/api/traces", content=OPEN).json()["duplicate"] is True
