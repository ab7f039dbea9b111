"""Words on the trace page that must not mislead somebody who reads nothing else."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from webapp.ingest.upload import ingest
from webapp.settings import Settings
from webapp.storage.db import Database

CHUNKED = Path(__file__).resolve().parents[1] / "samples" / "chunked-two-subagents.sse"


@pytest.fixture
def chunked(database: Database, settings: Settings) -> str:
    """The trace's path: refused at #352, a chunk without an id."""
    return f"/traces/{ingest(database, [CHUNKED.read_bytes()], name='chunked', settings=settings).id}"


def text(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())


def inspector(client: TestClient, url: str) -> str:
    return client.get(url).text.split('id="inspector"')[1].split("</aside>")[0]


def test_the_folded_verdict_says_who_saw_it(client: TestClient, chunked: str) -> None:
    """Beside the diagrams there are no headings, so the sentence itself names the user."""
    said = text(client.get(f"{chunked}?panel=sequence").text)
    assert "Agent’s side. The user saw 3 messages; message 2 stops at" in said


def test_nothing_is_derived_from_a_refused_chunk(client: TestClient, chunked: str) -> None:
    """#21 becomes a START and a CONTENT, #351 ends the message, #352 becomes nothing."""
    assert "#21a TEXT_MESSAGE_START of message 2" in text(inspector(client, f"{chunked}?event=21"))
    assert "#351a TEXT_MESSAGE_END of message 2" in text(inspector(client, f"{chunked}?event=351"))
    refused = inspector(client, f"{chunked}?event=352")
    assert "Refused by the client" in refused
    assert "#352a" not in refused


def test_a_label_leads_to_the_page_that_explains_it(client: TestClient, chunked: str) -> None:
    """The finer row of the catalogue is a link, and the page is there."""
    assert 'href="/rules/AGUI-CHK-11"' in inspector(client, f"{chunked}?event=352")
    assert client.get("/rules/AGUI-CHK-11").status_code == 200
