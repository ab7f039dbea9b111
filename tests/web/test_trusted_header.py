"""A proxy in front names who asks: believed from its own address alone, and never beside a second name."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.people import person
from webapp.app import create_app
from webapp.errors import StartError
from webapp.settings import load_settings
from webapp.storage import keys, users
from webapp.storage.db import Database
from webapp.web.access import TABLE, Need

OWN = "http://127.0.0.1:8321"
ADA = {"X-Forwarded-User": "ada"}


class Front:
    """An installation behind a proxy; a client's address can be chosen."""

    def __init__(self, database: Database, folder: Path, **more: object) -> None:
        self.settings = load_settings(data_dir=folder, trusted_header="X-Forwarded-User", **more)
        self.app = create_app(self.settings, database)

    def client(self, address: str = "127.0.0.1") -> TestClient:
        return TestClient(self.app, base_url=OWN, follow_redirects=False, client=(address, 50_000))


@pytest.fixture
def front(database: Database, tmp_path: Path) -> Front:
    return Front(database, tmp_path)


def test_who_is_named_is_a_viewer(front: Front) -> None:
    """Without an account of that name: they read, and what needs more is refused."""
    client = front.client()
    assert client.get("/", headers=ADA).status_code == 200
    assert client.get("/api/traces", headers=ADA).status_code == 200
    answer = client.post("/samples", headers=ADA)
    assert answer.status_code == 403
    assert "needs the role editor, and yours is viewer" in answer.text


def test_who_is_named_and_has_no_account_reads_who_they_are(front: Front, database: Database) -> None:
    """Name, role and what it lets them do; with an account of the name it is the page of that."""
    page = front.client().get("/account", headers=ADA).text
    assert "<h1>ada</h1>" in page
    assert "Your role is <b>viewer</b>: you may read every trace and rule." in page
    assert "there is no account of this name here" in page
    person(database, "Ada", "editor")
    page = front.client().get("/account", headers=ADA).text
    assert "<h1>Ada</h1>" in page
    assert "Your role is <b>editor</b>" in page
    assert "no account" not in page


def test_the_role_of_the_named_can_be_set(database: Database, tmp_path: Path) -> None:
    """LANESCOPE_TRUSTED_ROLE counts for those without an account."""
    client = Front(database, tmp_path, trusted_role="editor").client()
    assert client.get("/call", headers=ADA).status_code == 200
    assert client.get("/users", headers=ADA).status_code == 403


def test_an_account_of_the_name_has_its_own_role(front: Front, database: Database) -> None:
    """Whatever case the proxy writes the name in; a disabled one gets in nowhere."""
    person(database, "Ada", "admin")
    client = front.client()
    assert client.get("/users", headers={"X-Forwarded-User": "ADA"}).status_code == 200
    person(database, "Bea", "admin")
    with database.session() as session:
        users.disable(session, users.by_name(session, "ada"), time.time())  # type: ignore[arg-type]
    answer = client.get("/", headers=ADA)
    assert answer.status_code == 403
    assert "Your account is disabled" in answer.text


@pytest.mark.parametrize("name", ["\u017fam", "\uff53\uff41\uff4d"])
def test_a_name_that_only_looks_like_an_account_s_has_not_its_role(
    front: Front, database: Database, name: str
) -> None:
    """To the proxy the two are different people."""
    person(database, "sam", "admin")
    assert front.client().get("/users", headers={"X-Forwarded-User": name.encode()}).status_code == 403


@pytest.mark.parametrize(
    "address", ["192.0.2.1", "10.0.0.1", "::2", "testclient", "", "127.0.0.1.example", "::ffff:10.0.0.1"]
)
def test_another_machine_is_not_believed(front: Front, address: str) -> None:
    """Every route but the public ones asks for a sign-in there, as if no name had been sent."""
    client = front.client(address)
    for entry in TABLE:
        if entry.need is not Need.PUBLIC and entry.method in ("GET", "POST"):
            path = entry.path.replace("{", "").replace("}", "").replace(":path", "")
            answer = client.request(entry.method, path, headers=ADA)
            assert answer.status_code in (401, 303), entry
            assert answer.status_code == 401 or answer.headers["location"].startswith("/sign-in"), entry


@pytest.mark.parametrize(
    ("proxies", "address", "believed"),
    [
        ("10.1.0.0/16, ::1", "10.1.2.3", True),
        ("10.1.0.0/16, ::1", "::ffff:10.1.2.3", True),
        ("10.1.0.0/16, ::1", "::1", True),
        ("10.1.0.0/16, ::1", "127.0.0.1", False),
        ("10.1.0.0/16, ::1", "10.2.0.1", False),
        ("", "127.0.0.1", False),
    ],
)
def test_the_proxies_that_are_believed_can_be_set(
    database: Database, tmp_path: Path, proxies: str, address: str, believed: bool
) -> None:
    """Addresses and networks; what is not listed is not believed, this machine included."""
    client = Front(database, tmp_path, trusted_proxies=proxies).client(address)
    assert (client.get("/api/traces", headers=ADA).status_code == 200) is believed


def test_a_proxy_that_names_nobody_lets_nobody_in(front: Front) -> None:
    """An installation with a trusted header is not open, this machine included."""
    client = front.client()
    assert client.get("/").headers["location"] == "/sign-in"
    assert client.get("/", headers={"X-Forwarded-User": "  "}).status_code == 303
    assert client.get("/", headers={"X-Forwarded-User": "a" * 81}).status_code == 303
    assert client.get("/", headers={b"X-Forwarded-User": b"a\x01b"}).status_code == 303


def test_two_names_are_refused(front: Front) -> None:
    """A proxy that adds its header to what a client wrote would let the client choose."""
    twice = [("X-Forwarded-User", "admin"), ("X-Forwarded-User", "ada")]
    answer = front.client().get("/api/traces", headers=twice)
    assert answer.status_code == 401
    assert "two names" in answer.json()["error"]


def test_a_name_may_have_any_letters(front: Front, database: Database) -> None:
    """Proxies write them as UTF-8."""
    person(database, "Zoë", "admin")
    name = {b"X-Forwarded-User": "zoë".encode()}
    assert front.client().get("/users", headers=name).status_code == 200


def test_a_key_counts_beside_a_name_and_the_proxys_own_token_does_not(
    front: Front, database: Database
) -> None:
    """What begins like a key of ours is one, good or bad; the rest of `Authorization` is between others."""
    number = person(database, "robot", "editor")
    with database.session() as session:
        _, secret = keys.make(session, number, name="k", scope="push", now=time.time())
    client = front.client()
    assert client.get("/api/traces", headers={**ADA, "Authorization": f"Bearer {secret}"}).status_code == 403
    assert client.get("/api/traces", headers={**ADA, "Authorization": "Bearer lsk_x"}).status_code == 401
    assert client.get("/api/traces", headers={**ADA, "Authorization": "Bearer eyJhbGciOi"}).status_code == 200
    assert client.get("/api/traces", headers={**ADA, "Authorization": "Basic YTpi"}).status_code == 200
    assert client.get("/api/traces", headers={"Authorization": "Bearer eyJhbGciOi"}).status_code == 401


def test_without_the_setting_the_header_says_nothing(database: Database, tmp_path: Path) -> None:
    """An installation with accounts does not know the header of another."""
    person(database, "ada", "admin")
    app = create_app(load_settings(data_dir=tmp_path), database)
    client = TestClient(app, base_url=OWN, follow_redirects=False, client=("127.0.0.1", 1))
    assert client.get("/users", headers=ADA).status_code == 303


@pytest.mark.parametrize("dest", [{"Origin": "http://localhost:3000"}, {"Sec-Fetch-Site": "same-origin"}])
def test_a_browser_passes_nothing_on_by_a_name(
    database: Database, tmp_path: Path, dest: dict[str, str]
) -> None:
    """The proxy in front adds the name to whatever a page makes a browser send; a program's own request is fine."""
    targets = {"shop": "http://127.0.0.1:9"}
    client = Front(database, tmp_path, trusted_role="editor", targets=targets).client()
    assert client.post("/proxy/none/x", headers={**ADA, **dest}).status_code == 401
    assert client.post("/proxy/none/x", headers=ADA).status_code == 404


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("trusted_header", "Authorization"),
        ("trusted_header", "cookie"),
        ("trusted_header", "X User"),
        ("trusted_header", "X_User"),
        ("trusted_proxies", "10.0.0.1/8"),
        ("trusted_proxies", "proxy.example.com"),
        ("trusted_role", "owner"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(name: str, value: str) -> None:
    """A header that every client sends would let anybody in."""
    with pytest.raises(StartError, match=f"LANESCOPE_{name.upper()} cannot be used: "):
        load_settings(**{name: value})
