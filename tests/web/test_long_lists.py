"""Links and keys by the hundred: a page at a time, nothing left out without a word, and back to where one was."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from html import unescape

import pytest
from fastapi.testclient import TestClient

from tests.web.people import browser, person
from webapp.app import create_app
from webapp.settings import Settings
from webapp.storage import keys, shares, traces
from webapp.storage.db import Database
from webapp.views.share_lists import LINKS_AT_ONCE
from webapp.views.users import KEYS_AT_ONCE

MORE = re.compile(r'<nav class="more" aria-label="[^"]*">(.*?)</nav>', re.S)


def more(html: str) -> tuple[str, dict[str, str]]:
    """What is said of the rows shown, and the ways to the others by their word."""
    found = MORE.search(html)
    assert found
    ways = {word: unescape(href) for href, word in re.findall(r'href="([^"]*)"[^>]*>(\w+)</a>', found[1])}
    return re.sub(r"<[^>]+>.*", "", found[1].removeprefix("<span>"), flags=re.S), ways


@pytest.fixture
def many_links(database: Database, add_trace: Callable[..., str]) -> int:
    """More than two pages of links that work, and one that has ended."""
    public, count = add_trace(), 2 * LINKS_AT_ONCE + 3
    with database.session() as session:
        trace = traces.get(session, public)
        assert trace is not None
        now = time.time()
        for number in range(count):
            shares.create(session, trace.pk, name=f"link {number}", now=now - number, days=7)
        shares.create(session, trace.pk, name="ended", now=now - 864_000, days=1)
    return count


def test_every_link_that_works_is_on_one_of_the_pages(client: TestClient, many_links: int) -> None:
    """Newest first, each once; the button that ends all of them counts those of all pages."""
    address, seen = "/shares", list[str]()
    for said in ("1–50 of 103 shown", "51–100 of 103 shown", "101–103 of 103 shown"):
        html = client.get(address).text
        shown, ways = more(html)
        assert shown == said
        assert "This ends 103 links," in html
        seen += re.findall(r"<b>(link \d+|ended)</b>", html)
        address = ways.get("Older", "")
    assert address == ""
    assert seen == [f"link {number}" for number in range(many_links)]
    assert more(client.get("/shares?page=2").text)[1]["Newer"] == "/shares"


def test_ending_a_link_comes_back_to_its_page(client: TestClient, many_links: int) -> None:
    """And says there that it ended; the last page that has become empty is the one before."""
    for left in (3, 2, 1):
        html = client.get("/shares?page=3").text
        revoke = re.findall(r'<form action="([^"]*/revoke[^"]*)"', html)
        assert len(revoke) == left
        to = client.post(unescape(revoke[0])).headers["location"]
        assert to == "/shares?ended=1&page=3"
        assert "Link revoked." in client.get(to).text
    assert more(client.get("/shares?page=3").text)[0] == "51–100 of 100 shown"


@pytest.mark.parametrize("page", ["0", "-1", "x", "99999999999", "", "²"])
def test_a_page_that_is_none_is_one_that_there_is(client: TestClient, many_links: int, page: str) -> None:
    """Whatever stands in the address."""
    answer = client.get("/shares", params={"page": page})
    assert answer.status_code == 200
    assert more(answer.text)[0] in ("1–50 of 103 shown", "101–103 of 103 shown")


def test_every_key_is_on_one_of_the_pages(settings: Settings, database: Database) -> None:
    """Those of all accounts; revoking one comes back to its page of the list."""
    anna, edda = person(database, "Anna", "admin"), person(database, "Edda", "editor")
    count, now = KEYS_AT_ONCE + 2, time.time()
    with database.session() as session:
        for number in range(count):
            keys.make(session, edda, name=f"key {number}", scope="push", now=now - number)
        old, _ = keys.make(session, edda, name="revoked", scope="push", now=now)
        keys.revoke(session, old.id, now)
    app = create_app(settings, database)
    with TestClient(app):
        client = browser(app, settings, database, anna)
        first, second = client.get("/users").text, client.get("/users?keys=2").text
        assert more(first) == ("1–50 of 52 shown", {"Older": "/users?keys=2#keys"})
        assert more(second) == ("51–52 of 52 shown", {"Newer": "/users#keys"})
        named = [re.findall(r"<b>(key \d+|revoked)</b>", html) for html in (first, second)]
        assert [*named[0], *named[1]] == [f"key {number}" for number in range(count)]
        revoke = re.findall(r'<form action="(/account/keys/[^"]*)"', second)
        to = client.post(unescape(revoke[0])).headers["location"]
        assert to == "/users?keys=2#keys"
        assert more(client.get(to).text)[0] == "51–51 of 51 shown"
        revoke = re.findall(r'<form action="(/account/keys/[^"]*)"', first)
        assert client.post(unescape(revoke[0])).headers["location"] == "/users"
