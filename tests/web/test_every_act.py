"""Every address that changes something, or gives something away, leaves its line in the audit when it succeeds."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.ingest.call.agent import Agent, answering
from tests.prepared import prepared
from tests.web.people import browser, person
from webapp.accounts import passwords
from webapp.app import create_app
from webapp.ingest.upload import ingest
from webapp.settings import Settings, load_settings
from webapp.storage import audit, keys, shares, sign_ins, traces, users
from webapp.storage.db import Database
from webapp.storage.models import Act
from webapp.web.access import TABLE

SAMPLES = Path(__file__).resolve().parents[2] / "webapp" / "samples"
RUN = b'data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}\n\n'
ASKED = {"threadId": "thread-1", "runId": "run-1", "protocolVersion": "1.0", "messages": []}
PASSWORD, OTHER = "four green herons", "five grey pelicans"
SAFE = {"GET", "HEAD"}
# what an address gives away to be kept: a file by its ending, the recording itself, its stream
EXPORT = re.compile(r"(\.(jsonl|svg|mmd|md|html)|/original|/stream)$")

# addresses that leave no line of their own, and why that is right
SILENT = {
    "POST /errors": "looks a sentence up; nothing is stored and nothing given away",
    "POST /traces/{trace_id}/stop": "ends a recording that was written down when it began",
    "POST /api/traces/{trace_id}/events": "goes on with a recording that was written down when it began",
    "POST /api/traces/{trace_id}/end": "ends a recording that was written down when it began",
    "GET /favicon/{verdict}.svg": "a sign of ours, not of any trace",
}


@dataclass
class World:
    """An installation with accounts, in which Anna, an admin, is signed in. trace: an AG-UI one of hers; teams: a
    Microsoft Teams one; token: of a link that shows everything of `trace`, linked: of one to `teams`."""

    client: TestClient
    app: FastAPI
    settings: Settings
    database: Database
    agent: Agent
    anna: int
    edda: str
    trace: str
    teams: str
    share: str
    token: str
    linked: str
    key: str
    sign_in: str

    def post(self, path: str, **form: Any) -> httpx.Response:
        return self.client.post(path, data=form)

    def get(self, path: str) -> httpx.Response:
        return self.client.get(path)

    def stranger(self) -> TestClient:
        return browser(self.app, self.settings, self.database, beside=self.client)


@pytest.fixture(scope="module")
def agent() -> Iterator[Agent]:
    with answering() as agent:
        yield agent


@pytest.fixture
def world(tmp_path: Path, database: Database, agent: Agent) -> Iterator[World]:
    settings = load_settings(data_dir=tmp_path, targets={"shop": agent.url}, call_hosts="127.0.0.1")
    anna, trace, teams, known = prepared(database, __name__, lambda: _stored(database, settings))
    app = create_app(settings, database)
    with TestClient(app) as started:
        client = browser(app, settings, database, anna, started)
        edda_id, share, token, linked, key_id, sign_in = known
        yield World(
            client, app, settings, database, agent, anna,
            edda_id, trace, teams, share, token, linked, key_id, sign_in,
        )  # fmt: skip


def _stored(database: Database, settings: Settings) -> tuple[int, str, str, tuple[str, ...]]:
    anna, edda = person(database, "Anna", "admin"), person(database, "Edda", "editor")
    now = time.time()
    made = {
        file: ingest(database, [(SAMPLES / file).read_bytes()], name=file, settings=settings).id
        for file in ("pydantic-parallel.sse", "agpy19-citation-bracket.exchanges.jsonl")
    }
    trace, teams = made.values()
    with database.session() as session:
        user = users.by_pk(session, anna)
        other = users.by_pk(session, edda)
        rows = [traces.get(session, each) for each in (trace, teams)]
        assert user is not None
        assert other is not None
        assert rows[0] is not None
        assert rows[1] is not None
        users.set_password(session, user, passwords.hashed(PASSWORD))
        tokens = [
            shares.create(session, row.pk, name="x", now=now, days=7, level=shares.EVERYTHING)
            for row in rows
            if row is not None
        ]
        key, _ = keys.make(session, anna, name="x", scope="read", now=now)
        second, _ = sign_ins.begin(session, anna, now=now, agent="another", days=1)
        known = (other.id, tokens[0][0].id, tokens[0][1], tokens[1][1], key.id, second.id)
    return anna, trace, teams, known


Doing = Callable[[World], httpx.Response]

# address -> (what the line says, about which trace, of which kind, doing it)
DONE: dict[str, tuple[str, str, str, Doing]] = {
    "POST /sign-in": (
        "signed in", "", "",
        lambda w: w.stranger().post("/sign-in", data={"name": "anna", "password": PASSWORD}),
    ),
    "POST /sign-out": ("signed out", "", "", lambda w: w.post("/sign-out")),
    "POST /account/password": (
        "user changed", "", "",
        lambda w: w.post("/account/password", now=PASSWORD, new=OTHER, again=OTHER),
    ),
    "POST /account/sign-ins/end": ("signed out", "", "", lambda w: w.post("/account/sign-ins/end")),
    "POST /account/sign-ins/{sign_in_id}/end": (
        "signed out", "", "", lambda w: w.post(f"/account/sign-ins/{w.sign_in}/end"),
    ),
    "POST /account/keys": (
        "key made", "", "", lambda w: w.post("/account/keys", name="x", scope="read", days="30"),
    ),
    "POST /account/keys/{key_id}/revoke": (
        "key revoked", "", "", lambda w: w.post(f"/account/keys/{w.key}/revoke"),
    ),
    "POST /users": ("user added", "", "", lambda w: w.post("/users", name="Otto", role="viewer")),
    "POST /users/{user_id}": (
        "user changed", "", "", lambda w: w.post(f"/users/{w.edda}", do="role", role="viewer"),
    ),
    "POST /users/{user_id}/remove": (
        "user removed", "", "", lambda w: w.post(f"/users/{w.edda}/remove", sure="1"),
    ),
    "GET /audit.jsonl": ("exported", "", "audit", lambda w: w.get("/audit.jsonl")),
    "POST /api/traces": ("uploaded", "new", "", lambda w: w.client.post("/api/traces", content=RUN)),
    "PUT /api/live": ("recorded", "new", "push", lambda w: w.client.put("/api/live", content=RUN)),
    "POST /api/live": ("recorded", "new", "push", lambda w: w.client.post("/api/live", content=RUN)),
    "POST /call": (
        "recorded", "new", "call",
        lambda w: w.client.post(
            "/call",
            files={"url": (None, f"{w.agent.url}/agent"), "run_input": (None, json.dumps(ASKED))},
        ),
    ),
    "* /proxy/{rest:path}": (
        "recorded", "new", "proxy", lambda w: _through_the_proxy(w),
    ),
    "POST /traces/{trace_id}/edit": (
        "edited", "trace", "", lambda w: w.post(f"/traces/{w.trace}/edit", name="another name"),
    ),
    "POST /traces/{trace_id}/delete": ("deleted", "trace", "", lambda w: w.post(f"/traces/{w.trace}/delete")),
    "POST /samples": ("uploaded", "new", "", lambda w: w.post("/samples")),
    "POST /traces": (
        "uploaded", "new", "", lambda w: w.client.post("/traces", files={"files": ("run.sse", RUN)}),
    ),
    "POST /traces/{trace_id}/reread": (
        "read anew", "trace", "", lambda w: w.client.post(f"/traces/{w.trace}/reread", data={"as": "sse"}),
    ),
    "POST /traces/{trace_id}/rejudge": (
        "read anew", "trace", "", lambda w: w.post(f"/traces/{w.trace}/rejudge"),
    ),
    "POST /traces/{trace_id}/share": (
        "shared", "trace", "", lambda w: w.post(f"/traces/{w.trace}/share", name="x", days="7"),
    ),
    "POST /traces/{trace_id}/share/revoke-all": (
        "revoked", "trace", "", lambda w: w.post(f"/traces/{w.trace}/share/revoke-all"),
    ),
    "POST /traces/{trace_id}/share/{share_id}/revoke": (
        "revoked", "trace", "", lambda w: w.post(f"/traces/{w.trace}/share/{w.share}/revoke"),
    ),
    "POST /shares/revoke-all": (
        "revoked", "any", "", lambda w: w.post("/shares/revoke-all", sure="1"),
    ),
    "GET /traces/{trace_id}/original": (
        "exported", "trace", "original", lambda w: w.get(f"/traces/{w.trace}/original"),
    ),
    "GET /traces/{trace_id}/exchanges.jsonl": (
        "exported", "teams", "exchanges", lambda w: w.get(f"/traces/{w.teams}/exchanges.jsonl"),
    ),
    "GET /traces/{trace_id}/redacted.jsonl": (
        "exported", "trace", "redacted", lambda w: w.get(f"/traces/{w.trace}/redacted.jsonl"),
    ),
    "GET /traces/{trace_id}/sequence.svg": (
        "exported", "trace", "svg", lambda w: w.get(f"/traces/{w.trace}/sequence.svg"),
    ),
    "GET /traces/{trace_id}/sequence.mmd": (
        "exported", "trace", "mermaid", lambda w: w.get(f"/traces/{w.trace}/sequence.mmd"),
    ),
    "GET /traces/{trace_id}/ticket.md": (
        "exported", "trace", "ticket", lambda w: w.get(f"/traces/{w.trace}/ticket.md"),
    ),
    "GET /traces/{trace_id}/report.html": (
        "exported", "trace", "report", lambda w: w.get(f"/traces/{w.trace}/report.html"),
    ),
    "GET /api/traces/{trace_id}/stream": (
        "exported", "trace", "stream", lambda w: w.get(f"/api/traces/{w.trace}/stream?speed=max"),
    ),
    "POST /api/traces/{trace_id}/stream": (
        "exported", "trace", "stream",
        lambda w: w.client.post(f"/api/traces/{w.trace}/stream?speed=max", json=ASKED),
    ),
    "GET /s/{token}": ("viewed by link", "trace", "", lambda w: w.stranger().get(f"/s/{w.token}")),
    "GET /s/{token}/original": (
        "exported", "trace", "original", lambda w: w.stranger().get(f"/s/{w.token}/original"),
    ),
    "GET /s/{token}/exchanges.jsonl": (
        "exported", "teams", "exchanges", lambda w: w.stranger().get(f"/s/{w.linked}/exchanges.jsonl"),
    ),
    "GET /s/{token}/sequence.svg": (
        "exported", "trace", "svg", lambda w: w.stranger().get(f"/s/{w.token}/sequence.svg"),
    ),
    "GET /s/{token}/sequence.mmd": (
        "exported", "trace", "mermaid", lambda w: w.stranger().get(f"/s/{w.token}/sequence.mmd"),
    ),
    "GET /s/{token}/report.html": (
        "exported", "trace", "report", lambda w: w.stranger().get(f"/s/{w.token}/report.html"),
    ),
}  # fmt: skip


def _through_the_proxy(w: World) -> httpx.Response:
    with w.database.session() as session:
        _, secret = keys.make(session, w.anna, name="proxy", scope="push", now=time.time())
    answer = w.stranger().post("/proxy/shop/agent", json=ASKED, headers={"Lanescope-Key": secret})
    until = time.monotonic() + 10  # it is recorded beside the traffic
    while not _lines(w.database) and time.monotonic() < until:
        time.sleep(0.02)
    return answer


def _lines(database: Database) -> list[Act]:
    with database.session() as session:
        return list(audit.newest(session)[0])


def test_every_address_that_changes_or_gives_away_is_looked_at() -> None:
    """A new one has to be added here, with its line or with a reason why it leaves none."""
    known = {f"{entry.method} {entry.path}" for entry in TABLE}
    asked = {
        f"{entry.method} {entry.path}"
        for entry in TABLE
        if entry.method not in SAFE or EXPORT.search(entry.path)
    }
    assert asked - set(DONE) - set(SILENT) == set()
    assert (set(DONE) | set(SILENT)) - known == set()
    assert set(DONE) & set(SILENT) == set()


@pytest.mark.parametrize("address", DONE)
def test_what_is_done_is_written_down(world: World, address: str) -> None:
    """One line a thing done, by who did it, about the trace it was done to."""
    what, about, kind, doing = DONE[address]
    answer = doing(world)
    assert answer.status_code in (200, 201, 303), answer.text
    lines = _lines(world.database)
    assert lines, address
    assert {line.what for line in lines} == {what}
    if about in ("trace", "teams"):
        assert {line.about for line in lines} == {getattr(world, about)}
    elif about == "new":
        assert all(line.about not in ("", world.trace, world.teams) for line in lines)
    elif not about:
        assert {line.about for line in lines} == {""}
    if kind:
        assert {line.detail["kind"] for line in lines} == {kind}
    shared = address.startswith("GET /s/")
    assert {line.how for line in lines} == {"link" if shared else "key" if "proxy" in address else "session"}
    assert all(line.who == f"link {line.detail['link']}" if shared else line.who == "Anna" for line in lines)


@pytest.mark.parametrize(
    "address", [each for each, (what, *_) in DONE.items() if what == "exported" and "{" in each]
)
def test_an_export_that_failed_is_no_line(world: World, address: str) -> None:
    """Of a trace or link that does not exist."""
    method, path = address.split(" ")
    answer = world.client.request(method, re.sub(r"\{\w+\}", "nothing", path))
    assert answer.status_code == 404
    assert _lines(world.database) == []


def test_no_line_holds_what_it_must_not(world: World) -> None:
    """No text of a recording, no name of a trace, no password, key or token, after everything was done."""
    recording = sorted(DONE, key=lambda each: "delete" in each or "revoke" in each)
    for address in [each for each in recording if "sign" not in each and "password" not in each]:
        DONE[address][3](world)
    told = json.dumps([[line.who, line.about, line.detail] for line in _lines(world.database)])
    assert len(_lines(world.database)) > 30
    for secret in (
        PASSWORD,
        OTHER,
        world.token,
        world.linked,
        "lsk_",
        "pydantic-parallel",
        "another name",
        "run.sse",
    ):
        assert secret not in told
