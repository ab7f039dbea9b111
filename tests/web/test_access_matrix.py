"""Who gets in where: every asker tries every route of the table, by real requests."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import unescape

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response

from tests.prepared import prepared
from tests.slices import every
from tests.streams import finished, sse, started
from tests.web.people import person
from webapp.accounts import cookies
from webapp.accounts.passwords import hashed
from webapp.app import create_app
from webapp.ingest.upload import ingest
from webapp.settings import Settings
from webapp.storage import keys, shares, sign_ins, traces, users
from webapp.storage.db import Database
from webapp.web.access import ANY, TABLE, Entry, Need, entry_of

RUN = sse(started(), finished())
RANK = {Need.PUBLIC: 0, Need.VIEWER: 1, Need.EDITOR: 2, Need.OWN: 2, Need.ADMIN: 3}
ROLES = {"": 0, "viewer": 1, "editor": 2, "admin": 3}
OPENED_BY = {"": (), "push": ("push", "admin"), "read": ("read", "admin"), "admin": ("admin",)}
STREAM = "/live/moves"  # has no end: asked last, when watching is over


@dataclass(frozen=True)
class Asker:
    """role: whose it is; scope: of a key; good: whether it counts for anything."""

    name: str
    role: str = ""
    scope: str = ""
    good: bool = True
    headers: Callable[[World], dict[str, str]] = field(default=lambda _: {})

    def may(self, entry: Entry) -> bool:
        if entry.need is Need.PUBLIC:
            return True
        if entry.path.startswith("/proxy/") and not self.scope:
            return False  # any site can make a browser call through there, so a sign-in counts for nothing
        if not self.good or ROLES[self.role] < RANK[entry.need]:
            return False
        return not self.scope or self.scope in OPENED_BY[entry.keys]


@dataclass
class World:
    """An installation with one account a role, a trace and a link to it."""

    app: FastAPI
    client: TestClient
    database: Database
    settings: Settings
    users: dict[str, int]
    trace: str
    token: str

    def cookie(self, user: str, days: float = 1) -> dict[str, str]:
        """A fresh sign-in: some requests end the one they are made with."""
        with self.database.session() as session:
            _, token = sign_ins.begin(session, self.users[user], now=time.time(), agent="test", days=days)
        return self.as_cookie(cookies.signed(token, self.settings))

    def as_cookie(self, value: str) -> dict[str, str]:
        return {"Cookie": f"{cookies.name(self.settings)}={value}"}

    def key(
        self, user: str, scope: keys.Scope, *, days: float | None = None, revoked: bool = False
    ) -> dict[str, str]:
        with self.database.session() as session:
            key, secret = keys.make(
                session, self.users[user], name="k", scope=scope, now=time.time(), days=days
            )
            if revoked:
                keys.revoke(session, key.id, time.time())
        return {"Authorization": f"Bearer {secret}", "Lanescope-Key": secret}


def made_with_another_secret(world: World) -> dict[str, str]:
    """The token of a real sign-in, signed by somebody who does not know the secret."""
    with world.database.session() as session:
        _, token = sign_ins.begin(session, world.users["admin"], now=time.time(), agent="x", days=1)
    other = world.settings.model_copy(update={"data_dir": world.settings.data_dir / "elsewhere"})
    return world.as_cookie(cookies.signed(token, other))


def with_a_changed_character(world: World) -> dict[str, str]:
    cookie = world.cookie("admin")["Cookie"]
    return {"Cookie": cookie[:-4] + ("A" if cookie[-4] != "A" else "B") + cookie[-3:]}


def token_alone(world: World) -> dict[str, str]:
    """The token without a signature."""
    return {"Cookie": world.cookie("admin")["Cookie"].rpartition(".")[0]}


ASKERS = (
    Asker("nobody", good=False),
    Asker("viewer", "viewer", headers=lambda world: world.cookie("viewer")),
    Asker("editor", "editor", headers=lambda world: world.cookie("editor")),
    Asker("admin", "admin", headers=lambda world: world.cookie("admin")),
    Asker("share token", good=False, headers=lambda world: {"Authorization": f"Bearer {world.token}"}),
    Asker("share token as a cookie", good=False, headers=lambda world: world.as_cookie(world.token)),
    Asker("push key", "editor", "push", headers=lambda world: world.key("editor", "push")),
    Asker("read key", "viewer", "read", headers=lambda world: world.key("viewer", "read")),
    Asker("admin key", "admin", "admin", headers=lambda world: world.key("admin", "admin")),
    Asker("an admin's read key", "admin", "read", headers=lambda world: world.key("admin", "read")),
    Asker("an editor's admin key", "editor", "admin", headers=lambda world: world.key("editor", "admin")),
    Asker("a viewer's push key", "viewer", "push", headers=lambda world: world.key("viewer", "push")),
    Asker("expired sign-in", good=False, headers=lambda world: world.cookie("admin", days=-1)),
    Asker("expired key", good=False, headers=lambda world: world.key("admin", "admin", days=-1)),
    Asker("revoked key", good=False, headers=lambda world: world.key("admin", "admin", revoked=True)),
    Asker("disabled account", good=False, headers=lambda world: world.cookie("gone")),
    Asker("key of a disabled account", good=False, headers=lambda world: world.key("gone", "admin")),
    Asker("cookie of another secret", good=False, headers=made_with_another_secret),
    Asker("changed cookie", good=False, headers=with_a_changed_character),
    Asker("token without its signature", good=False, headers=token_alone),
    Asker(
        "a bad key beside a good cookie", good=False,
        headers=lambda world: {**world.cookie("admin"), "Authorization": "Bearer lsk_made-up"},
    ),
)  # fmt: skip


@pytest.fixture
def world(settings: Settings, database: Database) -> Iterator[World]:

    def stored() -> tuple[dict[str, int], str, str]:
        now = time.time()
        numbers = {name: person(database, name, role) for name, role in
                   (("admin", "admin"), ("editor", "editor"), ("viewer", "viewer"), ("gone", "admin"))}  # fmt: skip
        with database.session() as session:
            for each in users.list_all(session):
                users.set_password(session, each, hashed("none of them signs in with it"))
            users.disable(session, users.by_name(session, "gone"), now)  # type: ignore[arg-type]
        trace = ingest(database, [RUN], name="run.sse", settings=settings).id
        with database.session() as session:
            row = traces.get(session, trace)
            assert row is not None
            _, token = shares.create(
                session, row.pk, name="l", level="everything", panel="events", event=None, now=now, days=1
            )
        return numbers, trace, token

    numbers, trace, token = prepared(database, __name__, stored)
    app = create_app(settings, database)
    with TestClient(app, base_url="http://127.0.0.1:8321", follow_redirects=False) as client:
        yield World(app, client, database, settings, numbers, trace, token)


def address(path: str, world: World) -> str:
    """The route's address: for the trace and the link that there are, else for something that is not there."""
    known = {
        "trace_id": world.trace,
        "token": world.token,
        "rule_id": "RUN-01",
        "seq": "0",
        "verdict": "none",
    }
    return re.sub(r"\{(\w+)(?::path)?\}", lambda found: known.get(found[1], "w4ngn3rzzzzz"), path)


def ask(world: World, entry: Entry, headers: dict[str, str]) -> Response:
    world.client.cookies.clear()
    if entry.path == STREAM:
        world.app.state.hub.close()
    method = "POST" if entry.method == ANY else entry.method
    return world.client.request(method, address(entry.path, world), headers=headers)


def refused(answer: Response) -> bool:
    if answer.status_code == 303 and answer.request.method in ("GET", "HEAD"):
        return answer.headers["location"].startswith("/sign-in")
    return answer.status_code in (401, 403)


def in_order() -> list[Entry]:
    """What takes away what others ask for comes last."""
    return sorted(
        TABLE, key=lambda entry: (entry.path == STREAM, "delete" in entry.path and entry.method == "POST")
    )


@pytest.mark.parametrize("asker", ASKERS, ids=lambda asker: asker.name)
def test_every_route_lets_in_whom_the_table_says(world: World, asker: Asker) -> None:
    """Refused with 401, 403 or the way to the sign-in page; let in means anything else, and never a fault of ours."""
    wrong = []
    headers = asker.headers(world)
    entries = in_order()
    if not asker.good and asker.name != "nobody":
        # what counts for nothing does so before the address matters: each tries a third, each address sees a third
        entries = every(entries, 3, ASKERS.index(asker))
    for entry in entries:
        answer = ask(world, entry, headers)
        if entry.path.startswith(("/account", "/sign")):
            headers = asker.headers(world)  # that may have ended the sign-in
        if entry.need is Need.OWN and asker.role == "editor" and asker.may(entry):
            continue  # whose it is decides: below
        if refused(answer) == asker.may(entry) or answer.status_code >= 500:
            wrong.append(f"{entry.method} {entry.path}: {answer.status_code} {answer.text[:200]}")
    assert wrong == []


@pytest.mark.parametrize(
    ("asker", "owner", "allowed"),
    [
        ("editor", "editor", True),
        ("editor", "admin", False),
        ("editor", None, False),
        ("admin", "editor", True),
        ("admin", None, True),
        ("viewer", "viewer", False),
    ],
)
def test_an_editor_deletes_their_own_and_an_admin_any(
    world: World, asker: str, owner: str | None, allowed: bool
) -> None:
    """The button, the page that asks again and the deleting itself say the same."""
    with world.database.session() as session:
        row = traces.get(session, world.trace)
        assert row is not None
        row.owner = None if owner is None else world.users[owner]
    where, cookie = f"/traces/{world.trace}", world.cookie(asker)
    edit = world.client.get(f"{where}/edit", headers=cookie)
    assert (f"{where}/delete" in edit.text) is allowed
    assert world.client.get(f"{where}/delete", headers=cookie).status_code == (200 if allowed else 403)
    answer = world.client.post(f"{where}/delete", headers=cookie)
    assert answer.status_code == (303 if allowed else 403)
    if asker == "editor" and not allowed:
        assert "only they or an admin can delete it" in answer.text
    left = world.client.get(where, headers=world.cookie("admin"))
    assert left.status_code == (404 if allowed else 200)


def test_who_is_not_known_learns_of_no_route(world: World) -> None:
    """What exists and what does not is answered alike, so that addresses cannot be tried out."""
    base = "http://127.0.0.1:8321"
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        known = world.client.request(method, f"{base}/users")
        assert refused(known)
        for path in ("/nothing", "/users/x/y", "/traces", "//users", "/USERS"):
            answer = world.client.request(method, base + path)
            assert answer.status_code == known.status_code, (method, path)
            assert refused(answer)
        assert world.client.request(method, f"{base}/api/nothing").status_code == 401


@pytest.mark.parametrize("asker", ["viewer", "editor"])
def test_what_the_table_does_not_know_is_not_there(world: World, asker: str) -> None:
    """A route without a line is not found by those who are no admins, were it there or not."""

    @world.app.get("/forgotten")
    def forgotten() -> str:
        return "told"

    assert world.client.get("/forgotten", headers=world.cookie(asker)).status_code == 404
    assert world.client.get("/forgotten", headers=world.key(asker, "admin")).status_code == 404
    assert world.client.get("/forgotten").status_code == 303
    assert world.client.get("/forgotten", headers=world.cookie("admin")).json() == "told"
    assert world.client.get("/forgotten", headers=world.key("admin", "read")).status_code == 404


def test_a_role_counts_from_the_moment_it_is_given(world: World) -> None:
    """It is looked up at every request, and so is whether the account may still sign in."""
    cookie = world.cookie("editor")
    assert world.client.get("/shares", headers=cookie).status_code == 200
    with world.database.session() as session:
        user = users.by_name(session, "editor")
        assert user is not None
        users.set_role(session, user, "viewer")
    answer = world.client.get("/shares", headers=cookie)
    assert answer.status_code == 403
    assert "This needs the role editor, and yours is viewer" in answer.text
    with world.database.session() as session:
        users.disable(session, users.by_name(session, "editor"), time.time())  # type: ignore[arg-type]
    assert world.client.get("/", headers=cookie).headers["location"] == "/sign-in"


def test_a_viewer_is_shown_nothing_that_would_be_refused(world: World) -> None:
    """No button, form or link of a page leads a viewer to a refusal."""
    where = f"/traces/{world.trace}"
    pages = [
        "/",
        "/live",
        "/capture",
        "/rules",
        "/errors",
        "/account",
        where,
        f"{where}?panel=source",
        f"{where}/findings",
    ]
    found = []
    for page in pages:
        answer = world.client.get(page, headers=world.cookie("viewer"))
        assert answer.status_code == 200, page
        for kind, there in re.findall(
            r'\b(href|action|hx-get|hx-post|data-copy-from)="(/[^"]*)"', answer.text
        ):
            path = unescape(there).partition("?")[0].partition("#")[0]
            entry = entry_of("POST" if f'action="{there}" method="post"' in answer.text else "GET", path)
            if entry is None or RANK[entry.need] > 1:
                found.append(f"{page}: {kind} {there}")
    assert found == []


def test_the_last_use_of_a_key_and_of_a_sign_in_is_noted(world: World) -> None:
    """Beside the request, not in it; once a minute is enough."""
    headers = world.key("admin", "read")
    assert world.client.get("/api/traces", headers=headers).status_code == 200

    def used() -> float | None:
        with world.database.session() as session:
            return keys.list_of(session, world.users["admin"])[0].used

    until = time.monotonic() + 5
    while used() is None and time.monotonic() < until:
        time.sleep(0.02)
    first = used()
    assert first is not None
    assert world.client.get("/api/traces", headers=headers).status_code == 200
    assert used() == first


def test_from_the_first_account_on_one_has_to_sign_in(settings: Settings, database: Database) -> None:
    """An open installation is closed within two seconds, without being started anew."""
    app = create_app(settings, database)
    with TestClient(app, base_url="http://127.0.0.1:8321", follow_redirects=False) as client:
        assert client.get("/").status_code == 200
        assert "Open installation" in client.get("/").text
        person(database, "admin", "admin")
        until = time.monotonic() + 5
        while client.get("/").status_code == 200 and time.monotonic() < until:
            time.sleep(0.05)
        assert client.get("/").headers["location"] == "/sign-in"


def test_an_address_for_others_is_never_open(database: Database, settings: Settings) -> None:
    """Listening elsewhere than on this machine, nobody is let in without an account."""
    app = create_app(settings.model_copy(update={"host": "192.0.2.7"}), database)
    client = TestClient(app, base_url="http://192.0.2.7:8321", follow_redirects=False)
    assert client.get("/").status_code == 303
    assert client.get("/api/traces").status_code == 401
