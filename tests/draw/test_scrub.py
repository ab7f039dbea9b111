"""The track of the scrubber."""

from __future__ import annotations

from webapp.draw import scrub


def test_the_ends_of_the_track_are_the_first_and_the_last_record() -> None:
    """One record alone stands at the left."""
    assert scrub.place(0, 40) == scrub.LEFT
    assert scrub.place(39, 40) == scrub.RIGHT
    assert scrub.place(0, 1) == scrub.LEFT


def test_a_rejected_trace_is_dashed_after_the_stop() -> None:
    """Solid as far as anything was delivered."""
    assert "stroke-dasharray" in scrub.draw(40, 12, 12, [])
    assert "stroke-dasharray" not in scrub.draw(40, 12, None, [])


def test_many_findings_are_gathered_and_the_worst_wins() -> None:
    """100,000 findings are at most 200 ticks, and a fatal one is never hidden behind a note."""
    hits = [(seq, 3) for seq in range(0, 100_000, 2)]
    hits.append((50_001, 0))
    found = scrub.gathered(hits, 100_000)
    assert len(found) <= scrub.TICKS
    assert list(found.values()).count(0) == 1
    drawn = scrub.draw(100_000, 7, None, hits)
    assert drawn.count("<path") <= 6
    assert 'class="s-c fatal"' in drawn


def test_an_empty_trace_has_a_track_without_a_cursor() -> None:
    """Nothing to stand on."""
    assert "cursor" not in scrub.draw(0, 0, None, [])
