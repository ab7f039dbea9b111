"""Watching over HTTP: positions only, from the first look on, and again after a broken connection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.streams import finished, message, sse, started
from tests.web.conftest import BASE
from webapp.app import create_app
from webapp.ingest.live import transactions
from webapp.settings import Settings
from webapp.storage.db import Database
from webapp.web import follow

WHOLE = sse(started(), *message("m", "Hello", " world"), finished())


def _events(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """(event, data, id) of each event."""
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        if line:
            fields[name] = value.strip()
        elif "data" in fields:
            yield fields["event"], json.loads(fields["data"]), fields.get("id", "")
            fields = {}


def _begin(client: TestClient) -> dict[str, Any]:
    begun: dict[str, Any] = client.post("/api/traces?live=1").json()
    return begun


def test_a_trace_is_followed_to_its_end(client: TestClient) -> None:
    """Positions grow, the last one has the status, and then the stream is over."""
    begun = _begin(client)
    with client.stream("GET", f"{begun['url']}/live") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        events = _events(answer.iter_lines())
        assert next(events) == ("position", {"trace": begun["id"], "seq": 0, "status": "live"}, "0")
        cut = WHOLE.index(b"\n\n", 150) + 2
        client.post(f"{begun['events']}?seq=1", content=WHOLE[:cut])
        told = next(events)
        assert (0 < told[1]["seq"] < 6, told[1]["status"]) == (True, "live")
        client.post(f"{begun['events']}?seq=2", content=WHOLE[cut:])
        client.post(begun["end"])
        rest = [told, *events]
    numbers = [data["seq"] for _, data, _ in rest]
    assert (numbers == sorted(numbers), rest[-1][1]["seq"], rest[-1][1]["status"]) == (True, 6, "ready")


@pytest.mark.parametrize("headers", [{}, {"last-event-id": "3"}, {"last-event-id": "nonsense"}])
def test_who_comes_late_or_again_gets_the_position_at_once(
    client: TestClient, headers: dict[str, str]
) -> None:
    """Whatever was missed: a position is all there is to know."""
    public = client.post("/api/live", content=WHOLE).json()["id"]
    with client.stream("GET", f"/traces/{public}/live", headers=headers) as answer:
        assert [data for _, data, _ in _events(answer.iter_lines())] == [
            {"trace": public, "seq": 6, "status": "ready"}
        ]


def test_a_recording_goes_on_behind_a_restart_and_so_does_its_page(
    settings: Settings, database: Database
) -> None:
    """A page that is back before the sender is not told the end, after which it would ask no more."""
    cut = WHOLE.index(b"\n\n", 150) + 2
    with TestClient(create_app(settings, database), base_url=BASE) as first:
        begun = _begin(first)
        first.post(f"{begun['events']}?seq=1", content=WHOLE[:cut])
    with TestClient(create_app(settings, database), base_url=BASE) as second:
        assert "was stopped" in second.get(begun["url"]).text
        with second.stream("GET", f"{begun['url']}/live") as answer:
            events = _events(answer.iter_lines())
            assert next(events)[1]["status"] == "live"
            second.post(f"{begun['events']}?seq=2", content=WHOLE[cut:])
            second.post(begun["end"])
            told = [data for _, data, _ in events]
    assert (told[-1]["seq"], told[-1]["status"]) == (6, "ready")


def test_a_recording_whose_sender_stays_away_has_ended(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is awaited for a while only."""
    monkeypatch.setattr(transactions, "AWAITED", 0.0)
    with TestClient(create_app(settings, database), base_url=BASE) as first:
        begun = _begin(first)
        first.post(f"{begun['events']}?seq=1", content=WHOLE)
    with (
        TestClient(create_app(settings, database), base_url=BASE) as second,
        second.stream("GET", f"{begun['url']}/live") as answer,
    ):
        assert [data["status"] for _, data, _ in _events(answer.iter_lines())] == ["ready"]


def test_a_watcher_of_a_deleted_trace_is_told(client: TestClient) -> None:
    """It is gone, and the stream ends."""
    begun = _begin(client)
    with client.stream("GET", f"{begun['url']}/live") as answer:
        events = _events(answer.iter_lines())
        next(events)
        client.post(f"{begun['url']}/delete")
        assert [data["status"] for _, data, _ in events] == ["gone"]
    assert client.get(f"{begun['url']}/live").status_code == 404


def test_a_lost_signal_is_made_good(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while without news the database is asked."""
    monkeypatch.setattr(follow, "BEAT", 0.01)
    begun = _begin(client)
    with client.stream("GET", f"{begun['url']}/live") as answer:
        events = _events(answer.iter_lines())
        next(events)
        monkeypatch.setattr(client.app.state.hub, "tell", lambda _: None)  # type: ignore[attr-defined]
        client.post(f"{begun['events']}?seq=1", content=WHOLE)
        client.post(begun["end"])
        assert [data["status"] for _, data, _ in events][-1] == "ready"


def test_the_list_is_told_that_something_moved(client: TestClient) -> None:
    """At once, since nobody knows what was missed, and with every change after it."""
    with client.stream("GET", "/live/moves") as answer:
        events = _events(answer.iter_lines())
        assert next(events)[:2] == ("moved", {"trace": "*", "seq": -1, "status": "live"})
        public = client.post("/api/live", content=WHOLE).json()["id"]
        for name, data, _ in events:
            assert (name, data["trace"]) == ("moved", public)
            if data["status"] == "ready":
                break


def test_too_many_watchers_are_refused(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a sentence and when to come again."""
    monkeypatch.setattr(follow, "MOST", 0)
    public = client.post("/api/live", content=WHOLE).json()["id"]
    for path in ("/live/moves", f"/traces/{public}/live"):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


def test_the_head_of_a_live_trace_says_live_until_it_has_ended(client: TestClient) -> None:
    """What is recorded belongs to Live, what is stored to the list."""
    begun = _begin(client)
    client.post(f"{begun['events']}?seq=1", content=WHOLE)
    assert '<a href="/live" aria-current="page">' in client.get(begun["url"]).text
    client.post(begun["end"])
    _to_the_end(client, begun)
    page = client.get(begun["url"]).text
    assert '<a href="/" aria-current="page">' in page
    assert '<a href="/live" aria-current="page">' not in page


def test_the_newest_event_is_marked_where_a_fold_holds_it(client: TestClient) -> None:
    """While the page follows; not where an event was chosen, not unfolded, and not after the end."""
    begun = _begin(client)
    burst = sse(started(), *message("m", *("abcdefgh"))[:-1])
    client.post(f"{begun['events']}?seq=1", content=burst)
    with client.stream("GET", f"{begun['url']}/live") as answer:
        for _, told, _ in _events(answer.iter_lines()):
            if told["seq"] == 10:
                break
        assert '<span class="newest" id="newest-9">newest #9</span>' in client.get(begun["url"]).text
        for chosen in ("?event=9", "?fold=0"):
            assert 'class="newest"' not in client.get(f"{begun['url']}{chosen}").text
    client.post(begun["end"])
    _to_the_end(client, begun)
    assert 'class="newest"' not in client.get(begun["url"]).text


def test_the_command_to_copy_is_the_one_that_there_is(client: TestClient) -> None:
    """After `make run` the command lies in a folder, and the page says what it is called elsewhere."""
    page = client.get("/live").text
    assert ".venv/bin/lanescope serve</pre>" in page
    assert "installed otherwise it is <code>lanescope</code> alone" in page


def _to_the_end(client: TestClient, begun: dict[str, Any]) -> None:
    with client.stream("GET", f"{begun['url']}/live") as answer:
        assert [data["status"] for _, data, _ in _events(answer.iter_lines())][-1] == "ready"
