"""A recording goes in, the reason comes out: by file and by paste, in a real browser."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser import SHIPPED, Server, file

PARALLEL = (SHIPPED / "pydantic-parallel.sse").read_bytes()
TOLD = "A client stops at #12: more arguments for weather call call_p0, which is already closed."


def sample(mark: str) -> bytes:
    """The rejected sample as a recording of its own: a comment is no event."""
    return f": {mark}\n\n".encode() + PARALLEL


def told(page: Page) -> None:
    """The verdict, its sentence, and the tab of the browser say the same."""
    expect(page.locator("#banner .verdict")).to_have_text("Rejected")
    expect(page.locator("#banner .headline")).to_have_text(TOLD)
    expect(page.locator("#banner .why")).to_contain_text("closed at #6 by its own TOOL_CALL_END")
    assert page.title().startswith("✖ Rejected at #12 · ")


def test_a_file_gives_a_verdict_and_its_reason(page: Page, server: Server) -> None:
    """Choosing a file leads to a page that says what broke, where and why."""
    page.goto(server.url)
    page.set_input_files("input[type=file]", file("refund.sse", sample("by file")))  # type: ignore[arg-type]
    page.wait_for_url("**/traces/*")
    told(page)
    expect(page.locator("#banner h1")).to_have_text("refund.sse")


def test_pasted_text_gives_the_same_verdict(page: Page, server: Server) -> None:
    """The paste box judges the text as a file would be."""
    page.goto(server.url)
    page.get_by_text("Paste text").click()
    page.fill("#paste-text", sample("by paste").decode())
    page.get_by_role("button", name="Check it").click()
    page.wait_for_url("**/traces/*")
    told(page)


def test_the_same_file_twice_says_that_it_is_here(page: Page, server: Server) -> None:
    """The second time leads to the first trace, and a sentence says so."""
    page.goto(server.url)
    twice = file("twice.sse", sample("twice"))
    page.set_input_files("input[type=file]", twice)  # type: ignore[arg-type]
    page.wait_for_url("**/traces/*")
    first = page.url
    page.goto(server.url)
    page.set_input_files("input[type=file]", twice)  # type: ignore[arg-type]
    page.wait_for_url("**/traces/*already*")
    assert page.url.split("?")[0] == first
    expect(page.locator(".note", has_text="already here")).to_be_visible()
    page.keyboard.press("j")
    expect(page.locator("#view")).to_have_attribute("data-event", "13")
    expect(page.locator(".note", has_text="already here")).to_have_count(0)


def test_a_run_input_beside_the_file_is_used(page: Page, server: Server) -> None:
    """`NAME.input.json` sent together with `NAME` tells which ids were asked for, so the wrong echo is found."""
    stream, asked = ((SHIPPED / f"msaf-old-tool{end}").read_bytes() for end in (".sse", ".input.json"))
    alone = server.add(b": alone\n\n" + stream, "alone.sse")
    page.goto(alone)
    expect(page.locator("#banner .verdict")).to_have_text("Warnings")
    page.goto(server.url)
    both = [file("pair.sse", b": pair\n\n" + stream), file("pair.input.json", asked)]
    page.set_input_files("input[type=file]", both)  # type: ignore[arg-type]
    page.wait_for_url("**/traces/*")
    expect(page.locator("#banner .verdict")).to_have_text("Nonconformant")
    expect(page.locator("#banner .headline")).to_contain_text("instead of th-tool")


def test_what_holds_no_event_is_never_a_pass(page: Page, server: Server) -> None:
    """A recording without events is unchecked, without the colour of any verdict, with the way on."""
    page.goto(server.add(b"Hello, my chat is broken since Tuesday.\n", "mail.txt"))
    expect(page.locator("#banner .verdict")).to_have_text("Unchecked")
    expect(page.locator("#banner")).to_have_class("banner none")
    expect(page.get_by_role("link", name="Upload another recording")).to_be_visible()
    expect(page.locator("#goto-box")).to_have_count(0)  # there is no number to go to
