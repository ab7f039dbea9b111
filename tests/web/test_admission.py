"""How a refusal is told, where it leads, and what the recording proxy passes on of our own."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import sqlalchemy as sa
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse
from fastapi.testclient import TestClient
from sqlalchemy import event
from starlette.routing import Route

from tests.streams import finished, sse, started
from tests.web.people import BASE, browser, person
from webapp.accounts import cookies
from webapp.app import create_app
from webapp.settings import Settings, load_settings
from webapp.storage import keys, sign_ins, users
from webapp.storage.db import Database
from webapp.storage.models import Trace
from webapp.web import security

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
def nobody(settings: Settings, database: Database) -> TestClient:
    person(database, "admin", "admin")
    return browser(create_app(settings, database), settings, database)


def next_of(address: str) -> str:
    return parse_qs(urlsplit(address).query).get("next", [""])[0]


@pytest.mark.parametrize(
    "path",
    [
        "/traces/x?panel=sequence&event=3",
        "/capture",
        "/live",
        "/traces/a%20b",
        "/nothing?q=%26next%3d//x",
    ],
)
def test_a_page_leads_to_the_sign_in_and_back(nobody: TestClient, path: str) -> None:
    """The address comes along as it was asked for."""
    answer = nobody.get(path, headers=HTML)
    assert answer.status_code == 303
    assert urlsplit(answer.headers["location"]).path == "/sign-in"
    assert next_of(answer.headers["location"]) == path
    assert answer.headers["cache-control"] == "private, no-cache"


@pytest.mark.parametrize(
    "path", ["//evil.example/x", "/\\evil.example", "/%0d%0aSet-Cookie:a=b", "/%00", "/\u00e9"]
)
def test_the_way_back_never_leads_out(nobody: TestClient, path: str) -> None:
    """Whatever the address, what comes along is a plain path of this server, or nothing."""
    answer = nobody.get(f"{BASE}{path}", headers=HTML)
    back = next_of(answer.headers["location"])
    assert answer.headers["location"].startswith("/sign-in")
    assert not back or (back.startswith("/") and back[1:2] not in ("/", "\\") and back.isprintable())
    assert "set-cookie" not in answer.headers


def test_a_part_of_a_page_takes_the_whole_page_to_the_sign_in(nobody: TestClient) -> None:
    """And back to the page that is shown, not to the part of it."""
    shown = f"{BASE}/traces/x?panel=state"
    answer = nobody.get("/traces/x/state?event=3", headers={"HX-Request": "true", "HX-Current-URL": shown})
    assert answer.status_code == 401
    assert next_of(answer.headers["hx-redirect"]) == "/traces/x?panel=state"
    assert "<html" not in answer.text
    assert 'role="alert"' in answer.text
    for odd in ("http://[", "", "x", "javascript:alert(1)", "//evil.example/x"):
        headers = {"HX-Request": "true", "HX-Current-URL": odd}
        assert nobody.get("/traces/x/state", headers=headers).headers["hx-redirect"] == "/sign-in"
    foreign = {"HX-Request": "true", "HX-Current-URL": "https://evil.example//evil.example/x"}
    assert nobody.get("/traces/x/state", headers=foreign).headers["hx-redirect"] == "/sign-in"


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/api/traces", {}),
        ("GET", "/api/traces", HTML),
        ("POST", "/api/traces", {}),
        ("PUT", "/api/live", {}),
        ("GET", "/", {"Accept": "application/json"}),
        ("POST", "/traces", {"Accept": "application/json"}),
        ("POST", "/proxy/shop", {}),
    ],
)
def test_a_program_is_told_in_json(
    nobody: TestClient, method: str, path: str, headers: dict[str, str]
) -> None:
    """With the header that says how to sign in, and a sentence that says it too."""
    answer = nobody.request(method, path, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert set(answer.json()) == {"error"}
    assert answer.json()["error"].endswith(".")
    assert "lsk_" in answer.json()["error"]
    assert "go back" not in answer.json()["error"]


@pytest.mark.parametrize(("method", "path"), [("POST", "/traces"), ("PUT", "/traces"), ("POST", "/errors")])
def test_a_program_at_an_address_of_pages_is_told_of_keys_too(
    nobody: TestClient, method: str, path: str
) -> None:
    """It has no page to go back to, whatever it was made with; a browser has."""
    answer = nobody.request(method, path, headers={"Accept": "*/*"})
    assert answer.status_code == 401
    assert "Authorization: Bearer lsk_" in answer.text
    part = nobody.post("/errors", headers={"HX-Request": "true", "Origin": BASE})
    assert "go back and do it again" in part.text


def test_a_download_is_refused_and_not_led_elsewhere(nobody: TestClient) -> None:
    """What a program would save must not be our sign-in page; a person who follows the link is led there."""
    assert nobody.get("/traces/x/original").status_code == 401
    assert nobody.get("/traces/x/original", headers=HTML).status_code == 303
    assert nobody.get("/traces/x/live", headers={"Accept": "text/event-stream"}).status_code == 401


def test_a_form_that_comes_too_late_says_that_nothing_was_changed(nobody: TestClient) -> None:
    """It is not led away: what was typed is one step back."""
    answer = nobody.post("/traces/x/edit", data={"name": "n"}, headers=HTML)
    assert answer.status_code == 401
    assert "nothing was changed" in answer.text
    assert "<h1>Not signed in</h1>" in answer.text


def test_a_bad_key_is_told_on_a_page_too(nobody: TestClient) -> None:
    """A program that asks for pages with a key is not led to a form."""
    answer = nobody.get("/", headers={**HTML, "Authorization": "Bearer lsk_no"})
    assert answer.status_code == 401
    assert "not known, was revoked or has expired" in answer.text


@pytest.mark.parametrize(
    "value", ["Bearer", "Bearer ", "bearer lsk_", "Bearer lsk_\u00e9", "Bearer " + "lsk_" + "x" * 20_000]
)
def test_an_odd_key_is_a_bad_key(nobody: TestClient, value: str) -> None:
    """Never a fault of ours."""
    answer = nobody.get("/api/traces", headers={b"Authorization": value.encode("latin-1")})
    assert answer.status_code == 401


def test_a_key_in_the_address_is_not_taken(nobody: TestClient, database: Database) -> None:
    """Addresses end up in logs."""
    with database.session() as session:
        _, secret = keys.make(session, 1, name="k", scope="admin", now=time.time())
    assert nobody.get(f"/api/traces?key={secret}&access_token={secret}").status_code == 401
    assert nobody.get("/api/traces", headers={"Authorization": f"Bearer {secret}"}).status_code == 200


def test_a_request_costs_one_look_into_the_database(nobody: TestClient, database: Database) -> None:
    """None for what is public; one for a key, whatever it asks for; none but that of the first moment when open."""
    with database.session() as session:
        _, secret = keys.make(session, 1, name="k", scope="read", now=time.time())
    headers = {"Authorization": f"Bearer {secret}"}
    nobody.get("/api/traces/none", headers=headers)
    asked: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    nobody.get("/s/none/no/such", headers=headers)
    nobody.get("/favicon/none.svg", headers=headers)
    assert asked == []
    nobody.get("/no/such", headers=headers)
    assert len(asked) == 1
    assert "api_keys" in asked[0]


def test_a_live_page_that_is_made_once_shows_each_reader_their_own(
    settings: Settings, database: Database
) -> None:
    """Many who watch one trace share a page, but neither a name nor a button of somebody else."""
    ed, vi = person(database, "Edgar", "editor"), person(database, "Viola", "viewer")
    app = create_app(settings, database)
    with TestClient(app, base_url=BASE, follow_redirects=False) as client:
        with database.session() as session:
            _, secret = keys.make(session, ed, name="k", scope="push", now=time.time())
        url = client.post("/api/traces?live=1", headers={"Authorization": f"Bearer {secret}"}).json()["url"]
        for _ in range(2):
            theirs = browser(app, settings, database, ed).get(url).text
            seen = browser(app, settings, database, vi).get(url).text
            assert "Edgar" in theirs
            assert f"{url}/share" in theirs
            assert "Viola" in seen
            assert "Edgar" not in seen
            assert f"{url}/share" not in seen
            assert f"{url}/share" in browser(app, settings, database, ed).get(f"{url}/events").text
            assert f"{url}/share" not in browser(app, settings, database, vi).get(f"{url}/events").text


# ── the recording proxy ──────────────────────────────────────


class Upstream(BaseHTTPRequestHandler):
    """Answers a run, and keeps the headers it was asked with."""

    protocol_version = "HTTP/1.1"
    heard: list[list[tuple[str, str]]] = []  # noqa: RUF012

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.heard.append([(name.lower(), value) for name, value in self.headers.items()])
        body = sse(started(), finished())
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        for cookie in (
            "shop=1",
            "lanescope_session=planted; Path=/",
            "__Host-lanescope_oidc=planted; Path=/",
        ):
            self.send_header("Set-Cookie", cookie)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def there() -> Iterator[str]:
    Upstream.heard.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Upstream) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def proxied(database: Database, tmp_path: Path, there: str) -> Iterator[TestClient]:
    settings = load_settings(data_dir=tmp_path, targets={"shop": there})
    with TestClient(create_app(settings, database), base_url=BASE, follow_redirects=False) as client:
        yield client


def secrets_of(database: Database, client: TestClient) -> tuple[int, str, str]:
    """An editor, a push key and a cookie of theirs."""
    assert isinstance(client.app, FastAPI)
    number = person(database, "robot", "editor")
    with database.session() as session:
        _, secret = keys.make(session, number, name="k", scope="push", now=time.time())
        _, token = sign_ins.begin(session, number, now=time.time(), agent="", days=1)
    return number, secret, cookies.signed(token, client.app.state.settings)


def test_a_key_lets_a_run_through_and_is_not_passed_on(proxied: TestClient, database: Database) -> None:
    """Neither our key nor our cookie reaches the target or the recording; the target's own do, to the byte."""
    number, secret, cookie = secrets_of(database, proxied)
    sent = [
        ("Lanescope-Key", secret),
        ("Authorization", "Bearer of-the-target"),
        ("Cookie", f"theirs=1; lanescope_session={cookie}; __Host-lanescope_session={cookie};other=2"),
        ("Content-Type", "application/json"),
    ]
    answer = proxied.post(
        "/proxy/shop/agent", headers=sent, content=b'{"threadId":"t","runId":"r","messages":[]}'
    )
    assert answer.status_code == 200
    assert answer.content == sse(started(), finished())
    assert answer.headers.get_list("set-cookie") == ["shop=1"]  # a target signs nobody in here
    [heard] = Upstream.heard
    assert dict(heard)["authorization"] == "Bearer of-the-target"
    assert dict(heard)["cookie"] == "theirs=1;other=2"
    assert "lanescope-key" not in dict(heard)
    until = time.monotonic() + 10
    while time.monotonic() < until:
        with database.session() as session:
            trace = session.scalar(sa.select(Trace).where(Trace.status == "ready"))
            if trace is not None:
                break
        time.sleep(0.05)
    assert trace is not None
    assert trace.owner == number
    with database.engine.connect() as connection:
        names = sa.inspect(database.engine).get_table_names()
        stored = "".join(str(connection.execute(sa.text(f'SELECT * FROM "{name}"')).all()) for name in names)
    assert "of-the-target" not in stored
    assert secret not in stored
    assert cookie not in stored


def test_a_sign_in_passes_nothing_on(proxied: TestClient, database: Database) -> None:
    """Any site can make a browser call through the proxy, so that the cookie counts for nothing there."""
    _, secret, cookie = secrets_of(database, proxied)
    for headers in (
        {"Cookie": f"lanescope_session={cookie}"},
        {"Authorization": f"Bearer {secret}"},  # that header is the target's
        {"Lanescope-Key": "lsk_no", "Cookie": f"lanescope_session={cookie}"},
        {},
    ):
        answer = proxied.post("/proxy/shop/agent", headers=headers, content=b"{}")
        assert answer.status_code == 401, headers
        assert "error" in answer.json()
    assert Upstream.heard == []


def test_a_key_in_the_targets_header_is_not_given_away(proxied: TestClient, database: Database) -> None:
    """Whoever puts it into both headers by mistake keeps it."""
    _, secret, _ = secrets_of(database, proxied)
    headers = {"Lanescope-Key": secret, "Authorization": f"Bearer {secret}"}
    assert proxied.post("/proxy/shop/agent", headers=headers, content=b"{}").status_code == 200
    [heard] = Upstream.heard
    assert "authorization" not in dict(heard)


def test_two_keys_are_one_too_many(nobody: TestClient, database: Database) -> None:
    """A wrong one is refused whatever came with it."""
    with database.session() as session:
        user = users.by_name(session, "admin")
        assert user is not None
        _, secret = keys.make(session, user.pk, name="k", scope="read", now=time.time())
    good, bad = ("Authorization", f"Bearer {secret}"), ("Authorization", "Bearer lsk_no")
    assert nobody.get("/api/traces", headers=[good]).status_code == 200
    assert nobody.get("/api/traces", headers=[good, bad]).status_code == 401


def test_a_stream_ends_when_its_reader_may_no_more(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signed out while watching: nothing more is sent, though the stream would go on."""
    monkeypatch.setattr(security, "AGAIN", 0.0)
    app = create_app(settings, database)
    number = person(database, "watcher", "viewer")
    person(database, "boss", "admin")

    async def watched(_request: Request) -> StreamingResponse:
        async def told() -> AsyncIterator[str]:
            yield "data: before\n\n"
            with database.session() as session:
                sign_ins.end_all(session, number)
            yield "data: after\n\n"

        return StreamingResponse(told(), media_type="text/event-stream")

    app.router.routes.insert(0, Route("/live/moves", watched))
    answer = browser(app, settings, database, number).get("/live/moves")
    assert answer.text == "data: before\n\n"


def test_an_open_installation_needs_no_key_and_keeps_its_cookie_too(proxied: TestClient) -> None:
    """A cookie of a time when there were accounts goes nowhere either; one that is all ours leaves no empty header."""
    assert (
        proxied.post("/proxy/shop/x", headers={"Cookie": "lanescope_session=x"}, content=b"{}").status_code
        == 200
    )
    assert proxied.post("/proxy/shop/x", headers={"Cookie": "a=1;  b=2"}, content=b"{}").status_code == 200
    first, second = (dict(each) for each in Upstream.heard)
    assert "cookie" not in first
    assert second["cookie"] == "a=1;  b=2"


def test_a_trace_has_the_owner_who_sent_it(settings: Settings, database: Database) -> None:
    """By the form, by a key, in batches and as a pushed stream."""
    number = person(database, "ed", "editor")
    person(database, "admin", "admin")
    with TestClient(create_app(settings, database), base_url=BASE, follow_redirects=False) as client:
        with database.session() as session:
            _, secret = keys.make(session, number, name="k", scope="push", now=time.time())
            _, token = sign_ins.begin(session, number, now=time.time(), agent="", days=1)
        key = {"Authorization": f"Bearer {secret}"}
        cookie = {"Cookie": f"{cookies.name(settings)}={cookies.signed(token, settings)}"}
        made = [
            client.post(
                "/traces", data={"text": sse(started(), finished()).decode()}, headers=cookie
            ).headers["location"],
            client.post("/api/traces", content=sse(started("b"), finished("b")), headers=key).json()["url"],
            client.post("/api/traces?live=1", headers=key).json()["url"],
            client.put("/api/live", content=sse(started("c"), finished("c")), headers=key).json()["url"],
        ]
        ids = [url.rpartition("/")[2] for url in made]
        with database.session() as session:
            owners = dict(session.execute(sa.select(Trace.id, Trace.owner)).all())
        assert [owners[id_] for id_ in ids] == [number] * 4
