"""A share link in the browser of somebody else: one trace, read-only, until it ends."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.browser import PHONE, Server, Watch, message, run
from tests.e2e.conftest import NewContext
from webapp.ingest.copy_maker import LONG
from webapp.views.selection import PANELS

MAY = "I may show this customer’s texts"


def share(page: Page, trace: str, name: str, level: str = "", event: int = 352) -> str:
    """Make a link as a person does; gives its address. level: title of the card, "" leaves what is chosen."""
    page.goto(f"{trace}?panel=sequence&event={event}")
    page.locator("#banner").get_by_role("link", name="Share").click()
    page.get_by_label("Name of the link").fill(name)
    if level:
        page.locator(".level", has_text=level).first.click(position={"x": 60, "y": 40})
    if level == "Everything":
        page.get_by_label(MAY).check()
    page.get_by_role("button", name="Make the link").click()
    return page.get_by_label("Address of the link").input_value()


def revoke(page: Page, name: str) -> None:
    """End a link as a person does: the button stands behind a question."""
    row = page.locator("tr", has_text=name).first
    button = row.get_by_role("button", name=f"Revoke the link {name}")
    expect(button).to_be_hidden()
    row.get_by_text("Revoke…").click()
    button.click()


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


@pytest.fixture(scope="module")
def kettles(server: Server) -> str:
    """Two messages, one of which tells an address."""
    return server.add(
        run(*message("Write to mia@example.com", "m1"), *message("the blue kettle", "m2")), "k.sse"
    )


@pytest.mark.parametrize(
    ("level", "shown", "hidden"),
    [
        ("", ["«redacted: 24 chars»", "«redacted: 15 chars»"], ["kettle", "mia@"]),
        ("Structure only", ["«redacted: 24 chars»", "«redacted: 15 chars»"], ["kettle", "mia@"]),
        ("Personal data", ["Write to •••••••••••••••", "the blue kettle"], ["mia@", "redacted:"]),
        ("Everything", ["Write to mia@example.com", "the blue kettle"], ["redacted:"]),
    ],
)
def test_a_link_shows_what_was_chosen_until_it_is_revoked(
    page: Page,
    new_context: NewContext,
    kettles: str,
    watch: Watch,
    level: str,
    shown: list[str],
    hidden: list[str],
) -> None:
    """In a browser that knows nothing: the texts or what stands for them, and after revoking none of it."""
    watch.allowed.add(404)
    url = share(page, kettles, f"kettles {level}", level, event=7)
    other = new_context().new_page()
    other.goto(url)
    expect(other.locator("#view")).to_have_attribute("data-event", "7")
    expect(other.locator("header.top")).to_contain_text(
        "everything is shown" if level == "Everything" else "verdict sealed before redaction"
    )
    if level != "Everything":
        meaning = other.locator(".ro details p")
        expect(meaning).to_be_hidden()
        other.locator(".ro summary").click()
        expect(meaning).to_contain_text("made from the whole recording")
        other.locator(".ro summary").click()
    other.locator("#tabs a", has_text="Conversation").click()
    for words in shown:
        expect(other.locator("#panel-conversation")).to_contain_text(words)
    for panel in PANELS:
        other.goto(f"{url}?panel={panel}&event=2")
        for words in hidden:
            expect(other.locator("body")).not_to_contain_text(words)
    revoke(page, f"kettles {level}")
    other.reload()
    expect(other.locator("h1")).to_have_text("This link shows nothing")


def test_everything_wants_a_second_tick(page: Page, kettles: str, watch: Watch) -> None:
    """Without it the form comes back with a sentence, and nothing that was typed is lost."""
    watch.allowed.add(400)
    page.set_viewport_size(PHONE)
    page.goto(f"{kettles}/share")
    expect(page.get_by_label(MAY)).to_be_hidden()
    page.get_by_label("Name of the link").fill("whole")
    page.get_by_label("Everything").check()
    expect(page.get_by_label(MAY)).not_to_be_checked()
    page.get_by_role("button", name="Make the link").click()
    expect(page.get_by_role("alert")).to_contain_text("tick that you may show them")
    expect(page.get_by_label("Name of the link")).to_have_value("whole")
    page.get_by_label(MAY).check()
    page.get_by_role("button", name="Make the link").click()
    expect(page.get_by_label("Address of the link")).to_be_visible()


def test_levels_are_chosen_with_the_keyboard(page: Page, kettles: str) -> None:
    """The cards are one group: arrows go through it, and the second tick comes next."""
    page.goto(f"{kettles}/share")
    page.get_by_label("Structure only").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Personal data and secrets taken out")).to_be_checked()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Everything")).to_be_checked()
    page.keyboard.press("Tab")
    expect(page.get_by_label(MAY)).to_be_focused()


def test_all_links_are_revoked_after_a_second_look(
    page: Page, kettles: str, new_context: NewContext, watch: Watch
) -> None:
    """The button of all links stands behind a question."""
    watch.allowed.add(404)
    url = share(page, kettles, "one of all")
    page.goto(f"{urlsplit(url).scheme}://{urlsplit(url).netloc}/shares")
    button = page.locator(".end-all button")
    expect(button).to_be_hidden()
    page.get_by_text("Revoke all…").click()
    button.click()
    expect(page.locator("main")).to_contain_text("No link works now.")
    other = new_context().new_page()
    other.goto(url)
    expect(other.locator("h1")).to_have_text("This link shows nothing")


def test_a_revoked_link_shows_nothing(
    page: Page, new_context: NewContext, chunked: str, watch: Watch
) -> None:
    """After revocation the same address is the page that says so, also for who had it open."""
    watch.allowed.add(404)
    url = share(page, chunked, "revoked soon")
    other = new_context().new_page()
    other.goto(url)
    expect(other.locator("#banner")).to_be_visible()
    revoke(page, "revoked soon")
    expect(page.get_by_role("status").filter(has_text="Link revoked.")).to_be_visible()
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


@pytest.fixture
def long_trace(server: Server) -> str:
    """So many records that its copy is made beside; a test's own, since a copy is made once."""
    words = [{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "blue kettle "}] * LONG
    begin, _, end = message("", "m")
    return server.add(run(begin, *words, end, thread=uuid4().hex), "long.sse")


def test_a_view_that_is_being_prepared_opens_by_itself(
    page: Page, new_context: NewContext, long_trace: str
) -> None:
    """The link is there at once; its reader waits, is told so, and does nothing."""
    url = share(page, long_trace, "long", event=2)
    expect(page.locator(".made")).to_contain_text("What it shows is still being prepared")
    other = new_context(viewport=PHONE).new_page()
    answer = other.goto(url)
    assert answer is not None
    assert answer.status == 202
    expect(other.get_by_role("status").get_by_role("heading")).to_have_text("This view is being prepared")
    expect(other.locator("#view")).to_have_attribute("data-event", "2", timeout=60_000)
    expect(other.locator("body")).not_to_contain_text("kettle")


def test_without_a_script_a_reader_looks_again(page: Page, new_context: NewContext, long_trace: str) -> None:
    """By the link on the page, until the view is there."""
    url = share(page, long_trace, "long", event=2)
    other = new_context(java_script_enabled=False).new_page()
    other.goto(url)
    for _ in range(120):
        again = other.get_by_role("link", name="look again")
        if not again.count():
            break
        other.wait_for_timeout(500)
        again.click()
    expect(other.locator("#view")).to_have_attribute("data-event", "2")
