"""Limits: who does what costs much too often is told to wait, alone, and no recording is cut by it."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.streams import finished, message, sse, started
from tests.web.people import browser, person
from webapp.accounts.tries import Throttle
from webapp.app import create_app
from webapp.ingest.upload import ingest
from webapp.settings import Settings
from webapp.storage import keys, shares, traces
from webapp.storage.db import Database
from webapp.web import limits
from webapp.web.limits import Memory

RUN = sse(started(), *message("m", "Hello"), finished())
SMALL = {"Content-Type": "application/octet-stream"}


@pytest.fixture
def two_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of everything a minute, so that the third is one too many."""
    for name in ("UPLOADS", "CALLS", "SEARCHES", "WRONG_LINKS"):
        kind = getattr(limits, name).kind
        monkeypatch.setattr(limits, name, Throttle(kind, most=2, seconds=60))
    stored = {("POST", "/traces"): limits.UPLOADS, ("POST", "/api/traces"): limits.UPLOADS}
    monkeypatch.setattr(limits, "STORED", {**stored, ("POST", "/call"): limits.CALLS})


class Place:
    """An installation with accounts. one, other: browsers of two editors."""

    def __init__(self, app: FastAPI, settings: Settings, database: Database, started: TestClient) -> None:
        self.database, self.settings = database, settings
        self.anna, self.otto = (person(database, name, "editor") for name in ("Anna", "Otto"))
        self.one, self.other = (
            browser(app, settings, database, each, started) for each in (self.anna, self.otto)
        )
        self.nobody = browser(app, settings, database, beside=started)

    def key(self, scope: keys.Scope) -> dict[str, str]:
        with self.database.session() as session:
            _, secret = keys.make(session, self.anna, name="k", scope=scope, now=time.time())
        return {"Authorization": f"Bearer {secret}"}


@pytest.fixture
def place(settings: Settings, database: Database, two_each: None) -> Iterator[Place]:
    app = create_app(settings, database)
    with TestClient(app, base_url="http://127.0.0.1:8321", follow_redirects=False) as started:
        yield Place(app, settings, database, started)


def test_the_third_upload_waits_and_nothing_of_it_is_stored(place: Place) -> None:
    """One sentence and the seconds to wait; another account goes on, and so do keys of the same."""
    for number in range(2):
        assert place.one.post("/api/traces", content=RUN + b"\n" * number).status_code == 201
    late = place.one.post("/api/traces", content=RUN + b"\n\n\n")
    assert late.status_code == 429
    assert 0 < int(late.headers["retry-after"]) <= 60
    assert late.json()["error"].startswith("Too much was uploaded in a short time, so this was not stored.")
    form = place.one.post("/traces", data={"text": RUN.decode() + "\n"})
    assert form.status_code == 429
    assert "Too often" in form.text
    assert "content-security-policy" in form.headers
    assert place.other.post("/api/traces", content=RUN).status_code == 200
    by_key = place.nobody.post("/api/traces", content=RUN, headers=place.key("push"))
    assert by_key.status_code == 200
    with place.database.session() as session:
        assert traces.list_traces(session, q="", verdict="", protocol="", offset=0, limit=9)[1] == 2


def test_a_recording_that_runs_is_never_cut(place: Place) -> None:
    """However many events are sent, and however many recordings are begun, in batches or in one stream."""
    for _ in range(4):
        begun = place.one.post("/api/traces?live=true").json()
        for seq in range(1, 5):
            answer = place.one.post(
                f"{begun['events']}?seq={seq}", content=RUN, headers={"Content-Type": "text/event-stream"}
            )
            assert answer.status_code == 200, answer.text
        assert place.one.post(begun["end"]).status_code == 200
        assert place.one.put("/api/live", content=RUN).status_code == 201


@pytest.mark.parametrize("said", ["live=false", "live=", "live=0", "live=maybe", "live=true&live=false"])
def test_only_what_begins_a_live_recording_goes_past_the_limit(place: Place, said: str) -> None:
    """What the handler takes for an upload is counted as one."""
    statuses = [
        place.one.post(f"/api/traces?{said}", content=RUN + b"\n" * number).status_code for number in range(3)
    ]
    assert statuses[2] == 429, statuses


def test_calls_to_agents_have_a_limit_of_their_own(place: Place) -> None:
    """The third is not made; uploads are another matter."""
    form = {"url": "http://example.invalid/", "run_input": "{}"}
    assert [place.one.post("/call", data=form).status_code for _ in range(3)] == [400, 400, 429]
    assert place.one.post("/api/traces", content=RUN).status_code == 201


def test_searches_count_and_looking_does_not(place: Place) -> None:
    """With a word to search for, on the list, on a trace's page and for programs, together; without one, never."""
    trace = ingest(place.database, [RUN], name="a.sse", settings=place.settings).id
    paths = ("/", "/api/traces", f"/traces/{trace}", f"/traces/{trace}/events")
    for path in paths * 3:
        assert place.one.get(f"{path}?q=").status_code == 200
    assert place.one.get("/?q=hello").status_code == 200
    assert place.one.get(f"/traces/{trace}/events?q=hello").status_code == 200
    for path in paths:
        answer = place.one.get(f"{path}?q=hello")
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) > 0
    assert place.one.get("/").status_code == 200
    assert place.other.get("/?q=hello").status_code == 200


def test_going_through_whole_traces_has_a_limit(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Redacted files, links and new readings count together; looking at the trace does not."""
    monkeypatch.setattr(limits, "READ", dict.fromkeys(limits.READ, Throttle("whole", most=3, seconds=60)))
    trace = place.one.post("/api/traces", content=RUN).json()["id"]
    assert place.one.get(f"/traces/{trace}/redacted.jsonl").status_code == 200
    assert place.one.post(f"/traces/{trace}/share", data={"name": "x", "days": "7"}).status_code == 200
    assert place.one.post(f"/traces/{trace}/reread", data={"as": "sse"}).status_code == 303
    late = place.one.get(f"/traces/{trace}/redacted.jsonl")
    assert late.status_code == 429
    assert "retry-after" in late.headers
    assert place.one.get(f"/traces/{trace}").status_code == 200
    assert place.other.get(f"/traces/{trace}/redacted.jsonl").status_code == 200


def test_who_tries_links_that_open_nothing_is_told_to_stop(place: Place) -> None:
    """The first ones get the answer of every link that has ended; a link that works opens all the same."""
    trace = ingest(place.database, [RUN], name="a.sse", settings=place.settings).id
    with place.database.session() as session:
        row = traces.get(session, trace)
        assert row is not None
        _, token = shares.create(session, row.pk, name="l", level=shares.EVERYTHING, now=time.time(), days=1)
    tails = ("", "/events", "", "/original")
    answers = [place.nobody.get(f"/s/{number:032}{tail}") for number, tail in enumerate(tails)]
    assert [answer.status_code for answer in answers] == [404, 404, 429, 429]
    assert answers[2].headers["cache-control"] == "no-store"
    assert place.nobody.get(f"/s/{token}").status_code == 200


def test_searches_on_a_shared_page_are_counted_for_where_they_come_from(place: Place) -> None:
    """Who opens a link has no name."""
    trace = ingest(place.database, [RUN], name="a.sse", settings=place.settings).id
    with place.database.session() as session:
        row = traces.get(session, trace)
        assert row is not None
        _, token = shares.create(session, row.pk, name="l", level=shares.EVERYTHING, now=time.time(), days=1)
    found = [place.nobody.get(f"/s/{token}?q=hello").status_code for _ in range(3)]
    assert found == [200, 200, 429]


def test_without_accounts_there_is_ten_times_the_room(client: TestClient, two_each: None) -> None:
    """Everybody at this machine is one asker."""
    found = [client.get("/?q=hello").status_code for _ in range(21)]
    assert found == [200] * 20 + [429]


def test_a_window_ends() -> None:
    """Counted from the first try, and forgotten when its time is over."""
    memory, twice = Memory(), Throttle("x", most=2, seconds=10)
    assert [memory.wait(twice, "a", now) for now in (0, 1, 2, 9)] == [0, 0, 8, 1]
    assert memory.wait(twice, "b", 2) == 0
    assert [memory.wait(twice, "a", now) for now in (10, 11, 12)] == [0, 0, 8]


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes from many places fills no memory, and the newest are remembered."""
    monkeypatch.setattr(limits, "MOST_ASKERS", 50)
    memory, once = Memory(), Throttle("x", most=1, seconds=60)
    for number in range(500):
        memory.wait(once, str(number), number / 100)
    assert len(memory._windows) == 50
    assert memory.wait(once, "499", 6) > 0


def test_the_limits_leave_room_for_work() -> None:
    """What a person or a nightly job does is far below them."""
    assert limits.UPLOADS.most >= 100
    assert limits.SEARCHES.most / limits.SEARCHES.seconds >= 2
