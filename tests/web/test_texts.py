"""Whole texts that a page cuts, as plain text."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from tests.streams import finished, message, sse, started
from webapp.ingest.upload import ingest
from webapp.storage.db import Database

PIECES = ["one ", "<b>two</b> ", "세 ", "\ud83d", "end"]


@pytest.fixture
def stored(database: Database) -> str:
    return ingest(database, [sse(started(), *message("m", *PIECES), finished())], name="x").id


def test_a_text_is_had_whole_or_up_to_a_record(client: TestClient, stored: str) -> None:
    """All pieces in order; `upto` ends it where the page does, in the middle of a folded burst."""
    whole = client.get(f"/traces/{stored}/text/0")
    assert whole.text == "one <b>two</b> 세 \ufffdend"
    assert whole.headers["content-type"] == "text/plain; charset=utf-8"
    assert whole.headers["x-content-type-options"] == "nosniff"
    assert client.get(f"/traces/{stored}/text/0?upto=3").text == "one <b>two</b> "


def test_a_record_is_had_as_it_was_received(client: TestClient, stored: str) -> None:
    """The payload, not laid out."""
    answer = client.get(f"/traces/{stored}/record/3")
    assert answer.text == '{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "<b>two</b> "}'
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize(
    "tail", ["text/99", "text/x", "text/-1", "record/99", "record/x", f"record/{'9' * 30}"]
)
def test_what_is_not_there_is_not_found(client: TestClient, stored: str, tail: str) -> None:
    """No number, no such item or record: one answer."""
    assert client.get(f"/traces/{stored}/{tail}").status_code == 404
    assert client.get(f"/traces/aaaaaaaaaaaa/{tail}").status_code == 404
