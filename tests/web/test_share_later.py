"""Links to long traces: there at once, honest while what they show is being prepared, and never showing more."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from html import unescape
from threading import Event
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from tests.browser import message, run
from webapp.app import create_app
from webapp.errors import BadInput, Busy
from webapp.ingest import copies, copy_maker
from webapp.ingest.upload import ingest
from webapp.settings import Settings, load_settings
from webapp.storage import audit, traces
from webapp.storage.db import Database
from webapp.storage.models import Share, Trace

pytestmark = pytest.mark.databases("sqlite", "postgresql")

BASE = "http://127.0.0.1:8321"
SAID = "Dear Mia, the blue kettle"
NAME = "kettles-of-mia.sse"
PATIENCE = 60.0  # seconds until a test gives up; none waits so long
TAILS = ("/original", "/report.html", "/sequence.svg", "/exchanges.jsonl", "/play", "/events", "/source")


@pytest.fixture(autouse=True)
def everything_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace of a few records is prepared beside, as one of a million is."""
    monkeypatch.setattr(copy_maker, "LONG", 1)


class Making:
    """Stands in for the making of copies: it waits until it is told what becomes of it."""

    def __init__(self) -> None:
        self.go, self.begun = Event(), Event()
        self.fault: Exception | None = None
        self._make = copies.copy_for

    def __call__(self, *rest: Any, **how: Any) -> int:
        self.begun.set()
        assert self.go.wait(PATIENCE)
        if self.fault is not None:
            raise self.fault
        return self._make(*rest, **how)


@pytest.fixture
def making(monkeypatch: pytest.MonkeyPatch) -> Iterator[Making]:
    made = Making()
    monkeypatch.setattr(copies, "copy_for", made)
    yield made
    made.go.set()


@pytest.fixture
def trace_id(database: Database, settings: Settings) -> str:
    return ingest(database, [run(*message(SAID, "m1"))], name=NAME, settings=settings).id


def share(client: TestClient, trace_id: str, level: str = "structure") -> tuple[str, str]:
    """The path of a new link, and the page that shows it."""
    form = {"name": "for Mia", "days": "7", "level": level, "sure": "1"}
    answer = client.post(f"/traces/{trace_id}/share", data=form)
    assert answer.status_code == 200
    found = re.search(r'class="url" value="[^"]*?(/s/[\w-]+)"', answer.text)
    assert found
    return found[1], unescape(answer.text)


def done(client: TestClient) -> None:
    """Wait until nothing is being made any more."""
    until = time.monotonic() + PATIENCE
    maker = client.app.state.copies  # type: ignore[attr-defined]
    while maker._asked and time.monotonic() < until:
        time.sleep(0.01)
    assert not maker._asked


def there(database: Database) -> list[str]:
    with database.session() as session:
        return sorted(session.scalars(select(Trace.redaction).where(Trace.copy_of.is_not(None))))


def test_a_link_is_there_at_once_and_opens_when_it_is_prepared(
    client: TestClient, trace_id: str, making: Making
) -> None:
    """The page that makes it says what is to come; its reader is told to wait, and by the script when to look."""
    path, made = share(client, trace_id)
    assert "What it shows is still being prepared" in made
    waiting = client.get(path)
    assert waiting.status_code == 202
    assert "This view is being prepared" in waiting.text
    assert f'hx-get="{path}/ready"' in waiting.text
    assert '<a href="">look again</a>' in waiting.text
    asked = client.get(f"{path}/ready", headers={"HX-Request": "true"})
    assert (asked.status_code, asked.content) == (204, b"")
    assert "hx-refresh" not in asked.headers
    making.go.set()
    done(client)
    asked = client.get(f"{path}/ready", headers={"HX-Request": "true"})
    assert (asked.status_code, asked.headers["hx-refresh"]) == (200, "true")
    shown = client.get(path)
    assert shown.status_code == 200
    assert 'id="banner"' in shown.text
    assert SAID not in shown.text


def test_a_link_that_is_ready_is_called_so(client: TestClient, trace_id: str) -> None:
    """Of a trace whose copy is there, and of one that is shown whole, nothing is being prepared."""
    path, _ = share(client, trace_id)
    client.get(path)
    done(client)
    for level in ("structure", "everything"):
        path, made = share(client, trace_id, level)
        assert "being prepared" not in made
        assert client.get(path).status_code == 200


def test_nothing_is_told_of_the_trace_while_its_view_is_prepared(
    client: TestClient, database: Database, trace_id: str, making: Making
) -> None:
    """No text, no name, no id, on no address; no file is taken for the page, nothing is kept, no view is counted."""
    path, _ = share(client, trace_id)
    for tail in ("", "?panel=conversation", "/ready", *TAILS):
        answer = client.get(f"{path}{tail}")
        assert answer.status_code == (202 if not tail.startswith("/") else 204 if tail == "/ready" else 503)
        told = answer.text + str(answer.headers)
        for secret in (SAID, "Mia", NAME, trace_id):
            assert secret not in told
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-robots-tag"] == "noindex"
        assert "content-disposition" not in answer.headers
        if answer.status_code != 204:
            assert int(answer.headers["retry-after"]) > 0
    with database.session() as session:
        assert session.scalar(select(Share.views)) == 0
        assert "viewed by link" not in [each.what for each in audit.all_lines(session)]


@pytest.mark.parametrize("tail", ["?event=3", "/events?event=3"])
def test_a_page_that_was_open_is_loaded_anew(
    client: TestClient, trace_id: str, making: Making, tail: str
) -> None:
    """Its copy has gone since, for the trace was read anew: a part of the page is no place to say so."""
    path, _ = share(client, trace_id)
    answer = client.get(f"{path}{tail}", headers={"HX-Request": "true"})
    assert answer.headers["hx-refresh"] == "true"


def test_a_failure_is_told_in_the_place_of_the_waiting(
    client: TestClient, database: Database, trace_id: str, making: Making
) -> None:
    """Once: the page asks no further, and opening the link again has it tried once more."""
    path, _ = share(client, trace_id)
    making.fault = RuntimeError(SAID)
    making.go.set()
    done(client)
    told = client.get(f"{path}/ready", headers={"HX-Request": "true"})
    assert told.status_code == 503
    assert "could not be prepared" in told.text
    assert f'<a href="{path}">Open the link again</a>' in told.text
    assert "hx-" not in told.text
    assert "hx-refresh" not in told.headers
    assert SAID not in told.text
    making.fault = None
    assert client.get(path).status_code == 202
    done(client)
    assert client.get(path).status_code == 200
    assert there(database) == ["structure"]


def test_a_failure_is_told_without_a_script_too(client: TestClient, trace_id: str, making: Making) -> None:
    """By the page that opens next; the one after that tries again."""
    path, _ = share(client, trace_id)
    making.fault = RuntimeError(SAID)
    making.go.set()
    done(client)
    told = client.get(path)
    assert told.status_code == 503
    assert "could not be prepared" in told.text
    assert "<html" in told.text
    assert SAID not in told.text
    assert client.get(path).status_code == 202


def test_what_can_never_be_shown_so_is_told_as_that(
    client: TestClient, trace_id: str, making: Making
) -> None:
    """Nobody is asked to try again, but to ask for something else."""
    path, _ = share(client, trace_id)
    making.fault = BadInput("This trace has too many findings for a redacted file.")
    making.go.set()
    done(client)
    told = client.get(path)
    assert told.status_code == 503
    assert "Ask whoever sent it for the report" in told.text
    assert "again" not in told.text[told.text.index("<main") :]


@pytest.mark.parametrize("how", ["revoked", "deleted"])
def test_a_link_that_ends_while_it_is_prepared_shows_what_an_ended_one_does(
    client: TestClient, database: Database, trace_id: str, making: Making, how: str
) -> None:
    """To the byte, on every address, and nothing stays of the copy."""
    path, _ = share(client, trace_id)
    assert client.get(path).status_code == 202
    assert making.begun.wait(PATIENCE)
    if how == "revoked":
        page = client.get(f"/traces/{trace_id}/share").text
        revoke = re.findall(r'action="([^"]*/revoke)"', page)
        client.post(revoke[0])
    else:
        assert client.post(f"/traces/{trace_id}/delete").status_code == 303
    wrong = client.get("/s/wrong")
    for late in (False, True):
        for tail in ("", "/ready", "/events", "/original"):
            answer = client.get(f"{path}{tail}")
            assert (answer.status_code, answer.content) == (404, wrong.content)
            assert answer.headers["hx-refresh"] == "true"
        if not late:
            making.go.set()
            done(client)
    assert there(database) == []


def test_a_server_that_starts_anew_prepares_what_the_last_one_did_not(
    client: TestClient, database: Database, settings: Settings, trace_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first stopped in the middle; the link it made opens at the next."""
    begun, made = Event(), copies.redacted_file

    def endless(*rest: Any) -> Iterator[bytes]:
        begun.set()
        while True:
            rest[-1]()
            time.sleep(0.01)
        yield from made(*rest)

    with monkeypatch.context() as patched:
        patched.setattr(copies, "redacted_file", endless)
        with TestClient(create_app(settings, database), base_url=BASE) as first:
            path, _ = share(first, trace_id)
            assert begun.wait(PATIENCE)
        assert there(database) == []
    assert client.get(path).status_code == 202
    done(client)
    assert client.get(path).status_code == 200


@pytest.mark.databases("postgresql")
def test_each_of_two_servers_tells_the_reader_the_same(
    client: TestClient, database: Database, settings: Settings, trace_id: str
) -> None:
    """Whichever is asked, they make one copy, and both show it."""
    with TestClient(create_app(settings, database), base_url=BASE) as other:
        path, _ = share(client, trace_id)
        servers: list[TestClient] = [client, other]
        until = time.monotonic() + PATIENCE
        while {each.get(f"{path}/ready").status_code for each in servers} != {200}:
            assert time.monotonic() < until
            time.sleep(0.01)
        assert [each.get(path).status_code for each in servers] == [200, 200]
        for each in servers:
            done(each)
    assert there(database) == ["structure"]


def test_with_sharing_turned_off_nothing_is_prepared(
    client: TestClient, database: Database, settings: Settings, trace_id: str, making: Making
) -> None:
    """A link that waited answers as an ended one does."""
    path, _ = share(client, trace_id)
    off = create_app(load_settings(data_dir=settings.data_dir, sharing="off"), database)
    with TestClient(off, base_url=BASE) as other:
        for tail in ("", "/ready"):
            assert other.get(f"{path}{tail}").status_code == 404
    with database.session() as session:
        assert session.scalar(select(func.count()).select_from(Share)) == 1


def test_a_short_trace_needs_no_preparing(
    client: TestClient, database: Database, trace_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most are: the link opens as soon as it is made, and so does one whose copy is missing."""
    monkeypatch.setattr(copy_maker, "LONG", 20_000)
    path, made = share(client, trace_id)
    assert "being prepared" not in made
    assert there(database) == ["structure"]
    with database.session() as session:
        for copy in session.scalars(select(Trace).where(Trace.copy_of.is_not(None))):
            traces.delete(session, copy.pk)
    assert client.get(path).status_code == 200


def test_a_short_trace_that_cannot_be_copied_now_is_prepared_later(
    client: TestClient, trace_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others are being made: the link is there all the same, and its reader is told to wait."""
    monkeypatch.setattr(copy_maker, "LONG", 20_000)
    made = copies.copy_for

    def busy(*rest: Any, **how: Any) -> int:
        if "go_on" not in how:  # not beside
            raise Busy("Others are being made.")
        return made(*rest, **how)

    monkeypatch.setattr(copies, "copy_for", busy)
    path, page = share(client, trace_id)
    assert "being prepared" in page
    done(client)
    assert client.get(path).status_code == 200
