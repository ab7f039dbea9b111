"""Play-back: the chosen event moves by itself, every panel follows, and the reader can stop it anywhere."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser import PHONE, SHIPPED, Server, message, stream
from tests.e2e.conftest import NewContext

T0 = 1_764_000_000_000
STEP = 500  # milliseconds between two records
PAUSE = 200_000  # and before the last two
# what was shown, in order: [event, text of the panel]; and how many requests there were at once at most
RECORD = """
  window.seen = []; window.most = 0; let open = 0;
  document.addEventListener("htmx:before:request", () => { open += 1; window.most = Math.max(window.most, open); });
  document.addEventListener("htmx:finally:request", () => { open -= 1; });
  document.addEventListener("htmx:after:swap", () => window.seen.push(
    [Number(document.getElementById("view").dataset.event), document.querySelector(".panel").innerText]));
"""
SLOW = """
  const real = window.fetch;
  window.fetch = (...asked) => new Promise((done) => setTimeout(done, 400)).then(() => real(...asked));
"""


@pytest.fixture(scope="module")
def timed(server: Server) -> str:
    """42 records: text that grows for a while, the state that changes with it, a long pause, the end."""
    ids = {"threadId": "t", "runId": "r"}
    start, *_, end = message("")
    events: list[dict[str, Any]] = [{"type": "RUN_STARTED", **ids}, start]
    for n in range(18):
        events.append({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": f"word{n} "})
        events.append({"type": "STATE_SNAPSHOT", "snapshot": {"step": n}})
    events += [end, {"type": "CUSTOM", "name": "late", "value": 1}, {"type": "RUN_FINISHED", **ids}]
    events.insert(-2, {"type": "CUSTOM", "name": "before the pause", "value": 1})
    told = [
        {**event, "timestamp": T0 + STEP * n + (PAUSE if n >= len(events) - 2 else 0)}
        for n, event in enumerate(events)
    ]
    return server.add(stream(told), "timed.sse")


def event_of(page: Page) -> int:
    return int(page.locator("#view").get_attribute("data-event") or "-1")


def in_url(page: Page) -> int:
    return int(parse_qs(urlsplit(page.url).query)["event"][0])


def at_speed(page: Page, speed: str) -> None:
    page.locator(f"#speeds [data-speed='{speed}']").click()


def play(page: Page) -> None:
    page.locator("#play").click()


def seen(page: Page) -> list[tuple[int, str]]:
    """Every moment that was shown since the page was loaded."""
    return [(event, text) for event, text in page.evaluate("window.seen")]


@pytest.fixture
def page(new_context: NewContext) -> Page:
    """A page that writes down what it shows."""
    page = new_context().new_page()
    page.add_init_script(RECORD)
    return page


def ended(page: Page, event: int) -> None:
    """It stands still at the last record."""
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false", timeout=20_000)
    expect(page.locator("#view")).to_have_attribute("data-event", str(event))
    assert in_url(page) == event


def test_the_conversation_grows_to_the_end(page: Page, timed: str) -> None:
    """Text appears piece by piece; the long pause is said and cut short; at the end the outcome is said."""
    page.goto(f"{timed}?panel=conversation&event=0")
    expect(page.locator("#talk")).not_to_contain_text("word0")
    at_speed(page, "16")
    play(page)
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#play-said")).to_have_text("3 min 21 s pass")
    ended(page, 41)
    expect(page.locator("#play-said")).to_have_text("End of the recording: finished")
    expect(page.locator("#said")).to_have_text("End of the recording: finished")
    said = [text.count("word") for _, text in seen(page)]
    assert said == sorted(said)
    assert len(set(said)) > 2  # between nothing and all of it, however seldom a busy machine draws
    assert said[-1] == 18


def test_the_state_follows(page: Page, timed: str) -> None:
    """The panel shows the state as of each event, though the page was told to show the end."""
    page.goto(f"{timed}?panel=state&event=3&asof=end")
    tree = page.locator("#panel-state")
    expect(tree).to_contain_text("17")
    at_speed(page, "16")
    play(page)
    ended(page, 41)
    steps = [int(found[1]) for _, text in seen(page) if (found := re.search(r"step\D{0,9}(\d+)", text))]
    assert steps == sorted(steps)
    assert len(set(steps)) > 3
    assert "asof" not in page.url


def test_pausing_keeps_the_place(page: Page, timed: str) -> None:
    """The address names the event; a reload shows it; one step back leads to where play began."""
    page.goto(f"{timed}?panel=conversation&event=0")
    at_speed(page, "4")
    play(page)
    expect(page.locator("#view")).not_to_have_attribute("data-event", "0")
    expect(page.locator("#view")).not_to_have_attribute("data-event", "1")
    play(page)
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#said")).to_contain_text("Paused at event")
    here = event_of(page)
    assert 0 < here == in_url(page)
    page.reload()
    expect(page.locator("#view")).to_have_attribute("data-event", str(here))
    page.go_back()
    expect(page.locator("#view")).to_have_attribute("data-event", "0")


def test_from_the_end_it_begins_anew(page: Page, timed: str) -> None:
    """Play at the last event starts at the first."""
    page.goto(f"{timed}?event=41")
    at_speed(page, "16")
    play(page)
    ended(page, 41)
    shown = [event for event, _ in seen(page)]
    assert shown[0] == 0
    assert shown == sorted(shown)


def test_the_space_bar_plays_and_keys_still_step(page: Page, timed: str) -> None:
    """Space plays and pauses, but writes a space in a field; j and k go on from where it stopped."""
    page.goto(f"{timed}?event=0")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#view")).not_to_have_attribute("data-event", "0")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#said")).to_contain_text("Paused at")
    here = event_of(page)
    page.keyboard.press("j")
    expect(page.locator("#view")).to_have_attribute("data-event", str(here + 1))
    page.keyboard.press("k")
    expect(page.locator("#view")).to_have_attribute("data-event", str(here))
    page.locator("#filter-box").focus()
    page.keyboard.type("a b")
    expect(page.locator("#filter-box")).to_have_value("a b")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")


def test_step_by_step(page: Page, timed: str) -> None:
    """At the speed `step` the button moves by one event, and each is an entry of the history."""
    page.goto(f"{timed}?panel=sequence&event=4")
    at_speed(page, "step")
    expect(page.locator("#play")).to_have_accessible_name("Step")
    play(page)
    expect(page.locator("#view")).to_have_attribute("data-event", "5")
    page.keyboard.press("Space")  # the button has the focus: it is pressed
    expect(page.locator("#view")).to_have_attribute("data-event", "6")
    page.go_back()
    expect(page.locator("#view")).to_have_attribute("data-event", "5")


def test_another_panel_goes_on_and_another_event_stops(page: Page, timed: str) -> None:
    """A tab is changed while it plays; a click on an event is where the reader wants to be."""
    page.goto(f"{timed}?panel=conversation&event=2")
    play(page)
    page.locator("#tabs").get_by_role("link", name="Timeline").click()
    expect(page.locator("#panel-timeline")).to_be_visible()
    before = event_of(page)
    expect(page.locator("#view")).not_to_have_attribute("data-event", str(before))
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "true")
    page.locator("#tabs").get_by_role("link", name="Events").click()
    page.locator("#e39 .seq a").click()
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#view")).to_have_attribute("data-event", "39")


def test_a_filter_is_kept(page: Page, timed: str) -> None:
    """Only what passes it is stopped at, so no link leads behind it."""
    page.goto(f"{timed}?event=3&q=type:STATE_SNAPSHOT")
    at_speed(page, "16")
    play(page)
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#view")).to_have_attribute("data-event", "37")
    expect(page.locator("#filter-box")).to_have_value("type:STATE_SNAPSHOT")


def test_one_request_at_a_time(page: Page, timed: str) -> None:
    """Where the server is slower than the clock, stops are passed over; nothing queues up."""
    page.add_init_script(SLOW)
    page.goto(f"{timed}?panel=conversation&event=0")
    at_speed(page, "16")
    play(page)
    ended(page, 41)
    shown = [event for event, _ in seen(page)]
    assert page.evaluate("window.most") == 1
    assert len(shown) < 30
    assert shown == sorted(set(shown))


@pytest.mark.parametrize("panel", ["events", "sequence", "timeline", "conversation", "source"])
def test_a_teams_recording_plays_in_every_panel(page: Page, server: Server, panel: str) -> None:
    """By the times of its requests, to its own outcome."""
    name = "tpy21-stop.exchanges.jsonl"
    page.goto(f"{server.add((SHIPPED / name).read_bytes(), name)}?panel={panel}&event=0")
    at_speed(page, "16")
    play(page)
    ended(page, 3)
    expect(page.locator("#play-said")).to_contain_text("stopped by the user")


def test_a_shared_page_plays(page: Page, timed: str) -> None:
    """Under its own address."""
    page.goto(f"{timed}/share")
    page.get_by_label("Everything").check()
    page.get_by_label("I may show this customer’s texts").check()
    page.get_by_role("button", name="Make the link").click()
    link = page.locator("input[readonly]").input_value()
    page.goto(f"{link}?panel=conversation&event=0")
    at_speed(page, "16")
    play(page)
    expect(page.locator("#talk")).to_contain_text("word17")
    ended(page, 41)
    assert page.url.startswith(link)


def test_on_a_phone_one_button_takes_the_next_speed(new_context: NewContext, timed: str) -> None:
    """There is room for one; the chosen row stays above the bar."""
    page = new_context(viewport=PHONE).new_page()
    page.goto(f"{timed}?event=0")
    for speed in ("1×", "4×", "16×", "step", "1×", "4×"):
        shown = page.locator("#speeds button:visible")
        expect(shown).to_have_text(speed)
        shown.click()
    expect(page.locator("#speeds button:visible")).to_have_text("16×")
    play(page)
    ended(page, 41)
    expect(page.locator("#e41")).to_be_in_viewport(ratio=0.9)


def test_without_a_script_the_links_step(new_context: NewContext, timed: str) -> None:
    """And there is no button that does nothing."""
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{timed}?event=4&panel=conversation")
    expect(page.locator("#play")).to_be_hidden()
    expect(page.locator("#speeds")).to_be_hidden()
    page.get_by_role("link", name="Next event").first.click()
    expect(page.locator("#view")).to_have_attribute("data-event", "5")
