"""Recordings full of credentials are uploaded every way there is, and none of them is found anywhere afterwards."""

from __future__ import annotations

import base64
import gzip
import io
import json
import logging
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, text
from starlette.responses import Response

from tests.ingest.credentials import ADDRESSES, CANARY, HEADERS, MEMBERS, SHAPES, named
from tests.readers.frames import frame
from tests.readers.wrapping import sse
from tests.slices import every
from tests.web.conftest import BASE
from webapp.app import create_app
from webapp.settings import Settings, load_settings
from webapp.storage import originals
from webapp.storage.db import Database
from webapp.storage.models import Trace

SEEN = re.compile(CANARY.encode(), re.IGNORECASE)
PANELS = ("events", "sequence", "timeline", "conversation", "state", "findings", "source")
EXPORTS = ("original", "report.html", "ticket.md", "sequence.svg", "sequence.mmd", "exchanges.jsonl")


def run(secrets: str) -> list[dict[str, object]]:
    """A run whose message, tool call, state and error hold them."""
    message, call = {"messageId": "m-1"}, {"toolCallId": "c-1"}
    return [
        {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1"},
        {"type": "STATE_SNAPSHOT", "snapshot": {"auth": MEMBERS, "n": 1}},
        {"type": "STATE_DELTA", "delta": [{"op": "replace", "path": "/auth/apiKey", "value": named(77)}]},
        {"type": "STATE_DELTA", "delta": [{"op": "replace", "path": "/no/password", "value": named(78)}]},
        {"type": "TOOL_CALL_START", **call, "toolCallName": "login"},
        {"type": "TOOL_CALL_ARGS", **call, "delta": json.dumps(MEMBERS)},
        {"type": "TOOL_CALL_END", **call},
        {"type": "TEXT_MESSAGE_START", **message, "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", **message, "delta": secrets},
        {"type": "TEXT_MESSAGE_END", **message},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": SHAPES["github"], "delta": "x"},
        {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"},
    ]


RUN = run("\n".join([*SHAPES.values(), *ADDRESSES.values(), *(f"{n}: {v}" for n, v in HEADERS.items())]))
SSE = sse(RUN).encode()
HEAD = "".join(f"> {name}: {value}\n" for name, value in HEADERS.items())
INPUT = {"threadId": "t-1", "runId": "r-1", "messages": [], "tools": [], "state": {}, "context": [],
         "forwardedProps": {"headers": HEADERS, **MEMBERS}}  # fmt: skip


def har(*, packed: bool) -> bytes:
    """A streamed answer, its body as text or as base64, with headers, cookies and a query."""
    body = base64.b64encode(SSE).decode() if packed else SSE.decode()
    headers = [{"name": name, "value": value} for name, value in HEADERS.items()]
    content = {"size": len(SSE), "mimeType": "text/event-stream", "text": body}
    if packed:
        content["encoding"] = "base64"
    entry = {
        "startedDateTime": "2026-09-01T10:00:00.000Z",
        "request": {
            "method": "POST", "url": ADDRESSES["access_token"], "headers": headers,
            "cookies": [{"name": "sid", "value": named(5)}],
            "queryString": [{"name": "access_token", "value": named(3)}],
            "postData": {"mimeType": "application/json", "text": json.dumps(INPUT)},
        },
        "response": {"status": 200, "headers": headers, "content": content},
    }  # fmt: skip
    return json.dumps(
        {"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": [entry]}}
    ).encode()


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("run.sse", SSE)
        archive.writestr("run.input.json", json.dumps(INPUT))
    return out.getvalue()


def teams() -> bytes:
    """Exchanges whose addresses, texts and answers hold credentials."""
    url = f"https://user:{named(1)}@smba.example/teams/v3/conversations/a/activities?sig={named(2)}"
    entity = {"type": "streaminfo", "streamType": "informative", "streamSequence": 1}
    body = {
        "type": "typing",
        "text": SHAPES["jwt"],
        "entities": [entity],
        "channelData": entity,
        "value": MEMBERS,
    }
    told = {
        "at": 1.0, "method": "POST", "url": url, "request": body,
        "response": {"status": 201, "headers": HEADERS, "body": {"id": "s-1", "token": SHAPES["jwt"]}}, "took": 0.1,
    }  # fmt: skip
    return json.dumps(told).encode() + b"\n"


CURL = (
    HEAD.encode()
    + b">\n< HTTP/1.1 200 OK\n< Content-Type: text/event-stream\n< Set-Cookie: a="
    + named(1).encode()
    + b"\n<\n"
    + SSE
)
LOG = "".join(f"2026-09-01 10:00:01,123 DEBUG agui emit {json.dumps(event)}\n" for event in RUN).encode()
UPLOADS = {
    "plain": SSE,
    "gzip": gzip.compress(SSE),
    "utf-16": SSE.decode().encode("utf-16"),
    "zip": zipped(),
    "HAR": har(packed=False),
    "HAR, base64": har(packed=True),
    "curl -v": CURL,
    "JSON log": LOG,
    "Teams": teams(),
    "binary": b"".join(map(frame, RUN)),
    "binary in gzip": gzip.compress(b"".join(map(frame, RUN))),
    "binary as base64": base64.b64encode(b"".join(map(frame, RUN))),
    "not read": b"A note about " + json.dumps(MEMBERS).encode() + HEAD.encode(),
}


def found_in(data: bytes) -> list[bytes]:
    """The places of a canary."""
    return [data[max(0, hit.start() - 60) : hit.end() + 10] for hit in SEEN.finditer(data)]


def stored(database: Database) -> bytes:
    """Every byte of the database and its log, and the originals expanded."""
    name = database.engine.url.database
    assert name is not None
    path = Path(name)
    files = b"".join(each.read_bytes() for each in path.parent.glob(path.name + "*"))
    with database.session() as session:
        kept = [b"".join((*originals.whole(session, pk), *originals.text(session, pk)))
                for pk in session.scalars(select(Trace.pk))]  # fmt: skip
        session.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
    return files + path.read_bytes() + b"".join(kept)


def shown(client: TestClient, id_: str, turn: int = 0) -> Iterator[tuple[str, Response]]:
    """Every page, fragment and download of a trace; which of the events they stand at changes with the turn."""
    base = f"/traces/{id_}"
    for number, panel in enumerate(PANELS):
        for event in every((0, 3, 8, 10), 4, number + turn):
            for way in every((f"{base}?panel={panel}&", f"{base}/{panel}?"), 2, number + turn // 4):
                yield panel, client.get(f"{way}event={event}")
    for name in EXPORTS:
        yield name, client.get(f"{base}/{name}")
    yield "search", client.get(f"{base}?panel=events&q={CANARY}")
    yield "search", client.get(f"{base}/events?q={CANARY}")
    yield "strays", client.get(f"{base}?panel=source&only=strays")
    yield "report", client.get(f"/api/traces/{id_}")
    yield "list", client.get("/")


@pytest.mark.parametrize("name", UPLOADS)
def test_no_credential_is_found_anywhere(
    client: TestClient, database: Database, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Not in the database, on a page, in a download or in the log; the count is told."""
    caplog.set_level(logging.DEBUG)
    made = client.post("/api/traces?name=x", content=UPLOADS[name])
    assert made.status_code == 201, made.text
    assert made.json()["masked"] >= 1
    assert found_in(stored(database)) == []
    pages = 0
    for what, answer in shown(client, made.json()["id"], list(UPLOADS).index(name)):
        asked_for = answer.content.replace(CANARY.encode(), b"") if what == "search" else answer.content
        assert answer.status_code in (200, 400, 404), what
        assert found_in(asked_for) == [], what
        pages += answer.status_code == 200
    assert pages >= len(PANELS) + 7
    assert found_in(caplog.text.replace(f"q={CANARY}", "").encode()) == []


def test_a_run_input_and_pasted_text_are_masked(client: TestClient, database: Database) -> None:
    """NAME.input.json, the text field, the shared page and a file's own name."""
    file_name = f"run {SHAPES['github']}.sse"
    files = [
        ("files", (file_name, SSE)),
        ("files", (file_name.replace(".sse", ".input.json"), json.dumps(INPUT))),
    ]
    first = client.post("/traces", files=files)
    pasted = client.post("/traces", data={"text": LOG.decode(), "name": f"from {SHAPES['jwt']}"})
    assert (first.status_code, pasted.status_code) == (303, 303)
    assert found_in(stored(database)) == []
    for answer in (first, pasted):
        assert found_in(client.get(answer.headers["location"]).content) == []
        id_ = answer.headers["location"].split("/")[2]
        for what, page in shown(client, id_):
            assert what == "search" or found_in(page.content) == [], what


def test_the_question_which_stream_is_meant_holds_none(client: TestClient, database: Database) -> None:
    """A HAR file with two streams: their titles, and the pasted text that comes back."""
    one = json.loads(har(packed=False))
    one["log"]["entries"] *= 2
    asked = client.post("/traces", data={"text": json.dumps(one)})
    assert asked.status_code == 200
    assert "holds 2 streams" in asked.text
    assert found_in(asked.content) == []
    assert found_in(stored(database)) == []


def test_what_was_packed_is_kept_unpacked_once_something_was_masked(
    client: TestClient, database: Database
) -> None:
    """The archive has the credential in it; one without any is kept as it came."""
    made = client.post("/api/traces?name=run.sse.gz", content=UPLOADS["gzip"]).json()
    original = client.get(f"/traces/{made['id']}/original").content
    assert len(original) == len(SSE)
    assert original.startswith(b"data: ")
    clean = gzip.compress(b'data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}\n\n')
    made = client.post("/api/traces?name=run.sse.gz", content=clean).json()
    assert made["masked"] == 0
    assert client.get(f"/traces/{made['id']}/original").content == clean


def test_the_digest_is_of_what_is_kept(client: TestClient, database: Database) -> None:
    """The same upload is found again, and so is its masked original; another credential makes no other recording."""
    made = client.post("/api/traces", content=SSE).json()
    original = client.get(f"/traces/{made['id']}/original").content
    other = SSE.replace(CANARY.encode(), CANARY[::-1].encode())
    for again in (SSE, original, other, gzip.compress(SSE)):
        assert client.post("/api/traces", content=again).json()["id"] == made["id"]


def test_lines_and_offsets_are_those_of_the_upload(client: TestClient, database: Database) -> None:
    """Nothing moved: every record stands where it stood."""
    id_ = client.post("/api/traces", content=SSE).json()["id"]
    report = client.get(f"/api/traces/{id_}").json()
    assert report["events"] == len(RUN)
    assert report["masked"] > 40
    original = client.get(f"/traces/{id_}/original").content
    assert [at for at, byte in enumerate(SSE) if byte == 0x0A] == [
        at for at, byte in enumerate(original) if byte == 0x0A
    ]


def test_the_page_says_what_was_done(client: TestClient) -> None:
    """In Source, above the events, in the report and beside the download."""
    text_ = f'data: {{"type":"RUN_STARTED","threadId":"t","runId":"r","x":"{SHAPES["jwt"]}"}}\n\n'
    id_ = client.post("/api/traces", content=text_.encode()).json()["id"]
    sentence = "1 credential was masked before storage; the original kept is the masked one."
    assert sentence in client.get(f"/traces/{id_}?panel=source").text
    assert sentence in client.get(f"/traces/{id_}").text
    assert sentence in client.get(f"/traces/{id_}/report.html").text
    assert "one credential masked" in client.get(f"/traces/{id_}").text


def test_a_private_installation_keeps_what_it_gets(tmp_path: Path, database: Database) -> None:
    """With the setting off everything is as received, and the page says that too."""
    settings: Settings = load_settings(data_dir=tmp_path, mask_secrets=False)
    with TestClient(create_app(settings, database), base_url=BASE, follow_redirects=False) as client:
        made = client.post("/api/traces", content=gzip.compress(SSE)).json()
        assert made["masked"] is None
        page = client.get(f"/traces/{made['id']}?panel=source").text
        assert "Credentials were not looked for: the original is kept as it was received." in page
        assert gzip.decompress(client.get(f"/traces/{made['id']}/original").content) == SSE
        assert client.get(f"/api/traces/{made['id']}").json()["masked"] is None
