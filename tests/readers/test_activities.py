"""Teams told from AG-UI, and both from what is neither: by content, also where it is wrong or cut."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.exchanges import activity, broken, entry, exchange, good, har, lines, other
from tests.slices import examples
from webapp.readers.activities import conversation_of, plain_url
from webapp.readers.detect import concluded, detect, form_name, open_reader
from webapp.readers.head import HEAD_BYTES
from webapp.readers.read import read

STREAMED = activity("You have", 2)
UPDATE = {"type": "conversationUpdate", "membersAdded": [{"id": "29:u"}], "conversation": {"id": "c"}}
USER = {
    "type": "message",
    "text": "status?",
    "from": {"id": "29:u", "role": "user"},
    "conversation": {"id": "c"},
}
EVENT = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}


def text_of(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


@pytest.mark.parametrize(
    "value",
    [
        *good(),
        *broken(),
        exchange(0, None, None),
        exchange(0, "cut {", 400),
        {"method": "DELETE", "url": "/conversations/a%3Ax/activities/1", "response": None},
        {"method": "POST", "url": "https://proxy.example/7", "request": STREAMED},
        STREAMED,
        {"type": "typing", "entities": [{"type": "streaminfo"}]},
        {"type": "typing", "entities": [{"type": "streamInfo", "streamSequence": 1}]},
        {"type": "message", "entities": [{"type": "startstreaming"}]},
        {"type": "typing", "entities": [None, 5, {"type": "StreamInfo"}]},
        {"type": "typing", "channelData": {"streamType": "informative", "streamSequence": 1}},
        {"type": "typing", "channelData": {"streamId": "1"}},
        {"type": "typing", "channel_data": {"stream_type": "informative"}, "text": "x"},
        {"type": "typing", "entities": [{"type": "streaminfo", "stream_sequence": 1}]},
        {"entities": [{"type": "streaminfo", "streamSequence": 1}]},
        UPDATE,
        USER,
        {"type": "typing", "channelId": "msteams", "from": {"id": "28:b"}},
        {"type": "invoke", "name": "message/submitAction", "serviceUrl": "https://smba", "from": {}},
        {"type": "event", "conversation": {"id": "c"}, "recipient": {"id": "28:b"}},
        {"type": "trace", "channel_id": "emulator", "service_url": "x"},
        {"type": "endOfConversation"},
    ],
)
def test_teams_material_is_known(value: dict[str, Any]) -> None:
    """As one line, as several, in an array, laid out: exchanges and activities of every look."""
    pretty = json.dumps([value, value], indent=2).encode()
    for text in (text_of(value), text_of(value, value), pretty, json.dumps(value, indent=1).encode()):
        assert detect(text, complete=True).protocol == "teams"


@pytest.mark.parametrize(
    "value",
    [
        EVENT,
        {"type": "CUSTOM", "name": "activity", "value": STREAMED},
        {"type": "RAW", "event": exchange(0, STREAMED), "source": "teams"},
        {"type": "RAW", "event": STREAMED, "entities": [{"type": "streaminfo"}]},
        {"value": UPDATE, "name": "n", "type": "CUSTOM"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": '{"type":"streaminfo"}'},
        {"type": "ACTIVITY_SNAPSHOT", "messageId": "m", "activityType": "typing", "content": STREAMED},
        {
            "type": "STATE_SNAPSHOT",
            "snapshot": {"conversation": 1, "from": 2, "channelData": {"streamType": "x"}},
        },
    ],
)
def test_an_event_that_carries_an_activity_is_no_activity(value: dict[str, Any]) -> None:
    """Only what stands at the top of a record counts."""
    for text in (text_of(value), text_of(EVENT, value), b"data: " + text_of(value) + b"\n"):
        assert detect(text, complete=True).protocol == "ag-ui"


@pytest.mark.parametrize(
    "value",
    [
        {"type": "message", "role": "assistant", "content": "Hi", "id": "1"},
        {"type": "event", "name": "click"},
        {"type": "message", "from": "a@example.com", "text": "Hi"},
        {
            "method": "POST",
            "url": "https://agent.example/run",
            "request": {"threadId": "t"},
            "response": {"status": 200},
        },
        {"entities": [{"type": "person"}], "channelData": {"tenant": 1}},
        {"level": "info"},
    ],
)
def test_what_only_resembles_them_is_left_open(value: dict[str, Any]) -> None:
    """Other logs with the same words are called neither."""
    assert detect(text_of(value, value), complete=True).protocol is None


def test_a_first_record_longer_than_the_head_tells_by_what_comes_first() -> None:
    """An event with an activity inside, and an activity with an event inside."""
    pad = "x" * 2 * HEAD_BYTES
    for value, protocol in (
        ({"type": "CUSTOM", "name": "n", "value": {**STREAMED, "z": pad}}, "ag-ui"),
        ({**STREAMED, "value": {"type": "RUN_STARTED", "z": pad}}, "teams"),
        ({**exchange(0, {**STREAMED, "z": pad})}, "teams"),
    ):
        assert detect(text_of(value)[: HEAD_BYTES + 1], complete=False).protocol == protocol


def test_a_stray_record_of_the_other_kind_does_not_turn_the_trace() -> None:
    """Most records decide."""
    assert detect(text_of(EVENT, EVENT, STREAMED), complete=True).protocol == "ag-ui"
    assert detect(text_of(STREAMED, EVENT, STREAMED), complete=True).protocol == "teams"


@pytest.mark.parametrize(
    ("text", "form", "name"),
    [
        (lines(good()), "ndjson", "one exchange a line"),
        (json.dumps(good()).encode(), "array", "an array of exchanges"),
        (text_of(STREAMED, STREAMED), "ndjson", "one activity a line"),
        (
            json.dumps([UPDATE, USER, STREAMED], indent=2).encode(),
            "array",
            "an array of activities (transcript)",
        ),
        (har(*map(entry, good())), "har", "a HAR file of connector calls"),
        (text_of(EVENT), "ndjson", "one JSON object a line"),
        (b"Hello", None, "not recognised"),
    ],
)
def test_forms_have_names_people_use(text: bytes, form: str | None, name: str) -> None:
    """The same reader, another word."""
    found = detect(text, complete=True)
    assert (found.form, form_name(found)) == (form, name)


def test_a_har_file_without_a_streamed_reply_is_none_of_ours() -> None:
    """The sentence is the same whether it fits the head or has to be read to the end."""
    small = detect(har(other()), complete=True)
    found, records, account = read([har(*[other()] * 200)])
    assert (found.form, found.protocol) == ("har", "teams")
    assert list(records) == []
    assert concluded(found, 0) == small
    assert small.form is None
    assert "save the response body" in small.reasons[0]
    assert account.lines == sum(account.ignored.values())


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (b'{"log" : {', "har"),
        (b'\n{ "$schema": "x\\"", "n": 1.5,\n"log": {"creator": {}}}', "har"),
        (b'{"level": "info", "log": {"message": "x"}}', "ndjson"),
        (b'{"a": {}, "log": {"version": "1.2"}}', "ndjson"),
    ],
)
def test_a_har_file_is_known_by_its_beginning(text: bytes, form: str) -> None:
    """Members before `log` do not hide it; a log line with that word is none."""
    assert detect(text + b"\n" * HEAD_BYTES, complete=False).form == form


@pytest.mark.parametrize(
    ("url", "conversation"),
    [
        ("https://smba.example/amer/v3/conversations/a%3A1zz/activities", "a:1zz"),
        ("https://smba.example/v3/conversations/a:1zz/activities/17900?x=1#y", "a:1zz"),
        (
            "https://smba.example/tenant/conversations/19%3Ax%40thread.v2;messageid=1/activities/",
            "19:x@thread.v2",
        ),
        ("/v3/Conversations/c/Activities", "c"),
        ("https://smba.example/v3/conversations/c/members", None),
        ("https://smba.example/v3/conversations", None),
        ("https://x.example/?u=/v3/conversations/c/activities", None),
        ("", None),
    ],
)
def test_the_conversation_is_read_from_the_address(url: str, conversation: str | None) -> None:
    """Both shapes, with /v3 and without, percent-encoded or not."""
    assert conversation_of(url) == conversation


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("https://u:p@h.example/a?sig=1#f", "https://h.example/a"),
        ("//u@h/a", "//h/a"),
        ("/a/b@c?x", "/a/b@c"),
        ("", ""),
    ],
)
def test_an_address_is_kept_without_secrets(url: str, plain: str) -> None:
    """No user, no query, no fragment."""
    assert plain_url(url) == plain


@given(st.lists(st.integers(0, 10_000), max_size=8))
@settings(max_examples=examples(60), deadline=None)
def test_any_split_of_exchange_lines_gives_the_same_records(cuts: list[int]) -> None:
    """Cut anywhere, through the reader that detection chooses."""
    text = lines(good() + broken()) + b"\n  \nstray\n" + json.dumps(STREAMED, indent=None).encode()
    edges = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    found, records, account = read(text[a:b] for a, b in pairwise(edges))
    whole = open_reader("ndjson")
    assert (found.form, found.protocol) == ("ndjson", "teams")
    assert list(records) == [*whole.feed(text), *whole.close()]
    assert account == whole.account
