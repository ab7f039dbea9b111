"""A front end of another origin calls its agent through the recording proxy, in a real browser with its own rules."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import ROOT, Server, message, run, serving
from webapp.storage import keys, users
from webapp.storage.db import open_database

ANSWER = run(*message("Your parcel is on its way."))
ASKED = {"threadId": "t", "runId": "r", "messages": [], "tools": [], "context": [], "state": {}}

CALL = """
async ([url, key, asked]) => {
  const headers = {"Content-Type": "application/json", "Accept": "text/event-stream", "X-Team": "parcels"};
  if (key) headers["Lanescope-Key"] = key;
  try {
    const answer = await fetch(url, {method: "POST", headers, body: JSON.stringify(asked)});
    return [answer.status, await answer.text()];
  } catch (error) {
    return [0, String(error)];
  }
}
"""


class Elsewhere(BaseHTTPRequestHandler):
    """The page of a front end, and an agent that lets it in and knows no header of ours."""

    protocol_version = "HTTP/1.1"
    heard: list[tuple[str, str]] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self.tell(200, "text/html", b"<!doctype html><title>Shop</title><link rel=icon href=data:,>")

    def do_OPTIONS(self) -> None:
        self.heard.append(("OPTIONS", self.headers.get("access-control-request-headers", "")))
        self.tell(200, "text/plain", b"")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.heard.append(("POST", self.headers.get("lanescope-key", "")))
        self.tell(200, "text/event-stream", ANSWER)

    def tell(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if origin := self.headers.get("origin"):
            self.send_header("Access-Control-Allow-Origin", origin)
            self.send_header("Access-Control-Allow-Headers", "content-type, x-team")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[int]:
    """The port of the front end and its agent."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


class Closed(NamedTuple):
    """A server with accounts. push, read: keys of those scopes."""

    server: Server
    push: str
    read: str


@pytest.fixture(scope="module")
def closed(elsewhere: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Closed]:
    folder = tmp_path_factory.mktemp("closed")
    command = [sys.executable, "-m", "webapp", "user", "add", "ada", "--role", "admin", "--password-stdin"]
    given = [*command, "--data-dir", str(folder)]
    subprocess.run(given, cwd=ROOT, input="four green herons", text=True, check=True, capture_output=True)
    with (
        closing(open_database(f"sqlite:///{folder}/lanescope.db")) as database,
        database.session() as session,
    ):
        ada = users.by_name(session, "ada")
        assert ada is not None
        made = {
            scope: keys.make(session, ada.pk, name=scope, scope=scope, now=time.time())[1]
            for scope in ("push", "read")
        }
    with serving(folder, TARGETS=f"agent=http://127.0.0.1:{elsewhere}") as server:
        yield Closed(server, made["push"], made["read"])


@pytest.fixture
def front_end(browser: Browser, elsewhere: int) -> Iterator[Page]:
    """A page of another site than Lanescope's; afterwards its console has no word of a rule of browsers."""
    Elsewhere.heard.clear()
    context = browser.new_context()
    said: list[str] = []
    context.on("console", lambda told: said.append(told.text))
    page = context.new_page()
    page.goto(f"http://localhost:{elsewhere}/")
    yield page
    context.close()
    assert not [line for line in said if "CORS" in line]


def call(page: Page, server: Server, key: str = "") -> tuple[int, str]:
    """Status and text of what the page could read; status 0: its browser let it read nothing."""
    status, text = page.evaluate(CALL, [f"{server.url}/proxy/agent/run", key, ASKED])
    return status, text


def recorded(server: Server, key: str = "") -> list[str]:
    """Names of the runs that were recorded and found to be in order, once there are any."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    until = time.monotonic() + 20
    while time.monotonic() < until:
        with urlopen(Request(f"{server.url}/api/traces", headers=headers)) as answer:
            listed: list[dict[str, Any]] = json.load(answer)["traces"]
        found = [each for each in listed if not each["name"].startswith("Sample: ")]
        if any(each["verdict"] == "conformant" for each in found):
            return [each["name"] for each in found]
        time.sleep(0.1)
    raise AssertionError("nothing was recorded")


def test_with_a_key_a_front_end_calls_its_agent_and_is_recorded(front_end: Page, closed: Closed) -> None:
    """The browser asks first and without the key; the run goes through whole, and the agent sees no key."""
    assert call(front_end, closed.server, closed.push) == (200, ANSWER.decode())
    assert Elsewhere.heard == [("POST", "")]
    assert recorded(closed.server, closed.read) == ["agent: run r of thread t"]


def test_without_a_key_its_developer_reads_what_is_missing(front_end: Page, closed: Closed) -> None:
    """The sentence, instead of a browser's word about origins; nothing reached the agent."""
    status, text = call(front_end, closed.server)
    assert status == 401
    assert "Lanescope-Key: lsk_" in json.loads(text)["error"]
    status, text = call(front_end, closed.server, closed.read)
    assert status == 403
    assert "this needs a key with the scope push" in json.loads(text)["error"]
    assert Elsewhere.heard == []


def test_without_accounts_the_same_front_end_works_too(
    front_end: Page, elsewhere: int, tmp_path: Path
) -> None:
    """Its key is of no use there and no hindrance: the agent is asked for the headers it knows."""
    with serving(tmp_path, TARGETS=f"agent=http://127.0.0.1:{elsewhere}") as server:
        assert call(front_end, server, "lsk_of-another-installation") == (200, ANSWER.decode())
        assert Elsewhere.heard == [("OPTIONS", "content-type,x-team"), ("POST", "")]
        assert recorded(server) == ["agent: run r of thread t"]
