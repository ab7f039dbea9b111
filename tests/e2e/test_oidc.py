"""Signing in at an OpenID provider in a real browser: there, back, and on the page that was asked for."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser import PHONE, ROOT, Server, Watch, serving
from tests.e2e.conftest import NewContext
from tests.oidc_provider import CLIENT, PASSWORD, SECRET, Provider, providing


@dataclass
class BothWatched(Watch):
    """The provider is another host, and the only one that may be asked."""

    provider: str = ""

    def _asked(self, url: str) -> None:
        if urlsplit(url).netloc != self.provider:
            super()._asked(url)


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    """It knows ada, who has an account here, and bob, who has none."""
    with providing() as provider:
        for name in ("ada", "bob"):
            provider.people[name] = {"sub": f"s-{name}", "preferred_username": name}
        yield provider


@pytest.fixture(scope="module")
def server(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("oidc")
    command = [sys.executable, "-m", "webapp", "user", "add", "ada", "--role", "admin", "--no-password"]
    subprocess.run([*command, "--data-dir", str(folder)], cwd=ROOT, check=True, capture_output=True)
    told = {"OIDC_ISSUER": provider.url, "OIDC_CLIENT_ID": CLIENT, "OIDC_CLIENT_SECRET": SECRET}
    with serving(folder, OIDC_NAME="Example Ltd", **told) as server:
        provider.redirects.add(f"{server.url}/sign-in/oidc/back")
        yield server


@pytest.fixture
def watch(server: Server, provider: Provider) -> Iterator[Watch]:
    watch = BothWatched(urlsplit(server.url).netloc, provider=urlsplit(provider.url).netloc)
    yield watch
    assert watch.faults == []


def there(page: Page, name: str = "ada") -> None:
    """Click, and sign in at the provider."""
    page.get_by_role("link", name="Sign in with Example Ltd").click()
    expect(page.get_by_role("heading", name="The provider")).to_be_visible()
    page.get_by_label("User").fill(name)
    page.get_by_label("Word").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()


def test_the_trace_that_was_asked_for_opens_after_signing_in_there(page: Page, server: Server) -> None:
    """Its panel too; the browser holds a session and nothing of the way; signing out leads to the button again."""
    page.goto(server.url)
    there(page)
    page.get_by_role("table").get_by_role("link").first.click()
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()
    trace = re.sub(r"[?#].*", "", page.url)
    assert "/traces/" in trace
    page.context.clear_cookies()
    page.goto(f"{trace}?panel=findings&event=3")
    there(page)
    expect(page).to_have_url(f"{trace}?panel=findings&event=3")
    expect(page.get_by_role("textbox", name="Go to event number")).to_have_value("3")
    [cookie] = [each for each in page.context.cookies() if each["domain"] == "127.0.0.1"]
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == ("lanescope_session", True, "Lax")
    page.goto(f"{server.url}/account")
    expect(page.get_by_role("heading", name="ada")).to_be_visible()
    expect(page.get_by_text("this one")).to_have_count(1)
    page.get_by_role("banner").get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in with Example Ltd")).to_be_visible()
    page.goto(f"{server.url}/capture")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_declining_and_having_no_account_are_told_with_a_way_on(
    new_context: NewContext, server: Server, watch: Watch
) -> None:
    """Without script, on a phone: one sentence, and the button again, by keyboard too."""
    watch.allowed |= {400, 403}
    page = new_context(viewport=PHONE, java_script_enabled=False).new_page()
    page.goto(f"{server.url}/capture?x=1")
    page.get_by_role("link", name="Sign in with Example Ltd").click()
    page.get_by_role("button", name="No").click()
    expect(page.get_by_role("alert")).to_contain_text("it was declined at Example Ltd")
    there(page, "bob")
    expect(page.get_by_role("alert")).to_contain_text("ask an admin of this Lanescope to add bob")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.get_by_role("link", name="Sign in with Example Ltd").focus()
    page.keyboard.press("Enter")
    page.get_by_label("User").fill("ada")
    page.get_by_label("Word").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()
    expect(page).to_have_url(f"{server.url}/capture?x=1")


def test_going_back_after_signing_in_starts_nothing_twice(page: Page, server: Server, watch: Watch) -> None:
    """The address that came back from the provider is used up; a copy of it signs nobody in."""
    watch.allowed.add(400)
    seen: list[str] = []
    page.on("request", lambda request: seen.append(request.url))
    page.goto(f"{server.url}/capture")
    there(page)
    expect(page).to_have_url(f"{server.url}/capture")
    [back] = [url for url in seen if "/sign-in/oidc/back?" in url]
    page.context.clear_cookies()
    page.goto(back)
    expect(page.get_by_role("alert")).to_contain_text("was not started in this browser")
