"""Retired shapes reach the application in today's form, with a warning; what only looks retired does not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webapp.core.agui.enforce import Compat, Slow, slow_decode

RUN = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
DONE = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}
ECHO = {"threadId": "t", "runId": "r", "messages": []}
IMAGE = {"type": "image", "source": {"type": "url", "value": "u", "mimeType": "image/png"}}
BINARY = {"type": "binary", "mimeType": "image/png"}


def slow(event: Any, compat: Compat | None = None) -> Slow:
    return slow_decode(json.dumps(event).encode(), compat or Compat())


def rules(found: Slow) -> list[str]:
    return [f.rule for f in found.faults]


def snapshot(*parts: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": "MESSAGES_SNAPSHOT",
        "messages": [{"id": "u", "role": "user", "content": list(parts)} | more],
    }


@pytest.mark.parametrize(
    ("event", "path"),
    [
        ({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "n", "parentMessageId": None},
         "$.parentMessageId"),
        ({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "parentMessageId": None}, "$.parentMessageId"),
        (DONE | {"outcome": None}, "$.outcome"),
        (DONE | {"result": None}, "$.result"),
        ({"type": "SUBAGENT_FINISHED", "subagentRunId": "s", "result": None}, "$.result"),
        ({"type": "RAW", "event": None, "rawEvent": None}, "$.rawEvent"),
        (snapshot(IMAGE | {"metadata": None}), "$.messages[0].content[0].metadata"),
        (RUN | {"input": ECHO | {"messages": snapshot(IMAGE | {"metadata": None})["messages"]}},
         "$.input.messages[0].content[0].metadata"),
        (RUN | {"input": ECHO | {"forwardedProps": None}}, "$.input.forwardedProps"),
        (RUN | {"input": ECHO | {"tools": [{"name": "n", "description": "d", "parameters": None}]}},
         "$.input.tools[0].parameters"),
        (RUN | {"input": ECHO | {"resume": [{"interruptId": "i", "status": "resolved", "payload": None}]}},
         "$.input.resume[0].payload"),
    ],
)  # fmt: skip
def test_a_listed_null_is_removed_with_a_warning(event: Any, path: str) -> None:
    """The event is delivered without the member."""
    found = slow(event)
    assert (found.kind, [(f.rule, f.path) for f in found.faults]) == ("event", [("AGUI-CMP-06", path)])
    key = path.rsplit(".", 1)[-1]
    assert f'"{key}"' not in json.dumps(found.wire)


@pytest.mark.parametrize(
    "event",
    [
        {"type": "SUBAGENT_FINISHED", "subagentRunId": "s", "outcome": None},
        snapshot({"type": "text", "text": "x", "metadata": None}),
        {
            "type": "TOOL_CALL_RESULT",
            "messageId": "m",
            "toolCallId": "c",
            "content": [IMAGE | {"metadata": None}],
        },
        RUN | {"input": ECHO | {"tools": None}},
        RUN | {"input": None},
        RUN | {"parentRunId": None},
    ],
)
def test_a_null_that_is_not_listed_stays_malformed(event: Any) -> None:
    """The shim knows exactly its own places."""
    found = slow(event)
    assert found.kind == "malformed"
    assert "AGUI-CMP-06" not in rules(found)


def test_a_null_state_of_an_echoed_input_is_removed_without_a_word() -> None:
    """The reference client takes it as absent."""
    found = slow(RUN | {"input": ECHO | {"state": None}})
    assert (found.kind, found.faults, found.wire) == ("event", [], RUN | {"input": ECHO})


@pytest.mark.parametrize(
    ("part", "modern"),
    [
        (BINARY | {"url": "u", "id": "i", "junk": 1}, IMAGE),
        (BINARY | {"data": "AA", "url": "u", "filename": "f"},
         {"type": "image", "source": {"type": "data", "value": "AA", "mimeType": "image/png"},
          "metadata": {"filename": "f"}}),
        (BINARY | {"data": "", "url": "u", "metadata": None, "filename": ""}, IMAGE),
        (BINARY | {"mimeType": "video/mp4", "url": "u"},
         {"type": "video", "source": {"type": "url", "value": "u", "mimeType": "video/mp4"}}),
        (BINARY | {"mimeType": "application/pdf", "url": "u"},
         {"type": "document", "source": {"type": "url", "value": "u", "mimeType": "application/pdf"}}),
        (BINARY | {"mimeType": "IMAGE/png", "url": "u"},
         {"type": "document", "source": {"type": "url", "value": "u", "mimeType": "IMAGE/png"}}),
    ],
)  # fmt: skip
def test_a_binary_part_becomes_the_part_of_its_media_type(part: Any, modern: Any) -> None:
    """`data` is preferred to `url`, the file name moves to the metadata, the rest is forgotten."""
    for event in (snapshot(part), RUN | {"input": ECHO | {"messages": snapshot(part)["messages"]}}):
        found = slow(event)
        assert (found.kind, rules(found)) == ("event", ["AGUI-CMP-04"])
        holder = found.wire["input"] if "input" in (found.wire or {}) else found.wire  # type: ignore[index]
        assert holder["messages"][0]["content"] == [modern]


def test_a_binary_part_that_repeats_a_modern_one_is_left_out() -> None:
    """The message keeps the modern part alone; another file is no repetition."""
    again = slow(snapshot(BINARY | {"url": "u"}, IMAGE))
    assert again.wire == snapshot(IMAGE)
    assert rules(again) == ["AGUI-CMP-04"]
    other = slow(snapshot(BINARY | {"url": "other"}, IMAGE))
    assert len(other.event.messages[0].content) == 2


def test_a_binary_part_with_an_id_alone_is_left_out_under_its_own_rule() -> None:
    """Nothing can be made of it."""
    found = slow(snapshot(BINARY | {"id": "i"}))
    assert (found.kind, found.wire, rules(found)) == ("event", snapshot(), ["AGUI-CMP-05"])


def test_a_binary_part_elsewhere_or_without_media_type_is_just_unknown() -> None:
    """Results are not translated, and a part without a type cannot be."""
    result = {
        "type": "TOOL_CALL_RESULT",
        "messageId": "m",
        "toolCallId": "c",
        "content": [BINARY | {"url": "u"}],
    }
    assert rules(slow(result)) == ["AGUI-TOL-10"]
    assert rules(slow(snapshot({"type": "binary", "url": "u"}))) == ["AGUI-ENV-03"]


def test_a_converted_part_is_judged_like_any_other() -> None:
    """A number as data is carried over and then malformed."""
    found = slow(snapshot(BINARY | {"data": 5, "url": "u"}))
    assert (found.kind, rules(found)) == ("malformed", ["AGUI-MSG-07", "AGUI-CMP-04"])


def test_thinking_events_become_reasoning_under_minted_ids() -> None:
    """Span and message get an id each until they close; what else is there rides on, but for the title."""
    compat = Compat()
    sent = [
        {"type": "THINKING_START", "title": "Plan"},
        {"type": "THINKING_TEXT_MESSAGE_START", "subagentRunId": "s"},
        {"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": "d", "messageId": "own", "subagentRunId": "s"},
        {"type": "THINKING_TEXT_MESSAGE_END"},
        {"type": "THINKING_END"},
        {"type": "THINKING_START"},
    ]
    found = [slow(event, compat) for event in sent]
    assert [f.type for f in found] == [event["type"] for event in sent]
    assert [rules(f) for f in found] == [["AGUI-CMP-01", "AGUI-CMP-02"]] + [["AGUI-CMP-01"]] * 5
    assert [f.wire for f in found] == [
        {"type": "REASONING_START", "messageId": "thinking-0"},
        {
            "type": "REASONING_MESSAGE_START",
            "subagentRunId": "s",
            "messageId": "thinking-1",
            "role": "reasoning",
        },
        {"type": "REASONING_MESSAGE_CONTENT", "delta": "d", "messageId": "thinking-1", "subagentRunId": "s"},
        {"type": "REASONING_MESSAGE_END", "messageId": "thinking-1"},
        {"type": "REASONING_END", "messageId": "thinking-0"},
        {"type": "REASONING_START", "messageId": "thinking-2"},
    ]


@pytest.mark.parametrize(
    "name", ["THINKING_END", "THINKING_TEXT_MESSAGE_CONTENT", "THINKING_TEXT_MESSAGE_END"]
)
def test_a_thinking_continuation_without_opener_is_an_orphan_once(name: str) -> None:
    """It gets a fresh id and the orphan rule first; what follows a content orphan follows its id."""
    compat = Compat()
    event = {"type": name} | ({"delta": "d"} if name.endswith("CONTENT") else {})
    first = slow(event, compat)
    assert (first.kind, rules(first)) == ("event", ["AGUI-CMP-03", "AGUI-CMP-01"])
    assert first.event.messageId == "thinking-0"
    again = slow(event, compat)
    assert rules(again) == (["AGUI-CMP-01"] if name.endswith("CONTENT") else ["AGUI-CMP-03", "AGUI-CMP-01"])


def test_a_translated_event_is_judged_as_what_it_became() -> None:
    """Unknown members are stripped and wrong ones are fatal, the warning of the translation stays."""
    compat = Compat()
    assert rules(slow({"type": "THINKING_TEXT_MESSAGE_START", "foo": 1}, compat)) == [
        "AGUI-CMP-01",
        "AGUI-ENV-02",
    ]
    bad = slow({"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": 5}, compat)
    assert (bad.kind, rules(bad)) == ("malformed", ["AGUI-ENV-04", "AGUI-CMP-01"])
