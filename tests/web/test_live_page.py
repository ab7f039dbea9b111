"""The page of live traces: its commands work here, with or without accounts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.people import BASE, browser, person
from webapp.app import create_app
from webapp.settings import Settings, load_settings
from webapp.storage.db import Database

KEY = "-H &#34;Authorization: Bearer $LANESCOPE_KEY&#34;"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(data_dir=tmp_path, targets={"shop": "http://127.0.0.1:9"})


@pytest.fixture
def editor(settings: Settings, database: Database) -> Iterator[TestClient]:
    app = create_app(settings, database)
    with TestClient(app, base_url=BASE):
        yield browser(app, settings, database, person(database, "Edda", "editor"))


def test_with_accounts_the_commands_have_the_key(editor: TestClient) -> None:
    """Each where it is looked for, and the way to make one."""
    page = editor.get("/live").text
    assert f"| tee &gt;(curl -sT - {KEY} &#39;{BASE}/api/live?name=my-run&#39;)" in page
    assert "<code>Lanescope-Key</code>" in page
    assert 'href="/account#keys"' in page


def test_an_open_installation_needs_no_key(client: TestClient) -> None:
    """So nothing of it stands there."""
    page = client.get("/live").text
    assert f"| tee &gt;(curl -sT - &#39;{BASE}/api/live?name=my-run&#39;)" in page
    assert "LANESCOPE_KEY" not in page
    assert "Lanescope-Key" not in page
