"""Microsoft Teams recordings in a real browser: the intake, the ladder, the prefix diff, the clock, the size."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests import exchanges
from tests.browser import PHONE, SAMPLES, Server, file
from tests.core.teams.script import lines
from tests.e2e.conftest import NewContext

MAX_NODES = 2_500
PANELS = ("events", "sequence", "timeline", "conversation", "findings", "source")
TRANSCRIPT = """
+0.0   inbound "status?" -> none
+1.0   streaming 1 "Loo" {"id": "S"} -> none
+180.0 inbound "hello??" -> none
"""


@pytest.fixture(scope="module")
def bracket(server: Server) -> str:
    """A rewritten citation: chunk 2 is refused at #1."""
    name = "agpy19-citation-bracket.exchanges.jsonl"
    return server.add((SAMPLES / "teams" / name).read_bytes() + b"\n", name)


def many(count: int) -> bytes:
    """`count` exchanges: replies of 61 calls each, in one chat."""
    out, at = [], 0.0
    for number in range(count):
        reply, call = divmod(number, 61)
        stream = f"17900{reply:06}"
        text = "word and more " * min(call + 1, 60)
        body = exchanges.activity(text, None if call == 60 else call + 1, stream if call else None)
        body["replyToId"] = f"u{reply}"
        issued = {"id": stream} if not call else {}
        out.append(exchanges.exchange(round(at, 3), body, 202 if call else 201, issued))
        at += 1.6
    return exchanges.lines(out)


def nodes(page: Page) -> int:
    return int(page.evaluate("document.querySelectorAll('*').length"))


def test_a_har_is_uploaded_and_read_as_its_streamed_reply(page: Page, server: Server) -> None:
    """Of all calls in the file only those of the reply are there, and the page says what was left out."""
    entries = [exchanges.other(), *(exchanges.entry(call) for call in exchanges.broken())]
    har = exchanges.har(*entries)
    page.goto(server.url)
    page.set_input_files("input[type=file]", file("proxy.har", har))
    page.wait_for_url("**/traces/*")
    expect(page.locator("#banner .headline")).to_contain_text("Teams refused chunk 2 at #1")
    page.locator(".tabs").get_by_role("link", name=re.compile("^Source")).click()
    expect(page.locator(".panel")).to_contain_text("calls belong to a streamed reply")


def test_a_transcript_is_judged_without_answers_and_says_so(page: Page, server: Server) -> None:
    """No answer is recorded, so what is said is predicted; the user's own messages are in the conversation."""
    activities = json.dumps([json.loads(line) for line in lines(TRANSCRIPT)]).encode()
    page.goto(server.url)
    page.set_input_files("input[type=file]", file("chat.transcript", activities))
    page.wait_for_url("**/traces/*")
    expect(page.locator("#banner .meta")).to_contain_text("predicted")
    page.locator(".tabs").get_by_role("link", name=re.compile("^Conversation")).click()
    expect(page.locator(".panel")).to_contain_text("status?")
    page.locator(".tabs").get_by_role("link", name=re.compile("^Findings")).click()
    expect(page.locator(".panel")).to_contain_text("TEAMS-030")


def test_the_ladder_shows_the_refused_chunk_and_what_stays_on_screen(page: Page, bracket: str) -> None:
    """The refused call ends in a cross at the service; the bubble keeps the text before it."""
    page.goto(f"{bracket}?panel=sequence")
    ladder = page.locator(".panel svg[aria-label*='Ladder' i], .panel svg[aria-label*='ladder' i]").first
    expect(page.locator(".panel")).to_contain_text("403 ContentStreamNotAllowed")
    expect(page.locator(".panel")).to_contain_text("The recording ends here")
    expect(page.locator(".panel")).to_contain_text("next from 1.00 s")
    expect(ladder).to_be_attached()
    page.locator(".panel svg a[href*='event=0']").first.click()
    page.wait_for_url("**event=0**")
    expect(page.locator("#inspector")).to_contain_text("chunk 1")


def test_the_prefix_diff_names_the_first_difference_and_the_kind(page: Page, bracket: str) -> None:
    """One cell a character: the agreeing part plain, then what is on screen and what was sent."""
    page.goto(f"{bracket}?panel=sequence&event=1")
    diff = page.locator("#prefix")
    expect(diff).to_contain_text("first difference at character 28")
    expect(diff).to_contain_text("citation mark was rewritten")
    sides = diff.locator(".cells")
    assert "".join(sides.nth(0).locator("i:not(.same)").all_inner_texts()) == "doc1"
    assert "".join(sides.nth(1).locator("i:not(.same)").all_inner_texts()).startswith("1]")


def test_on_a_phone_the_diff_comes_before_the_ladder(new_context: NewContext, bracket: str) -> None:
    """What is wrong is seen without scrolling, and nothing scrolls sideways."""
    page = new_context(viewport=PHONE).new_page()
    page.goto(f"{bracket}?panel=sequence&event=1")
    diff, ladder = page.locator("#prefix").bounding_box(), page.locator(".panel .scroll").first.bounding_box()
    assert diff is not None
    assert ladder is not None
    assert diff["y"] < ladder["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_the_two_minute_clock_tells_what_was_used_and_what_ran_over(page: Page, server: Server) -> None:
    """The timeline's clock starts with the start's answer; a late final is past its end."""
    script = '+0.0 streaming 1 "You" -> 201 S\n+131.0 final "You have" @S -> E403-TIME\n'
    url = server.add(b"\n".join(lines(script)) + b"\n", "late.jsonl")
    page.goto(f"{url}?panel=timeline")
    expect(page.locator("#timeline .pc-over")).to_be_attached()
    expect(page.locator("#timeline")).to_contain_text("past the two minutes")
    page.goto(f"{url}?panel=sequence")
    expect(page.locator(".panel")).to_contain_text("2 minutes")


def test_five_thousand_exchanges_stay_as_light_as_a_few(page: Page, server: Server) -> None:
    """Every panel of a long recording, at both ends and in the middle, within the bound on nodes."""
    url = server.add(many(5_000), "many.jsonl")
    for panel in PANELS:
        for event in (0, 2_500, 4_999):
            page.goto(f"{url}?panel={panel}&event={event}")
            assert nodes(page) < MAX_NODES, (panel, event)
            page.goto(f"{url}?panel={panel}&event={event}&fold=0")
            assert nodes(page) < MAX_NODES, (panel, event, "unfolded")


def test_the_panels_follow_the_chosen_exchange_without_a_fault(page: Page, bracket: str) -> None:
    """Walking through all tabs by their links keeps the event and shows no error."""
    page.goto(bracket)
    for name in ("Sequence", "Timeline", "Conversation", "Findings", "Source", "Exchanges"):
        page.locator(".tabs").get_by_role("link", name=re.compile(f"^{name}")).click()
        expect(page.locator(".tabs [aria-current]")).to_contain_text(name)
        expect(page.locator("#inspector")).to_contain_text("#1")
