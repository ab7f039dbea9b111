"""The inspector on an exchange: facts, Teams' own words, the answer explained, both parts as recorded."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.core.teams.script import records
from tests.views.teams.conftest import Open, Tell, words
from webapp.core.teams.answers import ANSWERS
from webapp.views.teams import parts

REFUSED = """
+0.0 streaming 1 "The report [doc1" -> 201 S
+1.7 streaming 2 "The report [1]" @S -> E403-PREFIX
"""


def with_header(script: str) -> bytes:
    """The script's lines, each answer with a correlation id."""
    out = []
    for number, record in enumerate(records(script)):
        record["response"]["headers"] = {"MS-CV": f"zzExample.{number}"}
        out.append(json.dumps(record))
    return "\n".join(out).encode()


def test_the_facts_of_a_call(tell: Tell, look: Open, page: Any) -> None:
    """Sequence, stream, when, the answer with its time, the correlation id to copy, the chat."""
    id_ = tell(with_header(REFUSED))
    shown = look(id_, event="1").inspector
    assert shown is not None
    call = shown.call
    assert call is not None
    assert (shown.verb, call.activity) == ("chunk 2", "typing, streaming")
    assert (call.sequence, call.stream, call.stream_id) == ("2", "stream 1", "S")
    assert (call.sent, call.after, call.after_words) == ("1.70 s", 0, "1.70 s")
    assert (call.answered, call.answered_cls) == ("403 after 100 ms", "no")
    assert (call.cv, call.chat) == ("zzExample.1", "a:1zzExampleChat")
    html = page(id_, event="1")
    assert 'data-copy="zzExample.1"' in html
    assert "Microsoft’s support asks for it" in html


def test_the_card_has_the_services_own_words_and_the_answer_is_explained(
    tell: Tell, look: Open, page: Any
) -> None:
    """What Teams said stands before why; what the answer means, beside the activity, with its row's address."""
    id_ = tell(REFUSED)
    shown = look(id_, event="1").inspector
    assert shown is not None
    assert shown.cards[0].said == "Request streamed content should contain the previously streamed content"
    text = words(page(id_, event="1"))
    assert text.index("Teams said") < text.index("Why")
    assert 'href="/rules/answers#E403-PREFIX"' in page(id_, event="1")
    assert "403 the text does not extend what was streamed" in text


@pytest.mark.parametrize("key", [row.key for row in ANSWERS])
def test_every_answer_is_explained(tell: Tell, look: Open, key: str) -> None:
    """Each row of the table reaches the inspector with its title and address."""
    if key in ("E-CONNECTOR", "E-OTHER", "E5XX", "E403-UNKNOWN", "E400-REQ", "E412"):
        answer = {
            "E-CONNECTOR": '401 {"error": {"code": "Unauthorized", "message": "no"}}',
            "E-OTHER": '409 {"error": {"code": "Conflict", "message": "no"}}',
            "E5XX": '502 "<html>"',
            "E403-UNKNOWN": '403 ""',
            "E400-REQ": '400 {"error": {"code": "BadRequest", "message": "odd"}}',
            "E412": "412",
        }[key]
    else:
        answer = key
    shown = look(tell(f'+0.0 streaming 1 "Hi" -> {answer}'), event="0").inspector
    assert shown is not None
    assert shown.call is not None
    explained = shown.call.explained
    assert explained is not None
    assert (explained.key, explained.href) == (key, f"/rules/answers#{key}")
    assert explained.title
    assert explained.meaning


def test_a_success_and_a_stop_are_no_failures(tell: Tell, look: Open) -> None:
    """A success is not explained; a Stop is coloured as what it is."""
    id_ = tell('+0.0 streaming 1 "a" -> 201 S\n+2 streaming 2 "ab" @S -> E403-STOP')
    first, second = look(id_, event="0").inspector, look(id_, event="1").inspector
    assert first is not None
    assert second is not None
    assert first.call is not None
    assert second.call is not None
    assert (first.call.explained, first.call.answered_cls) == (None, "yes")
    assert second.call.answered_cls == "stop"


def test_a_bare_activity_has_no_answer(tell: Tell, look: Open, page: Any) -> None:
    """One part, as recorded, and the words that no answer is."""
    id_ = tell('+0.0 streaming 1 "Loo" {"id": "S"} -> none\n+200 inbound "?" -> none')
    shown = look(id_, event="0").inspector
    assert shown is not None
    assert shown.call is not None
    assert shown.call.answered == "no answer recorded"
    assert [part.title for part in shown.call.recorded] == ["Activity"]
    assert "Teams said" not in words(page(id_, event="0"))


def test_request_and_answer_are_token_for_token_as_recorded(tell: Tell, look: Open) -> None:
    """Numbers, escapes and double keys of the line are not encoded again."""
    line = (
        b'{"at": 1.50, "method":"POST","url":"https://smba.trafficmanager.net/amer/v3/conversations/a:1/activities",'
        b'"request": {"type":"typing","text":"\\u0041","n":1.0,"n":1e2,"entities":[{"type":"streaminfo",'
        b'"streamType":"streaming","streamSequence":1}]}, "response": {"status": 201, "body": {"id": "S"}}}'
    )
    shown = look(tell(line), event="0").inspector
    assert shown is not None
    assert shown.call is not None
    request, answer = shown.call.recorded
    assert request.copy.startswith('{"type":"typing","text":"\\u0041","n":1.0,"n":1e2,')
    assert answer.copy == '{"status": 201, "body": {"id": "S"}}'
    assert "\\u0041" in str(request.html)


def test_parts_of_a_line() -> None:
    """A body in a string is unpacked; null and what is no object have no parts; nothing raises."""
    assert parts.request_and_answer('{"request":"{\\"a\\":1}","response":null}') == ('{"a":1}', "")
    assert parts.request_and_answer('{"request":"plain text","response":{"status":1}}') == (
        '"plain text"',
        '{"status":1}',
    )
    for odd in ("", "[]", '{"a"', '{"a":1,}', '{"a" 1}', "{" * 5000, '{"request":[' + "[" * 5000):
        assert parts.request_and_answer(odd) == ("", "")
    assert parts.members(' { "a" : [1, {"b": "}"}] , "c":"\\ud83d" } ') == {
        "a": '[1, {"b": "}"}]',
        "c": '"\\ud83d"',
    }
