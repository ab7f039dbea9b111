"""Reading a trace anew from its page, a recording sent with a form, and the lines that were not understood."""

from __future__ import annotations

import re
from html import unescape

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from tests.readers.wrapping import CLEAN, FAULT, line, sse
from webapp.readers.registry import FORMS
from webapp.storage import shares, traces
from webapp.storage.db import Database
from webapp.storage.models import Trace

LOG = "".join(f"2026-09-01 10:00:0{n},123 DEBUG emit {line(event)}\n" for n, event in enumerate(FAULT))
CHAT = f"Look:\n\n```\n{LOG}<b>what</b> is this?\n```\n"


def add(client: TestClient, text: str, query: str = "") -> str:
    return str(client.post(f"/api/traces?name=chat{query}", content=text.encode()).json()["id"])


def words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def banner(client: TestClient, id_: str, query: str = "") -> str:
    return re.search(r'<section class="banner.*?</section>', client.get(f"/traces/{id_}{query}").text, re.S)[
        0
    ]  # type: ignore[index]


def test_a_clean_plain_stream_says_how_it_was_read_in_passing(client: TestClient) -> None:
    """A phrase beside the name, no line of its own."""
    html = banner(client, add(client, sse(CLEAN)))
    assert "read as server-sent events" in words(html)
    assert 'id="reading"' not in html
    assert "Read it as…" not in html


def test_what_was_not_understood_is_plain_to_see(client: TestClient) -> None:
    """The form, the events, the lines and the notes, each with its link, and the choice of forms."""
    id_ = add(client, CHAT)
    html = banner(client, id_)
    assert (
        "Read as a stream in Markdown : 5 events, 1 line not understood , 2 notes on the recording ."
        in words(html)
    )
    for href in (f"/traces/{id_}?panel=source&amp;event=3&amp;only=strays", f"/traces/{id_}/reread"):
        assert f'href="{href}"' in html
    assert "read as a stream in Markdown" in words(banner(client, id_, "?panel=timeline"))


def test_a_missing_beginning_is_plain_to_see(client: TestClient) -> None:
    """It is told in the banner, and above the events what follows from it."""
    tail = 'd":"m-1"}\n' + "".join(f"{line(event)}\n" for event in CLEAN[1:])
    page = client.get(f"/traces/{add(client, tail)}").text
    assert "its beginning is missing" in page
    assert "The capture may start in the middle of a run" in page


def test_lines_that_were_cut_are_plain_to_see(client: TestClient) -> None:
    """Above the events, like a missing beginning: a link alone is overlooked where nothing else is wrong."""
    long = [{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m-1", "delta": "long " * 50}] * 3
    log = "".join(f"09:12:01 INFO {line(event)}"[:120] + "\n" for event in [*CLEAN, *long])
    page = client.get(f"/traces/{add(client, log)}").text
    assert "The recording, not the agent: The lines seem to be cut at 120 characters" in words(page)


def test_the_lines_not_understood_are_listed(client: TestClient) -> None:
    """Number, offset and text, which is text; each leads to its place."""
    id_ = add(client, CHAT)
    html = client.get(f"/traces/{id_}/source?only=strays").text
    row = re.search(r'<table class="lines strays".*?</table>', html, re.S)[0]  # type: ignore[index]
    assert "&lt;b&gt;what&lt;/b&gt; is this?" in row
    assert f"{CHAT.encode().index(b'<b>')}</td>" in row
    href = unescape(re.search(r'class="n" href="([^"]+line=9[^"]*)"', row)[1])  # type: ignore[index]
    assert "only=" not in href
    assert '<tr class="stray"><td class="ln">9</td>' in client.get(href).text


def test_many_lines_not_understood_come_in_pages(client: TestClient) -> None:
    """Fifty at a time, the first two hundred; the count goes on."""
    text = LOG + "".join(f"noise {n} {'x' * 400}\n" for n in range(260))
    base = f"/traces/{add(client, text)}/source?only=strays"
    first = client.get(base).text
    assert "1–50 of 260 lines not understood" in first
    assert "The first 200 are listed; 60 more were only counted." in first
    assert ("later ones" in first, "earlier ones" in first) == (True, False)
    last = client.get(f"{base}&start=150").text
    assert "noise 199 " in last
    assert ("later ones" in last, "earlier ones" in last) == (False, True)
    assert client.get(f"{base}&start=99999").text.count("noise 199 ") == 1
    assert (
        "every line was understood"
        in client.get(f"/traces/{add(client, sse(CLEAN))}/source?only=strays").text
    )


def test_every_form_is_offered_the_fitting_ones_first(client: TestClient) -> None:
    """Scores and reasons; the present form is chosen, so that a look changes nothing."""
    html = client.get(f"/traces/{add(client, CHAT)}/reread").text
    assert re.findall(r'name="as" value="([^"]*)"', html)[:3] == ["markdown", "log", ""]
    assert set(re.findall(r'name="as" value="([^"]+)"', html)) == set(FORMS)
    assert re.findall(r'value="([^"]*)" checked', html) == ["markdown"]
    assert "It fits because its events stand in a Markdown fence." in words(html)
    assert "fits 95 %" in html
    assert "`" not in words(re.search(r"<main.*</main>", html, re.S)[0])  # type: ignore[index]


@pytest.mark.parametrize("body", [CHAT, LOG])
def test_every_form_of_the_list_has_a_name_of_its_own(client: TestClient, body: str) -> None:
    """And no log is said to be Python's because its lines begin with a date."""
    html = client.get(f"/traces/{add(client, body)}/reread").text
    names = re.findall(r'<span class="t"><b>(.*?)</b>', html)
    assert len(names) > 15
    assert len(set(names)) == len(names)
    assert sum("Python" in name for name in names) == 3


def test_reading_anew_and_back(client: TestClient) -> None:
    """The page says so; the list, the report and the panels are those of the new reading."""
    id_ = add(client, CHAT)
    answer = client.post(f"/traces/{id_}/reread", data={"as": "log"})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/traces/{id_}?anew=1")
    assert "Read anew as a log of AG-UI events: 5 events." in client.get(answer.headers["location"]).text
    report = client.get(f"/api/traces/{id_}").json()
    assert (report["format"], report["read_as"]) == ("log", "a log of AG-UI events")
    assert "because it was chosen so" in client.get(f"/traces/{id_}/source").text
    client.post(f"/traces/{id_}/reread", data={"as": ""})
    assert client.get(f"/api/traces/{id_}").json()["format"] == "markdown"


def test_a_poor_reading_is_refused_on_the_page_of_the_choice(client: TestClient) -> None:
    """The sentence, the choice as it was made, and the old reading; a program gets the sentence alone."""
    id_ = add(client, CHAT)
    before = client.get(f"/api/traces/{id_}").json()
    answer = client.post(f"/traces/{id_}/reread", data={"as": "har", "protocol": "teams"})
    assert answer.status_code == 400
    assert "the recording holds no event, so it stays as it was read" in answer.text
    assert re.findall(r'value="([^"]*)" checked', answer.text) == ["har"]
    assert 'value="teams" selected' in answer.text
    assert client.get(f"/api/traces/{id_}").json() == before
    told = client.post(f"/traces/{id_}/reread", data={"as": "nope"}, headers={"Accept": "application/json"})
    assert told.json()["error"].startswith("There is no form called “nope”")
    assert client.post("/traces/none/reread", data={"as": "log"}).status_code == 404
    assert client.get("/traces/none/reread").status_code == 404


@pytest.mark.parametrize("path", ["reread", "rejudge"])
def test_another_site_cannot_have_it_read_anew(client: TestClient, path: str) -> None:
    """As for every change."""
    id_ = add(client, CHAT)
    answer = client.post(
        f"/traces/{id_}/{path}", data={"as": "log"}, headers={"Origin": "https://evil.example"}
    )
    assert answer.status_code == 403
    assert client.get(f"/api/traces/{id_}").json()["format"] == "markdown"


def test_an_older_engines_trace_offers_to_be_judged_again(client: TestClient, database: Database) -> None:
    """One button; afterwards it is gone."""
    id_ = add(client, sse(FAULT))
    assert "/rejudge" not in client.get(f"/traces/{id_}").text
    with database.session() as session:
        session.execute(update(Trace).values(engine="0.9", verdict="conformant"))
    html = banner(client, id_)
    assert "Judged by engine 0.9, which was replaced since." in html
    assert f'action="/traces/{id_}/rejudge"' in html
    assert client.post(f"/traces/{id_}/rejudge").headers["location"] == f"/traces/{id_}"
    assert client.get(f"/api/traces/{id_}").json()["verdict"] == "rejected"
    assert "/rejudge" not in client.get(f"/traces/{id_}").text


def test_a_shared_page_shows_the_reading_and_changes_nothing(client: TestClient, database: Database) -> None:
    """Lines not understood can be looked at; there is no way to read or judge anew."""
    id_ = add(client, CHAT)
    with database.session() as session:
        trace = traces.get(session, id_)
        assert trace is not None
        trace.engine = "0.9"
        _, token = shares.create(session, trace.pk, name="x", now=4e9, days=7, level="everything")
    for path in ("", "?panel=source", "?panel=source&only=strays"):
        html = client.get(f"/s/{token}{path}").text
        assert not re.search(r"/reread|/rejudge", html)
    assert "&lt;b&gt;what&lt;/b&gt; is this?" in html
    assert "1 line not understood" in words(client.get(f"/s/{token}").text)
    assert client.post(f"/s/{token}/reread").status_code in (404, 405)


def test_nothing_readable_offers_to_read_it_as_something(client: TestClient) -> None:
    """Beside the way to a better recording."""
    id_ = add(client, "Dear support, it is broken.\n")
    html = banner(client, id_)
    assert f'href="/traces/{id_}/reread"' in html
    assert 'href="/capture' in html
    assert "#i-gone" in html
    page = client.get(f"/traces/{id_}/reread").text
    assert "None of the forms fits the first lines." in page
    assert "<details open>" in page


def test_a_recording_can_be_sent_with_its_form(client: TestClient) -> None:
    """`as` and `protocol`; an unknown one is told; bytes that are here already give the trace as it is."""
    made = client.post("/api/traces?as=log&protocol=teams", content=CHAT.encode())
    report = client.get(f"/api/traces/{made.json()['id']}").json()
    assert (made.status_code, report["format"], report["protocol"]) == (201, "log", "teams")
    again = client.post("/api/traces?as=markdown", content=CHAT.encode()).json()
    assert (again["id"], again["duplicate"]) == (made.json()["id"], True)
    unknown = client.post("/api/traces?as=yaml", content=CHAT.encode())
    assert unknown.status_code == 400
    assert all(name in unknown.json()["error"] for name in FORMS)
    assert client.post("/api/traces?protocol=irc", content=CHAT.encode()).status_code == 422
    form = client.post("/api/traces?as=log", files={"files": ("x.md", f"{CHAT}\n".encode())}).json()
    assert client.get(f"/api/traces/{form['id']}").json()["format"] == "log"


def test_the_description_lists_the_forms(client: TestClient) -> None:
    """`as` with every name, `protocol` with both."""
    told = client.get("/api/openapi.json").json()["paths"]["/api/traces"]["post"]["parameters"]
    by_name = {each["name"]: each for each in told}
    assert by_name["as"]["schema"]["enum"] == list(FORMS)
    assert not by_name["as"]["required"]
    assert "teams" in str(by_name["protocol"]["schema"])


def test_the_front_page_asks_for_a_form_only_after_something_was_not_recognised(client: TestClient) -> None:
    """The link of an unchecked trace leads there; a recording that is here already is then read so."""
    assert 'name="as"' not in client.get("/").text
    id_ = add(client, CHAT)
    page = client.get("/?unread=1").text
    assert page.count('<select name="as">') == 2
    sent = client.post("/traces", data={"text": CHAT, "as": "log"})
    assert sent.headers["location"] == f"/traces/{id_}?already=1"
    assert client.get(f"/api/traces/{id_}").json()["format"] == "log"
    assert "There is no form called" in client.post("/traces", data={"text": CHAT, "as": "x"}).text
