"""Records before they reach the engine: times of day over midnight, and a flag known in time."""

from __future__ import annotations

import pytest

from webapp.core.records import Record
from webapp.ingest.incoming import Midnight, prepared
from webapp.readers.base import Account

DAY = 86_400


def records(*times: float | None) -> list[Record]:
    return [Record(b"{}", n, 0, None, (), at) for n, at in enumerate(times, 1)]


@pytest.mark.parametrize(
    ("times", "told"),
    [
        ([1.0, 2.0, 2.0], [1.0, 2.0, 2.0]),
        ([86_399.0, 1.0, 2.0], [86_399.0, DAY + 1.0, DAY + 2.0]),
        ([86_399.0, 1.0, 86_399.5, 2.0], [86_399.0, DAY + 1.0, 86_399.5, DAY + 2.0]),
        (
            [86_399.0, 1.0, 40_000.0, 80_000.0, 1.0],
            [86_399.0, DAY + 1.0, DAY + 40_000.0, DAY + 80_000.0, 2 * DAY + 1.0],
        ),
        ([100.0, 99.0, 98.0], [100.0, 99.0, 98.0]),
    ],
)
def test_a_jump_back_of_more_than_half_a_day_is_midnight(times: list[float], told: list[float]) -> None:
    """A little disorder is not, around midnight neither."""
    clock = Midnight()
    assert [clock.add(time) for time in times] == told


def test_days_are_counted_on_and_it_is_said() -> None:
    """Only for recordings that tell the time of day."""
    account = Account(time_of_day=True)
    out = list(prepared(records(86_399.0, None, 1.0), account))
    assert [record.prefix_at for record in out] == [86_399.0, None, DAY + 1.0]
    assert [artefact.kind for artefact in account.artefacts] == ["midnight"]


def test_dates_are_left_alone() -> None:
    """They know their day."""
    account = Account()
    given = records(1_788_249_600.0, 1_788_000_000.0)
    assert list(prepared(given, account)) == given
    assert account.artefacts == []


def test_what_the_reader_says_with_its_first_record_is_known_at_once() -> None:
    """Before anything is judged."""
    account = Account()

    def read() -> object:
        account.head_missing = True
        yield from records(1.0)

    out = prepared(read(), account)  # type: ignore[arg-type]
    assert account.head_missing
    assert len(list(out)) == 1
    assert list(prepared([], Account())) == []
