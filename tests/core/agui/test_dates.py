"""Dates of interrupts, read without a clock."""

from __future__ import annotations

import pytest

from webapp.core.agui.dates import epoch_ms, looks_like_date


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("1970-01-01", 0),
        ("1970-01-01T00:00:01Z", 1000),
        ("2000-02-29T12:30:00Z", 951_827_400_000),
        ("2000-02-29T14:30:00+02:00", 951_827_400_000),
        ("2000-02-29 12:30:00.250Z", 951_827_400_250),
        ("1969-12-31T23:59:59Z", -1000),
        ("2030-01-01T10:00", 1_893_492_000_000),
    ],
)
def test_an_iso_date_is_read(text: str, milliseconds: int) -> None:
    """Dates with and without time, fraction and offset."""
    assert epoch_ms(text) == milliseconds


@pytest.mark.parametrize("text", ["", "soon", "1893492000", "2030-13-01", "2030-01-32", "2030-01-01T25:00Z"])
def test_what_is_no_date_is_none(text: str) -> None:
    """Seconds as text, words and impossible dates are refused."""
    assert epoch_ms(text) is None
    assert not looks_like_date(text)


def test_a_date_in_words_is_left_alone() -> None:
    """Clients read such dates although they are not ISO 8601."""
    assert looks_like_date("Tue, 01 Jan 2030 10:00:00 GMT")
