"""Attacks that are stored: whatever is named or sent says a hostile word, and nothing comes of it anywhere."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import quote, urlencode

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from markdown_it import MarkdownIt

from tests.slices import Thing, every
from tests.web.attacked import MARK, PRODUCT, WORDS, Attacked, Read, attacked, read
from tests.web.test_hostile import EXACT, OBEYED
from webapp.app import create_app
from webapp.settings import Settings
from webapp.storage.db import Database
from webapp.views.selection import PANELS
from webapp.web.access import TABLE

# the parameters that any page looks at
PARAMETERS = """q verdict protocol page notice unread stored known at event start type lane item hits fold axis a b line
    only level asof path back as url trace next text name panel look person who what speed from count already sent"""
GIVEN_BACK = re.compile(r"<textarea[^>]*>[^<]*</textarea>")  # exact, like the value of a field
ENDLESS = ("/live/moves", "/traces/{trace_id}/live")
FILES = re.compile(r"\.(svg|mmd|md|jsonl|html|json|ico)$|/original$|/static/|/stream$|/play$|/text/|/api/")


@pytest.fixture(params=WORDS)
def world(request: pytest.FixtureRequest, settings: Settings, database: Database) -> Iterator[Attacked]:
    app = create_app(settings, database)
    with TestClient(app, base_url="http://127.0.0.1:8321", follow_redirects=False) as started:
        yield attacked(app, settings, database, started, WORDS[request.param])


@lru_cache(maxsize=64)
def read_once(html: str) -> Read:
    """Many addresses give the same page, and reading it takes longer than making it."""
    return read(html)


def harmless(html: str, where: str) -> str:
    """Nothing of the word became part of the page, or of what its templates do. Gives what is shown."""
    page = read_once(html)
    assert page.bad == [], where
    assert PRODUCT not in html, where
    found = OBEYED.search(GIVEN_BACK.sub("", EXACT.sub("", html)))
    assert found is None, (where, html[max(0, found.start() - 60) : found.end() + 10])
    return page.text


def is_page(answer: Response) -> bool:
    """Whether a browser shows it; what is no page is named so, and no browser guesses otherwise."""
    assert answer.headers["x-content-type-options"] == "nosniff"
    return answer.headers.get("content-type", "text/html").startswith("text/html")


def some(things: Iterable[Thing], of: int, word: str) -> list[Thing]:
    """All of them for the word that gets out of most places; of the others each thing sees some."""
    words = list(WORDS.values())
    return list(things) if word == WORDS["element"] else every(things, of, words.index(word))


def pages(word: str) -> list[str]:
    found = (
        entry.path
        for entry in TABLE
        if entry.method == "GET" and entry.path not in ENDLESS and not FILES.search(entry.path)
    )
    return some(found, 3, word)


def test_no_page_obeys_what_is_stored(world: Attacked) -> None:
    """Every page and every part of one, of either protocol, for the account that is called so, and by its link."""
    shown = 0
    for path in pages(world.word):
        for trace in {world.agui, world.teams} if "trace_id" in path else {world.agui}:
            address = world.address(path, trace)
            for headers in ({}, {"HX-Request": "true"}) if trace == world.agui else ({},):
                answer = world.admin.get(address, headers=headers)
                assert answer.status_code < 500, address
                if is_page(answer):
                    shown += harmless(answer.text, address).count(world.word.strip()[:12])
    places = [
        (panel, trace, event) for panel in PANELS for event in (3, 16) for trace in (world.agui, world.teams)
    ]
    for panel, trace, event in some(places, 3, world.word):
        answer = world.admin.get(f"/traces/{trace}/{panel}?event={event}")
        harmless(answer.text, f"{panel} {event}")
    for panel in some(PANELS, 2, world.word):
        harmless(world.nobody.get(f"/s/{world.token}?panel={panel}&event=1").text, panel)
    if not OBEYED.search(world.word) and "`" not in world.word:
        assert shown > 10  # it is there to be read, and no more


def test_no_page_obeys_what_is_asked(world: Attacked) -> None:
    """The word as every parameter, as a part of the address, and in the headers that a page looks at."""
    query = urlencode([(name, world.word) for name in PARAMETERS.split()], errors="replace")
    headers = {"HX-Request": "true", "HX-Current-URL": quote(world.word), "Referer": quote(world.word)}
    inside = quote(world.word, safe="")
    for path in pages(world.word):
        for trace in {world.agui, world.teams} if "trace_id" in path else {world.agui}:
            address = world.address(path, trace)
            for more in ({}, headers) if trace == world.agui else ({},):
                answer = world.admin.get(f"{address}?{query}", headers=more)
                assert answer.status_code < 500, (address, answer.text)
                location = answer.headers.get("location", "/")
                assert location.startswith("/") and not location.startswith("//"), address  # noqa: PT018
                if is_page(answer):
                    harmless(answer.text, address)
        odd = re.sub(r"\{\w+(:path)?\}", inside, path)
        for browser in (world.admin, world.nobody):
            answer = browser.get(odd)
            assert answer.status_code < 500, odd
            if is_page(answer):
                harmless(answer.text, odd)


def test_no_answer_to_a_form_obeys_what_was_typed(world: Attacked) -> None:
    """What comes back in a form that was refused, or in the sentence that says why."""
    word, where = world.word, f"/traces/{world.agui}"
    name = "".join(sign for sign in word if sign.isprintable())[:70]
    forms = [
        ("/errors", {"text": f"Cannot send '{word}' event: No active text message found with ID '{word}'."}),
        ("/errors", {"text": word}),
        ("/call", {"url": word, "run_input": word, "name": word, "authorization": word}),
        ("/call", {"url": f"http://{word}/", "run_input": "{}", "name": word}),
        ("/traces", {"text": word, "name": word, "as": word}),
        (f"{where}/edit", {"name": word * 9, "ticket": word * 9, "note": word, "back": word}),
        (f"{where}/share", {"name": word, "days": word, "panel": word, "event": word, "level": word}),
        (f"{where}/share", {"name": word[:80], "days": "7", "panel": "events", "event": ""}),
        (f"{where}/reread", {"as": word, "form": word, "protocol": word}),
        ("/account/keys", {"name": word, "scope": word, "days": word}),
        ("/account/keys", {"name": word[:80], "scope": "read", "days": "30"}),
        ("/account/password", {"old": word, "new": word, "again": word}),
        ("/users", {"name": name, "role": word, "password": word}),
        ("/users", {"name": f"u{name}", "role": "viewer", "password": "four green herons"}),
        ("/sign-in", {"name": word, "password": word, "next": word}),
        ("/api/traces", {"name": word}),
    ]
    for path, form in forms:
        for more in ({}, {"HX-Request": "true"}):
            answer = world.admin.post(path, data=form, headers=more)
            assert answer.status_code < 500, (path, answer.text)
            assert MARK not in "".join(answer.headers.get_list("set-cookie"))
            if is_page(answer):
                harmless(answer.text, f"{path} {form}")
    upload = world.admin.post("/traces", files={"files": (quote(word), word.encode("utf-8", "replace"))})
    harmless(upload.text, "upload")
    harmless(world.admin.get("/users").text, "/users")


def test_no_drawing_obeys_what_is_stored(world: Attacked) -> None:
    """An SVG is well-formed, has no script, no handler and no address to anywhere."""
    for trace in (world.agui, world.teams):
        answer = world.admin.get(f"/traces/{trace}/sequence.svg")
        assert answer.status_code == 200
        drawing = ET.fromstring(answer.text)
        for element in drawing.iter():
            name = str(element.tag).rpartition("}")[2].lower()
            assert MARK not in name
            assert name not in ("script", "foreignobject", "iframe", "image")
            for attribute, value in element.attrib.items():
                plain = attribute.rpartition("}")[2].lower()
                assert not plain.startswith("on")
                assert MARK not in plain
                assert plain != "href" or value.startswith("#")
        assert answer.headers["content-disposition"].startswith("attachment")


def test_no_export_of_text_obeys_what_is_stored(world: Attacked) -> None:
    """A ticket rendered as Markdown, a Mermaid text, and the report as one file."""
    for trace in (world.agui, world.teams):
        ticket = world.admin.get(f"/traces/{trace}/ticket.md").text
        rendered = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable("table").render(ticket)
        harmless(rendered, ticket)
        assert "<img" not in rendered
        links = re.findall(r'href="([^"]*)"', rendered)
        assert all(link.startswith(("http://127.0.0.1:8321/", "https://")) for link in links)
        assert not [link for link in links if "evil" in link or MARK in link]
        mermaid = world.admin.get(f"/traces/{trace}/sequence.mmd").text
        assert f"<{MARK}" not in mermaid
        assert "<" not in re.sub(r"<<|->>|-->>", "", mermaid)
        assert "%%{" not in mermaid
        report = world.admin.get(f"/traces/{trace}/report.html")
        assert [each for each in read(report.text).bad if "style" not in each] == []
        assert PRODUCT not in report.text


def test_no_name_reaches_a_header(world: Attacked) -> None:
    """A download's name ends no header line, leaves no folder, turns nothing round and sets no cookie."""
    for trace in (world.agui, world.teams):
        for tail in (
            "original",
            "exchanges.jsonl",
            "report.html",
            "sequence.svg",
            "sequence.mmd",
            "ticket.md",
        ):
            answer = world.admin.get(f"/traces/{trace}/{tail}")
            if answer.status_code == 404:
                continue
            told = answer.headers.get("content-disposition", "attachment")
            assert told.startswith("attachment")
            assert not re.search(r"[\r\n/\\<>]", told.replace("UTF-8''", ""))
            for code in ("%0D", "%0A", "%2F", "%5C", "%E2%80%AE", "%E2%81%A6", "%00"):
                assert code not in told
            assert all(
                MARK not in value for name, value in answer.headers.items() if name != "content-disposition"
            )
    shared = world.nobody.get(f"/s/{world.token}/original")
    assert shared.status_code == 200
    assert shared.headers["content-disposition"].startswith("attachment")
