"""A recording comes in: by file, by paste, through the JSON interface; and what is refused."""

from __future__ import annotations

import gzip
import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.readers.several import three_in_a_har, two_connections, two_in_a_zip, zipped
from webapp.storage import traces
from webapp.storage.db import Database

SAMPLES = Path(__file__).resolve().parents[2] / "webapp" / "samples"
SSE = b"".join(
    b"data: " + json.dumps(event).encode() + b"\n\n"
    for event in (
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "안녕 مرحبا 👋"},
        {"type": "TEXT_MESSAGE_END", "messageId": "m"},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
    )
)


def files(*named: tuple[str, bytes]) -> list[tuple[str, tuple[str, bytes, str]]]:
    return [("files", (name, content, "application/octet-stream")) for name, content in named]


def stored(database: Database) -> list[Any]:
    with database.session() as session:
        return list(traces.list_traces(session)[0])


def test_a_file_becomes_a_trace_and_its_page_opens(client: TestClient, database: Database) -> None:
    """The browser is sent to the trace, which has the file's name and a verdict."""
    answer = client.post("/traces", files=files(("run.sse", SSE)))
    [trace] = stored(database)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/traces/{trace.id}")
    assert (trace.name, trace.verdict, trace.events) == ("run.sse", "conformant", 5)


def test_the_same_file_twice_is_here_already(client: TestClient, database: Database) -> None:
    """The second upload opens the first trace and says so."""
    first = client.post("/traces", files=files(("run.sse", SSE))).headers["location"]
    again = client.post("/traces", files=files(("other name.sse", SSE)))
    assert again.headers["location"] == f"{first}?already=1"
    assert len(stored(database)) == 1


def test_pasted_text_becomes_a_trace(client: TestClient, database: Database) -> None:
    """The paste box takes the text as it is, with a name if one is given."""
    text = SSE.decode()
    assert client.post("/traces", data={"text": text, "name": " refund "}).status_code == 303
    assert [(trace.name, trace.source, trace.verdict) for trace in stored(database)] == [
        ("refund", "paste", "conformant")
    ]


def test_the_line_ends_of_a_form_are_nobodys_fault(client: TestClient, database: Database) -> None:
    """A browser sends a text field with CRLF at every line's end; a file keeps the ends it has."""
    text = SSE.replace(b"\n", b"\r\n")
    assert client.post("/traces", data={"text": text.decode()}).status_code == 303
    assert client.post("/traces", files={"files": ("a.sse", text)}).status_code == 303
    assert sorted((trace.source, trace.verdict) for trace in stored(database)) == [
        ("a.sse", "nonconformant"),
        ("paste", "conformant"),
    ]


def test_a_multipart_paste_may_be_long(client: TestClient, database: Database) -> None:
    """A text field is not bound by the framework's own limit of one megabyte."""
    text = SSE.decode() + ": comment\n" * 150_000
    answer = client.post("/traces", data={"text": text}, files={"files": ("", b"")})
    assert answer.status_code == 303
    assert stored(database)[0].events == 5


def test_several_files_at_once_lead_to_the_list(client: TestClient, database: Database) -> None:
    """Each recording becomes a trace of its own."""
    answer = client.post("/traces", files=files(("a.sse", SSE), ("b.sse", SSE + b"\n")))
    assert answer.headers["location"] == "/"
    assert sorted(trace.name for trace in stored(database)) == ["a.sse", "b.sse"]


def test_a_run_input_goes_with_its_recording(client: TestClient, database: Database) -> None:
    """`run.input.json` beside `run.sse` is its request, and no trace."""
    run_input = {"threadId": "t", "runId": "r", "messages": []}
    parts = files(
        ("run.input.json", json.dumps(run_input).encode()), ("run.sse", SSE), ("b.sse", b"\n" + SSE)
    )
    assert client.post("/traces", files=parts).status_code == 303
    assert {trace.name: trace.input for trace in stored(database)} == {"run.sse": run_input, "b.sse": None}


def test_a_packed_recording_has_its_run_input_too(client: TestClient, database: Database) -> None:
    """`run.input.json` beside `run.sse.gz` is its request, as for `lanescope check`."""
    run_input = {"threadId": "t", "runId": "r", "messages": []}
    parts = files(("run.input.json", json.dumps(run_input).encode()), ("run.sse.gz", gzip.compress(SSE)))
    assert client.post("/traces", files=parts).status_code == 303
    assert [trace.input for trace in stored(database)] == [run_input]


@pytest.mark.databases("sqlite")  # what is refused before it gets there
@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ([("run.input.json", b"{}")], "send the two together"),
        ([("run.input.json", b"{}"), ("other.sse", SSE)], "send the two together"),
        ([("run.input.json", b"[]"), ("run.sse", SSE)], "run.input.json is not a JSON object"),
        ([("run.input.json", b"{"), ("run.sse", SSE)], "run.input.json is not a JSON object"),
        ([("run.input.json", b"[" * 100_000), ("run.sse", SSE)], "run.input.json is not a JSON object"),
    ],
)
def test_a_run_input_that_cannot_be_used_is_told_before_anything_is_stored(
    client: TestClient, database: Database, parts: list[tuple[str, bytes]], why: str
) -> None:
    """The sentence names the file; nothing is half done."""
    answer = client.post("/traces", files=files(*parts))
    assert answer.status_code == 400
    assert why in answer.text
    assert stored(database) == []


@pytest.mark.parametrize("form", [{}, {"text": "  \n"}, {"name": "only a name"}])
def test_nothing_sent_is_told(client: TestClient, form: dict[str, str]) -> None:
    """An empty form is no trace."""
    answer = client.post("/traces", data=form)
    assert answer.status_code == 400
    assert "Nothing was sent" in answer.text


def test_a_path_is_cut_to_the_file_name(client: TestClient, database: Database) -> None:
    """Some clients send the whole path of a file."""
    client.post("/traces", files=files(("C:\\logs\\run.sse", SSE)))
    client.post("/traces", files=files(("../../etc/run.sse", SSE + b"\n")))
    assert [trace.name for trace in stored(database)] == ["run.sse", "run.sse"]


@pytest.mark.parametrize("path", ["/traces", "/api/traces"])
def test_too_large_is_told_and_nothing_is_stored(client: TestClient, database: Database, path: str) -> None:
    """The sentence names the limit and its setting; the length a client claims is not needed."""
    body = SSE + b": x\n" * 600_000
    answers = [client.post(path, files=files(("run.sse", body)))]
    if path.startswith("/api"):
        answers.append(client.post(path, content=body))
        answers.append(client.post(path, content=iter([body[:1_000_000], body[1_000_000:]])))
    for answer in answers:
        assert answer.status_code == 413
        assert "LANESCOPE_MAX_UPLOAD_BYTES" in answer.text
    assert stored(database) == []


def test_hostile_bytes_are_data(client: TestClient, database: Database) -> None:
    """NUL bytes, half surrogates, markup, deep nesting and a very long line are stored, not obeyed."""
    hostile = (
        b"\x00\xff<script>\n\n" + b'data: {"type":"X","a":"\\ud83d"}\n\n' + b"data: " + b"[" * 5000 + b"\n\n"
    )
    hostile += b"data: " + b"x" * 1_000_000 + b"\n\n"
    answer = client.post("/traces", files=files(("evil\x00<b>.sse", hostile)))
    assert answer.status_code == 303
    assert len(stored(database)) == 1
    page = client.get("/")
    assert page.status_code == 200
    assert "evil" in page.text
    assert "<b>.sse" not in page.text


def test_the_pages_own_script_is_told_where_to_go(client: TestClient) -> None:
    """With progress shown, the page itself follows the address; faults come as JSON too."""
    ask = {"Accept": "application/json"}
    answer = client.post("/traces", files=files(("run.sse", SSE)), headers=ask)
    assert answer.status_code == 200
    assert answer.json()["url"].startswith("/traces/")
    assert set(client.post("/traces", headers=ask).json()) == {"error"}


def test_a_raw_body_through_the_interface(client: TestClient) -> None:
    """201 with id, address and verdict; the same bytes again are 200 with the same id."""
    answer = client.post("/api/traces?name=nightly", content=SSE)
    assert answer.status_code == 201
    made = answer.json()
    assert made == {
        "id": made["id"],
        "url": f"http://127.0.0.1:8321/traces/{made['id']}",
        "verdict": "conformant",
        "duplicate": False,
        "masked": 0,
    }
    again = client.post("/api/traces", content=SSE)
    assert again.status_code == 200
    assert again.json() == made | {"duplicate": True}


def test_a_form_through_the_interface(client: TestClient) -> None:
    """A file with its run input; two recordings in one request are refused."""
    parts = files(("run.sse", SSE), ("run.input.json", b'{"threadId":"t","runId":"r"}'))
    assert client.post("/api/traces", files=parts).status_code == 201
    answer = client.post("/api/traces", files=files(("a.sse", SSE), ("b.sse", SSE)))
    assert answer.status_code == 400
    assert "one recording at a time" in answer.json()["error"]


def test_the_report_has_the_members_of_the_contract(client: TestClient) -> None:
    """The stored report is the one the command prints."""
    sample = (SAMPLES / "pydantic-parallel.sse").read_bytes()
    made = client.post("/api/traces?name=parallel.sse", content=sample).json()
    report = client.get(f"/api/traces/{made['id']}").json()
    assert list(report) == [
        "source",
        "format",
        "read_as",
        "protocol",
        "protocol_version",
        "version_used",
        "engine",
        "events",
        "verdict",
        "rejected_at",
        "runs",
        "findings",
        "artefacts",
        "masked",
        "not_understood",
        "skipped_rules",
        "clock",
    ]
    assert (report["verdict"], report["rejected_at"], report["events"]) == ("rejected", 12, 40)
    assert "AGUI-TOL-02@12" in [finding["key"] for finding in report["findings"]]
    assert report["runs"][0]["outcome"] == "rejected"


def test_the_description_covers_the_interface_and_only_that(client: TestClient) -> None:
    """/api/openapi.json names the JSON routes, their bodies and their faults; pages are not part of it."""
    described = client.get("/api/openapi.json").json()
    assert set(described["paths"]) == {
        "/api/traces",
        "/api/traces/{trace_id}",
        "/api/traces/{trace_id}/stream",
        "/api/live",
        "/api/traces/{trace_id}/events",
        "/api/traces/{trace_id}/end",
    }
    post = described["paths"]["/api/traces"]["post"]
    assert set(post["requestBody"]["content"]) == {"application/octet-stream", "multipart/form-data"}
    assert {"200", "201", "400", "413"} <= set(post["responses"])
    listing = described["paths"]["/api/traces"]["get"]
    assert [each["name"] for each in listing["parameters"]] == [
        "q", "verdict", "protocol", "status", "limit", "offset",
    ]  # fmt: skip
    answer = listing["responses"]["200"]["content"]["application/json"]["schema"]
    assert answer == {"$ref": "#/components/schemas/TraceList"}
    assert client.get("/redoc").status_code == 404


def test_a_file_with_several_streams_is_asked_about_before_anything_is_stored(
    client: TestClient, database: Database
) -> None:
    """The page lists them, ticked, in a form that takes the file again; the ticked ones become traces."""
    data = two_in_a_zip()
    answer = client.post("/traces", files=files(("a.zip", data), ("b.sse", SSE)))
    assert answer.status_code == 200
    assert stored(database) == []
    assert "a.zip holds 2 streams" in answer.text
    assert re.findall(r'name="part" value="([^"]+)" checked', answer.text) == ["m1@a.zip", "m2@a.zip"]
    assert 'type="file" name="files"' in answer.text
    answer = client.post("/traces", files=files(("a.zip", data), ("b.sse", SSE)), data={"part": ["m2@a.zip"]})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert sorted(trace.name for trace in stored(database)) == ["a.zip › logs/second.sse", "b.sse"]


def test_one_ticked_stream_opens_its_trace(client: TestClient, database: Database) -> None:
    """The browser is sent to it."""
    answer = client.post("/traces", files=files(("a.har", three_in_a_har())), data={"part": "e3@a.har"})
    [trace] = stored(database)
    assert answer.headers["location"] == f"/traces/{trace.id}"
    assert (trace.name, trace.verdict) == ("a.har › POST /agent #2", "rejected")


def test_without_a_tick_the_question_comes_again(client: TestClient, database: Database) -> None:
    """With a sentence that says so."""
    answer = client.post("/traces", files=files(("a.zip", two_in_a_zip())), data={"asked": "1"})
    assert "tick at least one stream" in answer.text
    assert stored(database) == []


def test_the_pages_own_script_gets_the_question_as_a_fragment(client: TestClient) -> None:
    """It still holds the file, so the form has no field for it."""
    ask = {"Accept": "application/json"}
    answer = client.post("/traces", files=files(("a.zip", two_in_a_zip())), headers=ask)
    fragment = answer.json()["choose"]
    assert 'name="part" value="m1@a.zip"' in fragment
    assert 'type="file"' not in fragment


def test_pasted_text_with_several_streams_comes_back_with_the_question(
    client: TestClient, database: Database
) -> None:
    """The text is in the form again, unchanged."""
    text = two_connections().decode()
    answer = client.post("/traces", data={"text": text, "name": "desk"})
    assert html.escape(text.splitlines()[1]) in answer.text.replace("&#34;", "&quot;")
    answer = client.post("/traces", data={"text": text, "name": "desk", "part": "c2@desk"})
    assert [trace.name for trace in stored(database)] == ["desk › POST /agent #2"]


def test_names_from_an_archive_are_text(client: TestClient) -> None:
    """Markup in the name of a file inside is shown, not obeyed."""
    data = zipped({"<b>1.sse": SSE, "2.sse": SSE + b"\n"})
    answer = client.post("/traces", files=files(("<i>.zip", data)))
    assert "<b>1" not in answer.text
    assert "<i>" not in answer.text


def test_the_interface_answers_409_with_the_streams(client: TestClient, database: Database) -> None:
    """`part` names one, several or all of them."""
    data = two_in_a_zip()
    answer = client.post("/api/traces?name=a.zip", content=data)
    assert answer.status_code == 409
    assert [(part["id"], part["title"], part["events"]) for part in answer.json()["parts"]] == [
        ("m1", "logs/first.sse", 5),
        ("m2", "logs/second.sse", 5),
    ]
    assert answer.json()["notes"] == ["No recordings: readme.txt (this is plain text)."]
    assert stored(database) == []
    one = client.post("/api/traces?name=a.zip&part=m2", content=data)
    assert (one.status_code, one.json()["verdict"]) == (201, "conformant")
    every = client.post("/api/traces?name=a.zip&part=all", content=data)
    assert every.status_code == 201
    assert [made["duplicate"] for made in every.json()["traces"]] == [False, True]
    both = client.post("/api/traces?part=m1&part=m2", files=files(("a.zip", data)))
    assert (both.status_code, len(both.json()["traces"])) == (200, 2)


def test_an_unknown_stream_is_told(client: TestClient) -> None:
    """So is one asked for of a file that holds no others."""
    assert "no stream called m9" in client.post("/api/traces?part=m9", content=two_in_a_zip()).json()["error"]
    assert client.post("/api/traces?part=m1", content=SSE).status_code == 400
    assert client.post("/api/traces?part=all", content=SSE).json()["traces"][0]["verdict"] == "conformant"


def test_several_at_once_say_which_were_here_before(client: TestClient, database: Database) -> None:
    """With a link each; nothing is silently left out."""
    other = SSE.replace(b'"r"', b'"r-2"')
    client.post("/traces", files=files(("first & best.sse", SSE)))
    [before] = stored(database)
    answer = client.post("/traces", files=files(("again.sse", SSE), ("new.sse", other)))
    page = client.get(answer.headers["location"]).text
    note = re.search(r'<p class="note[^>]*role="status">.*?</p>', page, re.S)
    assert note is not None
    assert "1 recording was stored." in note[0]
    assert f'<a href="/traces/{before.id}">first &amp; best.sse</a>' in note[0]
    answer = client.post("/traces", files=files(("again.sse", SSE), ("new.sse", other)))
    page = client.get(answer.headers["location"]).text
    assert "Nothing was stored." in page
    assert len(stored(database)) == 2


@pytest.mark.parametrize("query", ["stored=x&known=y&at=zz", "at=nothing", "stored=-1", "known=9"])
def test_an_address_that_tells_of_no_upload_tells_nothing(client: TestClient, query: str) -> None:
    """Anyone can write an address."""
    answer = client.get(f"/?{query}")
    assert answer.status_code == 200
    assert 'role="status">' not in answer.text[answer.text.index("</section>") :]


def test_what_was_sent_back_without_a_tick_stays_without(client: TestClient, database: Database) -> None:
    """The ticks that were taken off are not put on again."""
    body = two_in_a_zip()
    first = client.post("/traces", files=files(("two.zip", body))).text
    assert first.count(" checked") == 2
    again = client.post("/traces", files=files(("two.zip", body)), data={"asked": "1"}).text
    assert "Nothing was ticked" in again
    assert " checked" not in again
    assert stored(database) == []


def test_ticks_of_another_file_store_nothing_and_say_so(client: TestClient, database: Database) -> None:
    """Without a script the file is chosen once more, and it may be another one."""
    answer = client.post(
        "/traces", files=files(("two.zip", two_in_a_zip())), data={"asked": "1", "part": "m0@other.zip"}
    )
    assert answer.status_code == 400
    assert "None of the ticked streams is in the file" in answer.text
    assert stored(database) == []
