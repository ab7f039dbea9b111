"""Ticket, report, share page, Findings and Source of a Teams trace speak its words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.core.teams.script import lines
from tests.views.teams.conftest import Open, Tell, words
from webapp.app import create_app
from webapp.ingest.upload import ingest
from webapp.settings import load_settings
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.views import ticket

REFUSED = """
+0.0 streaming 1 "The report [doc1" {"from": {"name": "Example Bot"}} -> 201 S
+1.7 streaming 2 "The report [1] | `x`" @S -> E403-PREFIX
"""
TRANSCRIPT = """
+0.0 inbound "status?" -> none
+1.0 streaming 1 "Loo" {"id": "S"} -> none
+240 inbound "hello??" -> none
"""
HOSTILE = """
+0.0 streaming 1 "</style></code><script>alert(1)</script>" {"from": {"name": "<img src=x onerror=alert(2)>"}} -> 201 S
+1.7 streaming 2 "other {{ 7*7 }}" @S -> 403 {"error": {"code": "<u>", "message": "<script>previously streamed"}}
"""


@pytest.fixture
def client(database: Database, tmp_path: Path) -> Iterator[TestClient]:
    app = create_app(load_settings(data_dir=tmp_path), database)
    with TestClient(app, base_url="http://127.0.0.1:8321") as opened:
        yield opened


def store(database: Database, script: str) -> str:
    return ingest(database, [b"\n".join(lines(script))], name="case").id


def test_the_ticket_tells_exchanges_with_answers_and_texts(tell: Tell, database: Database) -> None:
    """Kind, answer and text in place of type, item and payload; Markdown in a text stays text."""
    id_ = tell(REFUSED)
    with database.session() as session:
        trace = traces.get(session, id_)
        assert trace is not None
        text = ticket.build(session, trace, "http://x/t")
    assert "**✖ Rejected.** Teams refused chunk 2 at `#1`" in text
    assert "| exchange | kind | answer | what | text as sent |" in text
    assert "| `#0` | `chunk 1` | 201 |" in text
    assert "403 does not extend | refused here |" in text
    assert "as Microsoft Teams." in text


@pytest.mark.parametrize("script", [REFUSED, TRANSCRIPT, HOSTILE])
def test_the_report_is_whole_and_safe(client: TestClient, database: Database, script: str) -> None:
    """The chat, the exchanges that matter, how it was read; no markup of the recording."""
    answer = client.get(f"/traces/{store(database, script)}/report.html")
    assert answer.status_code == 200
    html = answer.text
    assert "<script" not in html
    assert "<img src=x" not in html
    text = words(html.split("</style>", 1)[1])
    assert "The exchanges that matter" in text
    assert "Microsoft Teams" in text
    assert " 49" not in text


def test_the_reports_chat_is_the_users(client: TestClient, database: Database) -> None:
    """Acknowledged text with its state; what never appeared is only counted; without answers it is what was sent."""
    text = words(client.get(f"/traces/{store(database, REFUSED)}/report.html").text)
    assert "agent, Example Bot, stream 1 The report [doc1 in progress" in text
    assert "never arrived what 1 exchange sent" in text
    text = words(client.get(f"/traces/{store(database, TRANSCRIPT)}/report.html").text)
    assert "Loo in progress; sent, no answer recorded" in text


def test_findings_have_teams_words_and_count_teams_rules(tell: Tell, look: Open, page: Any) -> None:
    """The service's words stand in the card; only rules of Teams were judged."""
    id_ = tell(REFUSED)
    panel = look(id_, panel="findings").panel
    assert panel.causes[0].card.said.startswith("Request streamed content")
    assert "rules judged on 2 exchanges" in panel.judged
    assert int(panel.judged.split()[0]) <= 57
    assert "Look at it in Exchanges" in words(page(id_, panel="findings"))


def test_source_shows_lines_and_no_run_input(tell: Tell, look: Open, page: Any) -> None:
    """The raw lines, numbered by exchange."""
    id_ = tell(REFUSED)
    panel = look(id_, panel="source").panel
    assert "one exchange a line" in panel.read_as
    assert not panel.asked
    assert panel.run_input is None
    text = words(page(id_, panel="source"))
    assert "line byte exchange as recorded" in text
    assert "run input" not in text


def test_the_share_page_offers_the_panels_there_are(client: TestClient, database: Database) -> None:
    """Exchanges first, no State; a link opens each of them, and an old link to State opens the first."""
    id_ = store(database, REFUSED)
    html = client.get(f"/traces/{id_}/share").text
    assert ">Exchanges<" in html
    assert ">State<" not in html
    assert "at exchange #" in words(html)
    form = {"name": "for the vendor", "days": "7", "panel": "conversation", "event": "1"}
    made = client.post(f"/traces/{id_}/share", data=form)
    token = made.text.split("/s/")[1].split('"')[0].split("<")[0]
    for panel in ("events", "conversation", "findings", "source", "state"):
        opened = client.get(f"/s/{token}/{panel}")
        assert opened.status_code == 200
    assert "no state panel" in words(client.get(f"/s/{token}?panel=state").text)


def test_the_front_page_tells_streams_and_their_outcome(client: TestClient, database: Database) -> None:
    """Streams stand for lanes, with how they came out; the protocol can be chosen once there are two."""
    store(database, REFUSED)
    ag_ui = b'{"type":"RUN_STARTED","threadId":"t","runId":"r"}\n{"type":"RUN_FINISHED","threadId":"t","runId":"r"}'
    ingest(database, [ag_ui], name="other")
    text = words(client.get("/").text)
    assert "Teams · 2 exchanges · 1 stream · refused · Agent’s side" in text
    assert "Both AG-UI Teams" in text
    only = client.get("/?protocol=teams").text
    assert "case" in only
    assert ">other<" not in only
