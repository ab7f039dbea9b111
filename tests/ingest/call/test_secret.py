"""The Authorization value of a call, sent back by an agent, is overwritten before anything sees it."""

from __future__ import annotations

import pytest

from webapp.errors import BadInput
from webapp.ingest.call.secret import Overwriter, authorization

VALUE = "Bearer s3cr3t-tok3n/value"


def through(value: str, pieces: list[bytes]) -> tuple[bytes, int]:
    clean = Overwriter(value)
    out = b"".join(clean.feed(piece) for piece in pieces) + clean.close()
    return out, clean.count


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_the_value_is_overwritten_however_it_is_cut(size: int) -> None:
    """With its scheme and without, in one piece or byte by byte, and nothing moves."""
    text = b"data: you sent Bearer s3cr3t-tok3n/value, s3cr3t-tok3n/value, s3cr3t-tok3n/val\n\n"
    out, count = through(VALUE, [text[at : at + size] for at in range(0, len(text), size)])
    assert len(out) == len(text)
    assert b"s3cr3t-tok3n/value" not in out
    assert out.endswith(b"s3cr3t-tok3n/val\n\n")  # the beginning of one alone is none
    assert count == 2


def test_the_value_as_json_writes_it() -> None:
    """Quotes and backslashes are escaped in a stream of JSON."""
    out, count = through('Digest user="a\\b"', [b'data: {"said": "Digest user=\\"a\\\\b\\""}\n\n'])
    assert b"Digest user" not in out
    assert count == 1


def test_bytes_wait_only_while_they_may_be_the_value() -> None:
    """A stream is recorded as it comes."""
    clean = Overwriter(VALUE)
    assert clean.feed(b"data: hello\n\n") == b"data: hello\n\n"
    assert clean.feed(b"data: s3cr") == b"data: "
    assert clean.feed(b"et\n\n") == b"s3cret\n\n"


@pytest.mark.parametrize("value", ["", "abc", "Bearer x", "Basic YQ=="])
def test_a_short_value_is_not_looked_for_in_parts(value: str) -> None:
    """It would be found in ordinary words: `x` is no credential."""
    text = b"data: abc x YQ ==\n\n"
    assert through(value, [text]) == (text, 0)


@pytest.mark.parametrize("value", ["a\r\nX-Other: 1", "a\nb", "tok\x00en", "schlüssel", "x" * 9_000])
def test_a_value_no_header_can_carry_is_refused_without_being_repeated(value: str) -> None:
    """Line ends would begin another header."""
    with pytest.raises(BadInput) as caught:
        authorization(value)
    assert value not in caught.value.sentence
    assert "Other" not in caught.value.sentence


def test_a_value_loses_the_space_around_it() -> None:
    assert authorization("  Bearer abc \n") == "Bearer abc"
