"""Downloads of the sequence diagram, and the panel inside the page."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from webapp.app import ROOT
from webapp.ingest.upload import ingest
from webapp.settings import Settings
from webapp.storage.db import Database

SAMPLE = ROOT / "tests" / "samples" / "chunked-two-subagents.sse"


@pytest.fixture
def trace_id(database: Database, settings: Settings) -> str:
    return ingest(database, [SAMPLE.read_bytes()], name="refund desk ü", settings=settings).id


@pytest.mark.parametrize(
    ("tail", "kind", "begins"),
    [
        ("sequence.svg", "image/svg+xml; charset=utf-8", "<?xml"),
        ("sequence.mmd", "text/plain; charset=utf-8", "sequenceDiagram"),
    ],
)
def test_downloads_are_attachments(
    client: TestClient, trace_id: str, tail: str, kind: str, begins: str
) -> None:
    """A file with a name that any system can keep."""
    answer = client.get(f"/traces/{trace_id}/{tail}?panel=sequence&event=352")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == kind
    told = answer.headers["content-disposition"]
    assert told.startswith(f'attachment; filename="refund-desk-{tail}"')
    assert "filename*=UTF-8''refund%20desk%20%C3%BC-sequence" in told
    assert answer.text.startswith(begins)


def test_a_nonsense_number_in_the_address_is_ignored(client: TestClient, trace_id: str) -> None:
    """Bad input loses nothing."""
    answer = client.get(f"/traces/{trace_id}/sequence.mmd?event=<x>&start=-3&fold=0")
    assert answer.status_code == 200
    assert "loop" not in answer.text


def test_an_unknown_trace_has_no_download(client: TestClient) -> None:
    """One clear sentence, no stack trace."""
    answer = client.get("/traces/nosuchtrace1/sequence.svg")
    assert answer.status_code == 404
    assert "There is no such trace" in answer.text


def test_page_and_fragment_hold_the_same_diagram(client: TestClient, trace_id: str) -> None:
    """A link works with and without a script."""
    page = client.get(f"/traces/{trace_id}?panel=sequence&event=352").text
    fragment = client.get(f"/traces/{trace_id}/sequence?event=352", headers={"HX-Request": "true"}).text
    start, end = '<div class="seqhead">', "</svg></div>\n"
    assert (
        page[page.index(start) : page.rindex(end)] == fragment[fragment.index(start) : fragment.rindex(end)]
    )
    assert "style=" not in fragment
