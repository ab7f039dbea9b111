"""A support engineer with a telephone: what is to be sent on can be reached, and the tabs show where one is."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import PHONE
from tests.e2e.conftest import NewContext, Server


@pytest.fixture
def phone(new_context: NewContext) -> Page:
    return new_context(viewport=PHONE, permissions=["clipboard-read", "clipboard-write"]).new_page()


def test_everything_under_export_is_on_the_screen(phone: Page, chunked: str) -> None:
    """The menu opens within the screen's width; the ticket's text is copied."""
    phone.goto(chunked)
    phone.locator("#export summary").click()
    links = phone.locator("#export li a")
    expect(links).to_have_count(5)
    for link in links.all():
        box = link.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
    phone.get_by_role("link", name="Copy for the ticket").click()
    expect(phone.locator("#export")).to_contain_text("Copied")
    assert phone.evaluate("navigator.clipboard.readText()").startswith("**✖ Rejected.**")


@pytest.mark.parametrize("panel", ["conversation", "findings", "source"])
def test_the_current_tab_is_in_sight(phone: Page, chunked: str, panel: str) -> None:
    """The row of tabs is wider than the screen; it stands where the current one is, after a link and a reload."""
    phone.goto(f"{chunked}?panel=events")
    phone.locator("#tabs a", has_text=panel.capitalize()).click()
    current = phone.locator("#tabs a[aria-current]")
    expect(current).to_contain_text(panel.capitalize())
    expect(current).to_be_in_viewport(ratio=0.9)
    phone.reload()
    expect(current).to_contain_text(panel.capitalize())
    expect(current).to_be_in_viewport(ratio=0.9)


STOP = Path(__file__).parents[1] / "samples" / "teams" / "tpy21-stop.exchanges.jsonl"


def test_every_part_of_the_site_can_be_reached(phone: Page, server: Server) -> None:
    """The navigation is whole, within the screen, and nothing scrolls sideways."""
    phone.goto(server.url)
    for name in ("Traces", "Rules", "Capture", "Links"):
        link = phone.get_by_role("navigation", name="Main").get_by_role("link", name=name)
        expect(link).to_be_in_viewport(ratio=0.9)
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_ladder_opens_at_the_chosen_call(phone: Page, server: Server) -> None:
    """In a box that fits the screen; the legend and the files are there, and the numbers cut no word."""
    phone.goto(f"{server.add(STOP.read_bytes(), 'stop.jsonl')}?panel=sequence")
    expect(phone.locator("#seq .tl-l a[aria-current]")).to_be_in_viewport(ratio=0.9)
    expect(phone.get_by_role("link", name="SVG")).to_be_in_viewport()
    expect(phone.locator(".legend.phone")).to_be_visible()
    expect(phone.locator("#seq .aside").first).to_be_hidden()
    phone.locator("#seq").evaluate("box => { box.scrollLeft = 0; }")
    expect(phone.locator("#seq .aside").first).to_be_visible()
