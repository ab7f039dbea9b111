"""The pages for whoever has no recording: recipes, and what an error sentence means."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from webapp.core.foreign import RECIPES
from webapp.storage.db import Database
from webapp.storage.models import Trace

SENTENCE = "Cannot send 'TEXT_MESSAGE_CONTENT' event: No active text message found with ID 'msg-<1>'."
TEAMS = '{"error":{"code":"ContentStreamNotAllowed","message":"Content stream was canceled by user."}}'
CHUNK = 'data: {"object":"chat.completion.chunk","choices":[{"delta":{}}]}\n\n'


def stored(database: Database) -> int:
    with database.session() as session:
        return len(list(session.scalars(select(Trace))))


def test_every_recipe_has_its_anchor_and_says_what_it_gives_and_lacks(client: TestClient) -> None:
    """One section a recipe, and a link to each from the top."""
    html = client.get("/capture").text
    for anchor in RECIPES:
        assert html.count(f'id="{anchor}"') == 1
        assert f'href="#{anchor}"' in html
    assert html.count("<dt>It gives</dt>") == html.count("<dt>It lacks</dt>") == len(RECIPES)


def test_links_inside_the_pages_lead_somewhere(client: TestClient) -> None:
    """Rules, answers, recipes: every address answers, every anchor is there."""
    html = client.post("/errors", data={"text": f"{SENTENCE}\n{TEAMS}"}).text + client.get("/capture").text
    for href in set(re.findall(r'href="(/(?:rules|capture|errors)[^"]*)"', html)):
        path, _, anchor = href.partition("#")
        answer = client.get(path)
        assert answer.status_code == 200, href
        assert not anchor or f'id="{anchor}"' in answer.text, href


def test_the_error_page_without_a_question_has_a_field(client: TestClient) -> None:
    """Nothing is claimed of nothing."""
    html = client.get("/errors").text
    assert '<textarea id="error-text" name="text"' in html
    assert "blockquote" not in html


def test_a_sentence_gives_rule_causes_ids_and_recipes(client: TestClient) -> None:
    """Everything that was asked for, and nothing of the text is markup."""
    html = client.post("/errors", data={"text": SENTENCE}).text
    assert '<a href="/rules/AGUI-TXT-02">' in html
    assert "Likely causes, in this order" in html
    assert "<code>msg-&lt;1&gt;</code>" in html
    assert 'href="/capture#browser"' in html
    assert "<1>" not in html


def test_the_answer_of_teams_is_told_by_its_message(client: TestClient) -> None:
    """The code has six meanings; this one is the Stop."""
    html = client.post("/errors", data={"text": TEAMS}).text
    assert '<a href="/rules/TEAMS-044">' in html
    assert 'href="/rules/answers#E403-STOP"' in html
    assert "TEAMS-020" not in html


def test_an_unknown_sentence_is_said_to_be_unknown(client: TestClient) -> None:
    """The text stays in the field."""
    html = client.post("/errors", data={"text": "<b>It broke</b>"}).text
    assert "None of the known sentences" in html
    assert "&lt;b&gt;It broke&lt;/b&gt;</textarea>" in html


def test_a_pasted_error_is_answered_and_not_stored(client: TestClient, database: Database) -> None:
    """The browser is sent to the explanation, the script too."""
    answer = client.post("/traces", data={"text": f"Hi, we get: {SENTENCE}"})
    assert answer.status_code == 200
    assert "AGUI-TXT-02" in answer.text
    answer = client.post("/traces", data={"text": TEAMS}, headers={"Accept": "application/json"})
    assert TEAMS in answer.json()["look_up"]
    assert stored(database) == 0


def test_nothing_of_a_message_gets_into_an_address(client: TestClient) -> None:
    """It may hold a secret. What can be passed on is the explanation, and that link says the same of it."""
    text = f"token hunter2-hunter2 for ACME: {SENTENCE}"
    html = client.post("/errors", data={"text": text}).text
    assert 'method="post"' in html[html.index('class="ask"') :]
    [link] = re.findall(r'href="(/errors\?about=[^"]*)"', html)
    assert not any(part in link for part in ("hunter2", "ACME", "msg"))
    shared = client.get(link).text
    assert '<a href="/rules/AGUI-TXT-02">' in shared
    assert "blockquote" not in shared
    assert "hunter2" not in client.get("/errors", params={"text": text}).text


@pytest.mark.parametrize("about", ["", "nothing", "a,b,,c", "<b>", "x" * 5000])
def test_an_address_about_nothing_known_gives_the_field(client: TestClient, about: str) -> None:
    """And shows nothing of it."""
    answer = client.get("/errors", params={"about": about})
    assert answer.status_code == 200
    assert 'class="sentence"' not in answer.text
    assert "<b>" not in answer.text


def test_a_message_without_bounds_is_refused(client: TestClient) -> None:
    """A form is held in memory."""
    assert client.post("/errors", data={"text": "x" * 300_000}).status_code == 413


@pytest.mark.parametrize("how", ["raw", "file"])
def test_an_error_sent_as_a_recording_is_refused_in_words(
    client: TestClient, database: Database, how: str
) -> None:
    """Through the interface there is nobody to look at a page."""
    body = SENTENCE.encode()
    if how == "raw":
        answer = client.post(
            "/api/traces", content=body, headers={"Content-Type": "application/octet-stream"}
        )
    else:
        answer = client.post("/api/traces", files={"files": ("error.txt", body)})
    assert answer.status_code == 400
    assert "error message and no recording" in answer.json()["error"]
    assert stored(database) == 0


def test_another_protocols_stream_is_named_and_not_judged(client: TestClient) -> None:
    """Unchecked, in words, with the recipe for that kind of source."""
    answer = client.post("/traces", data={"text": CHUNK})
    html = client.get(answer.headers["location"]).text
    assert "a stream of chat completion chunks" in html
    assert 'href="/capture#python"' in html
    report = client.get("/api" + answer.headers["location"]).json()
    assert report["verdict"] == "unchecked"
    assert len(report["findings"]) <= 1


def test_an_empty_looking_recording_leads_to_the_recipes(client: TestClient) -> None:
    """Whatever could not be read."""
    answer = client.post("/traces", data={"text": "<note>what</note>"})
    assert 'href="/capture"' in client.get(answer.headers["location"]).text


def test_the_front_page_leads_to_both(client: TestClient) -> None:
    """Before anything is uploaded."""
    html = client.get("/").text
    assert 'href="/capture"' in html
    assert 'href="/errors"' in html
