"""JSON of recordings is read as a client reads it and written so that it can be read again."""

from __future__ import annotations

import json

import pytest

from webapp.redact.values import read, size, write


@pytest.mark.parametrize(
    ("payload", "value"),
    [
        (b'{"a":1}', {"a": 1}),
        (b'\xef\xbb\xbf {"a":1}\n', {"a": 1}),
        (b'{"a":"\\ud800"}', {"a": "\ud800"}),
        (b'{"a":"\xff"}', {"a": "\ufffd"}),
        (b'{"a":123456789012345678901234567890}', {"a": 123456789012345678901234567890}),
        (b'{"a":1,"a":2}', {"a": 2}),
        (b"[1]", None),
        (b'{"a":NaN}', None),
        (b'{"a":', None),
        (b"", None),
        (b'{"a":' * 100_000, None),
    ],
)
def test_what_a_client_can_read_is_read(payload: bytes, value: object) -> None:
    """Half characters, wrong bytes and long numbers are no reason to lose a record."""
    assert read(payload) == value


@pytest.mark.parametrize("value", [{"a": "\ud800"}, {"a": 10**40}, {"a": [1.5, None, True, "é"]}])
def test_what_is_written_is_read_again(value: object) -> None:
    """As JSON that any parser takes."""
    assert json.loads(write(value)) == value


def test_a_number_beyond_all_numbers_stays_json() -> None:
    """JSON has no infinity: it becomes null, beside a number that only Python can write, too."""
    for more in (b"1", b"1" * 40):
        value = read(b'{"a":1e999,"b":%s}' % more)
        assert json.loads(write(value)) == {"a": None, "b": int(more)}


@pytest.mark.parametrize("value", [{"a": "é\n"}, [1, 2], "\ud800", {"k": {"l": [None]}}])
def test_a_size_is_in_characters_of_compact_json(value: object) -> None:
    """Not in bytes, and without white space."""
    assert size(value) == len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
