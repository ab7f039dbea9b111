"""Records a page at a time, for playing a trace back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy.orm import Session

from tests.streams import finished, message, sse, started
from webapp.storage import playback
from webapp.storage.models import Trace

Store = Callable[..., Trace]


def test_pages_follow_each_other_without_a_gap(session: Session, long_trace: Trace) -> None:
    """A page ends after PAGE records; the next one begins behind it, and the last is short."""
    seen: list[int] = []
    while page := playback.page(session, long_trace.pk, len(seen)):
        assert len(page) <= playback.PAGE
        seen += [record.seq for record in page]
    assert seen == list(range(long_trace.records))


def test_a_page_of_long_records_is_short(
    session: Session, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is bounded in characters too, and a record longer than that still comes."""
    monkeypatch.setattr(playback, "PAGE_CHARS", 1000)
    trace = store([started(), *message("m", "x" * 600, "y" * 600, "z" * 5000), finished()])
    pages, start = [], 0
    while page := playback.page(session, trace.pk, start):
        pages.append([record.seq for record in page])
        start = page[-1].seq + 1
    assert [seq for page in pages for seq in page] == list(range(trace.records))
    assert [4] in pages


def test_beats_begin_behind_a_record(session: Session, long_trace: Trace) -> None:
    """In order, with what each did, at most as many as are asked for."""
    beats = playback.beats(session, long_trace.pk, 1, 3)
    assert [(beat.seq, beat.change) for beat in beats] == [(2, "grew"), (3, "grew"), (4, "grew")]


@pytest.mark.parametrize(("seq", "found"), [(0, 0), (2, 1), (3, 1), (4, 4)])
def test_the_time_that_holds_is_the_newest_before(
    session: Session, store: Store, seq: int, found: int
) -> None:
    """A record without a time of that source is passed over."""
    start, opened, grew, closed = (
        {**started(), "timestamp": 1_764_000_000_000},
        *message("m", "x"),
    )
    opened["timestamp"] = 1_764_000_000_100
    trace = store([start, opened, grew, closed, {**finished(), "timestamp": 1_764_000_000_500}])
    beat = playback.before(session, trace.pk, seq, "event")
    assert beat is not None
    assert beat.seq == found
    assert playback.before(session, trace.pk, seq, "arrival") is None


def test_the_tail_is_the_end_of_what_was_read(session: Session, store: Store) -> None:
    """Of a packed upload that is the expanded text's; of a trace that is not there nothing."""
    import gzip

    body = sse(started(), finished())
    for stored in (body, gzip.compress(body)):
        assert playback.tail(session, store(stored, name=str(len(stored))).pk).endswith(body[-40:])
    assert playback.tail(session, 999) == b""
