"""What holds for every page, wide and narrow, light and dark: it fits, it is quiet, it can be used by everyone.

That nothing fails in the console and nothing is asked of another host is watched in every test of this folder.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser import DESK, PHONE, SAMPLES, Server, Watch, message, run
from tests.e2e.conftest import NewContext
from webapp.views.selection import PANELS

FAULTS = """() => {
  const found = [];
  const say = (what, node) => found.push(`${what}: ${node.outerHTML.slice(0, 120)}`);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const name = (node) => (node.getAttribute("aria-label") || node.textContent || node.title).trim();
  if (all("h1").length !== 1) found.push(`${all("h1").length} h1`);
  if (all("main").length !== 1) found.push(`${all("main").length} main`);
  if (!document.documentElement.lang || !document.title) found.push("no language or title");
  for (const field of all("input:not([type=hidden]), textarea, select")) {
    if (!field.labels.length && !field.getAttribute("aria-label")) say("field without a label", field);
  }
  for (const node of all("a[href], button, summary")) if (!name(node)) say("no name", node);
  for (const node of all("a:not([href])")) say("a link that leads nowhere", node);
  for (const table of all("table")) {
    if (!table.querySelector("thead th[scope=col]")) say("table without a head", table);
    for (const head of table.querySelectorAll("th")) if (!head.textContent.trim()) say("empty head", head);
  }
  for (const tabs of all("#tabs")) {
    if (tabs.querySelectorAll("[aria-current=page]").length !== 1) say("not one current tab", tabs);
  }
  const ids = all("[id]").map((node) => node.id);
  for (const id of new Set(ids.filter((id, at) => ids.indexOf(id) !== at))) found.push(`two of id ${id}`);
  for (const node of all("[aria-controls], [aria-labelledby]")) {
    const id = node.getAttribute("aria-controls") || node.getAttribute("aria-labelledby");
    if (!document.getElementById(id)) say("points at nothing", node);
  }
  for (const node of all("[tabindex]")) if (node.tabIndex > 0) say("a tab order of its own", node);
  for (const node of all("svg")) {
    const told = node.closest("[aria-hidden=true]") || name(node) || node.querySelector("title, text");
    if (!told) say("a drawing without words", node);
  }
  return found;
}"""


@pytest.fixture
def unbroken(server: Server) -> list[str]:
    """Traces of both protocols in which nothing has a place to break a line: ids, names, texts, addresses."""
    long = "unbroken" * 40
    events = [
        {"type": "STEP_STARTED", "stepName": long},
        *message(long, long),
        {"type": "TOOL_CALL_START", "toolCallId": f"c{long}", "toolCallName": long},
        {"type": "TOOL_CALL_ARGS", "toolCallId": f"c{long}", "delta": long},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": f"n{long}", "delta": long},
    ]
    refused = (SAMPLES / "teams" / "agpy19-group.exchanges.jsonl").read_bytes()
    return [
        server.add(run(*events, thread=long, run_id=long), f"{long[:190]}.sse"),
        server.add(refused.replace(b"Exception caught : 405, ", long.encode()), "refused.jsonl"),
    ]


@pytest.fixture
def addresses(
    server: Server, parallel: str, dropped: str, healthy: str, chunked: str, nested: str, unbroken: list[str]
) -> list[str]:
    """Every kind of page, and every panel of seven traces."""
    single = [
        "/",
        "/?q=parallel",
        "/?verdict=rejected",
        "/?q=nothing+like+this",
        "/rules",
        "/rules/AGUI-TOL-02",
        "/rules/TEAMS-020",
        "/rules/answers",
    ]
    single += ["/shares", "/nothing"]
    trace = urlsplit(parallel).path
    single += [f"{trace}/{tail}" for tail in ("edit", "delete", "share")]
    single += [f"{trace}?{query}" for query in ("q=type:result", "hits=1", "fold=0", "event=0", "event=4000")]
    traces = (parallel, dropped, healthy, chunked, nested, *unbroken)
    return [server.url + path for path in single] + [
        f"{url}?panel={panel}" for url in traces for panel in PANELS
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_scrolls_sideways(
    new_context: NewContext, watch: Watch, addresses: list[str], scheme: str
) -> None:
    """Nothing is wider than the window, on a desk and on a phone, in both schemes."""
    watch.allowed.add(404)
    page = new_context(viewport=DESK, color_scheme=scheme).new_page()
    sizes = [DESK, PHONE]
    wide = {}
    for address in addresses:
        page.goto(address)
        for size in sizes:
            page.set_viewport_size(size)
            over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            if over > 0:
                wide[address, size["width"]] = over
        sizes.reverse()  # the next page is opened at the size this one was left at
    assert wide == {}
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(19, 21, 23)") is (scheme == "dark")


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_menus_open_within_the_window_and_escape_closes_them(
    new_context: NewContext, server: Server, size: dict[str, int]
) -> None:
    """Wherever their buttons stand in the banner: nothing is pushed out at a side."""
    two = server.add(run(*message("Hello")) + run(*message("Again", "m2"), run_id="r2"), "two.sse")
    page = new_context(viewport=size).new_page()
    page.goto(two)
    for menu in ("#runs", "#export"):
        page.locator(f"{menu} summary").click()
        box = page.locator(f"{menu} > ul").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size["width"]
        page.keyboard.press("Escape")
        assert page.locator(f"{menu}[open]").count() == 0
        assert page.evaluate("document.activeElement.closest('details').id") == menu[1:]


def test_every_page_can_be_used_without_seeing_it(page: Page, watch: Watch, addresses: list[str]) -> None:
    """One h1, labelled fields, named links and buttons, heads of tables, one current tab, ids once."""
    watch.allowed.add(404)
    faults = {}
    for address in addresses:
        page.goto(address)
        if found := page.evaluate(FAULTS):
            faults[address] = found
    assert faults == {}


def test_the_keyboard_reaches_the_content_first(page: Page, parallel: str) -> None:
    """The first stop is a link past the head, and it is seen."""
    page.goto(parallel)
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()


def test_on_a_phone_the_verdict_and_the_culprit_come_first(new_context: NewContext, parallel: str) -> None:
    """Verdict and sentence stand at the top, the inspector is a sheet that opens."""
    page = new_context(viewport=PHONE).new_page()
    page.goto(parallel)
    page.evaluate("scrollTo(0, 0)")
    box = page.locator("#banner .headline").bounding_box()
    assert box
    assert box["y"] + box["height"] < 200
    inspector = page.locator("#inspector")
    closed = inspector.bounding_box()
    page.get_by_role("button", name="Show the whole inspector").click()
    expect(page.locator("#raw")).to_be_in_viewport()
    opened = inspector.bounding_box()
    assert closed
    assert opened
    assert opened["height"] > closed["height"]


def test_the_choice_is_announced(page: Page, parallel: str) -> None:
    """A live region says which event was chosen, for those who do not see the row move."""
    page.goto(f"{parallel}?event=11")
    page.keyboard.press("j")
    said = page.locator("#said")
    expect(said).to_contain_text("Event 12, TOOL_CALL_ARGS, Fatal: ")
    expect(said).not_to_contain_text("`")
    expect(said).to_have_attribute("role", "status")
