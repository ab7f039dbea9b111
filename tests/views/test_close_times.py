"""Rows whose records came within a burst, minutes after the start, still say which came when."""

from __future__ import annotations

import re
from typing import Any

from tests.streams import finished, message, started

BEGUN = 1_795_982_659_000  # milliseconds


def burst() -> list[dict[str, Any]]:
    """Five minutes and fifty seconds of silence, then records 4 ms apart."""
    events = [started(), *message("m", "a"), *message("n", "b"), finished()]
    late = [0, *(350_000 + 4 * n for n in range(len(events) - 1))]
    return [{**event, "timestamp": BEGUN + after} for event, after in zip(events, late, strict=True)]


def test_no_two_rows_of_a_burst_read_the_same_time(keep: Any, show: Any) -> None:
    """In Events and in Sequence, folded or not."""
    id_ = keep(burst())
    times = [row.time for row in show("events", id_).rows]
    assert times[1:3] == ["+5:50.000", "+5:50.004"]
    assert len(set(times)) == len(times) == 8
    drawn = re.findall(r">([\d:.]+)</text>", show("sequence", id_, fold=False).left)
    assert drawn[:2] == ["5:50.000", "5:50.004"]
    assert len(set(drawn)) == len(drawn) == 7
