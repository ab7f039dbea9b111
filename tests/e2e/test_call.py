"""Calling an agent in a browser: filled, sent, followed, stopped, repeated; at a desk and on a phone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser import DESK, PHONE, Server, Watch
from tests.e2e.conftest import NewContext
from tests.e2e.test_every_page import FAULTS
from tests.ingest.call.agent import Agent, answering

SECRET = "Bearer kept-nowhere-1234"


@pytest.fixture(scope="module")
def agent() -> Iterator[Agent]:
    with answering() as agent:
        yield agent


@pytest.fixture(params=[DESK, PHONE], ids=["desk", "phone"])
def form(request: pytest.FixtureRequest, new_context: NewContext, server: Server) -> Page:
    """The form, reached from the front page."""
    page = new_context(viewport=request.param).new_page()
    page.goto(server.url)
    page.get_by_role("link", name="Call an agent").click()
    expect(page.get_by_role("heading", name="Call an agent")).to_be_visible()
    return page


def fits(page: Page) -> bool:
    over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return over <= 0 and page.evaluate(FAULTS) == []


def send(page: Page, url: str) -> None:
    page.get_by_label("Address of the agent").fill(url)
    page.get_by_role("button", name="Call and record").click()


def test_a_run_is_called_followed_stopped_and_repeated(form: Page, agent: Agent) -> None:
    """The live page opens with what came; Stop ends it there; the Source panel leads back to a filled form."""
    assert fits(form)
    send(form, f"{agent.url}/endless")
    form.wait_for_url("**/traces/*")
    trace = urlsplit(form.url).path
    expect(form.locator("body")).to_contain_text("RUN_STARTED")
    form.get_by_role("button", name="Stop the call").click()
    expect(form.get_by_role("button", name="Stop the call")).to_have_count(0)
    form.goto(f"{form.url.partition('?')[0]}?panel=source")
    expect(form.locator("#source")).to_contain_text("The call was stopped here, by hand")
    form.get_by_role("link", name="Repeat this run").click()
    expect(form.get_by_label("Address of the agent")).to_have_value(f"{agent.url}/endless")
    again = json.loads(form.get_by_label("Run input").input_value())
    asked = json.loads(agent.asked[-1][2])
    assert again["threadId"] == asked["threadId"]
    assert again["runId"] != asked["runId"]
    assert fits(form)
    send(form, f"{agent.url}/agent")
    form.wait_for_url("**/traces/*")
    assert urlsplit(form.url).path != trace
    expect(form.locator("#banner")).to_contain_text("Conformant")


def test_an_example_fills_the_run_input_and_nothing_else(form: Page, server: Server) -> None:
    """What was typed elsewhere stays, the credential is in no address, and the keyboard does it as well."""
    asked: list[str] = []
    form.on("request", lambda request: asked.append(request.url))
    form.get_by_label("Address of the agent").fill("http://127.0.0.1:9/agent")
    form.get_by_label("Authorization").fill(SECRET)
    form.get_by_role("link", name="tools").focus()
    form.keyboard.press("Enter")
    expect(form.get_by_label("Run input")).to_have_value(re.compile("get_weather"))
    form.get_by_role("link", name="an interrupt").click()
    expect(form.locator("#call-hint")).to_contain_text("every one needs its entry")
    assert json.loads(form.get_by_label("Run input").input_value())["resume"]
    expect(form.get_by_label("Address of the agent")).to_have_value("http://127.0.0.1:9/agent")
    expect(form.get_by_label("Authorization")).to_have_value(SECRET)
    assert asked
    assert [url for url in asked if "1234" in url] == []
    assert fits(form)


def test_a_call_that_comes_to_nothing_loses_nothing(form: Page, watch: Watch) -> None:
    """The sentence is announced and in sight; what was typed is there, the credential is asked for again."""
    watch.allowed.add(403)
    form.get_by_label("Run input").fill('{"threadId": "t", "runId": "r", "messages": [], "mine": 1}')
    form.get_by_label("Authorization").fill(SECRET)
    form.get_by_label("Name of the trace").fill("my <name>")
    send(form, "http://10.0.0.5:8000/agent")
    told = form.get_by_role("alert")
    expect(told).to_contain_text("10.0.0.5 port 8000 is not among the hosts that may be called")
    expect(told).to_be_in_viewport()
    assert '"mine": 1' in form.get_by_label("Run input").input_value()
    expect(form.get_by_label("Address of the agent")).to_have_value("http://10.0.0.5:8000/agent")
    expect(form.get_by_label("Name of the trace")).to_have_value("my <name>")
    expect(form.get_by_label("Authorization")).to_have_value("")
    expect(form.locator("#call-secret")).to_contain_text("Give the Authorization value again")
    assert fits(form)


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_without_a_script_it_works_as_well(
    new_context: NewContext, server: Server, agent: Agent, size: dict[str, int]
) -> None:
    """An example is a link, the form a form, Stop a button."""
    page = new_context(viewport=size, java_script_enabled=False).new_page()
    page.goto(f"{server.url}/call")
    page.get_by_role("link", name="a state").click()
    expect(page.get_by_label("Run input")).to_contain_text("a shopping list")
    send(page, f"{agent.url}/agent")
    page.wait_for_url("**/traces/*")
    expect(page.locator("#banner")).to_be_visible()
