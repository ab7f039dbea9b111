"""A live trace that is deleted: who records it and who watches it hear of it, and no other trace remembers it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from fastapi.testclient import TestClient

from tests.streams import finished, message, sse, started
from webapp.storage import traces

SECRET = [{"type": "RUN_STARTED", "threadId": "SECRET", "runId": "r"}, *message("secret", "SECRET")]
WHOLE = [started(), *message("m", "Hello"), finished()]
WAIT = 20.0


def until(true: Callable[[], Any]) -> Any:
    """What `true` gives once it gives something."""
    end = time.monotonic() + WAIT
    while not (found := true()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)
    return found


def begun(client: TestClient, *events: dict[str, Any]) -> str:
    public: str = client.post("/api/traces?live=true").json()["id"]
    if events:
        assert client.post(f"/api/traces/{public}/events?seq=1", content=sse(*events)).status_code == 200
    return public


def report(client: TestClient, public: str) -> dict[str, Any]:
    told: dict[str, Any] = client.get(f"/api/traces/{public}").json()
    return told


def test_the_next_trace_is_not_judged_with_the_memory_of_a_deleted_one(client: TestClient) -> None:
    """Whether it comes in batches or as one push: its own events, its own ids, its own verdict."""
    for push in (False, True):
        first = begun(client, *SECRET)
        until(lambda first=first: report(client, first)["events"] == len(SECRET))
        client.post(f"/traces/{first}/delete")
        if push:
            answer = client.put("/api/live", content=sse(*WHOLE)).json()
            public = answer["id"]
        else:
            public = begun(client, *WHOLE)
            client.post(f"/api/traces/{public}/end")
        told = until(lambda public=public: (r := report(client, public))["verdict"] == "conformant" and r)
        assert told["events"] == len(WHOLE)
        assert "SECRET" not in json.dumps(told)
        assert "SECRET" not in client.get(f"/traces/{public}").text


def test_a_number_is_never_used_again(client: TestClient) -> None:
    """A trace that comes after a deleted one has a number of its own, whatever kind it is."""
    database = client.app.state.database  # type: ignore[attr-defined]
    numbers = set()
    for text in ("one", "two", "three"):
        data = sse(started(), *message("m", text), finished())
        public = client.post("/api/traces", content=data).json()["id"]
        with database.session() as session:
            numbers.add(traces.get(session, public).pk)
        client.post(f"/traces/{public}/delete")
    assert len(numbers) == 3


def test_a_recorder_whose_trace_was_deleted_is_told(client: TestClient) -> None:
    """A further batch of it is answered 404, and the recording counts as running no more."""
    public = begun(client, *SECRET)
    client.post(f"/traces/{public}/delete")
    assert client.post(f"/api/traces/{public}/events?seq=2", content=sse(*WHOLE)).status_code == 404
    recorder = client.app.state.recorder  # type: ignore[attr-defined]
    until(lambda: public not in recorder._ours)


def test_the_original_of_a_running_trace_is_what_is_stored_by_now(client: TestClient) -> None:
    """At any moment of the recording, without a length that would have to be guessed."""
    public = begun(client, *WHOLE[:2])
    answer = client.get(f"/traces/{public}/original")
    assert answer.status_code == 200
    assert answer.content == sse(*WHOLE[:2])
    assert "content-length" not in answer.headers
    client.post(f"/api/traces/{public}/events?seq=2", content=sse(*WHOLE[2:]))
    assert client.get(f"/traces/{public}/original").content == sse(*WHOLE)
    client.post(f"/api/traces/{public}/end")
    until(
        lambda: (
            client.get(f"/traces/{public}/original").headers.get("content-length") == str(len(sse(*WHOLE)))
        )
    )
