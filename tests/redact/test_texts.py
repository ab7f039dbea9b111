"""Personal data and secrets are found by their form and overwritten at their own length."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from webapp.redact.texts import DOT, Place, merged, overwritten, places


def covered(text: str, *, is_id: bool = False) -> str:
    return overwritten(text, places(text, is_id=is_id), Counter())


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ("jane.doe+x@mail.example.com", "e-mail addresses"),
        ("jürgen@müller.example", "e-mail addresses"),
        ("jane%40example.com", "e-mail addresses"),
        ("+49 30 1234567", "phone numbers"),
        ("+1 (415) 555-2671", "phone numbers"),
        ("(415) 555-2671", "phone numbers"),
        ("0049301234567", "phone numbers"),
        ("030 1234567", "phone numbers"),
        ("0171/2345678", "phone numbers"),
        ("01715550123", "phone numbers"),
        ("004917155501234", "phone numbers"),
        ("+4917155501234", "phone numbers"),
        ("(415)555-2671", "phone numbers"),
        ("+49\u2011171\u00a0555\u20110123", "phone numbers"),
        ("\uff10\uff11\uff17\uff11\uff15\uff15\uff15\uff10\uff11\uff12\uff13", "phone numbers"),
        ("mia.qq\uff20acme.example", "e-mail addresses"),
        ("mi\u200ba.qq@acme\uff0eexample", "e-mail addresses"),
        ("mia.qq&#64;acme.example", "e-mail addresses"),
        ("mia.qq&#x40;acme&period;example", "e-mail addresses"),
        ("de89 3704 0044 0532 0130 00", "bank accounts"),
        ("gb82west12345698765432", "bank accounts"),
        ("DE89-3704-0044-0532-0130-00", "bank accounts"),
        ("be68 5390 0754 7034", "bank accounts"),
        ("4111 1111 1111 1111", "payment cards"),
        ("5500005555555559", "payment cards"),
        ("378282246310005", "payment cards"),
        ("DE89 3704 0044 0532 0130 00", "bank accounts"),
        ("GB82WEST12345698765432", "bank accounts"),
        ("10.1.2.3", "IP addresses"),
        ("fe80::1ff:fe23:4567:890a", "IP addresses"),
        ("2001:db8::1", "IP addresses"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N", "secrets"),
        ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "secrets"),
    ],
)
def test_each_form_is_overwritten_alone(data: str, what: str) -> None:
    """What stands around it stays, with its length; so does it in JSON inside a text."""
    removed: Counter[str] = Counter()
    text = f"Write to {data}, she said."
    assert overwritten(text, places(text), removed) == f"Write to {DOT * len(data)}, she said."
    assert removed == {what: 1}
    inside = json.dumps({"note": f"\n{data}"}, ensure_ascii=False)
    assert json.loads(covered(inside)) == {"note": "\n" + DOT * len(data)}


@pytest.mark.parametrize(
    "text",
    [
        "On 01-02-2024 2024-01-02 12:30:45.123 it was 1.000.000, 3.14159265358 or 50 %.",
        "1788249600000 17900000000B2 550e8400-e29b-41d4-a716-446655440000",
        "std::string, abc::def, 127.0.0.1, ::1, version 1.2.3 of 10 20 30 40 50 60",
        "19:abc0@thread.v2 a:1zz 29:x 19:aa_bb@unq.gbl.spaces @channel me @ home",
        "4111 1111 1111 1112",
        "GB82 WEST 1234 5698 7654 33",
        "in 1.01715550123 and 0123456789-ab 550e8400-e29b-41d4-a716-0466554400001 00123 abc01715550123",
        "The password is needed. Set token=… in https://example.com/a?page=2&size=10",
        "«redacted: 412 chars»",
        "",
    ],
)
def test_what_only_looks_alike_stays(text: str) -> None:
    """Dates, times, versions, ids of chats, numbers whose check digit is wrong."""
    assert covered(text) == text


SPELT = ["\\u0040", "\\\\u0040", "\\x40", "&#64;", "&commat;", "%40", "%2540", "\uff20"]


@pytest.mark.parametrize("at", SPELT)
def test_an_escaped_address_goes_at_its_own_length(at: str) -> None:
    """In the text of JSON as well, which can be read afterwards; prose and code around it stay."""
    spelt = f"mia.qq{at}acme.example"
    assert covered(f"To {spelt}, and so on") == f"To {DOT * len(spelt)}, and so on"
    assert json.loads(covered(f'{{"x":"{spelt}","y":"\\u00e9 \\n %41"}}')) == {
        "x": DOT * len(spelt),
        "y": "\u00e9 \n %41",
    }
    half = covered(f"To mia.qq{at}ac")
    assert half == f"To {DOT * len(half[3:])}"


@pytest.mark.parametrize(
    ("text", "number"),
    [("\\u002b49 30 1234567", "phone"), ("4111&nbsp;1111&#32;1111\\u00201111", "card"),
     ("\\u0030171\\/555\\u00200123", "phone"), ("%2B4930%201234567", "phone"), ("10\\u002e1.2.3", "machine")],
)  # fmt: skip
def test_an_escaped_number_goes_as_well(text: str, number: str) -> None:
    """Whatever is spelt in it."""
    assert covered(f"<{number} {text}>") == f"<{number} {DOT * len(text)}>"


@pytest.mark.parametrize("said", ["Tel.: 4155552671", "phone=15550123999", "Mobile no: 555 0123 99"])
def test_a_number_that_is_called_a_telephone_is_one(said: str) -> None:
    """Whatever it begins with."""
    assert not any(sign.isdigit() for sign in covered(said))


def test_quotation_marks_that_are_spelt_end_a_value_or_do_not() -> None:
    """Both readings are taken."""
    inside = "{\\u0022email\\u0022:\\u0022Qq Jane\\u0022,\\u0022city\\u0022:\\u0022Bonn\\u0022}"
    assert "Qq" not in covered(inside)
    assert "Bonn" in covered(inside)
    assert "Qq" not in covered('{"surname":"a\\u0022Qq","city":"Bonn"}')


def test_credentials_of_addresses_and_telling_query_values_go() -> None:
    """The rest of the address stays."""
    text = "see https://jane:hunter22@h.example/a?page=2&email=jd&first_name=Jane#x"
    assert (
        covered(text)
        == f"see https://jane:{DOT * 8}@h.example/a?page=2&email={DOT * 2}&first_name={DOT * 4}#x"
    )


def test_a_mention_is_overwritten() -> None:
    """In Teams texts the name of whoever is addressed stands in tags."""
    assert covered("Hello <at>Jane Doe</at>, hi") == f"Hello <at>{DOT * 8}</at>, hi"


def test_an_address_that_has_only_begun_is_overwritten() -> None:
    """The state of a draft that grows ends in the middle of one."""
    assert covered("Send it to jane@exam") == f"Send it to {DOT * 9}"


def test_of_an_id_only_addresses_and_secrets_go() -> None:
    """Long numbers are what ids are made of."""
    assert covered("4111111111111111", is_id=True) == "4111111111111111"
    assert covered("user-jane@example.com", is_id=True) == DOT * 21


def test_half_characters_are_no_obstacle() -> None:
    """Text of the wire may hold lone surrogates."""
    text = "\ud800 jane@example.com ghp_0123456789abcdefghijABCDEFGHIJ012345"
    assert covered(text) == f"\ud800 {DOT * 16} {DOT * 40}"


def test_places_that_overlap_are_one() -> None:
    """Nothing is overwritten or counted twice."""
    assert merged([Place(3, 9, "b"), Place(0, 5, "a"), Place(9, 9, "c"), Place(12, 13, "d")]) == [
        Place(0, 9, "a"),
        Place(12, 13, "d"),
    ]


def test_several_secrets_behind_wide_characters_are_placed_right() -> None:
    """Places are in characters, the masking is in bytes."""
    key = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    assert covered(f"€€ {key} ü {key} é") == f"€€ {DOT * 40} ü {DOT * 40} é"
