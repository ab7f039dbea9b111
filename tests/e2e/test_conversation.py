"""What the user saw, as of an event; every script and direction whole; hostile text as data."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser import Server, message, run, stream
from webapp.views.selection import PANELS

KOREAN = "환불은 영업일 기준 5일 안에 처리됩니다. 감사합니다!"
ARABIC = "سيتم رد المبلغ خلال خمسة أيام عمل. شكرًا لكم!"
EMOJI = "Done 👩🏽‍🚀 🇰🇷 ❤️‍🔥 — see you 👋🏿"
MARKUP = "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'><b>bold</b> &amp; {{ 7 * 7 }}"
NOTHING_RAN = """() => window.ran === undefined
  && document.querySelectorAll("main script, main iframe, main img, main b > b, main style").length === 0"""


@pytest.fixture(scope="module")
def scripts(server: Server) -> str:
    """One message in each script."""
    texts = (KOREAN, ARABIC, EMOJI)
    said = [event for name, text in zip("kae", texts, strict=True) for event in message(text, f"msg-{name}")]
    return server.add(run(*said), "scripts.sse")


@pytest.fixture(scope="module")
def hostile(server: Server) -> str:
    """Markup, NUL and half a character, everywhere a stream has room for text."""
    events = [
        {"type": "STEP_STARTED", "stepName": MARKUP},
        *message(f"{MARKUP} nul:\x00 half:\ud83d", f"m {MARKUP}"),
        {"type": "TOOL_CALL_START", "toolCallId": f"c {MARKUP}", "toolCallName": f"{MARKUP}\x00\ud83d"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": f"c {MARKUP}", "delta": '{"a": "<script>"}'},
        {"type": "TOOL_CALL_END", "toolCallId": f"c {MARKUP}"},
        {"type": "TOOL_CALL_RESULT", "toolCallId": f"c {MARKUP}", "messageId": "r", "content": MARKUP},
        {"type": "SUBAGENT_STARTED", "subagentRunId": MARKUP, "name": MARKUP},
        {"type": "CUSTOM", "name": MARKUP, "value": {MARKUP: [MARKUP, "\x00", "\ud83d"]}},
        {"type": MARKUP, "value": MARKUP},
        {"type": "TEXT_MESSAGE_END", "messageId": MARKUP},
    ]
    return server.add(run(*events, thread=MARKUP, run_id=MARKUP), f"{MARKUP}.sse")


@pytest.fixture(scope="module")
def heavy(server: Server) -> str:
    """One line of ten million characters, and one of five thousand brackets."""
    long = stream(message("lorem " * 1_700_000))
    deep = b'data: {"type":"CUSTOM","name":"deep","value":' + b"[" * 5000 + b"]" * 5000 + b"}\n\n"
    first = b'data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}\n\n'
    return server.add(first + long + deep, "heavy.sse")


def test_the_conversation_is_told_as_of_the_chosen_event(page: Page, healthy: str) -> None:
    """An early event shows what the user had read by then, a later one more, Back the earlier again."""
    page.goto(f"{healthy}?panel=conversation&event=0")
    said = page.locator("#talk article.say")
    early = said.count()
    page.locator(".seg").get_by_role("link", name="at the end").click()
    expect(page.locator(".seg [aria-current]")).to_have_text("at the end")
    assert said.count() > early
    page.go_back()
    expect(said).to_have_count(early)


def test_a_message_grows_with_the_events(page: Page, chunked: str) -> None:
    """At #4 the user had read three words of the first message."""
    page.goto(f"{chunked}?panel=conversation&event=4")
    expect(page.locator("#talk .say-t").first).to_have_text("Let me look ")
    page.keyboard.press("j")
    expect(page.locator("#talk .say-t").first).to_have_text("Let me look up ")


def test_what_never_reached_the_user_is_told_apart(page: Page, parallel: str) -> None:
    """After the refusal nothing is shown as if it had been read."""
    page.goto(f"{parallel}?panel=conversation&event=39")
    expect(page.locator("#say-stop")).to_contain_text("A client stops here")
    expect(page.locator("#talk")).to_contain_text("Checking three cities.")
    expect(page.locator("#talk .never").first).to_contain_text("never reached the user")


@pytest.mark.parametrize(
    ("name", "text", "direction"),
    [("msg-k", KOREAN, "ltr"), ("msg-a", ARABIC, "rtl"), ("msg-e", EMOJI, "ltr")],
)
def test_every_script_is_shown_whole(page: Page, scripts: str, name: str, text: str, direction: str) -> None:
    """Korean, Arabic from right to left, emoji of several parts; the same text in the event's row."""
    page.goto(f"{scripts}?panel=conversation&event=10")
    said = page.locator("#talk article.say", has_text=name).locator(".say-t")
    expect(said).to_have_text(text)
    assert said.evaluate("text => getComputedStyle(text).direction") == direction
    page.goto(f"{scripts}?q=item:{name}&fold=0")
    expect(page.locator("#rows")).to_contain_text(text[:12])


@pytest.mark.parametrize("panel", PANELS)
def test_hostile_text_is_data(page: Page, hostile: str, panel: str) -> None:
    """Markup is read as text and nothing of it runs, whichever panel and event."""
    for event in (0, 3, 6, 10):
        page.goto(f"{hostile}?panel={panel}&event={event}")
        expect(page.locator("#view")).to_have_attribute("data-panel", panel)
        expect(page.locator("#banner h1")).to_contain_text("<script>window.ran = 1</script>")
        assert page.evaluate(NOTHING_RAN)
    page.keyboard.press("k")
    expect(page.locator("#view")).to_have_attribute("data-event", "9")
    assert page.evaluate(NOTHING_RAN)


def test_hostile_text_in_the_conversation_is_readable(page: Page, hostile: str) -> None:
    """The markup as it was sent; NUL and half a character as signs."""
    page.goto(f"{hostile}?panel=conversation&event=10")
    expect(page.locator("#talk")).to_contain_text(MARKUP)
    expect(page.locator("#talk .odd").first).to_have_text("␀")
    expect(page.locator("#talk")).to_contain_text("half:\ufffd")


def test_hostile_names_stay_names_in_the_list(page: Page, server: Server, hostile: str) -> None:
    """The front page too."""
    page.goto(server.url)
    expect(page.locator(".traces .name", has_text="window.ran").first).to_be_visible()
    assert page.evaluate(NOTHING_RAN)


@pytest.mark.parametrize("panel", PANELS)
def test_a_huge_line_and_a_deep_one_break_nothing(page: Page, heavy: str, panel: str) -> None:
    """Ten million characters in one line, five thousand brackets: every panel opens, small."""
    for event in (2, 4):
        page.goto(f"{heavy}?panel={panel}&event={event}")
        expect(page.locator("#view")).to_have_attribute("data-panel", panel)
        expect(page.locator("#inspector .who")).to_contain_text(f"#{event}")
        assert page.evaluate("document.querySelectorAll('*').length") < 2500
        assert page.evaluate("document.documentElement.outerHTML.length") < 1_000_000
