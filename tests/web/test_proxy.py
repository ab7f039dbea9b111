"""`/proxy/…`: who may call it, what it refuses, and that our own headers stay out of it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from webapp.app import create_app
from webapp.settings import load_settings
from webapp.storage.db import Database
from webapp.web.security import HEADERS

OWN = "http://127.0.0.1:8321"
FOREIGN = {"Origin": "http://localhost:3000", "Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "empty"}


class Upstream(BaseHTTPRequestHandler):
    """Answers with what it was asked."""

    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        body = f"{self.command} {self.path} ".encode() + self.rfile.read(size)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Access-Control-Allow-Origin", self.headers.get("origin", "none"))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = do_REPORT = answer

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def there() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Upstream) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def proxied(database: Database, tmp_path: Path, there: str) -> Iterator[TestClient]:
    app = create_app(load_settings(data_dir=tmp_path, targets={"shop": f"{there}/base"}), database)
    with TestClient(app, base_url=OWN, follow_redirects=False) as client:
        yield client


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "REPORT"])
def test_any_method_is_passed_on(proxied: TestClient, method: str) -> None:
    """Those that no page of ours has, too."""
    answer = proxied.request(method, "/proxy/shop/a%2fb?x=%41", content=b"{}")
    assert answer.status_code == 200
    if method != "HEAD":
        assert answer.text == f"{method} /base/a%2fb?x=%41 {{}}"


def test_no_header_of_our_pages_is_added(proxied: TestClient) -> None:
    """What the upstream says about caching, frames and origins is what the client hears."""
    answer = proxied.get("/proxy/shop/x")
    assert {name.lower() for name in answer.headers} == {
        "server",
        "content-length",
        "access-control-allow-origin",
    }
    assert not {name for name in HEADERS if name in answer.headers}


@pytest.mark.parametrize("method", ["OPTIONS", "POST", "PUT", "GET"])
def test_a_front_end_of_another_origin_may_call_its_agent(proxied: TestClient, method: str) -> None:
    """The target decides about it: the pre-flight and its answer go through."""
    answer = proxied.request(method, "/proxy/shop/x", headers=FOREIGN)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == FOREIGN["Origin"]


@pytest.mark.parametrize(
    "path", ["/api/traces", "/proxyish", "/proxy", "/traces/x/delete", "/api/proxy/shop"]
)
def test_nothing_else_is_open_to_other_origins(proxied: TestClient, path: str) -> None:
    """The door is that of the proxy alone."""
    assert proxied.post(path, headers=FOREIGN).status_code == 403


def test_without_a_target_the_door_is_shut(client: TestClient) -> None:
    """No target, no exception; and a program hears how to set one."""
    assert client.post("/proxy/shop/x", headers=FOREIGN).status_code == 403
    answer = client.post("/proxy/shop/x")
    assert answer.status_code == 404
    assert "LANESCOPE_TARGETS" in answer.json()["error"]


def test_another_host_name_is_refused_here_too(proxied: TestClient) -> None:
    """A name that was made to point at this machine reaches no agent."""
    answer = proxied.post("/proxy/shop/x", headers={"Host": "evil.example"})
    assert answer.status_code == 421
    assert "host name" in answer.json()["error"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate"},
        {"Sec-Fetch-Dest": "iframe"},
        {"Sec-Fetch-Dest": "script"},
        {"Sec-Fetch-Dest": "style"},
        {"Sec-Fetch-Dest": "worker"},
        {"Sec-Fetch-Dest": "serviceworker", "Service-Worker": "script"},
        {"Upgrade-Insecure-Requests": "1"},
    ],
)
def test_a_page_of_the_target_does_not_run_as_one_of_ours(
    proxied: TestClient, headers: dict[str, str]
) -> None:
    """Under our address it could read every trace: what a browser would show or run is refused."""
    answer = proxied.get("/proxy/shop/page.html", headers=headers)
    assert answer.status_code == 403
    assert "not pages" in answer.json()["error"]


@pytest.mark.parametrize("purpose", ["empty", "image", "audio"])
def test_what_scripts_fetch_is_passed_on(proxied: TestClient, purpose: str) -> None:
    """Also pictures, which cannot run anything."""
    assert proxied.get("/proxy/shop/x", headers={"Sec-Fetch-Dest": purpose}).status_code == 200


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/proxy/none/x", 404, "configured in LANESCOPE_TARGETS: shop."),
        ("/proxy/", 404, "configured in LANESCOPE_TARGETS: shop."),
        ("/proxy/shop/%2e%2e/admin", 400, "climbs"),
        ("/proxy/shop/a/..%2f..%2fadmin", 400, "climbs"),
    ],
)
def test_what_is_refused_is_told_in_a_sentence(
    proxied: TestClient, path: str, status: int, words: str
) -> None:
    """As JSON, since programs call it."""
    answer = proxied.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    assert words in answer.json()["error"]
    assert list(answer.json()) == ["error"]


def test_a_target_that_is_the_proxy_itself_is_refused(database: Database, tmp_path: Path) -> None:
    """Else one request would go round until nothing is left to connect with."""
    targets = {"ring": f"{OWN}/proxy/ring", "replay": f"{OWN}/api"}
    with TestClient(
        create_app(load_settings(data_dir=tmp_path, targets=targets), database), base_url=OWN
    ) as client:
        answer = client.get("/proxy/ring/x")
        assert answer.status_code == 400
        assert "this proxy itself" in answer.json()["error"]
        assert client.get("/proxy/replay/x").status_code != 400  # another part of us may be a target


def test_a_front_end_can_read_why_there_is_no_answer(database: Database, tmp_path: Path) -> None:
    """The upstream is not there, so nobody else says that the page may read the sentence."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    app = create_app(load_settings(data_dir=tmp_path, targets={"shop": f"http://127.0.0.1:{port}"}), database)
    with TestClient(app, base_url=OWN) as client:
        answer = client.post("/proxy/shop/x", headers=FOREIGN)
    assert answer.status_code == 502
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.json()["error"].startswith("The upstream of shop did not answer: ")


def test_the_proxy_is_no_part_of_the_api_s_description(proxied: TestClient) -> None:
    """It has no shape of its own."""
    assert not [path for path in proxied.get("/api/openapi.json").json()["paths"] if "proxy" in path]
