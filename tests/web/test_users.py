"""The admins' page of accounts: what it does, whom it lets in, and what can never be done there."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.people import BASE, browser, person
from webapp.app import create_app
from webapp.settings import Settings, load_settings
from webapp.storage import audit, sign_ins, traces, users
from webapp.storage.db import Database
from webapp.storage.models import User

Browser = Callable[[str], TestClient]
pytestmark = pytest.mark.databases("sqlite", "postgresql")
PASSWORD = re.compile(r'class="url" value="([^"]+)"')


@pytest.fixture
def people(database: Database) -> dict[str, int]:
    return {
        name: person(database, name, role)
        for name, role in (("Anna", "admin"), ("Edda", "editor"), ("Vera", "viewer"))
    }


@pytest.fixture
def signed_in(settings: Settings, database: Database, people: dict[str, int]) -> Iterator[Browser]:
    """Browsers by the name of their account; `nobody` is signed in to nothing."""
    app = create_app(settings, database)
    with TestClient(app):
        yield lambda name: browser(app, settings, database, people.get(name))


def stored(database: Database, name: str) -> User | None:
    with database.session() as session:
        return users.by_name(session, name)


def change(client: TestClient, database: Database, name: str, **form: str) -> tuple[int, str]:
    user = stored(database, name)
    assert user is not None
    answer = client.post(f"/users/{user.id}", data=form)
    return answer.status_code, html.unescape(answer.text)


def acts(database: Database, what: str) -> list[tuple[str, str, str]]:
    """(who, whom, what changed) of the lines, newest first."""
    with database.session() as session:
        lines, _ = audit.newest(session, what=what)
        changed = [str(line.detail.get("change") or line.detail.get("role") or "") for line in lines]
        return [(line.who, line.detail["user"], how) for line, how in zip(lines, changed, strict=True)]


def enter(client: TestClient, name: str, password: str) -> int:
    return client.post("/sign-in", data={"name": name, "password": password}).status_code


def test_an_account_is_added_with_a_password_that_works_and_is_shown_once(
    signed_in: Browser, database: Database
) -> None:
    """No cache keeps the answer; later pages do not have it."""
    anna = signed_in("Anna")
    answer = anna.post("/users", data={"name": "Otto", "role": "editor"})
    found = PASSWORD.search(answer.text)
    assert answer.status_code == 200
    assert found is not None
    assert answer.headers["cache-control"] == "no-store"
    later = anna.get("/users").text
    assert "Otto" in later
    assert found[1] not in later
    assert enter(signed_in("nobody"), "otto", found[1]) == 303
    user = stored(database, "otto")
    assert user is not None
    assert (user.role, found[1] in (user.password or "")) == ("editor", False)
    assert acts(database, "user added") == [("Anna", "Otto", "editor")]


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"name": "edda", "role": "viewer"}, "There is an account named edda already"),
        ({"name": "  ", "role": "viewer"}, "An account needs a name"),
        ({"name": "Otto", "role": "owner"}, "There is no such role"),
    ],
)
def test_what_cannot_be_added_is_told_on_the_page(
    signed_in: Browser, database: Database, form: dict[str, str], told: str
) -> None:
    """Nothing is written down for what was not done."""
    answer = signed_in("Anna").post("/users", data=form)
    assert answer.status_code == 400
    assert told in answer.text
    assert PASSWORD.search(answer.text) is None
    assert acts(database, "user added") == []


def test_a_role_changes_at_once(signed_in: Browser, database: Database) -> None:
    """The browser that is signed in already may less with its next request."""
    edda = signed_in("Edda")
    assert edda.get("/shares").status_code == 200
    assert change(signed_in("Anna"), database, "edda", do="role", role="viewer")[0] == 303
    assert edda.get("/shares").status_code == 403
    assert acts(database, "user changed") == [("Anna", "Edda", "viewer")]


def test_a_new_password_ends_what_the_old_one_opened(signed_in: Browser, database: Database) -> None:
    """It is shown once, and the account signs in with it."""
    edda = signed_in("Edda")
    status, page = change(signed_in("Anna"), database, "edda", do="password")
    found = PASSWORD.search(page)
    assert status == 200
    assert found is not None
    assert edda.get("/").status_code == 303
    assert enter(signed_in("nobody"), "edda", found[1]) == 303
    _, page = change(signed_in("Anna"), database, "edda", do="password")
    assert enter(signed_in("nobody"), "edda", found[1]) != 303
    assert acts(database, "user changed") == [("Anna", "Edda", "new password")] * 2


def test_a_disabled_account_is_out_and_stays_out_when_enabled(signed_in: Browser, database: Database) -> None:
    """Its browsers have to sign in again."""
    anna, edda = signed_in("Anna"), signed_in("Edda")
    assert change(anna, database, "edda", do="disable")[0] == 303
    assert edda.get("/").status_code == 303
    assert "disabled" in anna.get("/users").text
    assert change(anna, database, "edda", do="enable")[0] == 303
    assert edda.get("/").status_code == 303
    assert stored(database, "edda").disabled is None  # type: ignore[union-attr]
    assert [how for _, _, how in acts(database, "user changed")] == ["enabled", "disabled"]


def test_signing_out_everywhere_ends_every_browser_of_one_account(
    signed_in: Browser, database: Database, people: dict[str, int]
) -> None:
    """And of nobody else; the page says how many."""
    anna, first, second = signed_in("Anna"), signed_in("Edda"), signed_in("Edda")
    status, page = change(anna, database, "edda", do="sign-out")
    assert (status, "signed out of 2 browsers" in page) == (200, True)
    assert (first.get("/").status_code, second.get("/").status_code) == (303, 303)
    assert anna.get("/").status_code == 200
    with database.session() as session:
        assert sign_ins.list_of(session, people["Edda"], 1.0) == []


def test_removing_asks_once_more_and_keeps_the_traces(
    signed_in: Browser, database: Database, people: dict[str, int], add_trace: Callable[..., str]
) -> None:
    """They belong to nobody then."""
    trace = add_trace(owner=people["Edda"])
    anna, edda = signed_in("Anna"), signed_in("Edda")
    user = stored(database, "edda")
    assert user is not None
    question = anna.post(f"/users/{user.id}/remove")
    assert (question.status_code, "Remove Edda?" in question.text) == (200, True)
    assert stored(database, "edda") is not None
    assert acts(database, "user removed") == []
    assert anna.post(f"/users/{user.id}/remove", data={"sure": "1"}).status_code == 303
    assert stored(database, "edda") is None
    assert edda.get("/").status_code == 303
    with database.session() as session:
        kept = traces.get(session, trace)
        assert kept is not None
        assert kept.owner is None
    assert acts(database, "user removed") == [("Anna", "Edda", "")]
    assert anna.post(f"/users/{user.id}", data={"do": "enable"}).status_code == 404


@pytest.mark.parametrize("do", ["disable", "role", "remove"])
def test_the_last_admin_cannot_be_lost(signed_in: Browser, database: Database, do: str) -> None:
    """Not by disabling, another role or removing; the page says what to do first, and nothing changed."""
    anna = signed_in("Anna")
    user = stored(database, "anna")
    assert user is not None
    path = f"/users/{user.id}"
    if do == "remove":
        answer = anna.post(f"{path}/remove", data={"sure": "1"})
    else:
        answer = anna.post(path, data={"do": do, "role": "viewer"})
    assert answer.status_code == 400
    assert "make somebody else admin first" in answer.text
    after = stored(database, "anna")
    assert after is not None
    assert (after.role, after.disabled) == ("admin", None)
    assert anna.get("/users").status_code == 200
    assert acts(database, "user changed") + acts(database, "user removed") == []


def test_an_unknown_change_changes_nothing(signed_in: Browser, database: Database) -> None:
    """A form that somebody else made."""
    assert change(signed_in("Anna"), database, "edda", do="promote")[0] == 400
    assert acts(database, "user changed") == []


def test_the_first_account_is_an_admin_and_ends_the_open_installation(
    settings: Settings, database: Database
) -> None:
    """Its password is on the page that made it, which leads to the sign-in and offers nothing else; whoever goes
    there is out at once, and whoever does not within two seconds."""
    with TestClient(create_app(settings, database), base_url=BASE, follow_redirects=False) as client:
        page = client.get("/users").text
        assert "This installation has no accounts" in page
        assert 'value="viewer"' not in page
        assert client.post("/users", data={"name": "Otto", "role": "viewer"}).status_code == 400
        answer = client.post("/users", data={"name": "Otto", "role": "admin"})
        found = PASSWORD.search(answer.text)
        assert found is not None
        assert "everybody has to sign in, on this machine too" in answer.text
        assert 'href="/sign-in?next=/users"' in answer.text
        assert "Open installation" not in answer.text
        assert "<form" not in answer.text
        assert answer.headers["cache-control"] == "no-store"
        assert client.get("/sign-in?next=/users").status_code == 200
        assert client.get("/users").status_code == 303
    assert acts(database, "user added") == [("this machine", "Otto", "admin")]
    app = create_app(settings, database)
    with TestClient(app, base_url=BASE, follow_redirects=False) as client:
        assert client.get("/users").status_code == 303
        assert enter(client, "otto", found[1]) == 303
        assert client.get("/users").status_code == 200


def test_an_account_without_a_password_is_for_those_who_sign_in_elsewhere(
    tmp_path: Path, database: Database, people: dict[str, int]
) -> None:
    """Offered where a proxy in front or a provider names who asks, and made with a password where neither does."""
    form = {"name": "Otto", "role": "viewer", "without": "1"}
    plain = load_settings(data_dir=tmp_path)
    with TestClient(app := create_app(plain, database)):
        anna = browser(app, plain, database, people["Anna"])
        assert 'name="without"' not in anna.get("/users").text
        assert PASSWORD.search(anna.post("/users", data={**form, "name": "Olga"}).text)
    proxied = load_settings(data_dir=tmp_path, trusted_header="X-Forwarded-User")
    with TestClient(app := create_app(proxied, database)):
        anna = browser(app, proxied, database, people["Anna"])
        page = anna.get("/users").text
        assert 'name="without"' in page
        assert "Unless that is ticked, a password is made" in page
        assert PASSWORD.search(anna.post("/users", data=form).text) is None
    otto, olga = stored(database, "otto"), stored(database, "olga")
    assert otto is not None
    assert olga is not None
    assert (otto.password is None, olga.password is None) == (True, False)


def test_a_name_full_of_markup_is_text(signed_in: Browser, database: Database) -> None:
    """In the table, above it and in the question before it is removed."""
    anna = signed_in("Anna")
    made = anna.post("/users", data={"name": '<b>"x', "role": "viewer"}).text
    user = stored(database, '<b>"x')
    assert user is not None
    for page in (made, anna.get("/users").text, anna.post(f"/users/{user.id}/remove").text):
        assert '<b>"x' not in page
        assert "&lt;b&gt;&#34;x" in page


def test_an_admin_finds_users_and_audit_in_the_head(signed_in: Browser) -> None:
    """Of every page; an editor does not."""
    links = ('<a href="/users"', '<a href="/audit"')
    assert all(link in signed_in("Anna").get("/capture").text for link in links)
    assert not any(link in signed_in("Edda").get("/capture").text for link in links)
