"""Who may talk to the server, and the headers each answer carries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from webapp.app import create_app
from webapp.settings import load_settings
from webapp.storage.db import Database
from webapp.web.security import CONTENT_POLICY, HEADERS

OWN = "http://127.0.0.1:8321"


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8321", "localhost", "LOCALHOST:9", "[::1]:8321", "127.0.0.2", "a.localhost"]
)
def test_loopback_names_are_answered(client: TestClient, host: str) -> None:
    """Whatever name this machine has for itself works, on any port."""
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "192.168.0.4:81", "[", "", "a@b"])
@pytest.mark.parametrize("path", ["/", "/api/traces/x", "/static/0/app.css", "/nothing"])
def test_other_names_are_refused_everywhere(client: TestClient, host: str, path: str) -> None:
    """A page that made its own name point at this machine (DNS rebinding) reads nothing."""
    answer = client.get(path, headers={"Host": host})
    assert answer.status_code == 421
    assert "does not answer to that host name" in answer.text


def test_the_public_name_is_answered(database: Database, tmp_path: Path) -> None:
    """Behind a proxy, the name people use is allowed, and no other."""
    settings = load_settings(data_dir=tmp_path, public_url="https://scope.example.com")
    client = TestClient(create_app(settings, database), base_url="https://scope.example.com")
    assert client.get("/").status_code == 200
    assert client.get("/", headers={"Host": "scope.example.org"}).status_code == 421
    own = {"Origin": "https://scope.example.com", "Host": "127.0.0.1:8321"}
    assert client.post("/traces/none/delete", headers=own).status_code == 404


@pytest.mark.parametrize(
    ("listened", "host", "answered"),
    [
        ("192.0.2.7", "192.0.2.7:8321", True),
        ("192.0.2.7", "127.0.0.1:8321", True),
        ("192.0.2.7", "192.0.2.8:8321", False),
        ("box.example", "BOX.example", True),
        ("0.0.0.0", "192.0.2.7:8321", False),
        ("0.0.0.0", "0.0.0.0:8321", False),
        ("::", "[::]:8321", False),
    ],
)
def test_a_server_for_others_answers_to_its_own_names(
    database: Database, tmp_path: Path, listened: str, host: str, answered: bool
) -> None:
    """The address it listens on, and this machine's; where it listens on all, the public one has to be set."""
    client = TestClient(create_app(load_settings(data_dir=tmp_path, host=listened), database), base_url=OWN)
    assert (client.get("/sign-in", headers={"Host": host}).status_code == 200) is answered


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "http://[bad"},
        {"Origin": ""},
        {"Origin": OWN.replace("http:", "file:")},
        {"Origin": "http://127.0.0.1:9000"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "cross-site", "Origin": OWN},
    ],
)
def test_a_write_from_another_site_is_refused(
    client: TestClient, add_trace: Callable[..., str], headers: dict[str, str]
) -> None:
    """Another site's page, or another program's on this machine, cannot make a browser change anything."""
    trace = add_trace()
    answer = client.post(f"/traces/{trace}/delete", headers=headers)
    assert answer.status_code == 403
    assert "page of another site" in answer.text
    assert client.get(f"/traces/{trace}/edit").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": OWN},
        {"Sec-Fetch-Site": "same-origin", "Origin": OWN},
        {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_a_write_of_ones_own_is_made(
    client: TestClient, add_trace: Callable[..., str], headers: dict[str, str]
) -> None:
    """Our own pages, and programs that are no browser, may write."""
    trace = add_trace()
    assert client.post(f"/traces/{trace}/delete", headers=headers).status_code == 303
    assert client.get(f"/traces/{trace}/edit").status_code == 404


def test_reading_from_a_link_of_another_site_is_allowed(client: TestClient) -> None:
    """A link in a ticket system leads here."""
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {}),
        ("/nothing", {}),
        ("/api/nothing", {}),
        ("/favicon/none.svg", {}),
        ("/", {"Host": "evil.example"}),
    ],
)
def test_every_answer_carries_the_headers(client: TestClient, path: str, headers: dict[str, str]) -> None:
    """Pages, faults, files and refusals alike tell the browser what it may do."""
    answer = client.get(path, headers=headers)
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert "unsafe" not in CONTENT_POLICY
    assert "cache-control" in answer.headers


def test_pages_are_not_kept_by_caches(client: TestClient) -> None:
    """Recordings are other people's data."""
    assert client.get("/").headers["cache-control"] == "private, no-cache"
