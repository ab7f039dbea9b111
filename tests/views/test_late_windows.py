"""The chosen record is in the window of the Events panel wherever it is, also at the very end."""

from __future__ import annotations

import pytest

from tests.bench.streams import sse
from tests.views.conftest import Show, Store

COUNT = 1000


@pytest.mark.parametrize("event", [0, 1, 499, 500, 900, 930, 960, 990, 998, 999])
@pytest.mark.parametrize("fold", [True, False])
def test_the_chosen_record_has_a_row(keep: Store, show: Show, event: int, fold: bool) -> None:
    """Derived and unfolded rows take room, but never that of the chosen record."""
    id_ = keep(b"".join(sse(COUNT)))
    panel = show("events", id_, event=event, fold=fold)
    assert [row.selected for row in panel.rows].count(True) == 1
    assert len(panel.rows) <= 130
    assert (panel.earlier is None) is (event < 13)
    assert (panel.later is None) is (panel.rows[-1].seq == COUNT - 1)


def test_earlier_and_later_reach_every_record(keep: Store, show: Show) -> None:
    """Following the links from the end to the beginning leaves no gap."""
    id_ = keep(b"".join(sse(COUNT)))
    panel, seen = show("events", id_, event=COUNT - 1), set()
    for _ in range(COUNT):
        seen |= {row.seq for row in panel.rows}
        if panel.earlier is None:
            break
        before = panel.rows[0].seq
        start = int(panel.earlier.partition("start=")[2].partition("&")[0])
        panel = show("events", id_, event=COUNT - 1, start=start)
        assert panel.rows[0].seq < before
        assert max(row.seq for row in panel.rows) >= before - 30  # a folded burst may lie between
    assert panel.earlier is None
    assert 0 in seen
