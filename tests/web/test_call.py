"""Calling an agent: the form, a real agent on loopback the whole way, what goes wrong, and what is never kept."""

from __future__ import annotations

import html
import json
import logging
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.ingest.call import tls
from tests.ingest.call.agent import Agent, answering
from tests.web.conftest import BASE
from webapp.app import create_app
from webapp.ingest.live.recorder import DEAD
from webapp.ingest.signals import Signal
from webapp.settings import Settings
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.storage.models import Trace
from webapp.web import call as web

ASKED = {"threadId": "thread-1", "runId": "run-1", "protocolVersion": "1.0", "messages": []}
SECRET = "Bearer zq7-very-secret-value-91"


@pytest.fixture(scope="module")
def agent() -> Iterator[Agent]:
    with answering() as agent:
        yield agent


def call(client: TestClient, url: str, asked: Any = ASKED, **more: str) -> Any:
    text = asked if isinstance(asked, str) else json.dumps(asked)
    return client.post("/call", files={"url": (None, url), "run_input": (None, text), **_parts(more)})


def _parts(fields: dict[str, str]) -> dict[str, tuple[None, str]]:
    return {name: (None, value) for name, value in fields.items()}


def problem(answer: Any) -> str:
    found = re.search(r'id="call-problem">.*?<span>(.*?)</span>', answer.text, re.S)
    assert found, answer.text
    return html.unescape(found[1])


def field(page: str) -> dict[str, Any]:
    found = re.search(r"<textarea[^>]*>(.*?)</textarea>", page, re.S)
    assert found
    value = json.loads(html.unescape(found[1]))
    assert isinstance(value, dict)
    return value


@pytest.fixture
def ended(client: TestClient, database: Database) -> Callable[[Any], Trace]:
    """The trace of a call once its recording is over."""

    def wait(answer: Any) -> Trace:
        assert answer.status_code == 303, answer.text
        trace_id = answer.headers["location"].removeprefix("/traces/")
        with client.stream("GET", f"/traces/{trace_id}/live") as told:
            for line in told.iter_lines():
                if line.startswith("data:") and json.loads(line[5:])["status"] != "live":
                    break
        with database.session() as session:
            trace = traces.get(session, trace_id)
            assert trace is not None
            return trace

    return wait


# ── the form ─────────────────────────────────────────────────


def test_the_front_page_leads_to_the_form(client: TestClient) -> None:
    """One link, in the box where recordings come from."""
    assert '<a class="btn" href="/call">Call an agent</a>' in client.get("/").text


@pytest.mark.parametrize(
    ("start", "holds"),
    [("", "messages"), ("tools", "tools"), ("state", "state"), ("resume", "resume"), ("x", "messages")],
)
def test_the_form_begins_with_an_example(client: TestClient, start: str, holds: str) -> None:
    """Each is a run input as it is, with ids of its own; the field alone is the same."""
    page = client.get(f"/call?as={start}&url=http://127.0.0.1:9/a")
    part = client.get(f"/call/input?as={start}")
    assert page.status_code == part.status_code == 200
    assert field(page.text)[holds]
    assert field(page.text).keys() == field(part.text).keys()
    assert field(page.text)["runId"] != field(part.text)["runId"]
    assert 'value="http://127.0.0.1:9/a"' in page.text
    assert "localhost, 127.0.0.0/8, [::1]" in page.text


def test_the_form_is_a_part_of_live(client: TestClient) -> None:
    """The page's head says where the reader is."""
    assert '<a href="/live" aria-current="page">' in client.get("/call").text
    assert '<a href="/" aria-current="page">' not in client.get("/call").text


def test_nobody_else_can_make_it_call(client: TestClient, agent: Agent) -> None:
    """A page of another site cannot send the form."""
    before = len(agent.asked)
    answer = client.post(
        "/call", data={"url": f"{agent.url}/agent"}, headers={"Origin": "http://evil.example"}
    )
    assert answer.status_code == 403
    assert len(agent.asked) == before


# ── the whole way ────────────────────────────────────────────


def test_a_run_is_called_recorded_and_judged(
    client: TestClient, agent: Agent, ended: Callable[[Any], Trace]
) -> None:
    """The agent gets the run input as it was typed; its answer becomes a trace with head, input and arrivals."""
    text = json.dumps(ASKED, indent=3)
    trace = ended(call(client, f"{agent.url}/agent?x=1", text))
    path, headers, body = agent.asked[-1]
    assert (path, body) == ("/agent", text.encode())
    assert headers["accept"] == "text/event-stream"
    assert headers["content-type"] == "application/json"
    assert "authorization" not in headers
    assert (trace.status, trace.verdict, trace.protocol, trace.events) == ("ready", "conformant", "ag-ui", 5)
    assert trace.input == ASKED
    assert trace.source == f"{agent.url}/agent?x=1"
    assert trace.name == f"127.0.0.1:{agent.port}/agent"
    assert trace.head is not None
    assert trace.head["status"] == 200
    assert trace.clock_source == "arrival"
    page = client.get(f"/traces/{trace.id}?panel=source").text
    assert "text/event-stream" in page
    assert "run-1" in client.get(f"/traces/{trace.id}/original").text


def test_a_recorded_run_is_repeated(client: TestClient, agent: Agent, ended: Callable[[Any], Trace]) -> None:
    """The Source panel leads to the form, filled: same thread, new run, the agent’s address; it runs again."""
    first = ended(call(client, f"{agent.url}/agent", {**ASKED, "state": {"a": 1}}, name="my run"))
    source = client.get(f"/traces/{first.id}?panel=source").text
    link = re.search(r'href="([^"]*)"[^>]*>Repeat this run<', source)
    assert link
    page = client.get(html.unescape(link[1])).text
    again = field(page)
    assert again.pop("runId") not in ("run-1", "")
    assert again == {name: value for name, value in {**ASKED, "state": {"a": 1}}.items() if name != "runId"}
    assert f'value="{agent.url}/agent"' in page
    assert "The same thread under a new runId" in page
    second = ended(call(client, f"{agent.url}/agent", field(page), name="my run, again"))
    assert second.id != first.id
    assert (second.name, second.verdict) == ("my run, again", "conformant")


def test_an_upload_is_repeated_from_the_input_its_run_echoes(client: TestClient) -> None:
    """A trace without a run input of its own may still say what it was asked; one that does not offers no repeat."""
    echoing = {
        "type": "RUN_STARTED",
        "threadId": "t",
        "runId": "r",
        "input": {**ASKED, "threadId": "t", "runId": "r"},
    }
    for events, offered in (
        ([echoing], True),
        ([{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}], False),
    ):
        body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
        id_ = client.post("/api/traces?name=x", content=body).json()["id"]
        assert ("Repeat this run" in client.get(f"/traces/{id_}?panel=source").text) is offered
        page = client.get(f"/call?trace={id_}").text
        assert (field(page)["threadId"] == "t") is offered
        assert ("holds no run input" in page) is not offered
        assert 'name="url" value=""' in page
    assert client.get("/call?trace=nothing").status_code == 404


def test_the_page_opens_while_the_agent_still_sends(
    client: TestClient, agent: Agent, ended: Callable[[Any], Trace], database: Database
) -> None:
    """The browser is sent on at the head of the answer; the form lists the call until it ends."""
    agent.go.clear()
    answer = call(client, f"{agent.url}/gated")
    trace_id = answer.headers["location"].removeprefix("/traces/")
    with database.session() as session:
        trace = traces.get(session, trace_id)
        assert trace is not None
        assert trace.status == "live"
    assert f'action="/traces/{trace_id}/stop"' in client.get("/call").text
    agent.go.set()
    assert ended(answer).verdict == "conformant"
    assert "Running now" not in client.get("/call").text


def test_a_call_is_stopped_by_hand(client: TestClient, agent: Agent, ended: Callable[[Any], Trace]) -> None:
    """The agent sees its caller go; the trace keeps what came and says why it ends. A second stop changes nothing."""
    agent.left.clear()
    answer = call(client, f"{agent.url}/endless")
    url = answer.headers["location"]
    stopped = client.post(f"{url}/stop")
    assert (stopped.status_code, stopped.headers["location"]) == (303, url)
    trace = ended(answer)
    assert agent.left.wait(5)
    assert trace.status == "ready"
    assert any("stopped here, by hand" in note["message"] for note in trace.artefacts)
    assert client.post(f"{url}/stop").status_code == 303
    assert client.post("/traces/aaaaaaaaaaaa/stop").status_code == 404


def test_calls_end_with_the_server(client: TestClient, agent: Agent, database: Database) -> None:
    """An answer that is still coming when the server stops is stored as far as it came."""
    agent.left.clear()
    location = call(client, f"{agent.url}/endless").headers["location"]
    client.__exit__(None, None, None)
    try:
        assert agent.left.wait(5)
        with database.session() as session:
            trace = traces.get(session, location.removeprefix("/traces/"))
            assert trace is not None
            assert trace.status == "ready"
            assert any("stopped while" in note["message"] for note in trace.artefacts)
    finally:
        client.__enter__()


def test_a_call_that_another_worker_makes_is_stopped_there(
    client: TestClient,
    agent: Agent,
    settings: Settings,
    database: Database,
    ended: Callable[[Any], Trace],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The worker that is asked passes it on; whoever makes the call hears it."""
    monkeypatch.setattr(web, "STOP_SECONDS", 0)
    answer = call(client, f"{agent.url}/endless")
    beside = create_app(settings, database)
    beside.state.recorder._dead = (
        DEAD  # as where there are several workers; alone it would end what others record
    )
    with TestClient(beside, base_url=BASE, follow_redirects=False) as other:
        told: list[Signal] = []
        monkeypatch.setattr(other.app.state.signals, "publish", told.append)  # type: ignore[attr-defined]
        assert other.post(f"{answer.headers['location']}/stop").status_code == 303
    stops = [signal for signal in told if signal.status == web.STOP]
    assert [f"/traces/{signal.trace}" for signal in stops] == [answer.headers["location"]]
    client.app.state.signals.publish(stops[0])  # type: ignore[attr-defined]
    assert any("stopped here, by hand" in note["message"] for note in ended(answer).artefacts)


def test_a_stream_that_others_send_is_not_stopped_here(client: TestClient) -> None:
    """Only who began it can end it; the sentence says so."""
    begin = partial(client.app.state.recorder.begin, name="pushed", source="x", kind="push")  # type: ignore[attr-defined]
    assert client.portal
    live = client.portal.call(begin)
    answer = client.post(f"/traces/{live.id}/stop", headers={"Accept": "application/json"})
    assert answer.status_code == 400
    assert "did not begin this stream" in answer.json()["error"]
    client.portal.call(live.end)


# ── answers that are no stream ───────────────────────────────


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [("refuse", 401, "401 Unauthorized"), ("nothing-here", 404, "404 Not Found"), ("page", 200, "")],
)
def test_an_answer_with_a_body_is_recorded_whatever_it_is(
    client: TestClient, agent: Agent, ended: Callable[[Any], Trace], path: str, status: int, said: str
) -> None:
    """A JSON error, a login page: the trace has its head and its body, and is never called conformant."""
    trace = ended(call(client, f"{agent.url}/{path}"))
    assert trace.head is not None
    assert trace.head["status"] == status
    assert trace.verdict == "unchecked"
    assert not said or any(said in note["message"] for note in trace.artefacts)
    assert client.get(f"/traces/{trace.id}").status_code == 200


@pytest.mark.parametrize(
    ("path", "headline", "said", "side"),
    [
        ("fails", "The agent answered 500 Internal Server Error.", "KeyError: 'model'", "Agent’s side."),
        ("refuse", "The agent answered 401 Unauthorized.", "Not authenticated", "The caller’s side."),
        ("nothing-here", "The agent answered 404 Not Found.", "Not Found", "The caller’s side."),
        ("page", "200 OK with <code>text/html</code>, not with an event stream.", "Sign in", "Agent’s side."),
    ],
)
def test_an_answer_that_is_no_stream_is_told_in_the_agents_own_words(
    client: TestClient,
    agent: Agent,
    ended: Callable[[Any], Trace],
    path: str,
    headline: str,
    said: str,
    side: str,
) -> None:
    """Status, words, side and what to do stand above the tabs, the status on the list; the finding is on the same side.
    No advice to record what was recorded."""
    trace = ended(call(client, f"{agent.url}/{path}"))
    page = html.unescape(client.get(f"/traces/{trace.id}").text)
    banner = page[page.index('id="banner"') : page.index('id="main"')]
    assert headline in banner
    assert f"It said <code>{said}" in banner
    assert f"<b>{side}</b>" in banner
    assert "What to change" in banner
    assert f'href="/call?trace={trace.id}"' in banner
    assert "curl" not in banner
    assert "Read it as" not in banner
    listed = html.unescape(client.get("/").text)
    assert headline in listed
    findings = html.unescape(client.get(f"/traces/{trace.id}?panel=findings").text)
    assert side.rstrip(".") in findings[findings.index('id="panel-findings"') :]


def test_what_an_agent_says_is_text_and_no_mark_of_ours(
    client: TestClient, agent: Agent, ended: Callable[[Any], Trace]
) -> None:
    """Its tags, its `#12`, its backticks and what turns a line around are shown and obeyed by nothing."""
    trace = ended(call(client, f"{agent.url}/fails"))
    page = client.get(f"/traces/{trace.id}").text
    banner = page[page.index('id="banner"') : page.index('id="main"')]
    assert "&lt;b&gt;see #12&lt;/b&gt;\\u202e</code>" in banner
    assert "event=12" not in banner


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("silent", "The agent answered 401 Unauthorized without a body, so there is nothing to record."),
        ("moved", "points to http://169.254.169.254/latest/; redirects are not followed."),
    ],
)
def test_an_answer_without_anything_to_record_comes_back_to_the_form(
    client: TestClient, agent: Agent, path: str, sentence: str, database: Database
) -> None:
    """One sentence, everything typed still there, no trace, and no second request."""
    before = len(agent.asked)
    answer = call(client, f"{agent.url}/{path}", {**ASKED, "state": "<b>kept</b>"}, name="a name")
    assert answer.status_code == 502
    assert sentence in problem(answer)
    assert field(answer.text) == {**ASKED, "state": "<b>kept</b>"}
    assert f'value="{agent.url}/{path}"' in answer.text
    assert 'value="a name"' in answer.text
    assert len(agent.asked) == before + 1
    with database.session() as session:
        assert traces.count(session) == 0


def test_a_stream_that_breaks_is_kept_as_far_as_it_came(
    client: TestClient, agent: Agent, ended: Callable[[Any], Trace]
) -> None:
    """What came before the break is there, with the reason."""
    trace = ended(call(client, f"{agent.url}/broken"))
    assert trace.events == 2
    assert any("connection to the agent broke" in note["message"] for note in trace.artefacts)


def test_an_answer_has_a_largest_size(
    database: Database, agent: Agent, tmp_path: Path, ended: Callable[[Any], Trace], client: TestClient
) -> None:
    """The limit of uploads holds; the trace says that it was the limit, not the agent."""
    client.app.state.calls = None  # type: ignore[attr-defined]
    settings = client.app.state.settings  # type: ignore[attr-defined]
    client.app.state.settings = settings.model_copy(update={"max_upload_bytes": 20_000})  # type: ignore[attr-defined]
    trace = ended(call(client, f"{agent.url}/large"))
    assert trace.size == 20_000
    assert any(
        "20,000 bytes, the limit set by LANESCOPE_MAX_UPLOAD_BYTES" in n["message"] for n in trace.artefacts
    )


def test_a_compressed_answer_is_unpacked(
    client: TestClient, agent: Agent, ended: Callable[[Any], Trace]
) -> None:
    """It was not asked for; the trace says so."""
    trace = ended(call(client, f"{agent.url}/packed"))
    assert trace.events == 5
    assert any("compressed (gzip)" in note["message"] for note in trace.artefacts)


# ── calls that come to nothing ───────────────────────────────


@pytest.mark.parametrize(
    ("url", "status", "sentence"),
    [
        ("", 400, "Give the address of the agent"),
        ("ftp://127.0.0.1/", 400, "begins with http:// or https://"),
        ("http://me:hunter22@127.0.0.1/", 400, "A user name or password in an address is not sent"),
        ("http://10.0.0.1/", 403, "not among the hosts that may be called (LANESCOPE_CALL_HOSTS)"),
        ("http://169.254.169.254/latest/meta-data/", 403, "never called"),
        ("http://[::ffff:127.0.0.1]/", 403, "never called"),
        ("http://2130706433/", 400, "neither a host name nor a plain address"),
    ],
)
def test_an_address_that_may_not_be_called(client: TestClient, url: str, status: int, sentence: str) -> None:
    """Nothing is sent; the form says why."""
    answer = call(client, url)
    assert answer.status_code == status
    assert sentence in problem(answer)
    assert field(answer.text) == ASKED
    assert "hunter22" not in answer.text


def test_a_run_input_that_cannot_be_sent(client: TestClient, agent: Agent) -> None:
    """It comes back as it was typed, faults and all."""
    before = len(agent.asked)
    typed = '{"threadId": "t",\n  oh </textarea><b>no'
    answer = call(client, f"{agent.url}/agent", typed)
    assert answer.status_code == 400
    assert "no JSON" in problem(answer)
    assert "at line 2, column 3" in problem(answer)
    assert typed in html.unescape(answer.text)
    assert "<b>no" not in answer.text
    assert len(agent.asked) == before


def test_a_form_that_is_too_large_is_refused(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read of a form is bounded, whatever is in it."""
    monkeypatch.setattr(web, "MAX_INPUT", 1_000)
    answer = call(client, "http://127.0.0.1:1/", "x" * 3_000)
    assert answer.status_code == 400
    assert "The form cannot be read" in answer.text


def test_nothing_listens(client: TestClient) -> None:
    """A port that is free: the sentence names it and asks the right question."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    answer = call(client, f"http://127.0.0.1:{port}/")
    assert answer.status_code == 502
    assert problem(answer) == (
        f"Nothing listens at 127.0.0.1 port {port}: the connection was refused. Is the agent running?"
    )


@pytest.mark.parametrize(
    ("said", "sentence"),
    [(b"", "closed the connection without an answer"), (b"SSH-2.0-x\r\n\r\n", "answered is no HTTP")],
)
def test_something_else_listens(client: TestClient, said: bytes, sentence: str) -> None:
    """What takes the connection speaks another protocol, or hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            taken, _ = server.accept()
            with taken:
                taken.recv(65536)
                taken.sendall(said)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        answer = call(client, f"http://127.0.0.1:{server.getsockname()[1]}/")
        thread.join(10)
    assert answer.status_code == 502
    assert sentence in problem(answer)


def test_an_agent_that_speaks_no_tls(client: TestClient, agent: Agent) -> None:
    """The usual slip, https for http, is named."""
    answer = call(client, f"https://127.0.0.1:{agent.port}/agent")
    assert answer.status_code == 502
    assert "does not speak TLS; perhaps the address begins with http://" in problem(answer)


def test_a_certificate_nobody_vouches_for(client: TestClient, certificate: tls.Certificate) -> None:
    """Nothing is sent to who cannot prove who it is, and the value of the header least of all."""
    heard: list[bytes] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.path)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            taken, _ = server.accept()
            with taken:
                try:
                    heard.append(context.wrap_socket(taken, server_side=True).recv(65536))
                except OSError:
                    heard.append(b"")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        answer = call(client, f"https://127.0.0.1:{server.getsockname()[1]}/", authorization=SECRET)
        thread.join(10)
    assert "The certificate of 127.0.0.1 is not trusted: self-signed certificate" in problem(answer)
    assert heard == [b""]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tls.Certificate:
    """For 127.0.0.1, signed by itself."""
    return tls.make(tmp_path_factory.mktemp("tls") / "both.pem", "127.0.0.1")


# ── the credential ───────────────────────────────────────────


def test_the_credential_goes_to_the_agent_and_nowhere_else(
    client: TestClient,
    agent: Agent,
    ended: Callable[[Any], Trace],
    tmp_path: Path,
    database: Database,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Sent as the header; not in the database, even when the agent says it back, nor in a log, nor in any page."""
    caplog.set_level(logging.DEBUG)
    pages = []
    for path in ("echo", "silent", "moved", "refuse"):
        answer = call(client, f"{agent.url}/{path}", authorization=SECRET)
        assert agent.asked[-1][1]["authorization"] == SECRET
        pages.append(answer.text)
        if answer.status_code == 303:
            trace = ended(answer)
            pages += [client.get(f"/traces/{trace.id}?panel={name}").text for name in ("events", "source")]
            pages += [
                client.get(f"/traces/{trace.id}/original").text,
                client.get(f"/call?trace={trace.id}").text,
            ]
    pages.append(call(client, "http://127.0.0.1:1/", authorization=SECRET).text)
    assert "Give the Authorization value again" in pages[-1]
    pages.append(call(client, f"{agent.url}/agent", "no json", authorization=SECRET).text)
    pages.append(call(client, f"{agent.url}/agent", authorization=f"{SECRET}\r\nX-Other: 1").text)
    assert "no header can carry" in pages[-1]
    database.settle()
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert b"127.0.0.1" in stored
    token = SECRET.removeprefix("Bearer ")
    assert token.encode() not in stored
    assert token not in caplog.text
    assert [page for page in pages if token in page] == []


def test_a_credential_in_the_address_is_sent_and_not_stored(
    client: TestClient, agent: Agent, ended: Callable[[Any], Trace]
) -> None:
    """A query that looks like one stays out of the trace; the repeat says nothing of it."""
    trace = ended(call(client, f"{agent.url}/agent?api_key=abcdefgh12345678&x=1"))
    assert trace.source == f"{agent.url}/agent"
    assert "abcdefgh12345678" not in client.get(f"/traces/{trace.id}?panel=source").text
