"""The report: one file that needs nothing else, whatever the recording holds."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from webapp.app import ROOT, create_app
from webapp.ingest.upload import ingest
from webapp.settings import load_settings
from webapp.storage import traces
from webapp.storage.db import Database

SAMPLES = ROOT / "tests" / "samples"
MARKUP = "</style></code><script>alert(1)</script><img src=x onerror=alert(2)>\"' {{ 7*7 }}"
LIMIT = 2_000_000  # bytes
START: dict[str, Any] = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
Write = Callable[..., str]


@pytest.fixture
def write(database: Database, tmp_path: Path) -> Iterator[Write]:
    """Store bytes or events; gives the report as downloaded."""
    app = create_app(load_settings(data_dir=tmp_path), database)
    with TestClient(app, base_url="http://127.0.0.1:8321") as client:

        def report(what: bytes | list[dict[str, Any]], name: str = "the-file.sse") -> str:
            body = what if isinstance(what, bytes) else "\n".join(map(json.dumps, what)).encode()
            stored = ingest(database, [body], name=name)
            with database.session() as session:
                trace = traces.get(session, stored.id)
                assert trace is not None
                traces.rename(session, trace.pk, "refund desk" if name == "the-file.sse" else name)
                traces.set_note(session, trace.pk, "call them back")
                traces.set_ticket(session, trace.pk, "TICKET-4711")
            answer = client.get(f"/traces/{stored.id}/report.html")
            assert answer.status_code == 200
            assert answer.headers["content-disposition"].startswith("attachment; ")
            assert len(answer.content) < LIMIT
            return answer.text

        yield report


def picture(html: str) -> str:
    """The diagram inside the file."""
    found = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
    assert found
    return base64.b64decode(found[1]).decode()


def test_the_report_tells_the_whole_story(write: Write) -> None:
    """Verdict, cause with why and fix, what the user saw, the diagram, the events, how it was read."""
    html = write((SAMPLES / "chunked-two-subagents.sse").read_bytes())
    for words in (
        "Rejected</span><h1>refund desk</h1>",
        'A client stops at <a class="n" href="#e352">#352</a>',
        "<b>Why</b>",
        "<b>Fix</b>",
        "AGUI-CHK-01",
        "cut here, 15 characters missing",
        "an error</span>",
        "never arrived",
        "refused here",
        "as received</h2>",
        "412 records, 412 events",
        "Made by Lanescope ",
    ):
        assert words in html
    assert "refused: a chunk without" in picture(html)


def test_every_link_stays_inside_the_file(write: Write) -> None:
    """Numbers lead to rows that are there; nothing is loaded and nothing runs."""
    html = write((SAMPLES / "chunked-two-subagents.sse").read_bytes())
    hrefs = set(re.findall(r'\bhref="([^"]*)"', html))
    ids = {f"#{name}" for name in re.findall(r'\bid="([^"]*)"', html)}
    assert {"#e21", "#e351", "#e352"} <= hrefs <= ids
    assert "<script" not in html
    assert not re.findall(r'\b(?:src|srcset|action|data)="(?!data:image/svg)', html)
    assert "<link" not in html
    assert "url(" not in html
    assert "@import" not in html
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)
    assert policy
    assert unescape(policy[1]).startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    assert html.index("Content-Security-Policy") < html.index("<style>")


def test_the_report_keeps_what_is_ours(write: Write) -> None:
    """Neither the note nor the ticket number, nor what the file was called here, nor where it lies."""
    html = write((SAMPLES / "chunked-two-subagents.sse").read_bytes())
    for word in ("call them back", "TICKET-4711", "the-file.sse", "/traces/", "127.0.0.1"):
        assert word not in html
        assert word not in picture(html)


def test_a_hostile_recording_is_data(write: Write) -> None:
    """Markup in every text, NUL, lone surrogates and overrides: shown, never obeyed."""
    text = f"{MARKUP}\x00\ud800\u202e"
    html = write(
        [
            {**START, "threadId": text, "runId": text},
            {"type": "TEXT_MESSAGE_START", "messageId": text, "role": "assistant"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": text, "delta": f"{text}\n\nnext"},
            {"type": "TOOL_CALL_START", "toolCallId": text, "toolCallName": text},
            {"type": "TOOL_CALL_END", "toolCallId": text},
            {"type": "TOOL_CALL_ARGS", "toolCallId": text, "delta": text},
            {"type": MARKUP[:60]},
        ],
        name=MARKUP,
    )
    assert "<script" not in html
    assert "<img src=x" not in html
    assert html.count("</style>") == 1
    assert "{{ 7*7 }}" in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    for char in ("\x00", "\u202e"):
        assert char not in html
        assert char not in picture(html)
    assert "<script" not in picture(html)


def test_a_huge_recording_gives_a_small_file(write: Write) -> None:
    """Thousands of messages, faults and lanes, texts of a megabyte: bounded, and what is left out is said."""
    events: list[dict[str, Any]] = [START]
    for number in range(300):
        lane = {"subagentRunId": f"lane-{number}-" + "l" * 200}
        events.append({"type": "SUBAGENT_STARTED", "name": "n" * 500, **lane})
        events.append({"type": "TEXT_MESSAGE_START", "messageId": f"m{number}", "role": "assistant", **lane})
        size = 1_000_000 if number == 299 else 4_000
        events.append(
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": f"m{number}", "delta": "&" * size, **lane}
        )
        events.append({"type": "TEXT_MESSAGE_END", "messageId": f"m{number}", **lane})
    for number in range(100):
        events.append({"type": "STEP_FINISHED", "stepName": f"{number}" + "<" * 3_000})
        events.append(
            {"type": "TOOL_CALL_ARGS", "toolCallId": f"{number}" + '"' * 3_000, "delta": "<" * 50_000}
        )
    html = write(events)
    assert "earlier messages not shown." in html
    assert "characters not shown …" in html
    assert "more causes not shown." in html or "more not shown." in html


def test_a_clean_recording_has_a_report_too(write: Write) -> None:
    """Its conversation and how it begins."""
    html = write(
        [
            START,
            {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "مرحبا 안녕 👋🏽\nsecond line"},
            {"type": "TEXT_MESSAGE_END", "messageId": "m"},
            {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
        ]
    )
    assert "Conformant</span>" in html
    assert "Nothing was found." in html
    assert "<bdi>مرحبا 안녕 👋🏽\nsecond line</bdi>" in html
    assert "How it began" in html
    assert "never arrived" not in html


@pytest.mark.parametrize("body", [b"hello", b'{"no": "type"}'])
def test_nothing_to_check_is_told_without_the_colour_of_a_verdict(write: Write, body: bytes) -> None:
    """A report of nothing is no pass."""
    html = write(body)
    assert "Conformant" not in html
    assert '<section class="banner none"' in html
