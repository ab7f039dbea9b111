"""The HAR reader: which calls are read, what they become, what may be kept."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.exchanges import BASE, CHAT, STREAM, activity, broken, entry, exchange, good, har, lines, other
from tests.slices import examples
from webapp.core.records import Record
from webapp.readers.har.connector import HarReader
from webapp.readers.limits import Limits

ENTRIES = [entry(call) for call in good()]


def sift(text: bytes) -> bytes:
    """What is kept of a HAR file."""
    reader = HarReader()
    reader.feed(text)
    reader.close()
    return reader.sifted()


def read(text: bytes, limits: Limits | None = None) -> tuple[list[Record], HarReader]:
    reader = HarReader(limits)
    return [*reader.feed(text), *reader.close()], reader


def one(**more: Any) -> dict[str, Any]:
    """The only exchange of a file that holds one call, with something changed in it."""
    records, _ = read(har({**ENTRIES[0], **more}))
    value = json.loads(records[0].payload)
    assert isinstance(value, dict)
    return value


def artefacts(reader: HarReader) -> list[str]:
    return [artefact.kind for artefact in reader.account.artefacts]


def test_each_picked_call_is_an_exchange_line() -> None:
    """Times from the entry, bodies byte for byte, one header, no query."""
    records, _ = read(har(*ENTRIES))
    first = json.loads(records[0].payload)
    assert first == {
        "at": 1788249600.0,
        "method": "POST",
        "url": f"{BASE}/v3/conversations/a%3A1zzExampleChat/activities",
        "request": activity("Reading", 1, None, "informative"),
        "response": {"status": 201, "headers": {"MS-CV": "zzExample.1"}, "body": {"id": STREAM}},
        "took": 0.12,
    }
    assert [record.at for record in records] == [1788249600 + call["at"] for call in good()]
    assert all(b"\n" not in record.payload for record in records)


def test_other_calls_are_counted_and_left_alone() -> None:
    """Other hosts, other paths, GET, and chats in which nothing is streamed; every line has its reason."""
    elsewhere = entry({**exchange(1.0, {"type": "message"}), "url": f"{BASE}/v3/conversations/b/activities"})
    look = other(f"{BASE}/v3/conversations/{CHAT}/activities", "GET")
    members = other(f"{BASE}/v3/conversations/{CHAT}/members")
    text = har(other(), *ENTRIES, look, members, elsewhere)
    records, reader = read(text)
    assert len(records) == 5
    assert b"zzSECRET" not in b"".join(record.payload for record in records)
    assert [artefact.message for artefact in reader.account.artefacts] == [
        "5 of 9 calls belong to a streamed reply; the others were not read."
    ]
    account = reader.account
    assert account.lines == text.count(b"\n") + 1
    assert account.lines == account.records + sum(account.ignored.values())
    assert account.ignored["another call of the HAR file"] == 4 * len(
        json.dumps(other(), indent=2).splitlines()
    )


def test_plain_calls_of_a_streamed_chat_belong_to_it() -> None:
    """Messages, pings, edits and deletes, with both shapes of the URL and without /v3."""
    urls = [
        f"{BASE}/v3/conversations/{CHAT}/activities/{STREAM}",
        f"{BASE}/conversations/a%3A1zzExampleChat/activities/",
        f"{BASE}/v3/conversations/{CHAT};messageid=17/activities",
    ]
    calls = [{**exchange(2 + n, {"type": "typing"}), "url": url} for n, url in enumerate(urls)]
    calls[0]["method"], calls[1]["method"] = "put", "DELETE"
    records, _ = read(har(ENTRIES[0], *map(entry, calls)))
    assert [json.loads(record.payload)["method"] for record in records] == ["POST", "PUT", "DELETE", "POST"]


def test_records_come_in_the_order_of_their_requests() -> None:
    """A proxy writes a call down when it is over; line and offset are the entry's own."""
    text = har(*reversed(ENTRIES), indent=None).replace(b'{"startedDateTime"', b'\n{"startedDateTime"')
    records, _ = read(text)
    times = [record.at or 0 for record in records]
    assert times == sorted(times)
    assert [record.line for record in records] == [6, 5, 4, 3, 2]
    for record in records:
        assert text[record.offset :].startswith(b'{"startedDateTime"')


def test_calls_of_one_moment_keep_their_order() -> None:
    """An entry without a time stays behind the one before it."""
    odd = {**ENTRIES[1], "startedDateTime": "yesterday"}
    same = {**ENTRIES[2], "startedDateTime": ENTRIES[0]["startedDateTime"]}
    records, _ = read(har(ENTRIES[0], odd, same, ENTRIES[3]))
    texts = [json.loads(record.payload)["request"]["text"] for record in records]
    assert texts == ["Reading", "You have", "You have 12 days", "You have 12 days left."]
    assert json.loads(records[1].payload)["at"] is None


@pytest.mark.parametrize("status", [0, 0.0])
def test_a_status_of_zero_is_a_lost_answer(status: float) -> None:
    """What the caller was told is the error."""
    value = one(response={"status": status, "_error": "net::ERR_CONNECTION_RESET", "content": {}})
    assert (value["response"], value["error"], value["took"]) == (None, "net::ERR_CONNECTION_RESET", 0.12)


@pytest.mark.parametrize("response", [None, 7, {}])
def test_an_answer_the_file_does_not_tell_of_is_unknown(response: Any) -> None:
    """That is not the same as one that never came."""
    assert "response" not in one(response=response)


@pytest.mark.parametrize(
    ("content", "body"),
    [
        ({"text": '{"id": "7"}'}, {"id": "7"}),
        ({"text": base64.b64encode(b'{"id":"\xc3\xa9"}').decode(), "encoding": "base64"}, {"id": "é"}),
        ({"text": "not base64 é", "encoding": "base64"}, "not base64 é"),
        ({"text": '"API calls quota exceeded"'}, "API calls quota exceeded"),
        ({"text": "<html>Bad gateway</html>"}, "<html>Bad gateway</html>"),
        ({"text": ""}, ""),
        ({"text": '{"id":'}, '{"id":'),
        ({"text": '{"n":NaN}'}, '{"n":NaN}'),
        ({}, None),
        ("gone", None),
    ],
)
def test_bodies_of_answers_as_they_come(content: Any, body: Any) -> None:
    """JSON is JSON, anything else a string, nothing is null."""
    assert one(response={"status": 202, "content": content})["response"] == {"status": 202, "body": body}


def test_a_body_the_capture_dropped_is_not_an_empty_one() -> None:
    """The size says there was one; the artefact says it is missing."""
    dropped = {**ENTRIES[0], "response": {"status": 201, "content": {"size": 12}}}
    records, reader = read(har(dropped))
    assert json.loads(records[0].payload)["response"] == {"status": 201}
    assert artefacts(reader) == ["har-no-body"]


def test_a_cut_request_still_tells_its_stream() -> None:
    """It becomes a string, and the file is told to hold one."""
    cut = {**ENTRIES[0]["request"], "postData": {"text": json.dumps(activity("You", 1, None))[:-9]}}
    records, reader = read(har({**ENTRIES[0], "request": cut}))
    assert isinstance(json.loads(records[0].payload)["request"], str)
    assert artefacts(reader) == ["har-cut-body"]


def test_bodies_pass_as_they_are() -> None:
    """Numbers no float holds, doubled members, half a character, line ends: all as sent, on one line."""
    body = '{\n "type":"typing", "n":12345678901234567890123, "n":1e999, "text":"\\ud83d",\r\n "streamId":1,'
    body += '"channelData":{"streamType":"x"}}'
    sent = {**ENTRIES[0]["request"], "postData": {"text": body}}
    records, _ = read(har({**ENTRIES[0], "request": sent}))
    assert body.replace("\n", " ").replace("\r", " ").encode() in records[0].payload


def test_half_a_character_in_the_file_itself_stays_an_escape() -> None:
    """No encoder takes it."""
    text = har(ENTRIES[0]).replace(b"Reading", b"\\ud83d")
    records, reader = read(text)
    assert b'"text": "\\ud83d"' in records[0].payload
    assert json.loads(records[0].payload)["request"]["text"] == "\ud83d"
    assert read(reader.sifted())[0][0].payload == records[0].payload


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b'{"log":',
        b'{"log":{"entries":{}}}',
        b'{"log":{"entries":[]}}',
        b'{"log":{"entries":[1,"two",null,[3],{},NaN,{"request":7},{"request":{"url":[],"method":{}}}]}}',
        b'{"log":{"entries":[{"request":{"method":"POST","url":"/conversations//activities"}}]}}',
        b'{"log":{"entries":[' + b"[" * 200_000,
        b'{"log":{"entries":[' + b'{"a":' * 200_000 + b"1" + b"}" * 200_000 + b"]}}",
        b'{"log":{"a":' + b"[" * 200_000 + b"]" * 200_000 + b',"entries":[]}}',
        b'{"log":{' + b'"a":1,' * 300_000 + b'"entries":[]}}',
        b'{"log":{"entries":["' + b"x" * 5000 + b"]}",
        b"prose\nand more",
        b"\xff\xfe\x00",
    ],
)
def test_nothing_in_a_file_raises(text: bytes) -> None:
    """No record, every line accounted for, and nothing in what may be kept."""
    records, reader = read(text)
    account = reader.account
    assert records == []
    assert account.lines == sum(account.ignored.values()) + account.not_understood
    assert json.loads(reader.sifted())["log"]["entries"] == []


@pytest.mark.parametrize(
    "change",
    [
        {"startedDateTime": 5, "time": "x"},
        {"time": float("inf")},
        {"time": 10**400},
        {"response": {"status": "x", "headers": 5, "content": [1]}},
        {
            "response": {
                "status": 10**400,
                "headers": [5, {"name": 5, "value": 5}],
                "content": {"size": "x", "text": 9},
            }
        },
        {"response": {"status": 202, "content": {"text": "[" * 200_000}}},
        {"response": {"status": 202, "content": {"text": "[" * 900 + "]" * 900}}},
    ],
)
def test_a_strange_entry_is_read_as_far_as_it_goes(change: dict[str, Any]) -> None:
    """A record that the engine can decode, whatever its members hold."""
    value = one(**change)
    assert value["request"]["text"] == "Reading"


def test_a_file_that_ends_too_early_gives_what_is_whole() -> None:
    """The last call is lost, and that is said."""
    records, reader = read(har(*ENTRIES)[:-900])
    assert 0 < len(records) < 5
    assert {"har-cut", "har-broken"} <= set(artefacts(reader))


def test_limits_hold() -> None:
    """Entries past the record limit, and entries too long, are left out and told."""
    records, reader = read(har(*ENTRIES), Limits(max_records=2))
    assert len(records) == 2
    assert "too-many-records" in artefacts(reader)
    records, reader = read(har(ENTRIES[0], {**ENTRIES[1], "x": "y" * 5000}), Limits(max_record_bytes=4000))
    assert len(records) == 1
    assert "too-long-record" in artefacts(reader)


def test_what_may_be_kept_gives_the_same_records() -> None:
    """Sifting drops the rest and the secrets, changes no record, and twice is once."""
    text = har(other(), *map(entry, broken()), *ENTRIES, 5)
    kept = sift(text)
    assert b"zzSECRET" not in kept
    assert b"zzProxy" not in kept
    assert [(r.payload, r.at) for r in read(kept)[0]] == [(r.payload, r.at) for r in read(text)[0]]
    assert sift(kept) == kept
    assert [record.line for record in read(kept)[0]] == [2, 3, 4, 5, 6, 7, 8]
    assert set(json.loads(kept)["log"]["entries"][0]) == {"startedDateTime", "time", "request", "response"}


def test_exchanges_and_their_har_say_the_same() -> None:
    """The same calls, recorded twice, are the same requests and answers."""
    as_har = [json.loads(record.payload) for record in read(har(*ENTRIES))[0]]
    as_lines = [json.loads(line) for line in lines(good()).splitlines()]
    for one_, two in zip(as_har, as_lines, strict=True):
        assert (one_["request"], one_["response"]["body"]) == (two["request"], two["response"]["body"])


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=6),
        st.sampled_from(
            ["POST", "base64", "/conversations/c/activities", "2026-09-01T08:00:00Z", "{", "Bearer"]
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["name", "value", "status", "headers", "content", "text", "encoding", "size", "_error"]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from(["startedDateTime", "time", "response", "_error"]), VALUES),
    st.dictionaries(st.sampled_from(["method", "url", "postData", "headers"]), VALUES),
)
@settings(max_examples=examples(100), deadline=None)
def test_any_value_anywhere_in_an_entry_is_read_or_left(
    entry_: dict[str, Any], request: dict[str, Any]
) -> None:
    """No exception; what is picked is a line of JSON; what may be kept gives the same again."""
    changed = {**ENTRIES[1], **entry_, "request": {**ENTRIES[1]["request"], **request}}
    records, reader = read(har(ENTRIES[0], changed))
    for record in records:
        assert isinstance(json.loads(record.payload), dict)
        assert b"\n" not in record.payload
    assert [record.payload for record in read(reader.sifted())[0]] == [record.payload for record in records]
