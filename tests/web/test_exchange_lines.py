"""The export of a Teams trace as exchange lines, from the page and through a link."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from tests.exchanges import entry, good, har, lines, other
from tests.streams import finished, sse, started
from webapp.ingest.upload import ingest
from webapp.storage.db import Database


@pytest.fixture
def teams(database: Database) -> str:
    return ingest(database, [b"\n" + lines(good())], name='refund "desk" é').id


def share(client: TestClient, trace: str) -> str:
    form = {"name": "x", "days": "7", "level": "everything", "sure": "1"}
    answer = client.post(f"/traces/{trace}/share", data=form)
    found = re.search(r"/s/[A-Za-z0-9_-]{20,}", answer.text)
    assert found is not None
    return found[0]


def test_the_menu_offers_exchange_lines(client: TestClient, teams: str) -> None:
    """The file is named after the trace and holds one exchange a line."""
    address = f"/traces/{teams}/exchanges.jsonl"
    assert f'href="{address}"' in client.get(f"/traces/{teams}?panel=source").text
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer.content == lines(good())
    assert answer.headers["content-disposition"].startswith(
        'attachment; filename="refund-desk-exchanges.jsonl"'
    )
    assert answer.headers["cache-control"] == "private, no-store"


def test_a_shared_trace_gives_them_too(client: TestClient, teams: str) -> None:
    """Whoever has the link sees everything in the trace."""
    base = share(client, teams)
    assert f'href="{base}/exchanges.jsonl"' in client.get(f"{base}?panel=source").text
    assert client.get(f"{base}/exchanges.jsonl").content == lines(good())


def test_other_traces_have_none(client: TestClient, database: Database) -> None:
    """An AG-UI trace has no exchanges: no entry in the menu, one sentence at the address."""
    trace = ingest(database, [sse(started(), finished())], name="x").id
    assert "exchanges.jsonl" not in client.get(f"/traces/{trace}").text
    answer = client.get(f"/traces/{trace}/exchanges.jsonl")
    assert answer.status_code == 404
    assert "Only a Microsoft Teams trace can be exported as exchange lines." in answer.text
    base = share(client, trace)
    assert client.get(f"{base}/exchanges.jsonl").text == client.get(f"{base}/nothing").text


def test_the_original_of_a_har_file_is_what_was_kept(client: TestClient, database: Database) -> None:
    """The menu does not promise the file as received; the download has its own length."""
    trace = ingest(database, [har(*map(entry, good()), other())], name="x", source="calls.har").id
    page = client.get(f"/traces/{trace}?panel=source").text
    assert "Read as a HAR file of connector calls, because it begins as a HAR file." in page
    assert "its streamed replies, without credentials" in page
    answer = client.get(f"/traces/{trace}/original")
    assert b"zzSECRET" not in answer.content
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert 'filename="calls.har"' in answer.headers["content-disposition"]


def test_an_upload_of_a_teams_recording_leads_to_its_page(client: TestClient) -> None:
    """A file through the form; a run input beside it is refused with a sentence."""
    files = [("files", ("x.exchanges.jsonl", lines(good())))]
    answer = client.post("/traces", files=files)
    assert answer.status_code == 303
    page = client.get(answer.headers["location"] + "?panel=source")
    assert page.status_code == 200
    assert "Read as one exchange a line, because" in page.text
    given = [("files", ("y.jsonl", lines(good()) + b"\n")), ("files", ("y.input.json", b"{}"))]
    answer = client.post("/traces", files=given)
    assert answer.status_code == 400
    assert "a run input belongs to AG-UI only" in answer.text
