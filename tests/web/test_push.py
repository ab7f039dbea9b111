"""Recording over HTTP: what is answered, and that the description of the interface says so."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from tests.exchanges import good, lines
from tests.streams import finished, message, sse, started
from webapp.ingest.live import batches, handle, transactions
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.web import push

WHOLE = sse(started(), *message("m", "Hello", " world"), finished())
EVENT = {"type": "CUSTOM", "name": "n", "value": "é\u2028"}
KEY = "sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz"
FAULTS = [
    OperationalError("", None, sqlite3.OperationalError("database is locked")),
    NoConnection("none is free"),
]


def _pieces(data: bytes, size: int) -> Iterator[bytes]:
    for at in range(0, len(data), size):
        yield data[at : at + size]


def _begin(client: TestClient, query: str = "", **more: Any) -> dict[str, Any]:
    answer = client.post(f"/api/traces?live=1{query}", **more)
    assert answer.status_code == 201, answer.text
    begun: dict[str, Any] = answer.json()
    return begun


def _text(client: TestClient, public: str) -> bytes:
    return client.get(f"/traces/{public}/original").content


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize(
    ("data", "protocol"),
    [
        (WHOLE, "ag-ui"),
        (b'{"type":"RUN_STARTED","threadId":"t","runId":"r"}\n', "ag-ui"),
        (lines(good()), "teams"),
    ],
    ids=["sse", "ndjson", "exchange lines"],
)
def test_a_body_is_recorded_as_it_comes(client: TestClient, method: str, data: bytes, protocol: str) -> None:
    """In pieces of any size; the answer has the verdict."""
    answer = client.request(method, "/api/live?name=run%201", content=_pieces(data, 11))
    told = answer.json()
    assert answer.status_code == 201
    assert (told["bytes"], told["url"]) == (len(data), f"/traces/{told['id']}")
    assert told["verdict"] not in (None, "unchecked")
    report = client.get(f"/api/traces/{told['id']}").json()
    assert (report["protocol"], report["verdict"], report["events"]) == (
        protocol,
        told["verdict"],
        told["events"],
    )
    assert _text(client, told["id"]) == data
    assert "run 1" in client.get("/").text


@pytest.mark.parametrize("content", [b"", iter([b"", b""])])
def test_an_empty_body_stores_nothing(client: TestClient, content: Any) -> None:
    """And says so."""
    answer = client.post("/api/live", content=content)
    assert (answer.status_code, list(answer.json())) == (400, ["error"])
    assert "/traces/" not in client.get("/").text


def test_a_credential_split_over_chunks_is_never_stored(client: TestClient) -> None:
    """Its length stays, its bytes do not."""
    data = sse(started(), *message("m", f"the key {KEY} is"), finished())
    told = client.post("/api/live", content=_pieces(data, 3)).json()
    stored = _text(client, told["id"])
    assert (len(stored), KEY.encode()[8:] in stored) == (len(data), False)


@pytest.mark.parametrize("fault", FAULTS, ids=["locked", "no connection"])
def test_what_cannot_be_stored_now_is_asked_for_again(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    """503 with Retry-After, on every way in, and nothing half stored."""
    begun = _begin(client)

    def fail(*_: Any, **__: Any) -> None:
        raise fault

    monkeypatch.setattr(transactions, "begin", fail)
    monkeypatch.setattr(batches.captures, "locked", fail)
    for path in ("/api/live", "/api/traces?live=1", f"{begun['events']}?seq=1", begun["end"]):
        answer = client.post(path, content=WHOLE if "live=1" not in path else b"")
        assert (answer.status_code, answer.headers.get("retry-after")) == (503, "2"), path
        assert list(answer.json()) == ["error"]
    monkeypatch.undo()
    assert client.post(f"{begun['events']}?seq=1", content=WHOLE).json() == {"last": 1, "stored": True}


def test_a_push_that_is_not_stored_is_told_so(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sender hears 503 when the database stays locked; what came is stored once it can be."""
    monkeypatch.setattr(handle, "SLOW", 0.01)
    real = transactions.keep

    def fail(*_: Any) -> None:
        raise FAULTS[0]

    monkeypatch.setattr(transactions, "keep", fail)
    answer = client.post("/api/live", content=WHOLE)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    monkeypatch.setattr(transactions, "keep", real)
    monkeypatch.setattr(handle, "SLOW", 10)
    client.post("/api/live", content=WHOLE)
    client.app.state.recorder.stop()  # type: ignore[attr-defined]
    page = client.get("/").text
    assert page.count("live recording") >= 2


def test_a_body_over_the_limit_is_kept_up_to_it(client: TestClient, database: Database) -> None:
    """413; the trace ends with the reason."""
    event = json.dumps({**EVENT, "value": "x" * 10_000}).encode() + b"\n"
    answer = client.post("/api/live?name=large", content=_pieces(event * 300, 100_000))
    assert answer.status_code == 413
    assert "2 MB" in answer.json()["error"]
    with database.session() as session:
        (trace,), _ = traces.list_traces(session, q="large")
        public = trace.id
    client.app.state.recorder.stop()  # type: ignore[attr-defined]
    artefacts = client.get(f"/api/traces/{public}").json()["artefacts"]
    assert [each["kind"] for each in artefacts][:1] == [transactions.CUT]
    assert 1_800_000 < len(_text(client, public)) <= 2_000_000


def test_batches_are_answered_with_the_newest_number(client: TestClient) -> None:
    """Begun, added to, sent again, out of order, ended, ended again."""
    begun = _begin(client, "&name=b&protocol=ag-ui")
    assert (begun["last"], begun["url"]) == (0, f"/traces/{begun['id']}")
    events, end = begun["events"], begun["end"]
    assert client.post(f"{events}?seq=1", content=WHOLE).json() == {"last": 1, "stored": True}
    assert client.post(f"{events}?seq=1", content=b"other\n").json() == {"last": 1, "stored": False}
    early = client.post(f"{events}?seq=3", content=WHOLE)
    assert (early.status_code, early.json()["last"], sorted(early.json())) == (409, 1, ["error", "last"])
    assert client.post(f"{events}?seq=2").json() == {"last": 2, "stored": True}
    assert client.post(end).json() == {"last": 2, "stored": True}
    assert client.post(end).json() == {"last": 2, "stored": False}
    assert client.post(f"{events}?seq=2").json() == {"last": 2, "stored": False}
    assert client.post(f"{events}?seq=3").status_code == 400
    assert _text(client, begun["id"]) == WHOLE


def test_json_batches_keep_their_own_text(client: TestClient) -> None:
    """An event, a list of events, none; characters that end lines elsewhere stay inside."""
    begun = _begin(client)
    head = {"content-type": "application/json; charset=utf-8"}
    pretty = json.dumps(EVENT, indent=2, ensure_ascii=False)
    bodies = [pretty, f"[{pretty},\r\n{pretty}]", "[]", ""]
    for number, body in enumerate(bodies, 1):
        answer = client.post(f"{begun['events']}?seq={number}", content=body.encode(), headers=head)
        assert answer.json() == {"last": number, "stored": True}
    line = pretty.replace("\n", " ").encode() + b"\n"
    assert _text(client, begun["id"]) == line * 3


@pytest.mark.databases("sqlite")  # what is refused before it gets there
@pytest.mark.parametrize("body", [b"[", b"{]", b"[1", b"[" * 100_000, b'{"a":' * 100_000, b"x", b"{} {}"])
def test_a_json_batch_that_is_none_is_refused(client: TestClient, body: bytes) -> None:
    """One sentence, and the number stays free."""
    begun = _begin(client)
    head = {"content-type": "application/json"}
    answer = client.post(f"{begun['events']}?seq=1", content=body, headers=head)
    assert (answer.status_code, list(answer.json())) == (400, ["error"])
    assert client.post(f"{begun['events']}?seq=1", content=b"[]", headers=head).json()["stored"]


def test_a_batch_over_the_limit_is_refused(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it is held whole; one that just fits is taken."""
    monkeypatch.setattr(push, "MAX_BATCH", 1000)
    begun = _begin(client)
    line = b"{" + b" " * 997 + b"}\n"
    assert client.post(f"{begun['events']}?seq=1", content=line + b" ").status_code == 413
    assert client.post(f"{begun['events']}?seq=1", content=line).json()["stored"]


def test_a_batch_torn_in_a_line_is_refused(client: TestClient) -> None:
    """Nothing of it is stored."""
    begun = _begin(client)
    answer = client.post(f"{begun['events']}?seq=1", content=WHOLE[:20])
    assert (answer.status_code, answer.json()["error"]) == (400, batches.TORN)
    assert client.post(f"{begun['events']}?seq=1", content=WHOLE).json()["stored"]


def test_a_recording_begins_with_its_run_input(client: TestClient) -> None:
    """Its credentials overwritten; anything else in the body is refused."""
    asked = {"threadId": "t", "runId": "r", "messages": [], "tools": [], "forwardedProps": {"api_key": KEY}}
    begun = _begin(client, content=json.dumps(asked).encode())
    client.post(f"{begun['events']}?seq=1", content=WHOLE)
    client.post(begun["end"])
    for body in (b"[]", b"{", b"1", b"{" * 100_000):
        assert client.post("/api/traces?live=1", content=body).status_code == 400
    assert client.post("/api/traces?live=1&protocol=teams", content=b"{}").status_code == 400


@pytest.mark.databases("sqlite")  # what is refused before it gets there
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/traces/nothere/events?seq=1", 404),
        ("/api/traces/nothere/end", 404),
        ("/api/live?protocol=x", 422),
        ("/api/live?as=har", 422),
        ("/api/traces/x/events", 422),
        ("/api/traces/x/events?seq=0", 422),
        ("/api/traces/x/events?seq=2147483648", 422),
    ],
)
def test_what_cannot_be_meant_is_refused(client: TestClient, path: str, status: int) -> None:
    """In one sentence, as everywhere."""
    answer = client.post(path, content=WHOLE)
    assert (answer.status_code, list(answer.json())) == (status, ["error"])


def test_nothing_is_added_to_what_was_not_begun_so(client: TestClient) -> None:
    """An upload and a push are no recordings in batches."""
    uploaded = client.post("/api/traces?name=u", content=WHOLE).json()["id"]
    pushed = client.post("/api/live", content=WHOLE + b"\n").json()["id"]
    for public in (uploaded, pushed):
        for path in ("events?seq=1", "end"):
            assert client.post(f"/api/traces/{public}/{path}", content=WHOLE).status_code == 400


def test_a_page_of_another_site_records_nothing(client: TestClient) -> None:
    """As with every other write."""
    for method in ("POST", "PUT"):
        answer = client.request(
            method, "/api/live", content=WHOLE, headers={"origin": "https://evil.example"}
        )
        assert answer.status_code == 403


def test_the_interface_is_described_as_it_answers(client: TestClient) -> None:
    """Every status that these tests meet is named for its address, with the shape of its body."""
    paths = client.get("/api/openapi.json").json()["paths"]
    wanted = {
        ("/api/live", "post"): {"201", "400", "403", "413", "422", "503"},
        ("/api/live", "put"): {"201", "400", "403", "413", "422", "503"},
        ("/api/traces/{trace_id}/events", "post"): {"200", "400", "403", "404", "409", "413", "422", "503"},
        ("/api/traces/{trace_id}/end", "post"): {"200", "400", "403", "404", "503"},
    }
    for (path, method), statuses in wanted.items():
        told = paths[path][method]["responses"]
        assert statuses <= told.keys(), (path, method, statuses - told.keys())
        for status, answer in told.items():
            shape = answer["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
            assert (shape in ("Fault", "OrderFault")) == (int(status) >= 400), (path, status, shape)
