"""Members whose name says that their value is somebody's."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest

from webapp.redact.sentences import WORDS
from webapp.redact.telling import is_telling, is_telling_path, places
from webapp.redact.texts import overwritten
from webapp.redact.texts import places as text_places


@pytest.mark.parametrize(
    "name", ["email", "givenName", "given_name", "Given-Name", "userPrincipalName", "aadObjectId"]
)
def test_a_telling_name_counts_however_it_is_joined(name: str) -> None:
    """And in any letters."""
    assert is_telling(name)
    assert is_telling(name.upper())


@pytest.mark.parametrize("name", ["name", "messageId", "emails_sent", "tool_name", "", "x" * 100])
def test_other_names_tell_nothing(name: str) -> None:
    """A `name` may be that of a tool."""
    assert not is_telling(name)


@pytest.mark.parametrize("value", ["Jane", 'Ja"ne', "Ja\\ne", "", "Zoë", "a" * 3000])
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_value_is_found_in_the_text_of_json(value: str, depth: int) -> None:
    """Also where the JSON stands in a JSON string, once or twice."""
    text = json.dumps({"id": 1, "givenName": value, "x": "Doe"})
    for _ in range(depth):
        text = json.dumps({"args": text})
    found = list(places(text))
    assert len(found) == 1
    start, end = found[0]
    rest = text[:start] + text[end:]
    assert value not in rest or len(value) < 2
    assert "Doe" in rest


def test_a_number_and_a_torn_value_are_found() -> None:
    """The rest of the text may come later, or never."""
    text = '{"phone": 4912345, "email":"ja'
    assert [text[start:end] for start, end in places(text)] == ["4912345", "ja"]


OTHER = ["tel", "mobile", "telephone", "phoneNumber", "e_mail", "E-Mail", "emails", "phone2", "billingEmail",
         "customer_phone_number", "home phone", "address",
         "addressLine1", "\uff25\uff2d\uff21\uff29\uff2c", "Vorname"]  # fmt: skip


@pytest.mark.parametrize("name", OTHER)
def test_other_spellings_tell_as_well(name: str) -> None:
    """In the plural, numbered, behind other words, in wide letters."""
    assert is_telling(name)
    assert covered(json.dumps({name: "Jane"}, ensure_ascii=False)) == json.dumps(
        {name: "••••"}, ensure_ascii=False
    )


@pytest.mark.parametrize("name", ["microphone", "hotel", "mailbox", "isolated", "surnames_count"])
def test_a_name_within_another_word_tells_nothing(name: str) -> None:
    """Words count, not letters."""
    assert not is_telling(name)


def test_no_member_that_the_engine_needs_is_telling() -> None:
    """Of the protocols only the directory's id of a person is."""
    assert {word for word in WORDS if is_telling(word)} <= {"aadObjectId"}


def covered(text: str) -> str:
    return overwritten(text, text_places(text), Counter())


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
@pytest.mark.parametrize(
    "value", ['Qq"Ja', "Qq\\", 'Qq\\"Qq', {"Qq": "Qq", "n": 12345}, ["Qq", {"x": ["Qq"]}, 7]]
)
def test_nothing_of_a_value_with_marks_or_parts_is_left(value: Any, depth: int) -> None:
    """Lists and objects too, in JSON in JSON; what comes after it stays."""
    text = json.dumps({"tel": value, "x": "Doe"})
    for _ in range(depth):
        text = json.dumps({"args": text})
    made = covered(text)
    assert not re.search("Qq|Ja|12345", made), made
    assert "Doe" in made
    assert len(made) == len(text)


def test_a_long_value_goes_to_its_end() -> None:
    """And one whose end has not come to the end of the text."""
    assert "Q" not in covered(json.dumps({"tel": "Q" * 9000, "x": ["Doe"]}))
    assert "Q" not in covered('{"tel":["' + '","'.join(["Q" * 90] * 900))


@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize(
    "operation",
    [
        {"op": "replace", "path": "/user/phone", "value": "Qqphone"},
        {"op": "add", "path": "/user/ssn/x", "value": ["Qqssn", 5]},
        {"value": "Qqphone", "path": "/user/phone"},
        {"value": 998877, "op": "test", "path": "/user/phone"},
        {"name": "phone", "value": "Qqphone"},
        {"description": "Phone number", "value": "Qqphone"},
    ],
)
def test_a_patch_in_a_text_is_read_as_one(operation: dict[str, Any], depth: int) -> None:
    """As arguments of a tool hold it."""
    text = json.dumps([operation, {"op": "add", "path": "/city", "value": "Bonn"}])
    for _ in range(depth):
        text = json.dumps({"args": text})
    assert not re.search("Qq|998877", covered(text))
    assert "Bonn" in covered(text)


@pytest.mark.parametrize(
    ("path", "telling"),
    [("/user/phone", True), ("/phones/0", True), ("/user/ssn/x", True), ("/a~1b/e-mail", True), ("/from/name", True),
     ("/messages/3/name", True), ("/tools/0/name", False), ("", False), ("/microphone", False), ("/", False)],
)  # fmt: skip
def test_a_path_tells_by_any_of_its_steps(path: str, telling: bool) -> None:
    """What is below a telling name is personal as well."""
    assert is_telling_path(path) is telling


def test_other_members_are_left_alone() -> None:
    """What is said in a text is none."""
    assert list(places('{"name":"Jane","note":"email: x","value":"y"}')) == []


def test_many_values_without_an_end_are_no_burden() -> None:
    """Each is looked at once."""
    text = '{"tel":[{"tel":{"tel":"' * 40_000
    assert covered(text).count("tel") == 1
