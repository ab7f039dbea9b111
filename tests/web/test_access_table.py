"""Every route has an owner: one line of the table, and every line a route."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from webapp.web.access import ANY, TABLE, Entry, Need, entry_of, need_of
from webapp.web.security import PASSED_ON

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def routes(found: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """(method, path) of every route, those of included routers too, in the order in which they are looked at."""
    for route in found:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from routes(inner.routes)
            continue
        assert route.path.startswith("/"), f"{route!r}: mounted applications need lines of their own"
        methods = route.methods or {ANY}
        # Starlette answers HEAD wherever it answers GET
        for method in sorted(methods - {"HEAD"} if "GET" in methods else methods):
            yield method, route.path


@pytest.fixture
def app(client: TestClient) -> FastAPI:
    assert isinstance(client.app, FastAPI)
    return client.app


def sample(path: str) -> str:
    """An address that this path means: its parts filled in."""
    return re.sub(r"\{\w+(:path)?\}", lambda found: "a/b.css" if found[1] else "w4ngn3rzzzzz", path)


def without_line(table: Iterable[tuple[str, str]], known: Iterable[tuple[str, str]]) -> list[str]:
    """What is in the first and not in the second, as a person reads it."""
    have = set(known)
    return [f"{method} {path}" for method, path in table if (method, path) not in have]


def test_every_route_has_exactly_one_line(app: FastAPI) -> None:
    """A route that is added without saying who may ask for it stops here."""
    lines = [(entry.method, entry.path) for entry in TABLE]
    found = list(routes(app.routes))
    assert len(found) > 60
    assert without_line(found, lines) == []
    assert [line for line, times in Counter(lines).items() if times > 1] == []
    assert [line for line, times in Counter(found).items() if times > 1] == []


def test_every_line_has_a_route(app: FastAPI) -> None:
    """Nothing in the table is left over from a route that is gone."""
    lines = [(entry.method, entry.path) for entry in TABLE]
    assert without_line(lines, routes(app.routes)) == []


def test_a_route_without_a_line_is_found_and_answers_admins_alone(client: TestClient, app: FastAPI) -> None:
    """The walk sees routes of the application and of its routers; until the line is there nobody else gets in."""

    @app.get("/forgotten")
    def forgotten() -> dict[str, str]:
        return {"told": "all"}

    lines = [(entry.method, entry.path) for entry in TABLE]
    assert without_line(routes(app.routes), lines) == ["GET /forgotten"]
    assert entry_of("GET", "/forgotten") is None
    assert client.get("/forgotten").json() == {"told": "all"}  # an open installation: everybody is an admin


def test_what_programs_are_told_of_has_a_line(app: FastAPI) -> None:
    """Every operation of the description is in the table, and asks for a key of some scope."""
    operations = [(method.upper(), path) for path, item in app.openapi()["paths"].items() for method in item]
    lines = {(entry.method, entry.path): entry for entry in TABLE}
    assert operations
    assert without_line(operations, lines) == []
    assert [line for line in operations if not lines[line].keys or lines[line].need is Need.PUBLIC] == []


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: f"{entry.method} {entry.path}")
def test_an_address_leads_to_its_own_line(entry: Entry) -> None:
    """No line hides behind one before it, and HEAD is GET."""
    method = "POST" if entry.method == ANY else entry.method
    assert entry_of(method, sample(entry.path)) is entry
    if method == "GET":
        assert need_of("HEAD", sample(entry.path)) is entry.need


def test_the_table_and_the_application_match_alike(app: FastAPI) -> None:
    """Whatever line an address has, the application answers it with the route of that line."""
    order = list(routes(app.routes))
    patterns = {(entry.method, entry.path): entry.pattern for entry in TABLE}
    for entry in TABLE:
        address = sample(entry.path)
        first = next(
            line for line in order if line[0] in (entry.method, ANY) and patterns[line].match(address)
        )
        assert first == (entry.method, entry.path)


def test_what_is_public_is_listed_here() -> None:
    """Nobody makes a page public by a slip: it has to be written down twice."""
    public = {
        entry.path for entry in TABLE if entry.need is Need.PUBLIC and not entry.path.startswith("/s/{token}")
    }
    assert public == {
        "/rules",
        "/rules/answers",
        "/rules/{rule_id}",
        "/static/{digest}/{name:path}",
        "/favicon/{verdict}.svg",
        "/favicon.ico",
        "/sign-in",
        "/sign-in/oidc",
        "/sign-in/oidc/back",
        "/sign-out",
    }


def test_what_changes_something_is_for_editors_or_admins() -> None:
    """Besides their own account, a viewer sends a sentence to be looked up and asks for a trace to be played back."""
    theirs = {
        entry.path
        for entry in TABLE
        if entry.method not in ("GET", ANY)
        and entry.need is Need.VIEWER
        and not entry.path.startswith("/account/")
    }
    assert theirs == {"/errors", "/api/traces/{trace_id}/stream"}
    deleting = [entry.need for entry in TABLE if entry.path.endswith("/delete")]
    assert deleting == [Need.OWN, Need.OWN]


def test_keys_post_to_no_page() -> None:
    """A key sends to the interface of programs and through the proxy; forms are for people."""
    sent = [entry for entry in TABLE if entry.keys and entry.method not in ("GET",)]
    assert sent
    assert [e.path for e in sent if not e.path.startswith(("/api/", PASSED_ON))] == []


@pytest.mark.parametrize(
    "path", ["/", "/traces/x", "/users", "/api/traces/x", "/nothing", "/s/x", "/static/a/b"]
)
@pytest.mark.parametrize("method", METHODS)
def test_an_odd_spelling_of_an_address_is_not_public(method: str, path: str) -> None:
    """A double slash, a dot, another case: what is not in the table needs an admin, never nobody."""
    for odd in (f"/{path}", f"/.{path}", path.upper() if path.upper() != path else "//"):
        assert need_of(method, odd) is not Need.PUBLIC, odd
