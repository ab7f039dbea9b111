"""A quick look says which credentials may be in a piece of text; it never misses one."""

from __future__ import annotations

import random

import pytest

from tests.ingest.credentials import carriers
from webapp.core.masking.found import BACK
from webapp.core.masking.signs import LOOKS, REACH, present

CARRIERS = carriers()
BROKEN = (b"", b'"', b"\\", b"\n", b" ", b"7", b"=", b"/", b"token", b"-u a:b", b"key=")


def places(data: bytes) -> list[tuple[int, object]]:
    """(where, which kind) of every mark."""
    low = data.lower()
    return [
        (found.start(), look)
        for look in LOOKS
        for found in look.pattern.finditer(low if look.lower else data)
    ]


def missed(data: bytes) -> list[tuple[int, object]]:
    """Marks that a look at their first byte alone, or at all of the text, does not tell of."""
    whole = present(data, 0, len(data))
    return [
        (at, look) for at, look in places(data) if look not in whole or look not in present(data, at, at + 1)
    ]


@pytest.mark.parametrize("name", CARRIERS)
def test_every_mark_has_its_sign(name: str) -> None:
    """Wherever the piece begins and ends."""
    assert missed(CARRIERS[name].encode()) == []


@pytest.mark.parametrize("seed", range(10))
def test_every_mark_of_mutilated_text_has_its_sign(seed: int) -> None:
    """In any letters' case, with anything put in between."""
    chance = random.Random(seed)
    data = bytearray("".join(CARRIERS[chance.choice(list(CARRIERS))] for _ in range(10)).encode())
    for _ in range(80):
        at = chance.randrange(len(data))
        data[at : at + chance.randrange(3)] = chance.choice(BROKEN)
    for text in (bytes(data), bytes(data).upper(), bytes(data).lower()):
        assert missed(text) == []


def test_every_kind_is_met_here() -> None:
    """A kind without a credential in these tests would have a sign that nothing checks."""
    text = "\n".join([*CARRIERS.values(), *MORE]).encode()
    met = {id(look) for _, look in places(text)}
    assert [look.signs for look in LOOKS if id(look) not in met] == []
    assert missed(text) == []


MORE = (
    'x "encryptedValue":"eyJ" curl -u a:b ya29.' + "a" * 20,
    "hf_" + "a" * 30,
    "gsk_" + "a" * 40,
    "SG." + "a" * 22 + "." + "b" * 43,
    "abc8Q~" + "zZ9." * 8 + ",",
    "ASIA" + "A" * 16,
    "Server=x;Pwd=ab12",
)


def test_a_sign_can_be_found() -> None:
    """It is in small letters, as the text that is looked at, and no longer than what is looked at."""
    for look in LOOKS:
        assert look.signs
        for sign in look.signs:
            assert sign == sign.lower()
            assert 0 < len(sign) < REACH < BACK


def test_ordinary_texts_have_none() -> None:
    """Else the quick look would spare nothing."""
    text = (
        b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"msg-1","delta":"The order was shipped. "}\n\n' * 9
    )
    assert present(text, 0, len(text)) == []
