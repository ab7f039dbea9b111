"""Accounts in a real browser: signing in, being refused, and signing out here and everywhere."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser import PHONE, ROOT, Server, Watch, serving
from tests.e2e.conftest import NewContext
from tests.e2e.test_every_page import FAULTS

PASSWORD = "four green herons"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of its own, with the accounts ada (admin) and bob (viewer)."""
    folder = tmp_path_factory.mktemp("accounts")
    for name, role in (("ada", "admin"), ("bob", "viewer")):
        command = [sys.executable, "-m", "webapp", "user", "add", name, "--role", role, "--password-stdin"]
        given = [*command, "--data-dir", str(folder)]
        subprocess.run(given, cwd=ROOT, input=PASSWORD, text=True, check=True, capture_output=True)
    with serving(folder) as server:
        yield server


def sign_in(page: Page, name: str = "ada", password: str = PASSWORD) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def test_a_page_is_shown_after_signing_in(page: Page, server: Server) -> None:
    """The address that was asked for, with the name in the head and no word of an open installation."""
    page.goto(f"{server.url}/capture?x=1")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_label("Name")).to_be_focused()
    assert page.get_by_role("navigation").count() == 0
    sign_in(page)
    expect(page).to_have_url(f"{server.url}/capture?x=1")
    expect(page.locator("header.top")).to_contain_text("ada")
    expect(page.locator("footer")).to_have_count(0)
    [cookie] = page.context.cookies()
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == ("lanescope_session", True, "Lax")


def test_a_wrong_password_is_told_and_can_be_typed_again(page: Page, server: Server, watch: Watch) -> None:
    """The name stays, the password does not; no script is needed."""
    watch.allowed.add(400)
    page.goto(f"{server.url}/sign-in")
    sign_in(page, password="five grey pelicans")
    expect(page.get_by_role("alert")).to_contain_text("There is no account with this name and password")
    expect(page.get_by_label("Name")).to_have_value("ada")
    expect(page.get_by_label("Password")).to_have_value("")
    expect(page.get_by_label("Password")).to_be_focused()
    sign_in(page)
    expect(page.get_by_role("heading", name="Traces")).to_be_visible()


def test_after_signing_out_going_back_shows_nothing(page: Page, server: Server) -> None:
    """Neither from the server nor from what the browser kept."""
    page.goto(server.url)
    sign_in(page)
    expect(page.get_by_role("heading", name="Traces")).to_be_visible()
    page.goto(f"{server.url}/account")
    page.get_by_role("banner").get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    for _ in range(2):
        page.go_back()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        assert page.get_by_text("Browsers that are signed in").count() == 0


def test_signing_out_everywhere_ends_another_browser(
    page: Page, new_context: NewContext, server: Server, watch: Watch
) -> None:
    """A browser that is signed in on another machine, at its next step."""
    other = new_context(viewport=PHONE).new_page()
    for each in (page, other):
        each.goto(f"{server.url}/account")
        sign_in(each)
        expect(each.get_by_role("heading", name="ada")).to_be_visible()
    page.reload()
    assert page.get_by_text("Chrome on Linux").count() >= 2
    expect(page.get_by_text("this one")).to_have_count(1)
    page.get_by_role("button", name="Sign out everywhere").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    other.goto(server.url)
    expect(other.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_new_password_counts_everywhere_at_once(
    page: Page, new_context: NewContext, server: Server
) -> None:
    """This browser goes on; another is signed out."""
    other = new_context().new_page()
    for each in (page, other):
        each.goto(f"{server.url}/account")
        sign_in(each, "bob")
    page.get_by_label("Password now").fill(PASSWORD)
    page.get_by_label("New password", exact=True).fill("five grey pelicans")
    page.get_by_label("New password again").fill("five grey pelicans")
    page.get_by_role("button", name="Change it").click()
    expect(page.get_by_role("status")).to_contain_text("The password was changed")
    other.reload()
    expect(other.get_by_role("heading", name="Sign in")).to_be_visible()
    sign_in(other, "bob", "five grey pelicans")
    expect(other.get_by_role("heading", name="bob")).to_be_visible()


def test_what_an_htmx_part_asks_for_leads_to_signing_in(page: Page, server: Server, watch: Watch) -> None:
    """A page left open overnight: the next filter typed shows the form, not a broken page."""
    watch.allowed.add(401)
    page.goto(server.url)
    sign_in(page)
    expect(page.get_by_role("heading", name="Traces")).to_be_visible()
    page.context.clear_cookies()
    page.get_by_role("searchbox").fill("parallel")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_on_a_phone_the_head_fits_and_leads_to_the_account(new_context: NewContext, server: Server) -> None:
    """No sideways scrolling; the account is a touch away and one can sign out there."""
    page = new_context(viewport=PHONE).new_page()
    page.goto(server.url)
    sign_in(page)
    expect(page.get_by_role("heading", name="Traces")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.get_by_role("banner").get_by_role("link", name="ada").click()
    page.get_by_role("button", name="Sign out here").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_the_pages_of_accounts_can_be_used_by_everyone(
    new_context: NewContext, server: Server, watch: Watch
) -> None:
    """Labels, heads and names as on every other page; in the dark and on a phone too."""
    watch.allowed.add(400)
    page = new_context(viewport=PHONE, color_scheme="dark").new_page()
    page.goto(f"{server.url}/sign-in?next=/account")
    assert page.evaluate(FAULTS) == []
    sign_in(page, password="wrong")
    assert page.evaluate(FAULTS) == []
    sign_in(page)
    expect(page.get_by_role("heading", name="ada")).to_be_visible()
    assert page.evaluate(FAULTS) == []
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
