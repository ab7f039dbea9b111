"""Ids stay; one that is made of somebody's address does not, at either level, and is told from others nevertheless."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from webapp.core import Replay
from webapp.core.teams import addresses
from webapp.redact import LEVELS, Redactor, redactor
from webapp.redact.texts import DOT

SEEN = re.compile("mia|joe|acme|555")
BOTH = pytest.mark.parametrize("level", LEVELS)


def made(protocol: str, level: str, *records: dict[str, Any]) -> tuple[list[dict[str, Any]], Redactor]:
    red = redactor(protocol, level)
    payloads = [json.dumps(record).encode() for record in records]
    for payload in payloads:
        red.look(payload)
    out = [red.record(payload) or b"" for payload in payloads]
    if level == "structure":
        assert [red.record(one) for one in out] == out
    return [json.loads(one) for one in out], red


@BOTH
@pytest.mark.parametrize("id_", ["mia.qq@acme.example", "u:mia.qq%40acme.example:7", "whatsapp:+4917155501234",
                                 "mia.qq\uff20acme.example"])  # fmt: skip
def test_an_id_that_is_an_address_is_overwritten_in_every_place(level: str, id_: str) -> None:
    """As an id or as the name of a tool or a step; a sentence says what is left."""
    events, red = made(
        "ag-ui",
        level,
        {"type": "RUN_STARTED", "threadId": id_, "runId": id_},
        {"type": "TOOL_CALL_START", "toolCallId": id_, "toolCallName": id_, "parentMessageId": id_},
        {"type": "STEP_STARTED", "stepName": id_},
    )
    assert not SEEN.search(json.dumps(events, ensure_ascii=False))
    assert (
        len({event[name] for event, name in zip(events, ("threadId", "toolCallId", "stepName"), strict=True)})
        == 1
    )
    assert events[0]["threadId"] == events[0]["runId"]
    assert red.words(f"call `{id_}` ends") == f"call `{events[0]['runId']}` ends"


@BOTH
def test_different_ids_stay_different(level: str) -> None:
    """Also where what was overwritten is of one length; the recording is read as it was."""
    records: list[dict[str, Any]] = [{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}]
    for id_ in ("mia@acme.example", "joe@acme.example"):
        records += [
            {"type": "TEXT_MESSAGE_START", "messageId": id_, "role": "assistant"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": id_, "delta": "x"},
            {"type": "TEXT_MESSAGE_END", "messageId": id_},
        ]
    records.append({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"})
    events, _ = made("ag-ui", level, *records)
    assert [event["messageId"] for event in events[1:7:3]] == [DOT * 16, f"{DOT * 16}-2"]
    replay = Replay("ag-ui")
    for event in events:
        replay.feed(json.dumps(event).encode())
    assert not replay.finish().findings


def test_the_id_of_a_chat_is_the_same_in_the_address_and_in_the_activity() -> None:
    """However it is spelt there; ids of Teams that only look like addresses stay."""
    for id_, stays in (("mia.qq@acme.example", False), ("19:abc0@thread.v2", True), ("29:1-x_y", True)):
        body = {"type": "message", "conversation": {"id": f"{id_};messageid=17"}, "from": {"id": id_}}
        path = id_.replace("@", "%40")
        url = f"https://h.example/v3/conversations/{path}%3Bmessageid=17/activities"
        (record,), _ = made(
            "teams", "structure", {"method": "POST", "url": url, "request": body, "response": None}
        )
        assert "acme" not in json.dumps(record)
        assert (record["url"] == url) is stays
        chat = record["request"]["conversation"]["id"].removesuffix(";messageid=17")
        assert record["request"]["from"]["id"] == chat
        assert (chat == id_) is stays
        assert addresses.read(record["url"]).conversation == chat


@BOTH
@pytest.mark.parametrize(
    "id_", ["01715550123", "4111111111111111", "1788249600000", "be68539007547034", "a@b", "@x"]
)
def test_ids_of_long_numbers_stay(level: str, id_: str) -> None:
    """They are what ids are made of."""
    event = {"type": "RUN_STARTED", "threadId": id_, "runId": id_, "timestamp": 1788249600000}
    assert made("ag-ui", level, event)[0] == [event]
