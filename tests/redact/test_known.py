"""Of headers and kinds of media only names that anybody may send stay at level `structure`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from webapp.redact import marker, media_type, redactor
from webapp.redact.known import HEADERS, MIME

CANARY = "Zqx-Customer"


def made(protocol: str, record: dict[str, Any]) -> dict[str, Any]:
    red = redactor(protocol, "structure")
    out = red.record(json.dumps(record).encode())
    assert out is not None
    assert red.record(out) == out
    value: dict[str, Any] = json.loads(out)
    return value


def headers(sent: Any) -> Any:
    record = {"method": "POST", "url": "/v3", "request": None, "response": {"status": 200, "headers": sent}}
    return made("teams", record)["response"]["headers"]


def test_names_of_headers_nobody_knows_are_numbered() -> None:
    """A name can be a customer's; well-known ones stay as they are written, without their values."""
    assert headers({"X-Acme-Customer": "a", "MS-CV": "abc", CANARY: 1, "content-type": f"text/{CANARY}"}) == {
        "header-1": marker(1),
        "MS-CV": marker(3),
        "header-2": 0,
        "content-type": marker(5 + len(CANARY)),
    }


def test_a_header_that_is_called_as_a_numbered_one_is_numbered_too() -> None:
    """None takes another's place."""
    assert headers({"header-2": "a", "X-Odd": "b"}) == {"header-1": marker(1), "header-2": marker(1)}


@pytest.mark.parametrize("name", sorted(HEADERS))
def test_well_known_headers_stay_in_any_letters(name: str) -> None:
    """As they come from any server."""
    assert list(headers({name.title(): "x"})) == [name.title()]


@pytest.mark.parametrize("kind", ["application", "audio", "font", "image", "text", "video"])
@pytest.mark.parametrize("rest", ["zqx", "vnd.zqx.customer", "x-zqx", "json-zqx", "plain.zqx", "png+zqx"])
def test_a_kind_of_media_nobody_knows_goes_everywhere(kind: str, rest: str) -> None:
    """In parts of messages, in attachments, in the head of the response, in a header."""
    mime = f"{kind}/{rest}"
    part = {"type": "image", "source": {"type": "url", "value": "x", "mimeType": mime}}
    message = {"id": "m", "role": "user", "content": [part]}
    told = (
        made("ag-ui", {"type": "MESSAGES_SNAPSHOT", "messages": [message]}),
        made("teams", {"type": "message", "attachments": [{"contentType": mime}]}),
        headers({"Content-Type": f"{mime}; charset=utf-8"}),
        media_type(mime),
    )
    assert "zqx" not in json.dumps(told)


def test_kinds_of_media_anybody_sends_stay() -> None:
    """In any letters."""
    for mime in ("text/event-stream", "image/PNG", "application/vnd.microsoft.card.adaptive", "image/jpeg"):
        assert MIME.fullmatch(mime)
        attachment = {"type": "message", "attachments": [{"contentType": mime}]}
        assert made("teams", attachment) == attachment


@pytest.mark.parametrize(
    ("version", "kept"),
    [("1.0", True), ("2026.11.30", True), ("1", True), ("1.0-zqx", False), ("v" * 100, False), ("1.", False),
     ("4111111111111111", False), ("1" * 30, False)],
)  # fmt: skip
def test_a_version_is_a_few_numbers_with_dots(version: str, kept: bool) -> None:
    """What is written under its name beside that goes."""
    event = made("ag-ui", {"type": "RUN_STARTED", "threadId": "t", "runId": "r", "protocolVersion": version})
    assert event["protocolVersion"] == (version if kept else marker(len(version)))


def test_no_name_of_a_header_of_the_samples_is_lost() -> None:
    """What recordings of the service hold is well known."""
    seen: set[str] = set()
    for path in (Path(__file__).parents[1] / "samples" / "teams").glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            seen |= ((json.loads(line).get("response") or {}).get("headers") or {}).keys()
    assert seen
    assert {name.lower() for name in seen} <= HEADERS
