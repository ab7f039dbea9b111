"""The interface for programs does what its description says, whatever is asked of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)

from tests.live.serving import Serving, serving
from tests.streams import finished, message, sse, started
from webapp.app import create_app
from webapp.settings import load_settings

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = int(os.environ.get("API_EXAMPLES", "12"))  # of each operation; `make fuzz` asks for more


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("api")) as server:
        yield server


@pytest.fixture(scope="module")
def described(server: Serving) -> Any:
    return schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")


OPERATIONS = [
    (method.upper(), path)
    for path, methods in create_app(load_settings()).openapi()["paths"].items()
    for method in methods
]


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_request_gives_what_is_not_described(described: Any, method: str, path: str) -> None:
    """Random requests, good and bad: no failure of the server, and answers of the status and shape it tells."""

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(described[path][method].as_strategy())
    def ask(case: Any) -> None:
        case.call_and_validate(checks=CHECKS, timeout=20)

    ask()


def test_real_traces_give_what_is_described(server: Serving, described: Any) -> None:
    """The same for ids that exist: a stored trace, a live one, and one that has ended."""
    _, stored = server.ask("/api/traces?name=stored", sse(started(), *message("m", "Hello"), finished()))
    _, live = server.ask("/api/traces?live=true&name=live", b"")
    for public in (stored["id"], live["id"]):
        for path, method in (("", "GET"), ("/stream", "GET"), ("/stream", "POST"), ("/end", "POST")):
            operation = described["/api/traces/{trace_id}" + path][method]
            query = {"speed": "max"} if path == "/stream" else {}
            case = operation.Case(path_parameters={"trace_id": public}, query=query)
            case.call_and_validate(checks=CHECKS, timeout=20)
