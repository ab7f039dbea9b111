"""Whatever a recording says, a page shows it and does not obey it: every field, every panel, every document."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.prepared import prepared
from tests.slices import every
from webapp.ingest.upload import ingest
from webapp.settings import Settings
from webapp.storage.db import Database
from webapp.views.selection import PANELS

OBEYED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
# what goes back to the server or to the clipboard is exact, and seen nowhere
EXACT = re.compile(r'(?:value|data-copy)="[^"]*"')
WORDS = {
    "turning": "abc\u202egnp\u2066x",
    "control": "a\x00b\x01\x1b[31m\x85",
    "half": "\ud83dx",
    "markup": "\"'><script>alert(1)</script><img src=x onerror=alert(1)>",
    "lines": "\r\n\r\nSet-Cookie: a=b",
    "empty": "",
    "long": "Z" * 20_000,
}


def everywhere(word: str) -> list[dict[str, Any]]:
    """A stream with the word in each field that is shown somewhere."""
    told = {"id": word, "role": "user", "content": word}
    call = {"id": f"{word}k", "type": "function", "function": {"name": word, "arguments": word}}
    image = {"type": "image", "source": {"type": "url", "value": word, "mimeType": word}}
    return [
        {"type": "RUN_STARTED", "threadId": word, "runId": word, "protocolVersion": word,
         "input": {"threadId": word, "runId": f"{word}r", "messages": [told], "tools": [], "context": []}},
        {"type": "STEP_STARTED", "stepName": word},
        {"type": "SUBAGENT_STARTED", "subagentRunId": word, "name": word, "description": word},
        {"type": "TEXT_MESSAGE_START", "messageId": f"{word}1", "name": word},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": f"{word}1", "delta": word},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": f"{word}2", "delta": word},
        {"type": "TEXT_MESSAGE_START", "messageId": f"{word}3", "role": word},
        {"type": "TOOL_CALL_START", "toolCallId": word, "toolCallName": word, "parentMessageId": f"{word}1"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": word, "delta": f'{{"a":"{word}'},
        {"type": "TOOL_CALL_END", "toolCallId": word},
        {"type": "TOOL_CALL_RESULT", "toolCallId": word, "messageId": f"{word}9", "content": word},
        {"type": "TOOL_CALL_CHUNK", "toolCallId": f"{word}c", "toolCallName": word, "delta": word,
         "subagentRunId": word},
        {"type": "REASONING_MESSAGE_CHUNK", "messageId": f"{word}q", "delta": word},
        {"type": "STATE_SNAPSHOT", "snapshot": {word: word, "a": {word: [word]}}},
        {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/b", "value": word}, {"op": word, "path": word}]},
        {"type": "ACTIVITY_SNAPSHOT", "messageId": f"{word}a", "activityType": word, "content": {word: word}},
        {"type": word},
        {"type": "CUSTOM", "name": word, "value": word, f"{word}z": 1},
        {"type": "MESSAGES_SNAPSHOT", "messages": [told, {"id": f"{word}p", "role": word, "content": word},
         {"id": f"{word}u", "role": "user", "content": [{"type": "text", "text": word}, image]},
         {"id": f"{word}t", "role": "tool", "toolCallId": word, "content": word, "error": word},
         {"id": f"{word}s", "role": "assistant", "toolCalls": [call]}]},
        {"type": "SUBAGENT_ERROR", "subagentRunId": word, "message": word, "code": word},
        {"type": "STEP_FINISHED", "stepName": f"{word}z"},
        {"type": "RUN_FINISHED", "threadId": f"{word}q", "runId": word, "result": word},
        {"type": "RUN_ERROR", "message": word, "code": word},
    ]  # fmt: skip


@pytest.fixture(params=WORDS)
def word(request: pytest.FixtureRequest) -> str:
    return WORDS[request.param]


@pytest.fixture
def trace(word: str, database: Database, settings: Settings) -> str:
    """The id of a trace made of one word, whose name is that word, too."""
    lines = [json.dumps(each) for each in everywhere(word)]
    body = "".join(f"data: {line}\n\n" for line in [*lines, f"{{{word}".replace("\n", "").replace("\r", "")])
    data, name = body.encode("utf-8", "replace"), f"{word[:80]}.sse"
    return prepared(
        database, (__name__, word), lambda: ingest(database, [data], name=name, settings=settings).id
    )


def shown(client: TestClient, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    html = answer.text
    found = OBEYED.search(EXACT.sub("", html))
    assert found is None, (path, html[max(0, found.start() - 60) : found.end() + 10])
    assert "<script>alert" not in html
    assert "<img src=x" not in html
    return html


def test_every_panel_at_every_kind_of_event(client: TestClient, trace: str, word: str) -> None:
    """Nothing in it is obeyed, wherever the page stands, and no page grows with one long word in it."""
    for turn, panel in enumerate(PANELS, list(WORDS.values()).index(word)):
        for event in every((None, 0, 5, 10, 14, 18, 22, 23), 4, turn):
            at = "" if event is None else f"?event={event}"
            html = shown(client, f"/traces/{trace}/{panel}{at}")
            assert len(html) < 400_000, (panel, event)


def test_every_page_and_document_about_it(client: TestClient, trace: str) -> None:
    """The list, the forms, and what is taken away."""
    for path in (
        "/",
        *(f"/traces/{trace}{tail}" for tail in ("", "/edit", "/delete", "/share", "/report.html")),
    ):
        shown(client, path)
    ticket = client.get(f"/traces/{trace}/ticket.md").text
    assert not OBEYED.search(ticket)


def test_every_download_has_a_harmless_name(client: TestClient, trace: str) -> None:
    """A name cannot add a header, leave its folder, or be read the other way round."""
    for tail in ("original", "report.html", "sequence.svg", "sequence.mmd"):
        answer = client.get(f"/traces/{trace}/{tail}")
        assert "set-cookie" not in answer.headers
        told = answer.headers["content-disposition"]
        assert told.startswith("attachment; ")
        for code in ("%E2%80%AE", "%E2%81%A6", "%0D", "%0A", "%1B", "%2F", "%5C"):
            assert code not in told
