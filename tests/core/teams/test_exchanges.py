"""One record decoded: every odd answer and request that real recordings hold, and none of them raises."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webapp.core.teams.exchanges import Exchange, read

BASE = "https://smba.trafficmanager.net/amer/v3/conversations"
INFO = {"type": "streaminfo", "streamId": "S", "streamType": "streaming", "streamSequence": 2}
BODY = {"type": "typing", "text": "You", "entities": [INFO]}


def call(body: Any = BODY, **more: Any) -> dict[str, Any]:
    record = {"at": 1.5, "method": "POST", "url": f"{BASE}/a:1zz/activities", "request": body, "took": 0.25}
    return {**record, "response": {"status": 202, "body": {}}, **more}


def decoded(record: Any) -> Exchange:
    found = read(json.dumps(record))
    assert found is not None
    return found


def test_a_call_is_read_whole() -> None:
    """Times, place, markers and answer."""
    ex = decoded(call(response={"status": 201, "headers": {"MS-CV": "zz.1"}, "body": {"id": "1790"}}))
    assert (ex.kind, ex.call, ex.bodied, ex.method, ex.host) == (
        "streaming",
        True,
        True,
        "POST",
        "smba.trafficmanager.net",
    )
    assert (ex.conversation, ex.target, ex.path_known) == ("a:1zz", None, True)
    assert (ex.at, ex.took, ex.ended) == (1.5, 0.25, 1.75)
    assert (ex.answered, ex.status, ex.key, ex.issued, ex.headers) == (
        "ok",
        201,
        None,
        "1790",
        {"ms-cv": "zz.1"},
    )
    assert (ex.stream_id, ex.stream_type, ex.number, ex.text, ex.infos, ex.odd) == (
        "S",
        "streaming",
        2,
        "You",
        1,
        None,
    )


@pytest.mark.parametrize(
    ("response", "answered", "key"),
    [
        ({"status": 429, "body": "API calls quota exceeded"}, "refused", "E429"),
        ({"status": 429, "body": '"API calls quota exceeded"'}, "refused", "E429"),
        ({"status": 502, "body": "<html><h1>502 Bad Gateway</h1></html>"}, "refused", "E5XX"),
        ({"status": 403, "body": ""}, "refused", "E403-UNKNOWN"),
        ({"status": 403, "body": None}, "refused", "E403-UNKNOWN"),
        ({"status": 403}, "refused", "E403-UNKNOWN"),
        ({"status": 405, "body": {"message": "Method Not Allowed"}}, "refused", "E405"),
        ({"status": 202, "body": None}, "ok", None),
        ({"status": 200, "body": "null"}, "ok", None),
        ({"status": 202, "body": ""}, "ok", None),
        ({"status": 202, "body": "{}"}, "ok", None),
        ({"status": 202, "body": '{"error": {"code": "X"}}'}, "dropped", "E-OTHER"),
        ({"status": 202, "body": {"code": "ContentStreamSequenceOrderPreConditionFailed"}}, "dropped", "E202-ORDER"),
        (None, "lost", None),
        ({"status": 0, "body": ""}, "lost", None),
        ({"status": -1}, "lost", None),
        ({}, "unknown", None),
        ("202", "unknown", None),
        ({"status": "202"}, "unknown", None),
        ({"status": None}, "unknown", None),
        ({"status": True}, "unknown", None),
    ],
)  # fmt: skip
def test_answers_are_taken_as_they_come(response: Any, answered: str, key: str | None) -> None:
    """A bare string, a proxy’s page, an empty body, `null`, no answer at all."""
    ex = decoded(call(response=response))
    assert (ex.answered, ex.key) == (answered, key)


def test_an_error_of_the_sender_is_an_answer_that_never_came() -> None:
    """With a response of null, or without one."""
    assert decoded(call(response=None, error="timeout")).answered == "lost"
    record = call(error="connection reset")
    del record["response"]
    assert decoded(record).answered == "lost"
    del record["error"]
    assert decoded(record).answered == "unknown"


@pytest.mark.parametrize(
    ("url", "chat", "target"),
    [
        (f"{BASE}/a:1zz/activities", "a:1zz", None),
        (f"{BASE}/a%3A1zz/activities/", "a:1zz", None),
        (f"{BASE}/a:1zz/activities/1790", "a:1zz", "1790"),
        (f"{BASE}/19%3Aex%40thread.v2%3Bmessageid%3D12/activities/f%3A9?x=1#y", "19:ex@thread.v2", "f:9"),
        ("/v3/conversations/a:1zz/activities", "a:1zz", None),
        ("HTTPS://user@SMBA.example:443/V3/Conversations/a:1zz/Activities", "a:1zz", None),
    ],
)
def test_both_shapes_of_the_address_are_read(url: str, chat: str, target: str | None) -> None:
    """With and without an activity’s id, plain or percent-encoded, whole or from the path on."""
    ex = decoded(call(url=url))
    assert (ex.conversation, ex.target, ex.path_known) == (chat, target, True)


def test_hosts_are_compared_in_lower_case_without_credentials() -> None:
    """`user@` goes, the port stays."""
    assert (
        decoded(call(url="https://user:pw@SMBA.Example:443/v3/conversations/a/activities")).host
        == "smba.example:443"
    )


def test_an_address_out_of_the_contract_is_told() -> None:
    """The chat is then the body’s."""
    ex = decoded(call({**BODY, "conversation": {"id": "a:9;messageid=3"}}, url="https://smba.x/v3/other"))
    assert (ex.path_known, ex.conversation) == (False, "a:9")


@pytest.mark.parametrize(
    ("method", "body", "kind"),
    [
        ("PUT", {"type": "message", "text": "x"}, "edit"),
        (" put ", {"type": "message"}, "edit"),
        ("DELETE", None, "delete"),
        ("GET", BODY, "other"),
        ("", BODY, "streaming"),
        (None, BODY, "streaming"),
        ("POST", {}, "other"),
        ("POST", None, "other"),
        ("POST", {"type": "typing"}, "typing"),
        ("POST", {"type": "message", "text": "x"}, "message"),
        ("POST", {"type": "event", "entities": [INFO]}, "other"),
        ("POST", {"type": "typing", "entities": [{"type": "streaminfo"}]}, "streaming"),
        ("POST", {"type": "message", "entities": [{"type": "streaminfo"}]}, "final"),
        (
            "POST",
            {"type": "typing", "entities": [{"type": "StreamInfo", "streamType": "Informative"}]},
            "informative",
        ),
        ("POST", {"type": "typing", "channelData": {"streamType": "informative"}}, "informative"),
        (
            "POST",
            {"type": "message", "entities": [{"type": "end streaming", "streamType": "final"}]},
            "final",
        ),
    ],
)
def test_the_kind_is_told_by_method_type_and_markers(method: Any, body: Any, kind: str) -> None:
    """Whatever is strange about it stays visible in the other fields."""
    assert decoded(call(body, method=method)).kind == kind


def test_types_that_do_not_fit_are_marked() -> None:
    """A typing `final`, a message that is none; a stripped marker fits anything."""

    def wrong(kind: str, **info: Any) -> bool:
        return decoded(call({"type": kind, "entities": [{"type": "streaminfo", **info}]})).wrong_kind

    assert wrong("typing", streamType="final")
    assert wrong("message", streamType="informative")
    assert wrong("message", streamId="S")
    assert not wrong("message", streamType="final")
    assert not wrong("typing", streamId="S")
    assert not wrong("message")


def test_the_entity_comes_first_and_channel_data_fills_in() -> None:
    """Null and the empty string count as absent."""
    info = {"type": "streaminfo", "streamId": None, "streamType": "", "streamSequence": 3}
    ex = decoded(
        call(
            {
                **BODY,
                "entities": [info],
                "channelData": {"streamId": "R", "streamType": "final", "streamSequence": 9},
            }
        )
    )
    assert (ex.stream_id, ex.stream_type, ex.sequence) == ("R", "final", 3)


@pytest.mark.parametrize(
    "name", ["text", "entities", "channelData", "conversation", "from", "replyToId", "channelId", "id"]
)
@pytest.mark.parametrize("value", [None, 0, 1.5, True, [], {}, "", [None, 1, "x"], {"id": []}])
def test_fields_of_any_kind_are_let_pass(name: str, value: Any) -> None:
    """Null fields and values of another kind are as good as absent."""
    for record in (call({**BODY, name: value}), {**BODY, name: value}):
        assert decoded(record).kind in ("streaming", "typing")


def test_ids_may_be_numbers() -> None:
    """In the answer, the entity and the activity; a truth value is no id."""
    ex = decoded(
        call(
            {**BODY, "id": 7, "replyToId": 8, "entities": [{**INFO, "streamId": 9}]},
            response={"status": 201, "body": {"id": 10}},
        )
    )
    assert (ex.own, ex.turn, ex.stream_id, ex.issued) == ("7", "8", "9", "10")
    assert decoded(call(response={"status": 201, "body": {"id": True}})).issued is None


@pytest.mark.parametrize(
    ("written", "number"),
    [("2", 2), ("2.0", 2), ("2.5", None), ('"2"', None), ("true", None), ("1e400", None), ("NaN", None),
     ("-1", -1), ("9" * 299, int("9" * 299)), ("9" * 5000, None), ("[]", None), ("{}", None)],
)  # fmt: skip
def test_numbers_of_any_size_are_read(written: str, number: int | None) -> None:
    """Only a whole number counts; one of thousands of digits is none that could be counted with."""
    raw = json.dumps(call()).replace('"streamSequence": 2', f'"streamSequence": {written}')
    ex = read(raw)
    assert ex is not None
    assert ex.number == number
    assert ex.sequence is not None


@pytest.mark.parametrize("value", ["1", True, None, [], 1e999, -(10**400)])
def test_times_that_are_none_are_left_out(value: Any) -> None:
    """A request time or duration is a finite number."""
    ex = decoded(call(at=value, took=value))
    assert (ex.at, ex.took, ex.ended) == (None, None, None)


def test_lone_surrogates_pass() -> None:
    """As `\\ud83d` escapes, in texts and ids; and bytes that are no UTF-8 at all."""
    ex = read(json.dumps(call({**BODY, "text": "a\ud83d", "id": "\ude80"})))
    assert ex is not None
    assert (ex.text, ex.own) == ("a\ud83d", "\ude80")
    broken = read(json.dumps(call()).encode().replace(b"You", b"Y\xff\xed\xa0\xbd"))
    assert broken is not None
    assert broken.text is not None


def test_the_order_of_members_does_not_matter() -> None:
    """The same record turned around is the same exchange."""

    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: turned(value[name]) for name in reversed(value)}
        return [turned(part) for part in value] if isinstance(value, list) else value

    one, other = decoded(call()), decoded(turned(call()))
    for name in Exchange.__struct_fields__:
        assert getattr(one, name) == getattr(other, name), name


@pytest.mark.parametrize(
    "raw", [b"", b"null", b"7", b'"x"', b"[]", b"[{}]", b"{", b"NaN", b"\xff", b"[" * 100_000]
)
def test_what_is_no_object_is_no_exchange(raw: bytes) -> None:
    """Broken JSON, other values, and nesting that cannot be read."""
    assert read(raw) is None


def test_deep_nesting_inside_a_record_does_not_raise() -> None:
    """It is read, or it is no exchange."""
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000
    assert read(json.dumps(call()).replace('"You"', deep)) is None


def test_a_body_may_be_a_text() -> None:
    """JSON in a string is read; other text leaves the call without an activity."""
    assert decoded(call(json.dumps(BODY))).kind == "streaming"
    other = decoded(call("grant_type=client_credentials"))
    assert (other.kind, other.bodied) == ("other", False)


def test_a_bare_activity_has_its_own_time_and_sender() -> None:
    """As transcripts hold them: no call, no answer."""
    activity = {
        **BODY,
        "timestamp": "2026-09-01T08:00:01.500Z",
        "serviceUrl": "https://smba.example/amer/",
        "conversation": {"id": "a:1zz"},
    }
    ex = decoded(activity)
    assert (ex.call, ex.kind, ex.answered, ex.conversation, ex.host) == (
        False,
        "streaming",
        "unknown",
        "a:1zz",
        "smba.example",
    )
    assert ex.at == 1788249601.5
    assert (
        decoded({**activity, "timestamp": "yesterday", "localTimestamp": "2026-09-01T10:00:01+02:00"}).at
        == 1788249601
    )


@pytest.mark.parametrize(
    ("sender", "inbound"),
    [({"role": "user"}, True), ({"role": "User"}, True), ({"id": "29:zz"}, True), ({"id": "28:zz"}, False),
     ({"id": "29:zz", "role": "bot"}, False), ({"role": 5}, False), (None, False)],
)  # fmt: skip
def test_the_users_own_words_are_inbound(sender: Any, inbound: bool) -> None:
    """By role, or by the id where no role is given."""
    kind = decoded({"type": "message", "text": "hi", "from": sender}).kind
    assert (kind == "inbound") == inbound


@pytest.mark.parametrize("kind", ["RUN_STARTED", "RAW", "request", "text-delta", ""])
def test_another_programs_record_is_no_activity(kind: str) -> None:
    """A type alone does not make one: an event stream read as Teams would pass without a word of it judged."""
    assert read(json.dumps({"type": kind, "threadId": "t"})) is None
    assert decoded({"type": kind, "channelId": "msteams"}).kind == "other"
