"""What is printed: the finding in full, whatever the screen folds away, and no controls."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import NewContext

A4 = {"width": 718, "height": 1040}  # in pixels of 1/96 inch, margins left out


@pytest.fixture
def paper(new_context: NewContext) -> Page:
    """A page as it is printed from a dark screen."""
    page = new_context(viewport=A4, color_scheme="dark").new_page()
    page.emulate_media(media="print")
    return page


def test_the_verdict_and_the_finding_are_printed_in_full(paper: Page, parallel: str) -> None:
    """Whose side and why, the facts of the event, the life of its item, why, fix, what follows, the payload."""
    paper.goto(parallel)
    expect(paper.get_by_text("The agent ends a call too early")).to_be_visible()
    inspector = paper.locator("#inspector")
    for words in ("reached", "Life of", "Why", "Fix", "Again", "Follows from it", "As received"):
        expect(inspector.get_by_text(words, exact=False).first).to_be_visible()
    expect(inspector.locator("#raw")).to_be_visible()
    assert inspector.evaluate("node => node.scrollHeight <= node.clientHeight + 1")  # nothing is cut off


@pytest.mark.parametrize("panel", ["events", "sequence", "timeline", "conversation", "findings", "source"])
def test_no_control_is_printed_and_the_ground_is_light(paper: Page, chunked: str, panel: str) -> None:
    """Buttons, fields and the tabs that lead elsewhere do nothing on paper; the panel is as tall as what it shows."""
    paper.goto(f"{chunked}?panel={panel}")
    for control in ("button", "input", ".btn", "#scrubber", "#tabs a:not([aria-current])"):
        for node in paper.locator(control).all():
            expect(node).not_to_be_visible()
    assert paper.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(253, 253, 251)"
    assert paper.evaluate("document.documentElement.scrollWidth") <= A4["width"]
    for box in paper.locator(".scroll, .seqwrap, .tlwrap").all():
        assert (
            box.evaluate("node => getComputedStyle(node).overflowY + getComputedStyle(node).maxHeight")
            == "visiblenone"
        )
