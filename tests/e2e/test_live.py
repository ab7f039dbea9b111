"""Watching a run while it is recorded: the page moves by itself, and never under the reader's hands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import PHONE, Server, Watch, message, serving
from tests.e2e.conftest import NewContext

IDS = {"threadId": "t", "runId": "r"}
STARTED = {"type": "RUN_STARTED", **IDS}
FINISHED = {"type": "RUN_FINISHED", **IDS}
LATE = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m0", "delta": "too late"}


class Recording:
    """A live trace whose events are sent when a test says so."""

    def __init__(self, server: Server, name: str) -> None:
        self._base = server.url
        self._sent = 0
        self.id = self._post(f"/api/traces?live=true&name={name}")["id"]
        self.url = f"{server.url}/traces/{self.id}"

    def send(self, *events: Mapping[str, Any]) -> None:
        self._sent += 1
        self._post(f"/api/traces/{self.id}/events?seq={self._sent}", list(events))

    def end(self) -> None:
        self._post(f"/api/traces/{self.id}/end")

    def _post(self, path: str, body: Any = None) -> Any:
        data = b"" if body is None else json.dumps(body).encode()
        request = Request(self._base + path, data=data, headers={"Content-Type": "application/json"})
        with urlopen(request) as answer:
            return json.load(answer)


def messages(first: int, count: int) -> Iterable[Mapping[str, Any]]:
    """Some whole messages, `m0`, `m1` …"""
    return [event for n in range(first, first + count) for event in message(f"text {n}", f"m{n}")]


def last_row(page: Page) -> Any:
    return page.locator("#rows tbody tr").last


def test_the_list_and_the_page_show_a_run_from_its_beginning_to_its_end(page: Page, server: Server) -> None:
    """A page that was open before the run shows its events, turns to rejected at once and stays so at the end."""
    page.goto(f"{server.url}/live")
    live = Recording(server, "from-the-start")
    page.get_by_role("link", name="from-the-start").click()
    expect(page.get_by_role("heading", name="from-the-start")).to_be_visible()
    expect(page.locator("#banner")).to_contain_text("has not come yet")
    live.send(STARTED, *messages(0, 2))
    expect(page.locator("#e6")).to_be_visible()
    expect(page.locator("#banner")).to_contain_text("Nothing wrong so far, in 7 events")
    expect(page).to_have_title(re.compile("Live"))
    expect(page.locator(".top nav [aria-current]")).to_have_text("Live")
    live.send(LATE)
    expect(page.locator("#banner .verdict").first).to_have_text("Rejected")
    expect(page.locator("#banner .verdict").nth(1)).to_have_text("Live")
    expect(page).to_have_title(re.compile("Rejected at #7"))
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", "/favicon/rejected.svg")
    live.send(FINISHED)
    live.end()
    expect(page.locator("#banner .verdict")).to_have_count(1)
    expect(page.locator("#e8")).to_be_visible()
    expect(page.locator(".top nav [aria-current]")).to_have_text("Traces")
    page.goto(f"{server.url}/live")
    expect(page.get_by_role("link", name="from-the-start")).to_have_count(0)


@pytest.mark.parametrize("path", ["/", "/live"])
def test_a_list_follows_however_late_its_script_comes(page: Page, server: Server, path: str) -> None:
    """On a slow connection the part that listens comes long after the part that reads the page."""

    def late(route: Route) -> None:
        page.wait_for_timeout(300)
        route.continue_()

    page.route("**/hx-sse.js", late)
    with page.expect_request("**/live/moves", timeout=5000):
        page.goto(f"{server.url}{path}")


def test_a_chosen_event_stays_chosen_while_others_come(page: Page, server: Server) -> None:
    """Choosing an event holds the page there, says how many are new, and one link goes back to the newest."""
    live = Recording(server, "chosen")
    live.send(STARTED, *messages(0, 40))
    page.goto(live.url)
    expect(page.locator("#e120")).to_be_in_viewport()
    page.locator("#e118 .seq a").click()
    expect(page.locator("#e118")).to_have_attribute("aria-selected", "true")
    before: Any = page.locator("#e118").bounding_box()
    live.send(*messages(40, 30))
    expect(page.locator("#newer")).to_contain_text("90 new")
    expect(page.locator("#e118")).to_have_attribute("aria-selected", "true")
    after: Any = page.locator("#e118").bounding_box()
    assert abs(after["y"] - before["y"]) < 6
    assert "event=118" in page.url
    page.locator("#newer").click()
    expect(page.locator("#e210")).to_be_in_viewport()
    expect(page.locator("#newer")).to_have_count(0)
    live.end()


def test_scrolling_away_from_the_newest_holds_the_rows(page: Page, server: Server) -> None:
    """Where the reader scrolls up, new events are counted and no row moves."""
    live = Recording(server, "scrolled")
    live.send(STARTED, *messages(0, 60))
    page.goto(live.url)
    expect(page.locator("#e180")).to_be_in_viewport()
    page.locator("#rows").hover()
    page.mouse.wheel(0, -500)
    expect(page.locator("#newer")).to_be_visible()
    top = page.evaluate("document.getElementById('rows').scrollTop")
    live.send(*messages(60, 20))
    expect(page.locator("#newer")).to_contain_text("new")
    expect(page.locator("#tabs")).to_contain_text("241")
    assert page.evaluate("document.getElementById('rows').scrollTop") == top
    live.end()


def test_every_panel_follows_and_the_end_leaves_the_reader_where_he_is(page: Page, server: Server) -> None:
    """The conversation grows while it is open; when the recording ends, its newest event stays in sight."""
    live = Recording(server, "panels")
    live.send(STARTED, *messages(0, 1))
    page.goto(f"{live.url}?panel=conversation")
    expect(page.locator("#panel-conversation")).to_contain_text("text 0")
    live.send(*messages(1, 1))
    expect(page.locator("#panel-conversation")).to_contain_text("text 1")
    page.locator("#tabs").get_by_role("link", name="Sequence").click()
    live.send(*messages(2, 1))
    expect(page.locator("#panel-sequence")).to_contain_text("message 3")
    live.send(FINISHED)
    live.end()
    expect(page.locator("#banner .verdict")).to_have_text("Conformant")
    expect(page.locator("#view")).to_have_attribute("data-event", "10")


@pytest.mark.parametrize("page_first", [False, True], ids=["sender first", "page first"])
def test_an_open_page_outlives_a_restart_of_the_server(
    new_context: NewContext, watch: Watch, tmp_path: Path, page_first: bool
) -> None:
    """The page finds the server again by itself, whoever is back first, and shows each event once."""
    watch.allowed |= {503}
    with serving(tmp_path) as first:
        watch.host = urlsplit(first.url).netloc
        port = urlsplit(first.url).port or 0
        page = new_context().new_page()
        live = Recording(first, "restarted")
        live.send(STARTED, *messages(0, 2))
        page.goto(live.url)
        expect(page.locator("#e6")).to_be_visible()
    with serving(tmp_path, port):
        if page_first:
            expect(page.locator("html")).not_to_have_class(re.compile("unheard"))
        live.send(*messages(2, 2))
        expect(page.locator("#e12")).to_be_visible()
        assert page.locator("#rows tbody tr[id]").count() == 13
        page.close()  # what it would say of the end of this server is none of the test's
    watch.faults[:] = [
        fault
        for fault in watch.faults
        if not any(word in fault for word in ("ERR_CONNECTION", "ERR_INCOMPLETE", "Failed to fetch"))
    ]


def test_a_page_that_cannot_be_fetched_is_asked_for_seldom(page: Page, server: Server, watch: Watch) -> None:
    """Positions come and the page does not: a few attempts, further and further apart, then it catches up."""
    live = Recording(server, "not-fetched")
    live.send(STARTED)
    page.goto(live.url)
    expect(page.locator("#e0")).to_be_visible()
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        route.abort("connectionrefused")

    fetched = re.compile(rf"/traces/{live.id}(?!/live)")
    page.route(fetched, refuse)
    live.send(*messages(0, 1))
    page.wait_for_timeout(2500)
    assert 1 <= len(asked) <= 3
    page.unroute(fetched)
    expect(page.locator("#e3")).to_be_visible(timeout=8000)
    live.end()
    refused = ("ERR_CONNECTION_REFUSED", "Failed to fetch")
    watch.faults[:] = [fault for fault in watch.faults if not any(words in fault for words in refused)]


def test_a_phone_follows_too(new_context: NewContext, server: Server) -> None:
    """At 390 px the newest event comes into sight, and nothing is wider than the screen."""
    page = new_context(viewport=PHONE).new_page()
    live = Recording(server, "phone")
    live.send(STARTED, *messages(0, 2))
    page.goto(live.url)
    expect(page.locator("#e6")).to_be_visible()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    live.send(*messages(2, 20))
    expect(page.locator("#e66")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    live.end()


def test_a_page_whose_trace_was_deleted_says_so_and_asks_no_more(
    new_context: NewContext, watch: Watch, server: Server
) -> None:
    """One sentence instead of a page that goes on asking."""
    watch.allowed |= {404}
    page = new_context().new_page()
    live = Recording(server, "deleted")
    live.send(STARTED, *messages(0, 2))
    page.goto(live.url)
    expect(page.locator("#e6")).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    headers = {"Origin": server.url, "Sec-Fetch-Site": "same-origin"}
    with urlopen(Request(f"{live.url}/delete", data=b"", headers=headers)):
        expect(page.locator("#failed")).to_contain_text("deleted")
    seen = len(asked)
    page.wait_for_timeout(1500)
    assert len(asked) == seen <= 3


def test_a_menu_that_is_opened_while_the_page_is_fetched_stays_open(page: Page, server: Server) -> None:
    """What came is left out, and fetched again once the menu is closed."""
    live = Recording(server, "menu-meanwhile")
    live.send(STARTED, *messages(0, 2))
    page.goto(live.url)
    expect(page.locator("#e6")).to_be_visible()
    held: list[Route] = []
    fetched = re.compile(rf"/traces/{live.id}(?!/live)")
    page.route(fetched, lambda route: route.continue_() if held else held.append(route))
    with page.expect_request(fetched):
        live.send(*messages(2, 2))
    page.locator("#export summary").click()
    with page.expect_response(fetched):
        held[0].continue_()
    page.wait_for_timeout(100)
    expect(page.locator("#export")).to_have_attribute("open", "")
    page.locator("#export summary").click()
    expect(page.locator("#e12")).to_be_visible()
    live.end()


def test_a_menu_that_is_open_stays_open(page: Page, server: Server) -> None:
    """New events wait until the reader is through with it."""
    live = Recording(server, "menu")
    live.send(STARTED, *messages(0, 2))
    page.goto(live.url)
    expect(page.locator("#e6")).to_be_visible()
    page.locator("#export summary").click()
    live.send(*messages(2, 2))
    page.wait_for_timeout(1200)
    expect(page.locator("#export")).to_have_attribute("open", "")
    page.locator("#export summary").click()
    expect(page.locator("#e12")).to_be_visible()
    live.end()
