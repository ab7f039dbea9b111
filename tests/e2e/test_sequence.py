"""The sequence diagram in a real browser: the lost message, heads that stay, bursts that unfold."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect


def arrow(page: Page, event: int) -> Locator:
    """The drawn row of an event; the label of the row, at the left, is a link of its own."""
    return page.locator(f"#seq .tlmain svg.tl-t a[href$='event={event}']")


def told(page: Page, event: int) -> str:
    """The row in words."""
    return str(page.locator(f"#seq .tl-l a[href$='event={event}']").get_attribute("aria-label"))


@pytest.mark.parametrize(
    ("name", "event", "lane"), [("chunked", 352, "order-lookup"), ("parallel", 12, "parent")]
)
def test_the_refused_event_is_a_lost_message(
    page: Page, request: pytest.FixtureRequest, name: str, event: int, lane: str
) -> None:
    """Its arrow ends in a cross before the client, its words say why, and the diagram opens there."""
    page.goto(f"{request.getfixturevalue(name)}?panel=sequence")
    assert f"#{event} {lane} to client" in told(page, event)
    assert "refused: " in told(page, event)
    expect(arrow(page, event)).to_be_in_viewport()
    expect(arrow(page, event).locator(".lost")).to_have_count(1)
    cross = arrow(page, event).locator(".x").first
    expect(cross).to_be_in_viewport()
    client = page.locator("#seq .seqhead").get_by_text("Client", exact=True)
    ends, stands = cross.bounding_box(), client.bounding_box()
    assert ends
    assert stands
    assert ends["x"] + ends["width"] / 2 < stands["x"] + stands["width"] / 2


def test_what_followed_the_refusal_is_faded(page: Page, chunked: str) -> None:
    """Nothing after #352 looks as if it had reached the user."""
    page.goto(f"{chunked}?panel=sequence")
    assert "never reached the application" not in told(page, 351)
    assert "sent, never reached the application" in told(page, 357)
    strokes = [
        arrow(page, event).locator(".ar").first.evaluate("mark => getComputedStyle(mark).stroke")
        for event in (351, 357)
    ]
    assert strokes[0] != strokes[1]


def test_lifeline_heads_stay_in_view(page: Page, nested: str) -> None:
    """However far the diagram is scrolled, each column still says whose it is."""
    page.goto(f"{nested}?panel=sequence")
    heads = page.locator("#seq .seqhead")
    box = page.locator("#seq")
    for top in (0, 10_000):
        box.evaluate("(box, top) => box.scrollTop = top", top)
        for name in ("hotels", "Client"):
            expect(heads.get_by_text(name, exact=True)).to_be_in_viewport()
    assert box.evaluate("box => box.scrollTop") > 0


def test_a_folded_burst_unfolds_on_click(page: Page, chunked: str) -> None:
    """One click opens it at its place, Back folds it again."""
    page.goto(f"{chunked}?panel=sequence")
    folds = page.get_by_role("link", name="Unfold this burst")
    expect(folds.first).to_contain_text("×184, 3.2 s, 820 B")
    folds.first.click()
    expect(folds).to_have_count(0)
    expect(page.locator("#seq a[aria-label^='#24 ']")).to_be_attached()
    expect(page.get_by_role("button", name="Fold bursts")).to_have_attribute("aria-pressed", "false")
    page.go_back()
    expect(folds.first).to_contain_text("×184, 3.2 s, 820 B")


def test_choosing_an_arrow_chooses_its_event(page: Page, chunked: str) -> None:
    """The diagram, the inspector and the URL move together, and the diagram stays where it is."""
    page.goto(f"{chunked}?panel=sequence")
    top = page.locator("#seq").evaluate("box => box.scrollTop")
    arrow(page, 351).click()
    expect(page.locator("#inspector .who")).to_contain_text("#351")
    expect(page.locator("#view")).to_have_attribute("data-panel", "sequence")
    assert "event=351" in page.url
    assert page.locator("#seq").evaluate("box => box.scrollTop") == top


def test_derived_arrows_are_dashed_and_leave_the_expansion_stage(page: Page, chunked: str) -> None:
    """What the client made of chunks is told apart from what was received."""
    page.goto(f"{chunked}?panel=sequence")
    expect(page.locator("#seq .seqhead")).to_contain_text("chunk expansion")
    drawn = arrow(page, 21).locator(".dash")
    dashes = drawn.first.evaluate("mark => getComputedStyle(mark).strokeDasharray")
    assert dashes != "none"
