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


@pytest.mark.parametrize("panel", ["sequence", "timeline", "conversation", "findings", "source"])
def test_the_verdict_is_printed_in_full_beside_every_panel(paper: Page, parallel: str, panel: str) -> None:
    """Why, whose side, what the user saw, what to change, how many findings; not the line that leads to them."""
    paper.goto(f"{parallel}?panel={panel}")
    banner = paper.locator("#banner")
    for words in ("closed at #6 by its own", "Whose side", "The user saw", "What to change", "Findings"):
        expect(banner.get_by_text(words).locator("visible=true").first).to_be_visible()
    expect(banner.get_by_text("Why, fix,")).not_to_be_visible()


def test_beside_a_panel_the_screen_has_the_verdict_folded(page: Page, parallel: str) -> None:
    """What is for paper takes no room there."""
    page.goto(f"{parallel}?panel=findings")
    banner = page.locator("#banner")
    expect(banner.get_by_text("Why, fix,")).to_be_visible()
    expect(banner.get_by_text("What to change")).not_to_be_visible()
    assert banner.evaluate("node => node.offsetHeight") < 160


def test_what_is_folded_is_open_on_paper(paper: Page, parallel: str) -> None:
    """Reasoning, what never reached the user, what follows: nobody can unfold it there."""
    for panel in ("conversation", "findings"):
        paper.goto(f"{parallel}?panel={panel}&event=39")
        folds = paper.locator("main details:not(.menu)")
        assert folds.count()
        for fold in folds.all():
            assert fold.evaluate(
                "node => node.lastElementChild.checkVisibility({contentVisibilityAuto: true})"
            )
