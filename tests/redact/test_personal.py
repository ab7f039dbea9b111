"""Level `personal`: texts stay, personal data and secrets in them are overwritten."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.redact.canaries import Turn, agui_cases, teams_cases
from webapp.core import Replay
from webapp.redact import Redactor, marker, redactor
from webapp.redact.texts import DOT

CASES = Path(__file__).parents[1] / "cases"
URL = "https://smba.trafficmanager.net/amer/v3/conversations/a:1zz/activities"


def made(*records: dict[str, Any], protocol: str = "ag-ui") -> tuple[list[dict[str, Any]], Redactor]:
    red = redactor(protocol, "personal")
    payloads = [json.dumps(record).encode() for record in records]
    for payload in payloads:
        red.look(payload)
    return [json.loads(red.record(payload) or b"") for payload in payloads], red


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("TEXT_MESSAGE_CONTENT", "messageId"),
        ("REASONING_MESSAGE_CONTENT", "messageId"),
        ("TOOL_CALL_ARGS", "toolCallId"),
        ("TEXT_MESSAGE_CHUNK", "messageId"),
        ("REASONING_MESSAGE_CHUNK", "messageId"),
        ("TOOL_CALL_CHUNK", "toolCallId"),
    ],
)
def test_an_address_split_over_deltas_is_overwritten(kind: str, name: str) -> None:
    """Each keeps its length; another item’s pieces between them do not matter."""
    first, _, second = made(
        {"type": kind, name: "m", "delta": "to jane@exa"},
        {"type": kind, name: "n", "delta": "x"},
        {"type": kind, name: "m", "delta": "mple.com, please"},
    )[0]
    assert (first["delta"], second["delta"]) == (f"to {DOT * 8}", f"{DOT * 8}, please")
    assert list(first) == ["type", name, "delta"]


def test_chunks_without_an_id_go_on_with_the_last_of_their_lane() -> None:
    """As a client reads them."""
    records = [
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "a", "delta": "jane@"},
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "b", "subagentRunId": "s", "delta": "fine "},
        {"type": "TEXT_MESSAGE_CHUNK", "delta": "example.com"},
        {"type": "TEXT_MESSAGE_CHUNK", "subagentRunId": "s", "delta": "example.com"},
    ]
    assert [one["delta"] for one in made(*records)[0]] == [DOT * 5, "fine ", DOT * 11, "example.com"]


def test_a_message_that_begins_again_is_another_text() -> None:
    """What stood before its new start is not joined to it."""
    start = {"type": "TEXT_MESSAGE_START", "messageId": "a", "role": "assistant"}
    records = [start, {"type": "TEXT_MESSAGE_CONTENT", "messageId": "a", "delta": "call +49 30 12"}, start,
               {"type": "TEXT_MESSAGE_CONTENT", "messageId": "a", "delta": "34567 items"}]  # fmt: skip
    assert [one.get("delta") for one in made(*records)[0]] == [None, "call +49 30 12", None, "34567 items"]


def test_telling_members_are_marked_whole_wherever_they_stand() -> None:
    """In states, in results and in arguments that come in pieces."""
    state, part, rest = made(
        {
            "type": "STATE_SNAPSHOT",
            "snapshot": {"givenName": "Jane", "email": {"a": 1}, "n": [{"surname": "Doe"}]},
        },
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"givenName":"Ja'},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": 'ne","city":"Bonn"}'},
    )[0]
    assert state["snapshot"] == {
        "givenName": marker(4),
        "email": {"redacted": marker(7)},
        "n": [{"surname": marker(3)}],
    }
    assert part["delta"] + rest["delta"] == f'{{"givenName":"{DOT * 4}","city":"Bonn"}}'


def test_names_of_participants_go_and_names_of_tools_stay() -> None:
    """A message’s `name` is a person’s."""
    events, _ = made(
        {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "user", "name": "Jane"},
        {"type": "CUSTOM", "name": "progress", "value": 1},
        {"type": "MESSAGES_SNAPSHOT", "messages": [
            {"id": "m", "role": "user", "content": "hi", "name": "Jane"},
            {"id": "n", "role": "assistant", "toolCalls": [
                {"id": "c", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}]}]},
    )  # fmt: skip
    assert events[0]["name"] == marker(4)
    assert events[1]["name"] == "progress"
    messages = events[2]["messages"]
    assert messages[0]["name"] == marker(4)
    assert messages[1]["toolCalls"][0]["function"]["name"] == "lookup"


def test_keys_that_become_equal_stay_two() -> None:
    """A table by e-mail address keeps its size."""
    (event,), _ = made({"type": "STATE_SNAPSHOT", "snapshot": {"jane@x.com": 1, "john@x.com": 2}})
    assert sorted(event["snapshot"].values()) == [1, 2]
    assert "@" not in json.dumps(event)


def test_a_card_that_is_a_number_goes() -> None:
    """A time in milliseconds stays."""
    (event,), _ = made(
        {"type": "CUSTOM", "name": "n", "value": [4111111111111111, 1788249600000, 4111111111111112]}
    )
    assert event["value"] == [0, 1788249600000, 4111111111111112]


def test_a_record_that_was_not_looked_at_loses_its_text() -> None:
    """Nothing goes out that nobody has looked at."""
    record = b'{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"hello"}'
    assert json.loads(redactor("ag-ui", "personal").record(record) or b"")["delta"] == marker(5)


@pytest.mark.parametrize(("kind", "member"), [("STATE_DELTA", "delta"), ("ACTIVITY_DELTA", "patch")])
@pytest.mark.parametrize("op", ["add", "replace", "test"])
def test_what_a_patch_sets_goes_as_in_a_snapshot(kind: str, member: str, op: str) -> None:
    """The path tells; a value that is an object is gone through, and what tells nothing stays."""
    patch = [
        {"op": op, "path": "/user/phone", "value": "Qqphone"},
        {"op": op, "path": "/user/email", "value": {"Qq": "Qq"}},
        {"op": op, "path": "/user/ssn/x", "value": 998877},
        {"op": op, "path": "/phoneNumbers/-", "value": ["Qq"]},
        {"op": op, "path": "/from", "value": {"id": "29:x", "name": "Qq"}},
        {"op": op, "path": "/membersAdded/0", "value": {"id": "29:x", "name": "Qq"}},
        {"op": op, "path": "/messages/0/name", "value": "Qq"},
        {"op": op, "path": "/user", "value": {"tel": 15550123999, "city": "Bonn"}},
        {"op": op, "path": "/user/city", "value": "Bonn"},
        {"op": op, "path": "/user/mobile", "value": True},
        {"op": "move", "from": "/user/phone", "path": "/a"},
    ]
    (event,), _ = made({"type": kind, "messageId": "m", "activityType": "a", member: patch})
    values = [operation.get("value") for operation in event[member]]
    assert values == [
        marker(7),
        {"redacted": marker(11)},
        0,
        [marker(6)],
        {"id": "29:x", "name": marker(2)},
        {"id": "29:x", "name": marker(2)},
        marker(2),
        {"tel": 0, "city": "Bonn"},
        "Bonn",
        True,
        None,
    ]
    assert [one["path"] for one in event[member]] == [one["path"] for one in patch]


def test_a_test_that_held_still_holds() -> None:
    """What a patch compares is hidden as what it is compared with."""
    events, _ = made(
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "STATE_SNAPSHOT", "snapshot": {"tel": "Qq12345", "email": {"a": 1}}},
        {"type": "STATE_DELTA", "delta": [{"op": "test", "path": "/tel", "value": "Qq12345"},
                                          {"op": "test", "path": "/email", "value": {"a": 1}}]},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
    )  # fmt: skip
    replay = Replay("ag-ui")
    for event in events:
        replay.feed(json.dumps(event).encode())
    assert not replay.finish().findings


def test_a_pair_of_a_name_and_a_value_tells_too() -> None:
    """As forms and cards write it; a value beside another name stays."""
    pairs = [("title", "Phone", "Qq"), ("id", "e-mail", "Qq"), ("name", "city", "Bonn")]
    (event,), _ = made(
        {"type": "CUSTOM", "name": "form", "value": [{by: name, "value": value} for by, name, value in pairs]}
    )
    assert [one["value"] for one in event["value"]] == [marker(2), marker(2), "Bonn"]


@pytest.mark.parametrize(
    "value", ["Qqphone", "Qq", 998877, 'Qq"phone', "Qq`phone", "Qq" + "\u00e9phone" * 40]
)
def test_a_finding_does_not_tell_what_was_hidden(value: Any) -> None:
    """A `test` that failed quotes both values."""
    records = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "STATE_SNAPSHOT", "snapshot": {"tel": value}},
        {"type": "STATE_DELTA", "delta": [{"op": "test", "path": "/tel", "value": "Qqother"}]},
    ]
    _, red = made(*records)
    replay = Replay("ag-ui")
    for record in records:
        replay.feed(json.dumps(record).encode())
    said = [text for finding in replay.finish().findings for text in (finding.title, finding.why)]
    assert re.search("Qqother", " ".join(said))
    told = " ".join(map(red.words, said))
    assert not re.search("Qq|998877|phone", told), told
    assert "`/tel`" in told


def test_ids_and_times_stay_whatever_they_look_like() -> None:
    """Long numbers are what they are made of."""
    for id_ in ("01715550123", "4111111111111111", "de89370400440532013000"):
        event = {"type": "TEXT_MESSAGE_CONTENT", "messageId": id_, "delta": "x", "timestamp": 1788249600000}
        start = {"type": "RUN_STARTED", "threadId": id_, "runId": id_, "timestamp": 1788249600000}
        assert made(event, start)[0] == [event, start]


def planted(text: str) -> str:
    return f"{text} jane.doe@example.org 030 7654321" if text else text


def planted_otherwise(text: str) -> str:
    return f"{text} jane.doe\\u0040example&#46;org 0307654321" if text else text


@pytest.mark.parametrize("plant", [planted, planted_otherwise])
def test_no_record_and_no_finding_of_any_case_tells_what_was_planted(plant: Turn) -> None:
    """An address and a number behind every text of every case: in deltas, states, keys, quotations."""
    seen = re.compile("jane|7654321")
    cases = [("ag-ui", records) for _, _, records in agui_cases(CASES, plant)]
    shown = 0
    for protocol, records in [*cases, *(("teams", records) for _, records in teams_cases(CASES, plant))]:
        replay, red = Replay(protocol), redactor(protocol, "personal")
        for record in records:
            red.look(record)
        for record in records:
            replay.feed(record)
            out = red.record(record)
            assert out is None or not seen.search(out.decode()), out
        for sentence in (text for f in replay.finish().findings for text in (f.title, f.why)):
            shown += seen.search(sentence) is not None
            assert not seen.search(red.words(sentence)), sentence
    assert shown > 50


def chunk(text: str, at: float = 0.0, **more: Any) -> dict[str, Any]:
    body = {"type": "typing", "text": text, "from": {"id": "28:b", "name": "Jane", "role": "bot"}, **more}
    return {"at": at, "method": "POST", "url": URL, "request": body, "response": {"status": 202, "body": {}}}


def test_half_an_address_in_an_early_chunk_is_overwritten() -> None:
    """Each chunk of Teams repeats the text so far; whose name it bears is marked."""
    records, _ = made(
        chunk("mail jane"), chunk("mail jane@exa"), chunk("mail jane@example.com"), protocol="teams"
    )
    assert [one["request"]["text"] for one in records] == [f"mail {DOT * n}" for n in (4, 8, 16)]
    assert records[0]["request"]["from"] == {"id": "28:b", "name": marker(4), "role": "bot"}
    assert records[0]["url"] == URL


def test_the_title_of_a_chat_goes() -> None:
    """A chat of two is called after one of them."""
    (record,), _ = made(chunk("hi", conversation={"id": "a:1zz", "name": "Jane"}), protocol="teams")
    assert record["request"]["conversation"] == {"id": "a:1zz", "name": marker(4)}


def test_activities_as_text_and_bare_ones_are_redacted_alike() -> None:
    """The three forms in which a text stands."""
    body = {"type": "message", "text": "to jane@example.com", "conversation": {"id": "a"}}
    records, _ = made(
        {"method": "POST", "url": URL, "request": json.dumps(body), "response": None}, body, protocol="teams"
    )
    covered = f"to {DOT * 16}"
    assert json.loads(records[0]["request"])["text"] == covered
    assert records[1]["text"] == covered


def test_sentences_quote_what_is_left() -> None:
    """A quotation may begin or end inside an address; ids that were kept stay."""
    _, red = made(chunk("Please write to jane.doe@example.com today"), protocol="teams")
    said = 'chunk 1 of `a:1zz`: "Please write to jane.d…" is on screen, "…ple.com today" was sent'
    assert (
        red.words(said)
        == f'chunk 1 of `a:1zz`: "Please write to {DOT * 6}…" is on screen, "…{DOT * 7} today" was sent'
    )
    assert red.words("mail jane@exam… and 19:x@thread.v2") == f"mail {DOT * 9}… and 19:x@thread.v2"
    _, red = made({"type": "RUN_STARTED", "threadId": "030-1234567", "runId": "r"})
    assert red.words("`030-1234567` and 030-1234567") == f"`030-1234567` and {DOT * 11}"


def test_a_value_beside_the_records_is_gone_through_too() -> None:
    """The run input."""
    red = redactor("ag-ui", "personal")
    assert red.value({"runId": "r", "context": [{"description": "who", "value": "jane@example.com"}]}) == {
        "runId": "r",
        "context": [{"description": "who", "value": DOT * 16}],
    }
