"""The list of traces for programs: what it holds, how it is narrowed, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args, get_type_hints

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import BASE
from webapp.core.findings import VERDICTS
from webapp.web import trace_list

Add = Callable[..., str]


def names(client: TestClient, query: str) -> list[str]:
    answer = client.get(f"/api/traces?{query}")
    assert answer.status_code == 200, answer.text
    return [each["name"] for each in answer.json()["traces"]]


def test_an_empty_server_lists_nothing(client: TestClient) -> None:
    assert client.get("/api/traces").json() == {"total": 0, "traces": []}


def test_a_trace_is_listed_with_what_a_program_needs(client: TestClient, add_trace: Add) -> None:
    """Every member, as it is documented."""
    id_ = add_trace(
        name="refund.sse",
        verdict="rejected",
        rejected_at=12,
        events=40,
        headline="no such call",
        created=1_700_000_000.5,
    )
    assert client.get("/api/traces").json() == {
        "total": 1,
        "traces": [
            {
                "id": id_,
                "url": f"{BASE}/traces/{id_}",
                "name": "refund.sse",
                "protocol": "ag-ui",
                "verdict": "rejected",
                "status": "ready",
                "events": 40,
                "rejected_at": 12,
                "created": "2023-11-14T22:13:20.500000Z",
                "headline": "no such call",
            }
        ],
    }


def test_the_newest_come_first_and_the_rest_by_offset(client: TestClient, add_trace: Add) -> None:
    """`total` counts all of them, whatever stretch is asked for."""
    for number in range(5):
        add_trace(name=f"n{number}")
    answer = client.get("/api/traces?limit=2&offset=1").json()
    assert (answer["total"], [each["name"] for each in answer["traces"]]) == (5, ["n3", "n2"])
    assert client.get("/api/traces?offset=9").json() == {"total": 5, "traces": []}


def test_fifty_are_listed_when_no_number_is_given(client: TestClient, add_trace: Add) -> None:
    for _ in range(51):
        add_trace()
    assert len(names(client, "")) == 50
    assert len(names(client, "limit=200")) == 51


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("verdict=rejected", ["broken"]),
        ("protocol=teams", ["chat"]),
        ("status=live", ["running"]),
        ("status=failed", []),
        ("q=broken", ["broken"]),
        ("q=chat&verdict=rejected", []),
    ],
)
def test_it_is_narrowed_as_asked(client: TestClient, add_trace: Add, query: str, found: list[str]) -> None:
    add_trace(name="broken", verdict="rejected")
    add_trace(name="chat", protocol="teams")
    add_trace(name="running", status="live", verdict="unchecked")
    assert names(client, query) == found


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=x", "limit"),
        ("offset=-1", "offset"),
        ("offset=99999999999999999999", "offset"),
        ("verdict=bad", "verdict"),
        ("protocol=mcp", "protocol"),
        ("status=gone", "status"),
        (f"q={'x' * 201}", "q"),
    ],
)
def test_what_cannot_be_used_is_told(client: TestClient, query: str, name: str) -> None:
    """One sentence that names the parameter; nothing is guessed."""
    answer = client.get(f"/api/traces?{query}")
    assert answer.status_code == 422
    assert answer.json()["error"].startswith(f"“{name}” cannot be used")


def test_every_verdict_can_be_asked_for() -> None:
    """The words of the parameter are those of the engine."""
    annotated = get_type_hints(trace_list.listing)["verdict"]
    assert set(get_args(get_args(annotated)[0])) == set(VERDICTS)
