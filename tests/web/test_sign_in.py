"""Signing in: what opens, what is refused and how, and what a browser is told to keep."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from webapp.accounts import passwords, secret
from webapp.accounts.tries import Throttle
from webapp.app import create_app
from webapp.settings import Settings, load_settings
from webapp.storage import audit, users
from webapp.storage.db import Database
from webapp.storage.models import SignIn
from webapp.views import account as account_views
from webapp.web import sign_in

BASE = "http://127.0.0.1:8321"
PASSWORD = "four green herons"
NEW = "five grey pelicans"
Browser = Callable[..., TestClient]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(data_dir=tmp_path)


@pytest.fixture(autouse=True)
def ada(database: Database) -> int:
    """The one account; gives its number."""
    with database.session() as session:
        stored = passwords.hashed(PASSWORD)
        return users.add(session, name="Ada", role="admin", password_hash=stored, now=1.0).pk


@pytest.fixture
def browser(settings: Settings, database: Database) -> Iterator[Browser]:
    """Makes browsers, each with cookies of its own, at one server."""
    app = create_app(settings, database)
    with TestClient(app, base_url=BASE, follow_redirects=False):
        yield lambda place="203.0.113.1": TestClient(
            app, base_url=BASE, follow_redirects=False, client=(place, 50_000)
        )


@pytest.fixture
def client(browser: Browser) -> TestClient:
    return browser()


def enter(client: TestClient, name: str = "ada", password: str = PASSWORD, **more: str) -> Any:
    return client.post("/sign-in", data={"name": name, "password": password, **more})


def lines(database: Database, what: str) -> list[tuple[str, str, dict[str, Any]]]:
    with database.session() as session:
        return [(line.who, line.how, line.detail) for line in audit.newest(session, what=what)[0]]


def opens(client: TestClient) -> bool:
    """Whether the front page is shown."""
    answer = client.get("/")
    assert answer.status_code in (200, 303)
    return bool(answer.status_code == 200)


def test_name_and_password_open_what_was_asked_for(client: TestClient, database: Database) -> None:
    """The page leads back to where it came from, and the cookie is for no script and no other site."""
    asked = client.get("/capture?q=a")
    assert (asked.status_code, asked.headers["location"]) == (303, "/sign-in?next=/capture%3Fq%3Da")
    page = client.get(asked.headers["location"])
    assert 'name="next" value="/capture?q=a"' in page.text
    answer = enter(client, next="/capture?q=a")
    assert (answer.status_code, answer.headers["location"]) == (303, "/capture?q=a")
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith("lanescope_session=")
    assert {"httponly", "path=/", "samesite=lax"} <= {part.strip() for part in cookie.split(";")}
    assert answer.headers["cache-control"] == "no-store"
    assert opens(client)
    assert lines(database, "signed in") == [("Ada", "session", {})]
    assert client.get("/sign-in?next=/capture").headers["location"] == "/capture"


@pytest.mark.databases("sqlite")  # a matter of addresses
@pytest.mark.parametrize("to", ["https://evil.example/", "//evil.example", "/\\evil.example", ""])
def test_signing_in_leads_to_no_other_site(client: TestClient, to: str) -> None:
    """Neither the form nor the answer repeats it."""
    assert 'name="next" value="/"' in client.get("/sign-in", params={"next": to}).text
    assert enter(client, next=to).headers["location"] == "/"
    assert client.get("/sign-in", params={"next": to}).headers["location"] == "/"


@pytest.mark.parametrize("disabled", [False, True])
def test_nobody_learns_which_names_there_are(client: TestClient, database: Database, disabled: bool) -> None:
    """An unknown name, a wrong password and a disabled account have one answer."""
    with database.session() as session:
        users.add(session, name="Eve", role="admin", now=1.0)
        bob = users.add(session, name="Bob", role="viewer", password_hash=passwords.hashed(NEW), now=1.0)
        if disabled:
            users.disable(session, bob, 2.0)
    wrong = [enter(client, "nobody"), enter(client, "bob", PASSWORD), enter(client, "eve", PASSWORD)]
    wrong += [enter(client, "bob", NEW)] if disabled else []
    wrong += [client.post("/sign-in", data={"name": "bob"}), client.post("/sign-in")]
    for answer in wrong:
        assert (answer.status_code, answer.headers.get("set-cookie")) == (400, None)
        assert sign_in.WRONG in answer.text
        assert PASSWORD not in answer.text
    pages = {answer.text.replace('value="nobody"', 'value="bob"') for answer in wrong[:2]}
    assert len(pages) == 1
    assert not opens(client)


def test_an_unknown_name_is_not_kept(client: TestClient, database: Database) -> None:
    """It may be a password, typed in the wrong place."""
    enter(client, PASSWORD, "x")
    enter(client, "ADA", "x")
    assert lines(database, "not signed in") == [
        ("nobody", "nobody", {"user": "Ada"}),
        ("nobody", "nobody", {"user": ""}),
    ]


def test_a_name_is_tried_ten_times_in_five_minutes(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then even the right password waits, in any browser of that place. Another name does not, nor who is elsewhere."""
    for _ in range(10):
        assert enter(browser(), "ada", "wrong").status_code == 400
    assert enter(browser("203.0.113.9")).status_code == 303
    answer = enter(browser())
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= 300
    assert "Try again in" in answer.text
    assert enter(browser(), "bob").status_code == 400
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 301)
    assert enter(browser()).status_code == 303


def test_a_name_is_not_tried_from_everywhere_for_ever(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guessing from many places is limited too, at a number that no owner reaches."""
    assert sign_in.OF_NAME_ANYWHERE.most == 100
    monkeypatch.setattr(sign_in, "OF_NAME_ANYWHERE", Throttle("sign-in any", most=4, seconds=300))
    for number in range(4):
        assert enter(browser(f"203.0.113.{number}"), "ada", "wrong").status_code == 400
    assert enter(browser("203.0.113.9")).status_code == 429


def test_success_begins_the_count_anew(client: TestClient) -> None:
    """Who mistypes now and then is never kept waiting."""
    for _ in range(3):
        for _ in range(8):
            assert enter(client, "ada", "wrong").status_code == 400
        assert enter(client).status_code == 303


def test_an_address_tries_fifty_times_in_five_minutes(browser: Browser) -> None:
    """Whatever names it tries; and what it tries then is not held against a name."""
    one, other = browser("203.0.113.1"), browser("203.0.113.2")
    for number in range(50):
        assert enter(one, f"name {number}").status_code == 400
    for _ in range(11):
        assert enter(one).status_code == 429
    assert enter(other).status_code == 303


def test_a_new_sign_in_has_a_new_token_and_ends_the_old(browser: Browser, settings: Settings) -> None:
    """A token that somebody planted, or kept, opens nothing."""
    client, thief = browser(), browser()
    client.cookies.set("lanescope_session", "planted")
    enter(client)
    first = client.cookies.get("lanescope_session", domain="127.0.0.1")
    assert first not in (None, "planted")
    thief.cookies.set("lanescope_session", str(first))
    assert opens(thief)
    enter(client)
    assert not opens(thief)
    assert opens(client)


def test_signing_out_ends_this_browser_only(browser: Browser, database: Database) -> None:
    """Its cookie, kept by somebody, opens nothing; and the browser forgets the pages."""
    one, two, thief = browser(), browser(), browser()
    enter(one)
    enter(two)
    thief.cookies.set("lanescope_session", str(one.cookies.get("lanescope_session")))
    answer = one.post("/sign-out")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert answer.headers["clear-site-data"] == '"cache"'
    assert 'lanescope_session="";' in answer.headers["set-cookie"]
    assert not opens(one)
    assert not opens(thief)
    assert opens(two)
    assert one.post("/sign-out").headers["location"] == "/sign-in"
    assert lines(database, "signed out") == [("Ada", "session", {})]


def test_signing_out_everywhere_ends_every_browser(browser: Browser, database: Database) -> None:
    """This one too."""
    one, two = browser(), browser()
    enter(one)
    enter(two)
    assert one.post("/account/sign-ins/end").headers["location"] == "/sign-in"
    assert not opens(one)
    assert not opens(two)


def test_the_account_lists_its_browsers_and_ends_one(browser: Browser, database: Database) -> None:
    """By an id that is no token; those of others are not there and cannot be ended."""
    with database.session() as session:
        stored = passwords.hashed(NEW)
        users.add(session, name="Bob", role="viewer", password_hash=stored, now=1.0)
    one, two, bob = browser(), browser(), browser()
    one.headers["user-agent"] = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
    two.headers["user-agent"] = "<b>Odd</b>/1.0 (thing)"
    enter(one)
    enter(two)
    enter(bob, "bob", NEW)
    page = one.get("/account").text
    assert page.count("this one") == 1
    assert "Firefox on Linux" in page
    assert "&lt;b&gt;Odd" in page
    assert str(two.cookies.get("lanescope_session")) not in page
    with database.session() as session:
        rows = session.query(SignIn).order_by(SignIn.created).all()
        first, second, third = (row.id for row in rows)
    assert third not in page
    one.post(f"/account/sign-ins/{third}/end")
    assert opens(bob)
    assert one.post(f"/account/sign-ins/{second}/end").headers["location"] == "/account"
    assert not opens(two)
    assert one.post(f"/account/sign-ins/{first}/end").headers["location"] == "/sign-in"
    assert not opens(one)


def test_a_new_password_ends_every_other_browser(browser: Browser, database: Database) -> None:
    """And the old one opens nothing."""
    one, two = browser(), browser()
    enter(one)
    enter(two)
    answer = one.post("/account/password", data={"now": PASSWORD, "new": NEW, "again": NEW})
    assert (answer.status_code, answer.headers["location"]) == (303, "/account?changed=password")
    assert "was changed" in one.get(answer.headers["location"]).text
    assert opens(one)
    assert not opens(two)
    assert enter(browser()).status_code == 400
    assert enter(browser(), password=NEW).status_code == 303
    assert lines(database, "user changed") == [("Ada", "session", {"user": "Ada", "change": "new password"})]


@pytest.mark.databases("sqlite")  # what is refused before it gets there
@pytest.mark.parametrize(
    ("now", "new", "again", "told"),
    [
        ("wrong", NEW, NEW, "another one"),
        (PASSWORD, NEW, NEW + "!", "two ways"),
        (PASSWORD, "short", "short", "12 characters"),
        (PASSWORD, "", "", "12 characters"),
        ("", "", "", "another one"),
    ],
)
def test_a_password_that_cannot_be_set_changes_nothing(
    client: TestClient, database: Database, now: str, new: str, again: str, told: str
) -> None:
    """The page says why, and repeats none of what was typed."""
    enter(client)
    answer = client.post("/account/password", data={"now": now, "new": new, "again": again})
    assert answer.status_code == 400
    assert told in answer.text
    assert not any(text and f'value="{text}"' in answer.text for text in (now, new, again))
    assert lines(database, "user changed") == []
    assert enter(client).status_code == 303


def test_a_stolen_browser_cannot_guess_the_password(client: TestClient) -> None:
    """Ten tries in five minutes, then the right one waits too."""
    enter(client)
    for _ in range(10):
        client.post("/account/password", data={"now": "wrong", "new": NEW, "again": NEW})
    answer = client.post("/account/password", data={"now": PASSWORD, "new": NEW, "again": NEW})
    assert (answer.status_code, "too often" in answer.text) == (400, True)


def test_what_changes_of_an_account_counts_at_the_next_request(
    client: TestClient, database: Database, ada: int
) -> None:
    """A role that is taken away, and an account that is disabled."""
    with database.session() as session:
        users.add(session, name="Eve", role="admin", now=1.0)
    enter(client)
    assert client.get("/users").status_code == 200
    with database.session() as session:
        user = users.by_pk(session, ada)
        assert user is not None
        users.set_role(session, user, "viewer")
    assert client.get("/users").status_code == 403
    assert opens(client)
    with database.session() as session:
        user = users.by_pk(session, ada)
        assert user is not None
        users.disable(session, user, 2.0)
    assert not opens(client)


def test_use_keeps_a_sign_in_and_neglect_ends_it(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thirty days from the last use, ninety in any case."""
    real = time.time
    enter(client)
    for day in (29, 58, 87):
        monkeypatch.setattr(time, "time", lambda day=day: real() + day * 86_400)
        assert opens(client), day
        client.get("/")
    monkeypatch.setattr(time, "time", lambda: real() + 91 * 86_400)
    assert not opens(client)


def test_a_weaker_hash_is_made_anew_at_the_next_sign_in(
    client: TestClient, database: Database, ada: int
) -> None:
    """Whoever signs in has it stored with today's parameters."""
    weak = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=16, parallelism=1),)).hash(PASSWORD)
    with database.session() as session:
        user = users.by_pk(session, ada)
        assert user is not None
        users.set_password(session, user, weak)
    assert enter(client).status_code == 303
    with database.session() as session:
        user = users.by_pk(session, ada)
        assert user is not None
        assert user.password != weak
    assert enter(client).status_code == 303


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"name=" + b"x" * 20_000, 413),
        (b"name=\xff", 400),
        (b"&".join([b"a=1"] * 50), 400),
        (b"name=%ff", 400),
    ],
)
def test_a_form_of_a_stranger_is_read_to_a_small_limit(client: TestClient, body: bytes, status: int) -> None:
    """No memory and no fault for what no browser sends."""
    assert client.post("/sign-in", content=body).status_code == status


def test_another_site_cannot_sign_a_browser_in_or_out(client: TestClient) -> None:
    """As somebody else, to see what is uploaded then."""
    foreign = {"origin": "https://evil.example", "sec-fetch-site": "cross-site"}
    form = {"name": "ada", "password": PASSWORD}
    assert client.post("/sign-in", data=form, headers=foreign).status_code == 403
    enter(client)
    assert client.post("/sign-out", headers=foreign).status_code == 403
    assert opens(client)


def test_no_password_cookie_or_secret_is_logged(
    client: TestClient,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Whatever the level, also when a handler fails."""
    with caplog.at_level(logging.DEBUG):
        enter(client, "ada", "wrong password canary")
        enter(client)
        client.post("/account/password", data={"now": PASSWORD, "new": NEW, "again": NEW})
        monkeypatch.setattr(account_views, "account", lambda *_given, **_told: 1 / 0)
        assert client.get("/account").status_code == 500
    assert "failed" in caplog.text
    told = caplog.text + "".join(capfd.readouterr())
    cookie = str(client.cookies.get("lanescope_session"))
    for each in (
        "wrong password canary",
        PASSWORD,
        NEW,
        cookie,
        cookie[:20],
        secret.secret(settings).decode(),
    ):
        assert each not in told, each


def test_the_secret_is_on_no_page(client: TestClient, settings: Settings) -> None:
    """Nor are hashes of passwords and tokens."""
    enter(client)
    for path in ("/account", "/users", "/audit", "/audit.jsonl", "/sign-in", "/nowhere"):
        text = client.get(path).text
        assert secret.secret(settings).decode() not in text
        assert "$argon2" not in text


def test_a_browser_that_signs_in_over_https_keeps_the_cookie_to_itself(
    tmp_path: Path, database: Database
) -> None:
    """Secure, and bound to the host by its name."""
    settings = load_settings(data_dir=tmp_path, public_url="https://lanescope.example.com")
    with TestClient(
        create_app(settings, database), base_url="https://lanescope.example.com", follow_redirects=False
    ) as client:
        cookie = enter(client).headers["set-cookie"]
        assert cookie.startswith("__Host-lanescope_session=")
        assert "Secure" in cookie
        assert opens(client)


def test_an_account_without_a_password_cannot_sign_in_here(client: TestClient, database: Database) -> None:
    """Neither with none; nor can it be given one by whoever has its browser."""
    with database.session() as session:
        users.add(session, name="Bob", role="viewer", now=1.0)
    for password in ("", "None", PASSWORD):
        assert enter(client, "bob", password).status_code == 400
    enter(client)
    with database.session() as session:
        user = users.by_name(session, "ada")
        assert user is not None
        users.set_password(session, user, None)
    assert "New password" not in client.get("/account").text
    answer = client.post("/account/password", data={"now": "", "new": NEW, "again": NEW})
    assert (answer.status_code, "signed in elsewhere" in answer.text) == (403, True)


PUBLIC = "https://lanescope.example.com"
DIRECT = "http://10.0.0.5:8321"


@pytest.fixture
def secured(database: Database, tmp_path: Path) -> Iterator[Browser]:
    """Makes browsers at a server that is to be reached over https; base: the address they opened."""
    settings = load_settings(data_dir=tmp_path, host="10.0.0.5", public_url=PUBLIC)
    app = create_app(settings, database)
    with TestClient(app, base_url=PUBLIC, follow_redirects=False):
        yield lambda base: TestClient(app, base_url=base, follow_redirects=False)


@pytest.mark.parametrize("base", [DIRECT, "http://lanescope.example.com"])
def test_where_the_cookie_would_be_dropped_nobody_signs_in(
    secured: Browser, database: Database, caplog: pytest.LogCaptureFixture, base: str
) -> None:
    """The page names the address that can, the log the setting; no try is counted and no sign-in begun."""
    client = secured(base)
    with caplog.at_level(logging.WARNING):
        form = {"name": "ada", "password": PASSWORD, "next": "/live"}
        answer = client.post("/sign-in", data=form, headers={"origin": base})
    assert (answer.status_code, answer.headers.get("set-cookie")) == (400, None)
    assert f"Use {PUBLIC} instead" in answer.text
    assert f'href="{PUBLIC}/sign-in?next=/live"' in answer.text
    assert "<form" not in answer.text
    assert f"LANESCOPE_PUBLIC_URL is {PUBLIC}" in caplog.text
    assert PASSWORD not in caplog.text
    assert lines(database, "signed in") == lines(database, "not signed in") == []


def test_the_wrong_address_is_told_before_a_password_is_typed(secured: Browser) -> None:
    """By the address alone, since a browser adds nothing to what it opens over http."""
    page = secured(DIRECT).get("/sign-in?next=/live")
    assert page.status_code == 400
    assert f'href="{PUBLIC}/sign-in?next=/live"' in page.text
    assert 'type="password"' not in page.text


@pytest.mark.databases("sqlite")  # a matter of cookies
@pytest.mark.parametrize(
    ("base", "origin"),
    [
        (PUBLIC, PUBLIC),
        ("http://lanescope.example.com", PUBLIC),  # TLS ends at the proxy
        (DIRECT, PUBLIC),  # and this one does not pass the name on
        ("http://127.0.0.1:8321", "http://127.0.0.1:8321"),  # browsers keep it at this machine's own address
    ],
)
def test_where_the_cookie_is_kept_one_signs_in(secured: Browser, base: str, origin: str) -> None:
    """Over https, whatever the proxy in front makes of it, and on the machine itself."""
    client = secured(base)
    page = client.get("/sign-in", headers={"sec-fetch-site": "none"})
    assert (page.status_code, 'type="password"' in page.text) == (200, True)
    form = {"name": "ada", "password": PASSWORD}
    answer = client.post("/sign-in", data=form, headers={"origin": origin})
    assert answer.status_code == 303
    assert answer.headers["set-cookie"].startswith("__Host-lanescope_session=")


def test_without_https_any_address_does(client: TestClient) -> None:
    """The cookie is for http then."""
    assert client.post(
        "/sign-in", data={"name": "ada", "password": PASSWORD}, headers={"origin": BASE}
    ).is_redirect
