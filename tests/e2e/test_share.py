"""A share link in the browser of somebody else: one trace, read-only, until it ends."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.browser import Server, Watch
from tests.e2e.conftest import NewContext
from webapp.views.selection import PANELS


def share(page: Page, trace: str, name: str) -> str:
    """Make a link from the trace's page, as a person does; gives its address."""
    page.goto(f"{trace}?panel=sequence&event=352")
    page.locator("#banner").get_by_role("link", name="Share").click()
    page.get_by_label("Name of the link").fill(name)
    page.get_by_role("button", name="Make the link").click()
    return page.get_by_label("Address of the link").input_value()


def test_a_link_opens_in_another_browser(page: Page, new_context: NewContext, chunked: str) -> None:
    """Without any cookie, at the chosen event and panel; keys and panels work."""
    url = share(page, chunked, "for the ticket")
    other = new_context().new_page()
    other.goto(url)
    expect(other.locator("#banner .verdict")).to_have_text("Rejected")
    expect(other.locator("#view")).to_have_attribute("data-panel", "sequence")
    expect(other.locator("#view")).to_have_attribute("data-event", "352")
    expect(other.locator("header.top")).to_contain_text("read-only")
    for panel in ("events", *PANELS[2:]):
        key = other.locator("#tabs a", has_text=panel.capitalize()).get_attribute("data-tab")
        other.keyboard.press(str(key))
        expect(other.locator("#view")).to_have_attribute("data-panel", panel)
        assert other.url.startswith(url)
    assert other.context.cookies() == []


def test_a_shared_page_leads_to_that_trace_only(page: Page, new_context: NewContext, chunked: str) -> None:
    """No link to another trace, no form that changes anything; the way to the others needs the address."""
    url = share(page, chunked, "only this one")
    other = new_context().new_page()
    path = urlsplit(url).path
    for panel in PANELS:
        other.goto(f"{url}?panel={panel}&event=352")
        expect(other.locator("#view")).to_have_attribute("data-panel", panel)
        hrefs = other.locator("[href]:not(use, link)").evaluate_all(
            "all => all.map(a => a.getAttribute('href'))"
        )
        foreign = {href for href in hrefs if not href.startswith((path, "#", "/rules", "?"))}
        assert foreign == set()
        assert other.locator("form[method=post]").count() == 0
        assert other.get_by_role("link", name="Share").count() == 0


def test_a_revoked_link_shows_nothing(
    page: Page, new_context: NewContext, chunked: str, watch: Watch
) -> None:
    """After revocation the same address is the page that says so, also for who had it open."""
    watch.allowed.add(404)
    url = share(page, chunked, "revoked soon")
    other = new_context().new_page()
    other.goto(url)
    expect(other.locator("#banner")).to_be_visible()
    page.get_by_role("button", name="Revoke the link revoked soon").click()
    expect(page.locator("tr", has_text="revoked soon").locator(".state")).to_have_text("revoked")
    other.keyboard.press("1")
    expect(other.locator("h1")).to_have_text("This link shows nothing")
    answer = other.goto(url)
    assert answer
    assert answer.status == 404
    expect(other.locator("h1")).to_have_text("This link shows nothing")
    expect(other.locator("body")).not_to_contain_text("order-lookup")


def test_an_expired_link_shows_the_same(
    page: Page, new_context: NewContext, server: Server, chunked: str, watch: Watch
) -> None:
    """Expired, revoked or mistyped: nobody can tell which."""
    watch.allowed.add(404)
    url = share(page, chunked, "expired soon")
    with closing(sqlite3.connect(server.folder / "lanescope.db", timeout=20)) as database:
        database.execute("UPDATE shares SET expires = created - 1 WHERE name = 'expired soon'")
        database.commit()
    other = new_context().new_page()
    pages = []
    for address in (url, f"{server.url}/s/{'x' * 32}"):
        answer = other.goto(address)
        assert answer
        assert answer.status == 404
        pages.append(answer.text())
    assert pages[0] == pages[1]
