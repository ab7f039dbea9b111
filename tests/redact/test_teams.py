"""Teams at level `structure`: calls, ids, numbers, answers and times stay, what was said goes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.teams import script
from tests.redact.canaries import LETTERS, teams_cases
from webapp.core import Replay
from webapp.core.records import Step
from webapp.core.teams.answers import ANSWERS, classify
from webapp.redact import marker, redactor

ROOT = Path(__file__).parents[1]
URL = "https://smba.trafficmanager.net/amer/v3/conversations/a:1zz/activities"


def made(record: dict[str, Any]) -> dict[str, Any]:
    out = redactor("teams", "structure").record(json.dumps(record).encode())
    assert out is not None
    value: dict[str, Any] = json.loads(out)
    return value


def answered(status: int, body: Any) -> Any:
    record = {"method": "POST", "url": URL, "request": None, "response": {"status": status, "body": body}}
    return made(record)["response"]["body"]


def test_a_chunk_keeps_its_stream_and_loses_its_text() -> None:
    """Ids, the stream's fields, times and the kind of chat; no name, no text, no card."""
    record = {
        "at": 1.5, "took": 0.1, "method": "POST", "url": URL,
        "request": {
            "type": "message", "text": "Hello Jane", "id": "7", "replyToId": "5", "locale": "de-DE",
            "from": {"id": "28:bot", "name": "Helper", "role": "bot"},
            "recipient": {"id": "29:x", "name": "Jane", "aadObjectId": "0000-1"},
            "conversation": {"id": "a:1zz", "conversationType": "personal", "tenantId": "t-1"},
            "entities": [
                {"type": "streaminfo", "streamId": "17", "streamType": "streaming", "streamSequence": 2},
                {"type": "mention", "text": "<at>Jane</at>", "mentioned": {"id": "29:x", "name": "Jane"}},
            ],
            "attachments": [{"contentType": "application/vnd.microsoft.card.adaptive", "content": {"a": 1}}],
            "channelData": {"streamId": "17", "secret": "x"},
        },
        "response": {"status": 202, "headers": {"Retry-After": "2", "MS-CV": "abc.1"}, "body": {}},
    }  # fmt: skip
    assert made(record) == {
        "at": 1.5, "took": 0.1, "method": "POST", "url": URL,
        "request": {
            "type": "message", "text": marker(10), "id": "7", "replyToId": "5", "member-1": marker(5),
            "from": {"id": "28:bot", "name": marker(6), "role": "bot"},
            "recipient": {"id": "29:x", "name": marker(4), "member-1": marker(6)},
            "conversation": {"id": "a:1zz", "conversationType": "personal", "tenantId": "t-1"},
            "entities": [
                {"type": "streaminfo", "streamId": "17", "streamType": "streaming", "streamSequence": 2},
                {"type": "mention", "text": marker(13), "mentioned": {"id": "29:x", "name": marker(4)}},
            ],
            "attachments": [
                {"contentType": "application/vnd.microsoft.card.adaptive", "content": {"redacted": marker(7)}}
            ],
            "channelData": {"streamId": "17", "member-1": marker(1)},
        },
        "response": {"status": 202, "headers": {"Retry-After": "2", "MS-CV": marker(5)}, "body": {}},
    }  # fmt: skip


def test_an_activity_that_stands_as_text_is_text_again() -> None:
    """As some recorders write the body."""
    record = made(
        {"method": "POST", "url": URL, "request": '{"type":"typing","text":"Hi"}', "response": None}
    )
    assert json.loads(record["request"]) == {"type": "typing", "text": marker(2)}
    assert made({"method": "POST", "url": URL, "request": "Hi there"})["request"] == marker(8)


def test_a_bare_activity_of_a_transcript_is_redacted_alike() -> None:
    """Its time stays, since it is all that tells one."""
    activity = {"type": "message", "timestamp": "2026-09-01T09:00:01.000Z", "text": "Hi", "value": {"k": "v"}}
    assert made(activity) == activity | {"text": marker(2), "value": {"redacted": marker(9)}}


@pytest.mark.parametrize("row", [row for row in ANSWERS if row.message], ids=lambda row: row.key)
def test_what_the_service_says_stays(row: Any) -> None:
    """Its codes and its messages are no text of a customer."""
    body = {"error": {"code": row.code, "message": row.message}}
    assert answered(row.status, body) == body


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (403, {"error": {"code": "ContentStreamNotAllowed", "message": "Jane has canceled the stream"}}),
        (403, "Content stream was canceled by Jane"),
        (400, {"error": "BadSyntax", "message": "Only end streaming, dear Jane"}),
    ],
)
def test_other_words_for_a_known_answer_become_the_known_ones(status: int, body: Any) -> None:
    """So the stream still ends as it did, and nobody's name is told."""
    told = answered(status, body)
    assert "Jane" not in json.dumps(told)
    assert classify(status, told) == classify(status, body)


def test_a_message_nobody_knows_is_taken_out() -> None:
    """And a page of a proxy."""
    assert answered(502, "<html>Contoso</html>") == marker(20)
    assert answered(404, {"error": {"code": "NotFound", "message": "no Jane"}}) == {
        "error": {"code": "NotFound", "message": marker(7)}
    }


def test_no_record_of_any_case_lets_a_canary_through_and_twice_is_once() -> None:
    """Every script of the rules' cases, its texts replaced."""
    count = 0
    for name, records in teams_cases(ROOT / "cases"):
        red = redactor("teams", "structure")
        for record in records:
            out = red.record(record)
            assert out is not None
            count += 1
            assert LETTERS.search(json.dumps(json.loads(out), ensure_ascii=False)) is None, (name, out)
            assert red.record(out) == out, name
    assert count > 500


def place(step: Step) -> tuple[Any, ...]:
    """What a call was."""
    event, item = step.event, step.item
    return (
        event and (event.kind, event.answered, event.status, event.key, event.stream_id),
        item and item.kind,
        step.at,
    )


@pytest.mark.parametrize(
    "path", sorted((ROOT / "samples" / "teams").glob("*.jsonl")), ids=lambda path: path.stem
)
def test_the_structure_of_a_sample_is_judged_as_before(path: Path) -> None:
    """Kinds of calls, their streams, what was answered and when."""
    red, before, after = redactor("teams", "structure"), Replay("teams"), Replay("teams")
    for line in path.read_bytes().splitlines():
        assert place(before.feed(line)) == place(after.feed(red.record(line) or b""))
    assert [(run.outcome) for run in before.finish().runs] == [run.outcome for run in after.finish().runs]


def test_ids_that_are_numbers_are_told_apart() -> None:
    """Services answer numbers now and then."""
    record = next(script.records('+0.0 streaming 1 "a" {"si": {"streamId": 12345}} -> 202'))
    assert made(record)["request"]["entities"][0]["streamId"] == 12345
