"""Keys of programs: who may make which, that they are shown once, and that they end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from tests.web.people import browser, person
from webapp.app import create_app
from webapp.settings import Settings
from webapp.storage import audit, keys, users
from webapp.storage.db import Database
from webapp.storage.models import ApiKey
from webapp.views import keys as views

SECRET = re.compile(r"lsk_[A-Za-z0-9_-]{40,}")
RUN = b'data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}\n\n'
Browser = Callable[[str], TestClient]


@pytest.fixture
def signed_in(settings: Settings, database: Database) -> Iterator[Browser]:
    """Browsers of Vera (viewer), Edda (editor) and Anna (admin), by role; `nobody` is signed in to nothing."""
    people = {
        role: person(database, name, role)
        for name, role in (("Anna", "admin"), ("Edda", "editor"), ("Vera", "viewer"))
    }
    app = create_app(settings, database)
    with TestClient(app):
        yield lambda role: browser(app, settings, database, people.get(role))


def make(client: TestClient, scope: str, name: str = "nightly", days: str = "90") -> str:
    """A key made on the page; its secret."""
    answer = client.post("/account/keys", data={"name": name, "scope": scope, "days": days})
    assert answer.status_code == 200, answer.text
    found = SECRET.search(answer.text)
    assert found is not None
    return found[0]


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


@pytest.mark.parametrize(
    ("role", "scope", "status"),
    [
        ("viewer", "read", 200),
        ("viewer", "push", 400),
        ("viewer", "admin", 400),
        ("editor", "read", 200),
        ("editor", "push", 200),
        ("editor", "admin", 400),
        ("admin", "read", 200),
        ("admin", "push", 200),
        ("admin", "admin", 200),
        ("admin", "root", 400),
    ],
)
def test_nobody_makes_a_key_that_may_more_than_they(
    signed_in: Browser, database: Database, role: str, scope: str, status: int
) -> None:
    """The form offers what may be chosen, and what is sent all the same is refused in words."""
    client = signed_in(role)
    offered = f'name="scope" value="{scope}"' in client.get("/account").text
    answer = client.post("/account/keys", data={"name": "x", "scope": scope, "days": "30"})
    assert (answer.status_code, offered) == (status, status == 200)
    with database.session() as session:
        made = session.scalars(select(ApiKey.scope)).all()
    assert made == ([scope] if status == 200 else [])
    if status != 200:
        assert 'role="alert"' in answer.text


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"name": " ", "scope": "read", "days": "30"}, "needs a name"),
        ({"name": "n" * 81, "scope": "read", "days": "30"}, "81 characters"),
        ({"name": "x", "scope": "", "days": "30"}, "what the key is for"),
        ({"name": "x", "scope": "read", "days": "31"}, "how long the key works"),
    ],
)
def test_what_is_missing_is_told_beside_the_form(
    signed_in: Browser, database: Database, form: dict[str, str], told: str
) -> None:
    """The name that was typed is still there; no key was made."""
    answer = signed_in("editor").post("/account/keys", data=form)
    assert answer.status_code == 400
    assert told in answer.text
    assert f'name="name" value="{form["name"]}"' in answer.text
    with database.session() as session:
        assert session.scalars(select(ApiKey.id)).all() == []


def test_a_key_is_shown_once_and_kept_by_no_cache(signed_in: Browser, database: Database) -> None:
    """With the line that uses it; afterwards no page and no row has it."""
    client = signed_in("editor")
    answer = client.post("/account/keys", data={"name": "nightly", "scope": "push", "days": "30"})
    found = SECRET.search(answer.text)
    assert found is not None
    assert answer.headers["cache-control"] == "no-store"
    assert "Authorization: Bearer $LANESCOPE_KEY" in answer.text
    assert "/api/traces?name=run.sse" in answer.text
    for page in (client.get("/account"), signed_in("admin").get("/users")):
        assert "nightly" in page.text
        assert "lsk_" not in page.text
    with database.session() as session:
        (key,) = session.scalars(select(ApiKey)).all()
        assert all(found[0] not in str(value) for value in vars(key).values())
        lines, _ = audit.newest(session, what="key made")
        assert [(line.who, line.detail["scope"], line.detail["name"]) for line in lines] == [
            ("Edda", "push", "nightly")
        ]
        assert found[0] not in str(lines[0].detail)


def test_a_push_key_sends_and_reads_nothing(signed_in: Browser) -> None:
    """Its trace belongs to whose key it is."""
    program = signed_in("nobody")
    key = make(signed_in("editor"), "push")
    sent = program.post("/api/traces?name=run.sse", content=RUN, headers=bearer(key))
    assert sent.status_code == 201
    assert program.get("/api/traces", headers=bearer(key)).status_code == 403
    assert program.get(f"/api/traces/{sent.json()['id']}", headers=bearer(key)).status_code == 403
    deleted = signed_in("editor").post(f"/traces/{sent.json()['id']}/delete")
    assert deleted.status_code == 303


def test_a_read_key_reads_and_sends_nothing(signed_in: Browser) -> None:
    """Made by a viewer, too; its last use is shown."""
    program, client = signed_in("nobody"), signed_in("viewer")
    key = make(client, "read")
    assert "never" in client.get("/account").text
    assert program.get("/api/traces", headers=bearer(key)).status_code == 200
    assert program.post("/api/traces", content=RUN, headers=bearer(key)).status_code == 403


def test_a_revoked_key_opens_nothing(signed_in: Browser, database: Database) -> None:
    """By its owner, at once, and written down; a second time changes nothing."""
    program, client = signed_in("nobody"), signed_in("editor")
    key = make(client, "read")
    revoke = re.findall(r'action="(/account/keys/[^"]+/revoke)"', client.get("/account").text)
    assert len(revoke) == 1
    for _ in range(2):
        answer = client.post(revoke[0])
        assert (answer.status_code, answer.headers["location"]) == (303, "/account")
    assert program.get("/api/traces", headers=bearer(key)).status_code == 401
    assert '<span class="state revoked">revoked</span>' in client.get("/account").text
    with database.session() as session:
        assert [line.who for line in audit.newest(session, what="key revoked")[0]] == ["Edda"]


def test_only_an_admin_ends_the_key_of_somebody_else(signed_in: Browser) -> None:
    """Who is neither hears that there is no such key; the admin returns to the list of users."""
    program = signed_in("nobody")
    key = make(signed_in("editor"), "read")
    listed = signed_in("admin").get("/users").text
    (revoke,) = re.findall(r'action="(/account/keys/[^"]+/revoke\?back=users)"', listed)
    assert "of Edda" in listed
    assert signed_in("viewer").post(revoke).status_code == 404
    assert program.get("/api/traces", headers=bearer(key)).status_code == 200
    assert signed_in("admin").post(revoke).headers["location"] == "/users"
    assert program.get("/api/traces", headers=bearer(key)).status_code == 401


def test_a_key_can_do_no_more_than_its_account_today(signed_in: Browser, database: Database) -> None:
    """An editor who became a viewer no longer sends by the key made before."""
    program = signed_in("nobody")
    key = make(signed_in("editor"), "push")
    with database.session() as session:
        user = users.by_name(session, "edda")
        assert user is not None
        users.set_role(session, user, "viewer")
    assert program.post("/api/traces", content=RUN, headers=bearer(key)).status_code == 403


def test_nobody_has_keys_without_end(signed_in: Browser, database: Database) -> None:
    """One more than the most is refused, until one is revoked."""
    client = signed_in("editor")
    make(client, "read")
    with database.session() as session:
        user = users.by_name(session, "edda")
        assert user is not None
        for number in range(views.MOST - 1):
            keys.make(session, user.pk, name=str(number), scope="read", now=1.0)
    form = {"name": "one more", "scope": "read", "days": "none"}
    answer = client.post("/account/keys", data=form)
    assert (answer.status_code, "revoke one" in answer.text) == (400, True)
    revoke = re.findall(r'action="(/account/keys/[^"]+/revoke)"', client.get("/account").text)
    client.post(revoke[0])
    assert client.post("/account/keys", data=form).status_code == 200


def test_without_accounts_there_are_no_keys(client: TestClient) -> None:
    """A key belongs to an account: the page says so."""
    answer = client.post("/account/keys", data={"name": "x", "scope": "read", "days": "30"})
    assert answer.status_code == 403
    assert "an admin adds one under Users" in answer.text
