"""The shared state in a browser: stepping through changes, opening values, failed patches, phone and no script."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.bench.streams import state_heavy
from tests.browser import PHONE, Server, run
from tests.e2e.conftest import NewContext


def patch(*operations: dict[str, Any]) -> dict[str, Any]:
    return {"type": "STATE_DELTA", "delta": list(operations)}


@pytest.fixture(scope="module")
def shop(server: Server) -> str:
    """A snapshot, a change, a failing patch, an activity."""
    state = {"cart": {"items": [{"sku": n} for n in range(60)], "total": 12}, "note": "x" * 3_000}
    events = [
        {"type": "STATE_SNAPSHOT", "snapshot": state},
        patch(
            {"op": "replace", "path": "/cart/total", "value": 99},
            {"op": "add", "path": "/stage", "value": "packed"},
        ),
        patch({"op": "remove", "path": "/cart/coupons/0"}),
        {
            "type": "ACTIVITY_SNAPSHOT",
            "messageId": "card",
            "activityType": "PLAN",
            "content": {"step": "look"},
        },
    ]
    return server.add(run(*events), "shop.sse")


@pytest.fixture(scope="module")
def heavy(server: Server) -> str:
    """2,000 patches of an 86 kB state."""
    return server.add(b"".join(state_heavy(2_000, 86)), "heavy.sse")


def test_the_state_is_stepped_through_with_keys_and_links(page: Page, shop: str) -> None:
    """Key 5 opens the panel; prev and next go from state event to state event."""
    page.goto(f"{shop}?event=2")
    page.keyboard.press("5")
    expect(page.locator("#view")).to_have_attribute("data-panel", "state")
    expect(page.locator(".state-last")).to_contain_text("Last changed by the patch at #2: 2 changes")
    changed = page.locator(".sv-tree .mod").filter(has_text="total")
    expect(changed).to_contain_text("changed")
    expect(changed).to_contain_text("99")
    expect(changed.locator("s")).to_have_text("12")
    expect(page.locator(".sv-tree .add")).to_contain_text("packed")
    page.locator(".tools a[rel=next]").click()
    expect(page.locator("#view")).to_have_attribute("data-event", "3")
    expect(page.locator(".se.bad")).to_contain_text("there is no coupons in /cart")
    expect(page.locator(".state-last")).to_contain_text("changed nothing")
    page.go_back()
    expect(page.locator("#view")).to_have_attribute("data-event", "2")


def test_a_folded_value_is_opened_and_stays_open_while_stepping(page: Page, shop: str) -> None:
    """The path is in the URL; the crumbs lead back."""
    page.goto(f"{shop}?panel=state&event=1")
    page.get_by_role("link", name="60 elements").click()
    expect(page.locator(".crumbs")).to_contain_text("items")
    expect(page.locator(".sv-tree")).to_contain_text("59")
    page.keyboard.press("j")
    expect(page.locator("#view")).to_have_attribute("data-event", "2")
    expect(page).to_have_url(re.compile("path=%2Fcart%2Fitems"))
    page.locator(".crumbs").get_by_role("link", name="state").click()
    expect(page.locator(".sv-tree")).to_contain_text("note")
    page.get_by_role("link", name="3,000 characters").click()
    expect(page.locator(".state-now .say-code")).to_contain_text("x" * 2_000)


def test_the_end_is_one_switch_away(page: Page, shop: str) -> None:
    """With the activity that comes later."""
    page.goto(f"{shop}?panel=state&event=1")
    expect(page.locator(".act-card")).to_have_count(0)
    page.get_by_role("link", name="at the end").click()
    expect(page.locator(".act-card")).to_contain_text("look")
    expect(page.locator("#view")).to_have_attribute("data-event", "1")


@pytest.mark.parametrize("event", [2, 1_003, 2_002])
def test_a_large_state_opens_at_any_event_and_stays_small(page: Page, heavy: str, event: int) -> None:
    """Few elements, whatever the state holds."""
    page.goto(f"{heavy}?panel=state&event={event}")
    expect(page.locator(".state-last")).to_be_visible()
    assert page.evaluate("document.querySelectorAll('#state *').length") < 1_250
    assert page.evaluate("document.querySelectorAll('*').length") < 2_500


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_without_script_on_a_phone(new_context: NewContext, shop: str, scheme: str) -> None:
    """Every link works, nothing is wider than the screen."""
    page = new_context(viewport=PHONE, color_scheme=scheme, java_script_enabled=False).new_page()
    page.goto(f"{shop}?panel=state&event=1")
    page.locator(".tools a[rel=next]").click()
    expect(page.locator(".state-last")).to_contain_text("#2")
    page.get_by_role("link", name="60 elements").click()
    expect(page.locator(".crumbs")).to_contain_text("items")
    box = page.locator("#state").bounding_box()
    assert box is not None
    assert box["width"] <= PHONE["width"]
    for part in page.locator("#state section").all():
        inner = part.bounding_box()
        assert inner is not None
        assert inner["x"] + inner["width"] <= PHONE["width"] + 1
