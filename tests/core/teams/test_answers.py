"""What the service said: told by the message, in a fixed order, and never by the code alone."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.core.rules import catalogue
from webapp.core.teams.answers import ANSWERS, BY_KEY, carries_error, classify, error_of

CODE = "ContentStreamNotAllowed"


def envelope(code: str | None, message: str | None) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


MESSAGES = [
    ("Content stream finished due to exceeded streaming time.", "E403-TIME"),
    ("Content stream was canceled by user", "E403-STOP"),
    ("Content stream was cancelled by user.", "E403-STOP"),
    ("Content stream is not allowed on an already completed streamed message", "E403-DONE"),
    ("Content stream is not allowed", "E403-OFF"),
    ("Message size too large", "E403-SIZE"),
    ("Request streamed content should contain the previously streamed content", "E403-PREFIX"),
]


@pytest.mark.parametrize(("message", "key"), MESSAGES)
@pytest.mark.parametrize("change", [str, str.upper, str.lower, lambda text: text.rstrip(".") + "."])
def test_a_403_is_told_by_its_message(message: str, key: str, change: Any) -> None:
    """Capital letters and a final period make no difference."""
    assert classify(403, envelope(CODE, change(message))) == key


def test_the_more_telling_phrase_comes_first() -> None:
    """“not allowed” stands inside two messages, and time and Stop win over it."""
    assert classify(403, envelope(CODE, "not allowed: exceeded streaming time, cancel")) == "E403-TIME"
    assert classify(403, envelope(CODE, "not allowed, canceled")) == "E403-STOP"
    assert classify(403, envelope(CODE, "not allowed on a completed streamed message")) == "E403-DONE"
    assert classify(403, envelope(CODE, "not allowed, size too large")) == "E403-OFF"


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "",
        "<html>403 Forbidden</html>",
        {},
        envelope(CODE, "something new"),
        envelope(CODE, None),
        [],
        7,
    ],
)
def test_a_403_without_a_readable_reason_is_unknown(answer: Any) -> None:
    """An empty body, a proxy’s page or a new message: nothing is guessed."""
    assert classify(403, answer) == "E403-UNKNOWN"


def test_a_403_with_another_code_is_the_connectors() -> None:
    """No fault of the stream."""
    assert (
        classify(403, envelope("Forbidden", "The bot is not part of the conversation roster"))
        == "E-CONNECTOR"
    )


@pytest.mark.parametrize(
    ("code", "message", "key"),
    [
        (
            "BadSyntax",
            "Only start streaming and continue streaming types are allowed as a typing activity",
            "E400-SYNTAX",
        ),
        ("BadSyntax", "Only end streaming type is allowed as a message activity.", "E400-ENDONLY"),
        ("BadRequest", "start streaming activities SHOULD INCLUDE TEXT", "E400-TEXT"),
        ("BadArgument", "The streaming API is not enabled for this context", "E400-ARG"),
        ("BadArgument", "API isn't enabled for the bot", "E400-BOT"),
        (
            "BadRequest",
            "Request streamed content should contain the previously streamed content",
            "E403-PREFIX",
        ),
        ("BadRequest", None, "E400-REQ"),
        ("BADSYNTAX", "anything", "E400-REQ"),
        ("Elsewhere", "anything", "E-OTHER"),
        (None, None, "E-OTHER"),
    ],
)
def test_a_400_is_told_by_its_message_then_by_its_code(
    code: str | None, message: str | None, key: str
) -> None:
    """The code alone says only that a value was missing or wrong."""
    assert classify(400, envelope(code, message)) == key


@pytest.mark.parametrize(
    ("status", "key"),
    [(401, "E-CONNECTOR"), (404, "E-CONNECTOR"), (405, "E405"), (412, "E412"), (413, "E413"), (429, "E429"),
     (500, "E500"), (502, "E5XX"), (503, "E5XX"), (504, "E5XX"), (599, "E5XX"), (302, "E-OTHER"), (418, "E-OTHER")],
)  # fmt: skip
def test_other_statuses_speak_for_themselves(status: int, key: str) -> None:
    """Whatever the body holds: an object, a bare string, a page, nothing."""
    for answer in (None, "", "API calls quota exceeded", "<html>", {"message": "x"}, envelope("X", "y")):
        assert classify(status, answer) == key


def test_a_success_is_no_answer_to_look_up() -> None:
    """200, 201, 202 and 204, with an id, an empty object, null or nothing."""
    for status in (200, 201, 202, 204):
        for answer in (
            None,
            "",
            {},
            {"id": "1"},
            {"error": None},
            {"error": {}},
            {"code": ""},
            {"code": 0},
            [],
        ):
            assert classify(status, answer) is None
            assert not carries_error(answer)


@pytest.mark.parametrize(
    ("answer", "key"),
    [
        (
            envelope("ContentStreamSequenceOrderPreConditionFailed", "PreCondition failed exception"),
            "E202-ORDER",
        ),
        ({"code": "contentstreamsequenceorderpreconditionfailed"}, "E202-ORDER"),
        (envelope(CODE, "Content stream was canceled by user"), "E403-STOP"),
        ({"error": "something"}, "E-OTHER"),
        (envelope("Odd", None), "E-OTHER"),
    ],
)
def test_a_success_can_carry_an_error(answer: Any, key: str) -> None:
    """In the usual envelope or at the top of the body."""
    assert carries_error(answer)
    assert classify(202, answer) == key


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        (None, (None, None)),
        ("API calls quota exceeded", (None, "API calls quota exceeded")),
        ({"message": "Method Not Allowed"}, (None, "Method Not Allowed")),
        ({"error": {"code": 5, "message": ["x"]}}, (None, None)),
        ({"error": "Forbidden", "message": "no"}, ("Forbidden", "no")),
        ({"error": {"code": "A", "message": "b"}}, ("A", "b")),
        ([], (None, None)),
    ],
)
def test_code_and_message_are_read_from_any_body(answer: Any, read: tuple[str | None, str | None]) -> None:
    """What is no text is not taken for one."""
    code, message = error_of(answer)
    assert (code or None, message) == read


def test_every_answer_that_classify_gives_is_explained() -> None:
    """Keys are unique, and the rules an answer points to exist."""
    assert len(BY_KEY) == len(ANSWERS)
    assert all(rule in catalogue() for row in ANSWERS for rule in row.rules)
    assert {key for _, key in MESSAGES} <= set(BY_KEY)


@pytest.mark.parametrize("row", [row for row in ANSWERS if row.code and row.message], ids=lambda row: row.key)
def test_an_answer_as_the_table_words_it_is_found_again(row: Any) -> None:
    """The table’s own code and message lead back to its row."""
    assert classify(row.status, envelope(row.code, row.message)) == row.key
