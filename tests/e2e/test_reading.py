"""How a recording was read, in a real browser: from a pasted chat message to its log, and back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import PHONE, Server, Watch
from tests.e2e.conftest import NewContext
from tests.readers.wrapping import FAULT, line

LOG = [f"2026-09-01 10:00:0{n},123 DEBUG agui.emit {line(event)}" for n, event in enumerate(FAULT)]
CHAT = "\n".join(
    [
        "Hi, the bot **stops** in the middle:",
        "",
        "```",
        *LOG[:2],
        "   <b>boom</b>",
        *LOG[2:],
        "```",
        "Thanks!",
        "",
    ]
)


def paste(page: Page, server: Server, text: str) -> None:
    page.goto(server.url)
    page.get_by_text("Paste text").click()
    page.fill("#paste-text", text)
    page.get_by_role("button", name="Check it").click()
    page.wait_for_url("**/traces/*")


@pytest.mark.parametrize("script", [True, False], ids=["script", "no-script"])
def test_a_chat_message_with_a_log_in_it(new_context: NewContext, server: Server, script: bool) -> None:
    """Paste it, see how it was read, look at the lines not understood, read it as another form, and back."""
    page = new_context(java_script_enabled=script).new_page()
    paste(page, server, f"{CHAT}{script}\n")
    banner = page.locator("#reading")
    expect(banner).to_contain_text("Read as a stream in Markdown: 5 events, 1 line not understood")
    expect(page.locator(".headline")).to_contain_text("A client stops at #3")

    banner.get_by_role("link", name="1 line not understood").click()
    rows = page.locator("table.strays tbody tr")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("<b>boom</b>")
    expect(rows.first.locator(".of")).to_have_text(str(CHAT.encode().index(b"   <b>")))
    rows.first.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"panel=source.*line=6"))
    expect(page.locator("table.lines tr.stray")).to_contain_text("boom")

    page.get_by_role("link", name="Read it as…").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Read pasted text as…")
    expect(page.get_by_role("radio", name="a stream in Markdown")).to_be_checked()
    page.get_by_role("radio", name="a log of AG-UI events").check()
    page.get_by_role("button", name="Read it so").click()
    expect(page.get_by_role("status").filter(has_text="Read anew as a log of AG-UI events")).to_be_visible()
    expect(page.locator("#reading")).to_contain_text("lines not understood")
    expect(page.locator(".headline")).to_contain_text("A client stops at #3")

    page.locator("#reading").get_by_role("link", name="Read it as…").click()
    page.get_by_role("radio", name="a stream in Markdown").check()
    page.get_by_role("button", name="Read it so").click()
    expect(page.locator("#reading")).to_contain_text(
        "Read as a stream in Markdown: 5 events, 1 line not understood"
    )


def test_a_form_that_does_not_fit_is_refused_and_nothing_is_lost(
    new_context: NewContext, watch: Watch, server: Server
) -> None:
    """On a phone: prose, the choice right in the banner, a sentence, and the page as it was."""
    watch.allowed |= {400}
    page = new_context(viewport=PHONE).new_page()
    paste(page, server, "Dear support, nothing works since Monday.")
    page.locator("#banner").get_by_role("link", name="Read it as…").click()
    page.get_by_role("radio", name="server-sent events").check()
    page.get_by_role("button", name="Read it so").click()
    expect(page.get_by_role("alert")).to_contain_text("holds no event, so it stays as it was read")
    expect(page.get_by_role("radio", name="server-sent events")).to_be_checked()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="Cancel").click()
    expect(page.locator(".headline")).to_contain_text("No event could be read")
    page.get_by_role("link", name="Upload another recording").click()
    expect(page.locator(".pick select")).to_be_visible()
