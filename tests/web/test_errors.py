"""One shape for every fault: a page for a person, `{"error": …}` for a program, never a stack trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import event

from webapp.errors import BadInput, Busy, NotFound, Refused, TooLarge, UserError, WrongHost
from webapp.storage.db import Database
from webapp.web.errors import status_of


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (BadInput, 400),
        (Refused, 403),
        (NotFound, 404),
        (TooLarge, 413),
        (WrongHost, 421),
        (Busy, 503),
        (UserError, 400),
    ],
)
def test_each_class_of_fault_has_a_status(error: type[UserError], status: int) -> None:
    """A class says what kind of fault it is; the sentence says which."""
    assert status_of(error("Why.")) == status


def test_an_unknown_page_says_so_and_leads_on(client: TestClient) -> None:
    """A page that is not there has a way back."""
    answer = client.get("/nothing/here")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "There is nothing at this address." in answer.text
    assert 'href="/"' in answer.text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/api/nothing", 404), ("DELETE", "/api/traces", 405), ("GET", "/api/traces/none", 404)],
)
def test_programs_get_one_shape(client: TestClient, method: str, path: str, status: int) -> None:
    """Every fault below /api is `{"error": "sentence"}`."""
    answer = client.request(method, path)
    assert answer.status_code == status
    assert set(answer.json()) == {"error"}
    assert answer.json()["error"].endswith(".")


def test_a_program_may_ask_for_the_shape_elsewhere(client: TestClient) -> None:
    """The page's own script asks for JSON and is told in JSON."""
    assert set(client.post("/traces", headers={"Accept": "application/json"}).json()) == {"error"}


@pytest.fixture
def broken(client: TestClient) -> TestClient:
    assert isinstance(client.app, FastAPI)

    @client.app.get("/broken")
    def broken() -> None:
        raise RuntimeError("secret detail")

    @client.app.get("/api/broken")
    def api_broken() -> None:
        raise RuntimeError("secret detail")

    @client.app.get("/numbers")
    def numbers(first: int) -> int:
        return first

    return client


@pytest.mark.parametrize("path", ["/broken", "/api/broken"])
def test_our_fault_shows_no_detail(broken: TestClient, path: str, caplog: pytest.LogCaptureFixture) -> None:
    """A failing handler is told in one sentence; the log has the rest, with the request."""
    answer = broken.get(path)
    assert answer.status_code == 500
    assert "Lanescope failed while it answered this" in answer.text
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    assert f"GET {path} failed" in caplog.text
    assert "content-security-policy" in answer.headers


def test_a_part_of_a_page_fails_as_a_part(broken: TestClient) -> None:
    """htmx puts the answer into the page, so it must not be a whole page again."""
    answer = broken.get("/broken", headers={"HX-Request": "true"})
    assert answer.status_code == 500
    assert 'role="alert"' in answer.text
    assert "<html" not in answer.text


def test_a_value_that_cannot_be_read_is_named(broken: TestClient) -> None:
    """The sentence says which part of the address is wrong, and what was typed is escaped."""
    answer = broken.get("/numbers?first=<u>")
    assert answer.status_code == 422
    assert "“first” cannot be used" in answer.text
    assert "<u>" not in answer.text


def test_a_database_that_cannot_write_is_a_sentence(
    client: TestClient, add_trace: Callable[..., str], database: Database
) -> None:
    """A full disk, or another program that holds the file: nothing was changed, and it is worth trying again."""
    trace = add_trace(name="before")

    def refuse(connection: Any, _record: Any, _proxy: Any) -> None:
        connection.execute("PRAGMA query_only = ON")

    event.listen(database.engine, "checkout", refuse)
    answer = client.post(
        f"/traces/{trace}/edit", data={"name": "after"}, headers={"Accept": "application/json"}
    )
    assert answer.status_code == 503
    told = answer.json()["error"]
    assert (
        told == "The database cannot do this now, nothing was changed: attempt to write a readonly database."
    )
    assert "before" in client.get("/").text
