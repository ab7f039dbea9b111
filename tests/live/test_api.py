"""The interface for programs does what its description says, whatever is asked of it and whoever asks."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.live.serving import Serving, serving
from tests.streams import finished, message, sse, started
from tests.web.people import person
from webapp.app import create_app
from webapp.settings import load_settings
from webapp.storage import keys
from webapp.storage.db import Database, open_database
from webapp.storage.migrate import migrate

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]
EXAMPLES = int(os.environ.get("API_EXAMPLES", "12"))  # of each operation; `make fuzz` asks for more
OTHER_EXAMPLES = max(3, EXAMPLES // 3)  # of each operation and asker, where there are accounts
RUN = sse(started(), *message("m", "Hello"), finished())
OPERATIONS = [
    (method.upper(), path)
    for path, methods in create_app(load_settings()).openapi()["paths"].items()
    for method in methods
]
# who asks -> whose key it is and its scope; None: no key that counts
ASKERS: dict[str, tuple[str, keys.Scope] | None] = {
    "nobody": None,
    "a made-up key": None,
    "a read key": ("viewer", "read"),
    "a push key": ("editor", "push"),
    "an admin key": ("admin", "admin"),
}


class Guarded:
    """A server with accounts. keys: asker -> the headers they send; described: the description it gives."""

    def __init__(self, server: Serving, database: Database) -> None:
        self.server = server
        self.headers: dict[str, dict[str, str]] = {
            "nobody": {},
            "a made-up key": {"Authorization": "Bearer lsk_made-up"},
        }
        for asker, known in ASKERS.items():
            if known is not None:
                role, scope = known
                user = person(database, role, role)
                with database.session() as session:
                    _, secret = keys.make(session, user, name="k", scope=scope, now=time.time())
                self.headers[asker] = {"Authorization": f"Bearer {secret}"}
        self.described = schemathesis.openapi.from_url(
            f"{server.url}/api/openapi.json", headers=self.headers["a read key"]
        )

    def store(self, body: bytes, query: str = "") -> str:
        """A new trace; its id."""
        _, answer = self.server.ask(f"/api/traces?{query}", body, **self.headers["a push key"])
        return str(answer["id"])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("api")) as server:
        yield server


@pytest.fixture(scope="module")
def described(server: Serving) -> Any:
    return schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder: Path = tmp_path_factory.mktemp("guarded")
    url = load_settings(data_dir=folder, database_url="").database_url
    migrate(url)
    database = open_database(url)
    person(database, "first", "admin")
    try:
        with serving(folder) as server:
            yield Guarded(server, database)
    finally:
        database.close()


def random_requests(examples: int) -> settings:
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_request_gives_what_is_not_described(described: Any, method: str, path: str) -> None:
    """Random requests, good and bad: no failure of the server, and answers of the status and shape it tells."""

    @random_requests(EXAMPLES)
    @given(described[path][method].as_strategy())
    def ask(case: Any) -> None:
        case.call_and_validate(checks=CHECKS, timeout=20)

    ask()


@pytest.mark.parametrize("asker", ASKERS)
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_asker_gives_what_is_not_described(guarded: Guarded, method: str, path: str, asker: str) -> None:
    """The same where there are accounts; every refusal has the one shape, and nobody gets past 401."""

    @random_requests(OTHER_EXAMPLES)
    @given(guarded.described[path][method].as_strategy())
    def ask(case: Any) -> None:
        for name in ("authorization", "Authorization"):  # the description's own guesses at a key
            case.headers.pop(name, None)
        answer = case.call(headers=guarded.headers[asker], timeout=20)
        case.validate_response(answer, checks=CHECKS)
        if answer.status_code >= 400:
            told = answer.json()
            assert isinstance(told["error"], str)
            assert told["error"].endswith(".")
        if ASKERS[asker] is None:
            assert answer.status_code == 401
        if asker == "a read key" and (
            method in ("PUT", "DELETE") or (method == "POST" and "stream" not in path)
        ):
            assert answer.status_code == 403

    ask()


def test_real_traces_give_what_is_described(server: Serving, described: Any) -> None:
    """The same for ids that exist: a stored trace, a live one, and one that has ended."""
    _, stored = server.ask("/api/traces?name=stored", RUN)
    _, live = server.ask("/api/traces?live=true&name=live", b"")
    for public in (stored["id"], live["id"]):
        for path, method in (("", "GET"), ("/stream", "GET"), ("/stream", "POST"), ("/end", "POST")):
            operation = described["/api/traces/{trace_id}" + path][method]
            query = {"speed": "max"} if path == "/stream" else {}
            case = operation.Case(path_parameters={"trace_id": public}, query=query)
            case.call_and_validate(checks=CHECKS, timeout=20)


@pytest.mark.parametrize(
    ("asker", "reads", "adds"),
    [("a read key", 200, 403), ("a push key", 403, 200), ("an admin key", 200, 200)],
)
def test_real_traces_answer_each_key_as_far_as_it_reaches(
    guarded: Guarded, asker: str, reads: int, adds: int
) -> None:
    """What is described of a trace that exists, for each scope."""
    stored = guarded.store(RUN, "name=stored")
    live = guarded.store(b"", "live=true&name=live")
    for path, method, public, expected in (
        ("", "GET", stored, reads),
        ("/stream", "GET", stored, reads),
        ("/stream", "POST", stored, reads),
        ("/end", "POST", live, adds),
    ):
        operation = guarded.described["/api/traces/{trace_id}" + path][method]
        query = {"speed": "max"} if path == "/stream" else {}
        case = operation.Case(path_parameters={"trace_id": public}, query=query)
        answer = case.call(headers=guarded.headers[asker], timeout=20)
        case.validate_response(answer, checks=CHECKS)
        assert answer.status_code == expected, (method, path)


def test_every_operation_tells_its_faults_and_its_key() -> None:
    """All that stands in front of a route is told of it, in the one shape, and which key opens it."""
    description = create_app(load_settings()).openapi()
    assert description["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    assert "HTTPValidationError" not in str(description)
    for path, item in description["paths"].items():
        for method, operation in item.items():
            answers = operation["responses"]
            assert {"401", "403", "421", "503"} <= set(answers), (method, path)
            assert {"key": []} in operation["security"]
            assert "a key with the scope" in operation["description"]
            assert "404" in answers or "{" not in path
            for status, answer in answers.items():
                if status >= "400":
                    ((kind, content),) = answer["content"].items()
                    shape = content["schema"]["$ref"].rpartition("/")[2]
                    assert kind == "application/json"
                    assert "error" in description["components"]["schemas"][shape]["properties"], (
                        path,
                        status,
                    )
    assert "429" in description["paths"]["/api/traces"]["post"]["responses"]
    assert "429" in description["paths"]["/api/traces"]["get"]["responses"]
    assert "429" not in description["paths"]["/api/traces/{trace_id}/events"]["post"]["responses"]
