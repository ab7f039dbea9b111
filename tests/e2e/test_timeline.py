"""The timeline in a real browser: swimlanes, zoom, the axis."""

from __future__ import annotations

from playwright.sync_api import Page, expect


def left_of(page: Page, name: str) -> float:
    """Where the name of a lane begins, px from the left of the window."""
    box = page.locator("#timeline .tl-words b").get_by_text(name, exact=True).bounding_box()
    assert box
    return box["x"]


def test_two_parallel_subagents_have_lanes_of_their_own(page: Page, chunked: str) -> None:
    """Three swimlanes, the subagents nested under the parent, bars in each and a pin at the refusal."""
    page.goto(f"{chunked}?panel=timeline")
    expect(page.locator("#timeline .tl-words b")).to_have_text(["parent", "order-lookup", "policy-reader"])
    parent, one, two = (left_of(page, name) for name in ("parent", "order-lookup", "policy-reader"))
    assert parent < one == two
    for name in (
        "message 1, #1–15",
        "call delegate, #16",
        "message 2 of order-lookup",
        "message 3 of policy-reader",
    ):
        bar = page.locator(f"#timeline svg.tl-t a[aria-label^='{name}'] .bar")
        expect(bar.first).to_be_in_viewport()
    pin = page.locator("#timeline a.fatal[aria-label*='#352']").last
    expect(pin.locator(".pin")).to_be_in_viewport()
    pin.click()
    expect(page.locator("#inspector .who")).to_contain_text("#352")


def test_the_two_are_seen_to_overlap(page: Page, chunked: str) -> None:
    """Parallel work stands one above the other on the same axis."""
    page.goto(f"{chunked}?panel=timeline")
    spans = []
    for name in ("message 2 of order-lookup", "message 3 of policy-reader"):
        box = page.locator(f"#timeline a[aria-label^='{name}'] .bar").first.bounding_box()
        assert box
        spans.append((box["x"], box["x"] + box["width"]))
    assert max(start for start, _ in spans) < min(end for _, end in spans)


def test_subagents_of_subagents_are_nested_deeper(page: Page, nested: str) -> None:
    """Who was started by whom is told by position."""
    page.goto(f"{nested}?panel=timeline")
    parent, hotels, reviews = (left_of(page, name) for name in ("parent", "hotels", "reviews"))
    assert parent < hotels < reviews


def test_zooming_in_and_out_again(page: Page, nested: str) -> None:
    """Each step keeps the chosen event in view and is in the URL; Whole run undoes them all."""
    page.goto(f"{nested}?panel=timeline&event=104")
    words = page.locator(".tools .muted").first
    whole = words.inner_text()
    page.get_by_role("link", name="Zoom in").click()
    expect(words).not_to_have_text(whole)
    assert "a=" in page.url
    once = words.inner_text()
    expect(page.locator("#timeline [data-here=x]").first).to_be_visible()
    page.get_by_role("link", name="Zoom in").click()
    expect(words).not_to_have_text(once)
    page.go_back()
    expect(words).to_have_text(once)
    page.get_by_role("link", name="Whole run").click()
    expect(words).to_have_text(whole)


def test_the_axis_can_count_events(page: Page, nested: str) -> None:
    """By number, every event has the same room; the choice stays in the URL and comes back with Back."""
    page.goto(f"{nested}?panel=timeline")
    axis = page.get_by_role("group", name="Horizontal axis")
    expect(axis.locator("[aria-current]")).to_have_text("Time")
    axis.get_by_role("link", name="Event number").click()
    expect(axis.locator("[aria-current]")).to_have_text("Event number")
    expect(page.locator("#timeline .seqhead")).to_contain_text("#40")
    assert "axis=number" in page.url
    page.go_back()
    expect(axis.locator("[aria-current]")).to_have_text("Time")


def test_a_call_that_was_never_closed_is_hatched_to_the_end(page: Page, nested: str) -> None:
    """The bar runs on to where the run stopped, and its words say so."""
    page.goto(f"{nested}?panel=timeline")
    open_call = page.locator("#timeline a[aria-label^='call fetch_fares']")
    assert "never closed" in str(open_call.get_attribute("aria-label"))
    box = open_call.locator("rect").first.bounding_box()
    track = page.locator("#timeline .tlmain svg.tl-t").bounding_box()
    assert box
    assert track
    assert box["x"] + box["width"] > track["x"] + 0.9 * track["width"]
