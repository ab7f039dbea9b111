"""From bytes to an object: each framing rule, and what JSON a client takes without a word."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webapp.core import Replay
from webapp.core.agui.enforce import (
    Compat,
    duplicate_keys,
    precheck,
    slow_decode,
)
from webapp.core.agui.events import decode

TEXT = b'{"type":"TEXT_MESSAGE_END","messageId":"m"}'


def nested(levels: int, inner: str = "1") -> bytes:
    """A STATE_SNAPSHOT that is `levels` deep, itself included."""
    depth = levels - 1
    return b'{"type":"STATE_SNAPSHOT","snapshot":%s%s%s}' % (b"[" * depth, inner.encode(), b"]" * depth)


@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        (b"", "AGUI-TRN-07"),
        (b" \r\n", "AGUI-TRN-07"),
        (TEXT + b"\n" + TEXT, "AGUI-TRN-02"),
        (TEXT + TEXT[:20], "AGUI-TRN-02"),
        (b"1 2", "AGUI-TRN-02"),
        (b"[DONE]", "AGUI-TRN-03"),
        (b"<html>", "AGUI-TRN-03"),
        (b'{"type":"RAW","event":NaN}', "AGUI-TRN-03"),
        (b'{"type":"RAW","event":-Infinity}', "AGUI-TRN-03"),
        (b"{'type':'RAW'}", "AGUI-TRN-03"),
        (b'{"type":"RAW","event":"a\nb"}', "AGUI-TRN-03"),
        (b'{"type":"RAW","event":"\\x"}', "AGUI-TRN-03"),
        (b'{"type":"RAW","event":1,}', "AGUI-TRN-03"),
        (b'elta":"x"}', "AGUI-TRN-03"),
        (TEXT + b"}", "AGUI-TRN-03"),
        (TEXT + b"," + TEXT, "AGUI-TRN-03"),
        (b"null", "AGUI-TRN-04"),
        (b"[" + TEXT + b"]", "AGUI-TRN-04"),
        (json.dumps(TEXT.decode()).encode(), "AGUI-TRN-04"),
        (b"[" * 100_000 + b"]" * 100_000, "AGUI-TRN-04"),
        (b"[" * 100_000, "AGUI-TRN-04"),
        (b'{"a":' * 100_000, "AGUI-TRN-02"),
    ],
)
def test_a_payload_that_is_no_json_object_is_undecodable(raw: bytes, rule: str) -> None:
    """Its one fault is the framing rule, worded as a clause."""
    found = slow_decode(raw, Compat())
    assert (found.kind, found.type, found.event, found.wire) == ("undecodable", None, None, None)
    assert [(f.rule, f.path) for f in found.faults] == [(rule, None)]
    assert not found.faults[0].title.endswith(".")


@pytest.mark.parametrize(
    "raw",
    [
        b'{"type":"CUSTOM","name":"a\\u00e9\\n","value":[true,false,null,-1.5e+3]}',
        b'{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a","value":{}}]}',
    ],
)
def test_every_cut_of_an_event_is_a_fragment(raw: bytes) -> None:
    """Wherever a frame is cut, what came is told as a piece of JSON."""
    for end in range(1, len(raw)):
        assert [f.rule for f in precheck(raw[:end]).faults] == ["AGUI-TRN-02"], raw[:end]


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (b'{"messageId":"m"}', "$"),
        (b'{"type":5}', "$.type"),
        (b'{"type":""}', "$.type"),
        (b'{"type":null}', "$.type"),
    ],
)
def test_an_object_without_a_type_is_malformed(raw: bytes, path: str) -> None:
    """It is an event, but nobody can tell which."""
    found = slow_decode(raw, Compat())
    assert (found.kind, found.type, found.event) == ("malformed", None, None)
    assert [(f.rule, f.path) for f in found.faults] == [("AGUI-TRN-05", path)]


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'{"type":"CUSTOM","name":"n","value":"\\ud83d"}', "\ud83d"),
        (b'{"type":"CUSTOM","name":"n","value":{"\\ud83d":1}}', {"\ud83d": 1}),
        (b'{"type":"CUSTOM","name":"n","value":1%s}' % (b"0" * 30), 10**30),
        (b'{"type":"CUSTOM","name":"n","value":1%s}' % (b"0" * 5000), float("inf")),
        (b'{"type":"CUSTOM","name":"n","value":1e400}', float("inf")),
        (b' {"type":"CUSTOM","name":"n","value":1} \r\n', 1),
        (b'\xef\xbb\xbf{"type":"CUSTOM","name":"n","value":1}', 1),
    ],
)
def test_unusual_but_legal_json_is_an_event_without_faults(raw: bytes, value: Any) -> None:
    """Lone surrogates, endless numbers and blanks around the object harm nobody."""
    found = slow_decode(raw, Compat())
    assert (found.kind, found.faults) == ("event", [])
    assert found.event.value == value
    assert found.wire is not None
    assert found.wire["value"] == value


def test_lone_surrogates_pass_in_every_kind_of_text() -> None:
    """Ids, pointers and message texts keep them."""
    message = {"id": "\ud83d", "role": "user", "content": [{"type": "text", "text": "\ude00"}]}
    for event in (
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "\ud83d", "delta": "\ude00"},
        {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/\ud83d", "value": 1}]},
        {"type": "MESSAGES_SNAPSHOT", "messages": [message]},
    ):
        found = slow_decode(json.dumps(event).encode(), Compat())
        assert (found.kind, found.faults, found.wire) == ("event", [], event)
        assert found.event is not None


def test_a_whole_number_written_as_a_float_is_delivered_as_an_integer() -> None:
    """`1000.0` is 1000; minus zero is zero."""
    found = slow_decode(b'{"type":"RAW","event":1.0,"timestamp":1000.0}', Compat())
    assert found.faults == []
    assert repr(found.event.timestamp) == "1000"
    assert found.wire is not None
    assert repr(found.wire["timestamp"]) == "1000"
    assert repr(found.event.event) == "1.0"


def test_invalid_utf8_is_read_with_replacement_and_told() -> None:
    """The event is delivered like a client delivers it."""
    found = slow_decode(b'{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\xff"}', Compat())
    assert (found.kind, found.event.delta) == ("event", "a\ufffd")
    assert [f.rule for f in found.faults] == ["AGUI-TRN-17"]
    assert [f.rule for f in slow_decode(b"\xff", Compat()).faults] == ["AGUI-TRN-03", "AGUI-TRN-17"]


def test_nesting_beyond_the_limit_is_told_and_still_an_event() -> None:
    """One level more than allowed is told, with the number; a client may take it."""
    assert slow_decode(nested(20), Compat(), 20).faults == []
    found = slow_decode(nested(21), Compat(), 20)
    assert (found.kind, found.type) == ("event", "STATE_SNAPSHOT")
    assert [(f.rule, f.path, f.severity) for f in found.faults] == [("AGUI-ENV-04", "$", "warning")]
    assert "20 levels" in found.faults[0].title


def test_nesting_that_cannot_be_followed_is_left_out() -> None:
    """The type is still known, and it is no fault of the agent."""
    for raw in (nested(200_000), nested(100_000, '"]]\\"{"')):
        found = slow_decode(raw, Compat(), 20)
        assert (found.kind, found.type, found.event) == ("dropped", "STATE_SNAPSHOT", None)
        assert [(f.rule, f.path, f.severity) for f in found.faults] == [("AGUI-ENV-04", "$", "warning")]


def test_a_deep_event_of_an_unknown_type_is_only_dropped() -> None:
    """A client never looks inside it."""
    found = slow_decode(nested(100_000).replace(b"STATE_SNAPSHOT", b"PRIVATE"), Compat())
    assert (found.kind, [f.rule for f in found.faults]) == ("dropped", ["AGUI-ENV-01"])


def test_many_brackets_in_a_flat_event_are_not_deep() -> None:
    """Breadth and brackets inside texts do not count."""
    event = {"type": "CUSTOM", "name": "n", "value": [[1]] * 500 + ["[" * 500]}
    assert slow_decode(json.dumps(event).encode(), Compat()).faults == []


DUPLICATES = [
    (b'{"type":"CUSTOM","name":"a","name":"b","value":1}', ["$.name"]),
    (b'{"type":"CUSTOM","name":"a","value":{"k":1,"k":2,"k":3}}', ["$.value.k"]),
    (b'{"type":"CUSTOM","name":"a","value":[0,{"a b":1,"a b":2}]}', ['$.value[1]["a b"]']),
    (b'{"type":"CUSTOM","name":"a","value":1,"metadata":{"x":1,"x":1}}', ["$.metadata.x"]),
    (b'{"type":"TEXT_MESSAGE_END","messageId":"m","messageId":"m"}', ["$.messageId"]),
    (b'{"type" : "CUSTOM", "name" : "a", "name" : "b", "value" : 1}', ["$.name"]),
    (b'{"type":"CUSTOM","name":"a\\":","name":"b","value":"\\":"}', ["$.name"]),
]
SINGLE = [
    b'{"type":"TEXT_MESSAGE_END","messageId":"m"}',
    b'{"type":"CUSTOM","name":"a","value":{"name":1,"value":[{"name":2},{"name":3}]}}',
    b'{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"{\\"a\\":1,\\"a\\":2}"}',
    b'{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x","timestamp":1,"subagentRunId":"s"}',
    b'{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"user","content":"x"}]}',
    b'{"type":"STATE_SNAPSHOT","snapshot":{"a":"\\":","b":2}}',
    b'{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a","value":{"a":1}},{"op":"replace","path":"/a","value":2}]}',
]


def told_twice(raw: bytes) -> list[str]:
    """What the engine says stands twice in one event."""
    step = Replay("ag-ui").feed(raw)
    return [finding.title for finding in step.findings if finding.rule == "AGUI-TRN-18"]


@pytest.mark.parametrize(("raw", "paths"), DUPLICATES)
def test_a_member_that_stands_twice_is_found_on_either_path(raw: bytes, paths: list[str]) -> None:
    """The fast path suspects it and the look confirms it; the slow path tells it by itself."""
    assert told_twice(raw) == [f"the event names `{path.removeprefix('$.')}` twice" for path in paths]
    assert duplicate_keys(raw) == paths
    found = slow_decode(raw, Compat())
    assert [(f.rule, f.path) for f in found.faults] == [("AGUI-TRN-18", path) for path in paths]
    assert str(found.event) == str(decode(raw))


@pytest.mark.parametrize("raw", SINGLE)
def test_an_event_that_names_every_member_once_is_not_suspected(
    raw: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Colons in texts and equal names in different objects are no repetition, and cost no second parse."""
    monkeypatch.setattr("webapp.core.agui.engine.duplicate_keys", lambda _: ["asked"])
    assert told_twice(raw) == []
    assert duplicate_keys(raw) == []


@pytest.mark.parametrize("gap", [b" ", b"\t", b"  "])
@pytest.mark.parametrize(("raw", "paths"), DUPLICATES)
def test_a_blank_before_one_colon_hides_no_repetition(raw: bytes, paths: list[str], gap: bytes) -> None:
    """Keys are counted by their colons, so a key apart from its colon must not make up for one too many."""
    spread = raw.replace(b'"type":', b'"type"' + gap + b":")
    assert told_twice(spread) == [f"the event names `{path.removeprefix('$.')}` twice" for path in paths]


def test_a_suspicion_alone_is_no_finding() -> None:
    """Extra members of patch operations raise it for nothing, and the look says so."""
    raw = b'{"type":"STATE_DELTA","delta":[{"op":"remove","path":"","note":1}]}'
    assert told_twice(raw) == []
    assert duplicate_keys(raw) == []


@pytest.mark.parametrize("raw", [b"", b"[1]", b"{", b"\xff", b'{"a":' * 100_000, b'{"a":NaN}'])
def test_looking_for_repeated_members_never_raises(raw: bytes) -> None:
    """What is no JSON object has none."""
    assert duplicate_keys(raw) == []


def test_a_hostile_payload_costs_no_more_than_its_size() -> None:
    """A flood of documents, members or underscores, or a deep place, ends in a bounded answer."""
    many = 20_000
    assert precheck(b"1 " * many).faults[0].title == f"the payload holds {many} JSON documents"
    pairs = b"".join(b'"k%d":1,"k%d":1,' % (n, n) for n in range(many))
    twice = b'{"type":"RAW","event":1,%s"z":1}' % pairs
    assert len(duplicate_keys(twice)) == 200
    assert len(slow_decode(twice, Compat()).faults) == 200
    assert slow_decode(b'{"type":"RAW","event":1,"%s!":1}' % (b"_" * 200_000), Compat()).kind == "event"
    deep = b'{"type":"RAW","type":"RAW","event":%s[%s]%s}'
    holder = b'{"%s":' % (b"k" * 70) * 150
    assert duplicate_keys(deep % (holder, b",".join([b"{}"] * many), b"}" * 150)) == ["$.type"]
