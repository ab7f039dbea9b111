"""`/proxy/…` for a front end of another origin: its pre-flight, its key, and what it may read of our refusals."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy.exc import OperationalError

from tests.web.people import BASE, person
from webapp.accounts import cookies
from webapp.app import create_app
from webapp.settings import load_settings
from webapp.storage import keys, sign_ins, users
from webapp.storage.db import Database

PAGE = "http://localhost:3000"
FETCH = {"Origin": PAGE, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}
WANTED = "authorization,content-type,lanescope-key,x-team"
PREFLIGHT = {
    **FETCH,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": WANTED,
}


class Strict(BaseHTTPRequestHandler):
    """An agent that lets one origin in and refuses a pre-flight that asks for a header it does not know."""

    protocol_version = "HTTP/1.1"
    heard: list[tuple[str, dict[str, str]]] = []  # noqa: RUF012

    def do_OPTIONS(self) -> None:
        self.heard.append(("OPTIONS", {name.lower(): value for name, value in self.headers.items()}))
        wanted = self.headers.get("access-control-request-headers", "")
        known = {"authorization", "content-type", "x-team", ""}
        self.tell(200 if {name.strip().lower() for name in wanted.split(",")} <= known else 400, b"")

    def do_POST(self) -> None:
        self.heard.append(("POST", {name.lower(): value for name, value in self.headers.items()}))
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.tell(200, b"said")

    def tell(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Access-Control-Allow-Origin", PAGE)
        if self.command == "OPTIONS":
            self.send_header("Access-Control-Allow-Methods", "POST")
            self.send_header("Access-Control-Allow-Headers", "authorization, content-type, x-team")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def there() -> Iterator[str]:
    Strict.heard.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Strict) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def open_here(database: Database, tmp_path: Path, there: str) -> Iterator[TestClient]:
    """Without accounts."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = taken.getsockname()[1]
    targets = {"shop": there, "gone": f"http://127.0.0.1:{nobody}"}
    app = create_app(load_settings(data_dir=tmp_path, targets=targets), database)
    with TestClient(app, base_url=BASE, follow_redirects=False) as client:
        yield client


class World(NamedTuple):
    """An installation with accounts. push, read: keys of those scopes; cookie: of a sign-in."""

    client: TestClient
    push: str
    read: str
    cookie: str


@pytest.fixture
def closed(open_here: TestClient, database: Database, tmp_path: Path) -> World:
    """The same installation with accounts."""
    number = person(database, "robot", "editor")
    with database.session() as session:
        _, push = keys.make(session, number, name="p", scope="push", now=time.time())
        _, read = keys.make(session, number, name="r", scope="read", now=time.time())
        _, token = sign_ins.begin(session, number, now=time.time(), agent="", days=1)
    settings = load_settings(data_dir=tmp_path)
    return World(open_here, push, read, f"{cookies.name(settings)}={cookies.signed(token, settings)}")


def cors(answer: Response) -> dict[str, str]:
    """What an answer says to browsers about pages of other origins."""
    return {name: value for name, value in answer.headers.items() if name.startswith("access-control-")}


# ── the pre-flight, with accounts ────────────────────────────


def test_a_preflight_without_a_key_is_answered_here(closed: World) -> None:
    """A browser never sends a key with it. What the page asked for is allowed, and the target hears nothing."""
    answer = closed.client.options("/proxy/shop/run?x=1", headers=PREFLIGHT)
    assert (answer.status_code, answer.content) == (204, b"")
    told = cors(answer)
    assert told.pop("access-control-max-age").isdigit()
    assert told == {
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": "authorization, content-type, lanescope-key, x-team",
    }
    assert Strict.heard == []


@pytest.mark.parametrize(
    "path", ["/proxy/shop/run", "/proxy/none/run", "/proxy/", "/proxy/shop/%2e%2e/admin", "/proxy/gone/x"]
)
def test_a_preflight_tells_of_no_target(closed: World, path: str) -> None:
    """Whoever has no key hears the same of every address, whether a target is there or not."""
    first = closed.client.options("/proxy/shop/run", headers=PREFLIGHT)
    answer = closed.client.options(path, headers=PREFLIGHT)
    assert (answer.status_code, answer.headers) == (204, first.headers)
    assert Strict.heard == []


def test_a_sign_in_counts_for_nothing_in_a_preflight(closed: World) -> None:
    """It is answered as without one: our cookie is never said to be welcome from another origin."""
    answer = closed.client.options("/proxy/shop/run", headers={**PREFLIGHT, "Cookie": closed.cookie})
    assert answer.status_code == 204
    assert "access-control-allow-credentials" not in answer.headers
    assert Strict.heard == []


@pytest.mark.parametrize("left_out", ["Origin", "Access-Control-Request-Method"])
def test_other_options_need_a_key_like_everything_else(closed: World, left_out: str) -> None:
    """Only what a browser asks before a request is answered without one."""
    headers = {name: value for name, value in PREFLIGHT.items() if name != left_out}
    assert closed.client.options("/proxy/shop/run", headers=headers).status_code == 401
    assert Strict.heard == []


@pytest.mark.parametrize("key", ["lsk_no", "", "x"])
def test_a_preflight_with_a_wrong_key_is_refused(closed: World, key: str) -> None:
    """No browser sends one; a wrong key is refused whatever else came with it."""
    answer = closed.client.options("/proxy/shop/run", headers={**PREFLIGHT, "Lanescope-Key": key})
    assert answer.status_code == 401
    assert Strict.heard == []


@pytest.mark.parametrize(
    ("method", "wanted", "allowed"),
    [
        ("POST", 'x-a, "odd", x:b, x-c,, \u00e9', "x-a, x-c"),
        ("REPORT", "", None),
        ("PATCH", None, None),
    ],
)
def test_only_what_can_be_a_header_is_allowed(
    closed: World, method: str, wanted: str | None, allowed: str | None
) -> None:
    """What was asked for is said again, so nothing goes in that is no name."""
    headers: dict[str, str] = {**FETCH, "Access-Control-Request-Method": method}
    if wanted is not None:
        headers["Access-Control-Request-Headers"] = wanted
    sent = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    answer = closed.client.options("/proxy/shop/run", headers=sent)
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-methods"] == method
    assert answer.headers.get("access-control-allow-headers") == allowed


@pytest.mark.parametrize("method", ["", "PO ST", "GET,POST", "\u00e9"])
def test_a_method_that_is_none_makes_no_preflight(closed: World, method: str) -> None:
    """It is refused like any request without a key."""
    sent = [(name.encode(), value.encode("latin-1")) for name, value in FETCH.items()]
    sent.append((b"Access-Control-Request-Method", method.encode("latin-1")))
    assert closed.client.options("/proxy/shop/run", headers=sent).status_code == 401


# ── the request itself ───────────────────────────────────────


def test_with_its_key_a_page_reaches_the_target(closed: World) -> None:
    """The target's own word about origins comes back as it is; our key does not reach it."""
    sent = {**FETCH, "Lanescope-Key": closed.push, "X-Team": "a", "Cookie": closed.cookie}
    answer = closed.client.post("/proxy/shop/run", headers=sent, content=b"{}")
    assert (answer.status_code, answer.text) == (200, "said")
    assert cors(answer) == {"access-control-allow-origin": PAGE}
    [(method, heard)] = Strict.heard
    assert (method, heard["x-team"], heard["origin"]) == ("POST", "a", PAGE)
    assert "lanescope-key" not in heard
    assert "cookie" not in heard


def refusals(world: World) -> Iterator[tuple[int, Response]]:
    """Each way in which we answer ourselves where there are accounts, and the status it has."""

    def post(path: str, key: str = world.push, **more: str) -> Response:
        given = {"Lanescope-Key": key} if key else {}
        return world.client.post(path, headers={**FETCH, **given, **more}, content=b"{}")

    yield 401, post("/proxy/shop/run", "", Cookie=world.cookie)
    yield 401, post("/proxy/shop/run", "lsk_no")
    yield 403, post("/proxy/shop/run", world.read)
    yield 403, post("/proxy/shop/run", **{"Sec-Fetch-Dest": "iframe"})
    yield 400, post("/proxy/shop/%2e%2e/admin")
    yield 404, post("/proxy/none/run")
    yield 502, post("/proxy/gone/run")
    yield 421, post("/proxy/shop/run", Host="evil.example")


def test_a_page_can_read_why_it_was_refused(closed: World) -> None:
    """Else its developer sees “CORS error” and no sentence. No refusal makes a cookie of ours welcome."""
    for status, answer in refusals(closed):
        assert answer.status_code == status
        assert answer.json()["error"].endswith(".")
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in answer.headers
    assert Strict.heard == []


def test_a_page_can_read_that_it_is_to_wait(closed: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """And for how long: that header is not shown to pages by itself."""

    def locked(*_: object) -> None:
        raise OperationalError("select", {}, Exception("database is locked"))

    monkeypatch.setattr(keys, "found", locked)
    answer = closed.client.post("/proxy/shop/run", headers={**FETCH, "Lanescope-Key": closed.push})
    assert answer.status_code == 503
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "Retry-After" in answer.headers["access-control-expose-headers"]
    assert answer.headers["retry-after"]


def test_a_page_can_read_that_we_failed(closed: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of ours, too."""

    def broken(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(keys, "found", broken)
    answer = closed.client.post("/proxy/shop/run", headers={**FETCH, "Lanescope-Key": closed.push})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (500, "*")


# ── without accounts ─────────────────────────────────────────


def test_without_accounts_the_target_answers_and_the_key_is_allowed_too(open_here: TestClient) -> None:
    """A front end that always sends a key works on an open installation: its target need not know that header."""
    answer = open_here.options("/proxy/shop/run", headers=PREFLIGHT)
    assert answer.status_code == 200
    [(_, heard)] = Strict.heard
    assert heard["access-control-request-headers"] == "authorization,content-type,x-team"
    assert heard["origin"] == PAGE
    allowed = ", ".join(answer.headers.get_list("access-control-allow-headers"))
    assert allowed == "authorization, content-type, x-team, Lanescope-Key"
    assert answer.headers["access-control-allow-origin"] == PAGE


def test_a_preflight_for_the_key_alone_asks_the_target_for_no_header(open_here: TestClient) -> None:
    """An empty list would be none that a browser writes."""
    headers = {**PREFLIGHT, "Access-Control-Request-Headers": "Lanescope-Key"}
    assert open_here.options("/proxy/shop/run", headers=headers).status_code == 200
    [(_, heard)] = Strict.heard
    assert "access-control-request-headers" not in heard


@pytest.mark.parametrize("method", ["OPTIONS", "POST"])
def test_where_no_key_is_asked_for_nothing_is_changed(open_here: TestClient, method: str) -> None:
    """What passes is what was sent, as ever."""
    wanted = "Content-Type,  x-team"
    headers = {**PREFLIGHT, "Access-Control-Request-Headers": wanted}
    answer = open_here.request(method, "/proxy/shop/run", headers=headers)
    [(_, heard)] = Strict.heard
    assert heard["access-control-request-headers"] == wanted
    assert "lanescope" not in str(answer.headers).lower()


def test_a_preflight_the_target_refuses_stays_refused(open_here: TestClient) -> None:
    """Without accounts the target alone says who may call it."""
    headers = {**PREFLIGHT, "Access-Control-Request-Headers": "lanescope-key,x-secret"}
    assert open_here.options("/proxy/shop/run", headers=headers).status_code == 400


def test_which_targets_there_are_is_not_told_to_any_page(open_here: TestClient) -> None:
    """The sentence names them; on an open installation any site could read it."""
    answer = open_here.get("/proxy/none/x", headers=FETCH)
    assert answer.status_code == 404
    assert "shop" in answer.json()["error"]
    assert cors(answer) == {}
    climbing = open_here.get("/proxy/shop/%2e%2e/x", headers=FETCH)
    assert (climbing.status_code, climbing.headers["access-control-allow-origin"]) == (400, "*")


# ── everywhere else ──────────────────────────────────────────


@pytest.mark.parametrize(
    "path", ["/", "/api/traces", "/api/live", "/traces/x", "/proxyish", "/proxy", "/api/proxy/shop", "/s/x"]
)
@pytest.mark.parametrize("method", ["OPTIONS", "GET", "POST"])
def test_no_other_address_says_a_word_to_other_origins(closed: World, path: str, method: str) -> None:
    """Neither a pre-flight nor an answer, with a key or without."""
    for more in ({}, {"Authorization": f"Bearer {closed.push}"}, {"Lanescope-Key": closed.push}):
        answer = closed.client.request(method, path, headers={**PREFLIGHT, **more})
        assert cors(answer) == {}
        assert answer.status_code != 204


def test_without_a_target_a_preflight_is_refused(client: TestClient, database: Database) -> None:
    """The door is shut, as for every request of another site."""
    with database.session() as session:
        users.add(session, name="ada", role="admin", now=time.time())
    answer = client.options("/proxy/shop/run", headers=PREFLIGHT)
    assert answer.status_code == 401
    assert cors(answer) == {}
