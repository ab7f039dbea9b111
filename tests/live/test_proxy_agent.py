"""The proxy in front of a small real AG-UI server: nothing is changed on the way, and the run is recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path

import pytest

from tests.live.proxied import RUN, agent, asked, call, only, proxying, recorded, run
from webapp.storage.db import Database

OURS = {"date", "transfer-encoding"}  # between neighbours, or of the moment


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    with agent() as url:
        yield url


def end_to_end(answer: HTTPResponse) -> list[tuple[str, str]]:
    return [(name.lower(), value) for name, value in answer.getheaders() if name.lower() not in OURS]


@pytest.mark.parametrize("props", [{}, {"words": 200}, {"gzip": True}, {"fail": True}])
def test_a_run_is_the_same_as_without_the_proxy(
    database: Database, tmp_path: Path, served: str, props: dict[str, object]
) -> None:
    """Status, headers in their order and every byte of the body; and the trace holds that body and the input."""
    direct = run(f"{served}/agent", **props)
    with proxying(database, tmp_path, shop=served) as url:
        through = run(f"{url}/proxy/shop/agent", **props)
        assert (through.status, end_to_end(through)) == (direct.status, end_to_end(direct))
        body = through.read()
        assert body == direct.read()
    found = only(database)
    assert found.trace.name == "shop: run r-1 of thread t-1"
    assert found.trace.source == f"{served}/agent"
    assert found.trace.input == {**RUN, "forwardedProps": props}
    assert found.capture.head is not None
    assert found.capture.head["status"] == direct.status
    assert found.capture.head["content_type"] == direct.headers["content-type"]
    if "fail" in props:
        assert (found.trace.verdict, found.body) == ("unchecked", body)
        assert "500 Internal Server Error" in found.notes
    else:
        assert (found.trace.verdict, found.notes.strip()) == ("conformant", "")
        assert found.trace.events == 4 + int(str(props.get("words", 3)))
    if "gzip" in props:
        assert found.body.startswith(b"data: {")
    elif "fail" not in props:
        assert found.body == body


def test_each_run_is_a_trace_and_other_paths_are_none(
    database: Database, tmp_path: Path, served: str
) -> None:
    """Two runs, one after the other on one connection, and requests that are passed on without being recorded."""
    with proxying(database, tmp_path, shop=f"{served}/") as url:
        assert run(f"{url}/proxy/shop/agent").read()
        assert call(f"{url}/proxy/shop/openapi.json").status == 200
        assert call(f"{url}/proxy/shop/nothing", "POST", b'{"threadId": 1}').status == 404
        assert (
            call(f"{url}/proxy/shop/agent", "POST", b"[]", {"Content-Type": "application/json"}).status == 422
        )
        assert run(f"{url}/proxy/shop/agent").read()
    assert [found.trace.verdict for found in recorded(database)] == ["conformant", "conformant"]


def test_what_the_agent_refuses_is_recorded_with_its_reason(
    database: Database, tmp_path: Path, served: str
) -> None:
    """A run input that the agent calls malformed: no stream, and the trace says what came instead."""
    broken = {**RUN, "messages": [{"id": "u-1", "role": "nobody", "content": "Hi"}]}
    with proxying(database, tmp_path, shop=served) as url:
        answer = call(
            f"{url}/proxy/shop/agent",
            "POST",
            json.dumps(broken).encode(),
            {"Content-Type": "application/json"},
        )
        assert answer.status == 422
        assert answer.read()
    found = only(database)
    assert "422" in found.notes
    assert found.trace.input == broken


def test_a_client_that_leaves_is_a_client_that_left(database: Database, tmp_path: Path, served: str) -> None:
    """The agent is told at once, its run ends, and the recording says why."""
    with proxying(database, tmp_path, shop=served) as url:
        answer = run(f"{url}/proxy/shop/agent", hang=True)
        assert b"RUN_STARTED" in answer.readline()
        answer.close()
        assert json.load(call(f"{served}/left")) == {"left": True}
    found = only(database)
    assert "client went away" in found.notes
    assert b"RUN_STARTED" in found.body
    assert b"RUN_FINISHED" not in found.body


def test_a_server_that_stops_ends_what_it_records(database: Database, tmp_path: Path, served: str) -> None:
    """A stream without an end does not keep it, and the trace says why it is cut."""
    with proxying(database, tmp_path, shop=served) as url:
        answer = run(f"{url}/proxy/shop/agent", hang=True)
        assert b"RUN_STARTED" in answer.readline()
    found = only(database)
    assert "Lanescope was stopped" in found.notes
    assert b"RUN_STARTED" in found.body


def test_credentials_are_not_stored(database: Database, tmp_path: Path, served: str) -> None:
    """Neither those of headers, nor of the query, nor of the body."""
    key = "sk-proj-" + "Zz9" * 14
    with proxying(database, tmp_path, shop=served) as url:
        answer = call(
            f"{url}/proxy/shop/agent?api_key={key}",
            "POST",
            asked(apiKey=key),
            {
                "Authorization": f"Bearer {key}",
                "Cookie": f"session={key}",
                "X-Api-Key": key,
                "Content-Type": "application/json",
            },
        )
        assert answer.read()
    assert only(database).trace.events == 7
    for file in tmp_path.rglob("lanescope.db*"):
        assert key.encode() not in file.read_bytes()
