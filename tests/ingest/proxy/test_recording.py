"""A recording that may fail in any place: nothing is raised, and what is missing is told."""

from __future__ import annotations

import asyncio
import logging

import pytest

from tests.ingest.proxy.stand import FakeRecorder, Tasks
from webapp.ingest.proxy import recording
from webapp.ingest.proxy.recording import Recording


def played(recorder: FakeRecorder, parts: int = 3, size: int = 4, early: bool = False) -> Recording:
    """A recording of some parts; early: all of them come before it has begun."""

    async def main() -> Recording:
        tasks = Tasks()
        made = Recording(recorder.begin, tasks.spawn)
        if early:
            recorder.gate = asyncio.Event()
        else:
            await tasks.done()
        for number in range(parts):
            made.write(bytes([65 + number]) * size, float(number))
        made.note("Something to say.")
        made.end("It is over.")
        if recorder.gate is not None:
            recorder.gate.set()
        await tasks.done()
        return made

    return asyncio.run(main())


@pytest.mark.parametrize("early", [False, True])
def test_everything_arrives_with_its_time(early: bool) -> None:
    """Also what came while the recording was being begun."""
    recorder = FakeRecorder()
    assert not played(recorder, early=early).failed
    [(_, live)] = recorder.begun
    assert live.written == [(b"AAAA", 0.0), (b"BBBB", 1.0), (b"CCCC", 2.0)]
    assert (live.notes, live.reason) == (["Something to say."], "It is over.")


def test_too_much_before_it_began_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is bounded; the beginning is kept, and there is no second gap."""
    monkeypatch.setattr(recording, "HELD_BYTES", 9)
    recorder = FakeRecorder()
    made = played(recorder, parts=4, early=True)
    [(_, live)] = recorder.begun
    assert (live.body, live.lost, made.failed) == (b"AAAABBBB", [(8, 3.0)], True)


def test_one_that_is_over_says_why_once(caplog: pytest.LogCaptureFixture) -> None:
    """Its trace is full or was deleted: that is no traffic which comes too fast."""
    recorder = FakeRecorder(over="There is no such recording.")
    with caplog.at_level(logging.WARNING, "lanescope"):
        assert played(recorder).over
    [line] = caplog.records
    assert line.getMessage() == (
        "traffic is passed on, but not recorded any more: There is no such recording."
    )


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("fails", ["write", "note", "end", "write note", "write note end"])
def test_what_breaks_is_logged_once_and_told(
    caplog: pytest.LogCaptureFixture, early: bool, fails: str
) -> None:
    """The trace is ended with the reason where that can be done."""
    recorder = FakeRecorder(fails=frozenset(fails.split()))
    with caplog.at_level(logging.WARNING, "lanescope"):
        assert played(recorder, early=early).failed
    assert len(caplog.records) == 1
    [(_, live)] = recorder.begun
    if "write" in fails and "note" not in fails:
        assert any("missing" in note for note in live.notes)
    if "end" not in fails:
        assert live.reason


def test_what_is_dropped_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    """The recorder counts it and tells it itself, so nothing is added."""
    recorder = FakeRecorder(full=True)
    with caplog.at_level(logging.WARNING, "lanescope"):
        played(recorder)
    assert len(caplog.records) == 1
    [(_, live)] = recorder.begun
    assert (live.notes, live.reason) == (["Something to say."], "It is over.")


@pytest.mark.parametrize("early", [False, True])
def test_one_that_cannot_begin_counts_what_it_lost(caplog: pytest.LogCaptureFixture, early: bool) -> None:
    """Nothing is kept, and the log says so once."""
    recorder = FakeRecorder(refuses=1)
    with caplog.at_level(logging.WARNING, "lanescope"):
        made = played(recorder, early=early)
    assert (made.stillborn, made.lost) == (True, 12)
    assert len(caplog.records) == 1
    assert recorder.begun == []
