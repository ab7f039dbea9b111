"""The recorder when something fails: nothing is lost that was taken, and one recording harms no other."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from tests.ingest.live import taking
from tests.ingest.live.taking import Taking
from tests.streams import finished, message, sse, started
from webapp.errors import Busy, NotFound
from webapp.ingest.live import bench as bench_module
from webapp.ingest.live import recorder, transactions
from webapp.ingest.live.analyst import Analyst
from webapp.ingest.live.handle import BEHIND
from webapp.settings import load_settings
from webapp.storage import captures
from webapp.storage import traces as repository
from webapp.storage.db import Database

WHOLE = sse(started(), *message("m", "Hello", " world"), finished())
FULL = OperationalError("", None, sqlite3.OperationalError("database or disk is full"))
FAULTS = [FULL, NoConnection("no connection is free")]


@pytest.fixture
def take(database: Database, tmp_path: Path) -> Taking:
    return Taking(database, load_settings(data_dir=tmp_path))


def _note(take: Taking, public: str, kind: str) -> str:
    found = [note["message"] for note in take.trace(public).artefacts if note["kind"] == kind]
    return found[0] if found else ""


@pytest.mark.parametrize("fault", FAULTS, ids=["full", "no connection"])
def test_what_could_not_be_stored_is_stored_later(
    take: Taking, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    """A disk that is full for a while costs nothing, and those who wait go on waiting until it is over."""
    live = take.begin()
    monkeypatch.setattr(captures, "append", _raising(fault))
    live.write(WHOLE[:150])

    async def wait() -> None:
        waiting = asyncio.create_task(live.stored())
        await asyncio.sleep(0)
        for _ in range(3):
            with pytest.raises(type(fault)):
                await asyncio.to_thread(take.round)
        live.write(WHOLE[150:])
        assert not waiting.done()
        monkeypatch.undo()
        live.stop()
        await asyncio.to_thread(take.round)
        await waiting

    asyncio.run(wait())
    assert take.text(live.id) == WHOLE
    assert (take.trace(live.id).status, take.trace(live.id).verdict) == ("ready", "conformant")


def _raising(fault: Exception) -> Any:
    def fail(*_: Any, **__: Any) -> None:
        raise fault

    return fail


@pytest.mark.parametrize("fault", FAULTS, ids=["full", "no connection"])
@pytest.mark.parametrize("where", ["add_events", "add_segments"])
def test_what_could_not_be_judged_for_lack_of_room_is_judged_later(
    take: Taking, monkeypatch: pytest.MonkeyPatch, fault: Exception, where: str
) -> None:
    """The bytes are safe, and every recording of the round is judged anew, whichever of them met the fault."""
    lives = [take.begin() for _ in range(4)]
    for live in lives:
        live.write(WHOLE[:100])
    take.round()
    for live in lives:
        live.write(WHOLE[100:])
    calls = 0

    def third(*_: Any) -> None:
        nonlocal calls
        calls += 1
        if calls >= 3:
            raise fault

    monkeypatch.setattr(f"webapp.storage.bulk.{where}", third)
    with pytest.raises(type(fault)):
        take.round()
    monkeypatch.undo()
    for live in lives:
        live.stop()
    take.round()
    rows = [taking.derived(take.database, live.id) for live in lives]
    assert [take.trace(live.id).status for live in lives] == ["ready"] * 4
    assert all(row == rows[0] for row in rows)
    assert len(rows[0]["events"]) == 6


class Broken(Analyst):
    """Fails at a word."""

    def _judge(self, records: Any) -> None:
        if any(b"POISON" in record.payload for record in records):
            raise RuntimeError("an engine that fails")
        super()._judge(records)


def test_a_recording_that_cannot_be_judged_harms_no_other(
    take: Taking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is kept whole, told as failed at its end, and can be read again when the fault is mended."""
    monkeypatch.setattr(bench_module, "Analyst", Broken)
    poison = sse(started(), *message("m", "POISON"), finished())
    good, bad, late = take.begin(), take.begin(), take.begin()
    good.write(WHOLE[:80])
    bad.write(poison[:80])
    take.round()
    bad.write(poison[80:])
    good.write(WHOLE[80:])
    take.round()
    late.write(WHOLE)
    good.stop()
    bad.stop()
    late.stop()
    take.round()
    assert [take.trace(live.id).status for live in (good, bad, late)] == ["ready", "failed", "ready"]
    assert take.text(bad.id) == poison
    assert take.trace(bad.id).error == bench_module.UNJUDGED
    assert take.trace(good.id).verdict == take.trace(late.id).verdict == "conformant"
    assert take.heard.all[-1].status == "failed" or any(s.status == "failed" for s in take.heard.all)
    assert not take.recorder._bench.busy


@pytest.mark.parametrize("fault", [IntegrityError("", None, Exception("x")), RuntimeError("x")])
def test_a_recording_that_cannot_even_be_closed_harms_no_other(
    take: Taking, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    """A fault that belongs to one trace alone is no trouble of the database, so nobody waits for it."""
    real = transactions.close

    def close(session: Any, trace: Any, capture: Any) -> None:
        if trace.name == "bad":
            raise fault
        real(session, trace, capture)

    monkeypatch.setattr(transactions, "close", close)
    bad, good = take.begin(name="bad"), take.begin(name="good")
    for live in (bad, good):
        live.write(WHOLE)
        live.stop()
    take.round()
    assert take.trace(good.id).status == "ready"
    assert take.trace(bad.id).status == "live"
    monkeypatch.undo()
    Taking(take.database, take.settings).round()  # the next start closes it
    assert take.trace(bad.id).status == "ready"


def test_a_trace_that_is_deleted_while_it_is_recorded_is_gone(take: Taking) -> None:
    """Between any two rounds; nothing of it comes back, the others go on, watchers are told."""
    lives = [take.begin() for _ in range(3)]
    for live in lives:
        live.write(WHOLE[:100])
    take.round()
    with take.database.session() as session:
        repository.delete(session, lives[1].pk)
    for live in lives:
        live.write(WHOLE[100:])
        live.stop()
    take.round()
    take.round()
    with take.database.session() as session:
        assert repository.get(session, lives[1].id) is None
        for table in (*taking.DERIVED, captures.Capture.__table__, captures.Original.__table__):
            assert not session.execute(sa.select(table).where(table.c.trace == lives[1].pk)).first()
    assert [take.trace(lives[at].id).status for at in (0, 2)] == ["ready", "ready"]
    assert {signal.status for signal in take.heard.all if signal.trace == lives[1].id} == {"live", "gone"}
    assert lives[1].failed


def test_a_quiet_trace_that_is_deleted_is_noticed(take: Taking) -> None:
    """Nothing comes for it any more, and still it does not count as running for ever."""
    live = take.begin(kind="batch")
    take.round()
    with take.database.session() as session:
        repository.delete(session, live.pk)
    take.recorder._beaten = float("-inf")
    take.round()
    assert take.heard.all[-1].status == "gone"
    assert (take.recorder._ours, take.recorder._bench.busy) == ({}, False)


def test_a_recording_left_by_a_killed_server_is_closed_with_the_reason(take: Taking) -> None:
    """At the next start, with everything that was stored, whatever kind it is."""
    killed = Taking(take.database, take.settings)
    lives = [killed.begin(kind=kind) for kind in ("push", "proxy", "call", "batch")]
    lives[0].write(WHOLE[:200])
    killed.round()
    lives[0].write(WHOLE[200:])
    take.round()
    for live in lives:
        trace = take.trace(live.id)
        assert (trace.status, _note(take, live.id, transactions.CUT)) == ("ready", transactions.KILLED)
        assert trace.upload_notes == [
            {"kind": transactions.CUT, "message": transactions.KILLED, "line": None}
        ]
    assert take.text(lives[0].id) == WHOLE[: WHOLE.rindex(b"\n\n", 0, 200) + 2]
    assert take.trace(lives[0].id).records > 0


def test_a_recording_whose_end_was_stored_and_not_judged_is_judged_at_the_next_start(take: Taking) -> None:
    """The server was killed between the two transactions of a round; nothing is missing, so nothing is told."""
    killed = Taking(take.database, take.settings)
    live = killed.begin()
    live.write(WHOLE)
    live.stop()
    taken = live.take()
    assert taken is not None
    transactions.keep(take.database, [taken], killed.recorder.owner)
    assert take.trace(live.id).status == "live"
    take.round()
    assert (take.trace(live.id).status, take.trace(live.id).verdict) == ("ready", "conformant")
    assert _note(take, live.id, transactions.CUT) == ""


def test_a_process_that_was_taken_for_dead_goes_on(take: Taking) -> None:
    """It stood still, another one closed its recording; when it wakes up nothing is lost and nothing is told."""
    slept = Taking(take.database, take.settings)
    live = slept.begin()
    live.write(WHOLE[:150])
    slept.round()
    take.round()  # takes it for dead, as the only process there is
    assert take.trace(live.id).status == "ready"
    live.write(WHOLE[150:])
    slept.round()
    assert take.trace(live.id).status == "live"
    live.stop()
    slept.round()
    assert (take.text(live.id), take.trace(live.id).status) == (WHOLE, "ready")
    assert _note(take, live.id, transactions.CUT) == ""
    assert take.trace(live.id).verdict == "conformant"


def test_a_commit_whose_answer_was_lost_stores_nothing_twice(
    take: Taking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection breaks after the database committed: the same pieces come again."""
    live = take.begin()
    live.write(WHOLE[:150])
    real = transactions.keep

    def keep(*told: Any) -> Any:
        real(*told)
        raise FULL

    monkeypatch.setattr(transactions, "keep", keep)
    with pytest.raises(OperationalError):
        take.round()
    live.write(WHOLE[150:])
    live.stop()
    with pytest.raises(OperationalError):
        take.round()
    monkeypatch.undo()
    take.round()
    assert take.text(live.id) == WHOLE
    assert len(taking.derived(take.database, live.id)["events"]) == 6


def test_a_gap_is_told_while_the_recording_goes_on(take: Taking, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is in the database with what came next, so a server that is killed does not forget it."""
    monkeypatch.setattr("webapp.ingest.live.handle.MOST_PENDING", len(WHOLE) + 10)
    killed = Taking(take.database, take.settings)
    live = killed.begin()
    assert live.write(WHOLE)
    assert not live.write(WHOLE)
    killed.round()
    assert live.write(b"\n" + WHOLE[:-1])
    killed.round()
    take.round()
    assert _note(take, live.id, transactions.GAP).startswith(f"{len(WHOLE) + 1:,} bytes are missing")
    assert _note(take, live.id, transactions.CUT) == transactions.KILLED


def test_a_long_recording_is_caught_up_with_in_several_rounds(
    take: Taking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restart others are not kept waiting by one large recording."""
    monkeypatch.setattr("webapp.ingest.live.analyst.BYTES_AT_ONCE", 300)
    monkeypatch.setattr("webapp.ingest.live.analyst.PARTS_AT_ONCE", 2)
    killed = Taking(take.database, take.settings)
    live = killed.begin()
    text = sse(started(), *message("m", *map(str, range(60))), finished())
    for at in range(0, len(text), 200):
        live.write(text[at : at + 200])
        killed.round()
    take.round()
    assert take.trace(live.id).status == "live"
    rounds = 1
    while take.recorder._bench.due:
        take.round()
        rounds += 1
    assert rounds > 5
    assert (take.trace(live.id).status, take.trace(live.id).records) == ("ready", 64)


def test_a_server_that_stops_ends_what_runs(take: Taking) -> None:
    """With the reason, and every byte that came, batches included."""
    lives = [take.begin(kind=kind) for kind in ("push", "proxy", "batch")]
    take.recorder.start()
    lives[0].write(WHOLE[:-1])
    take.recorder.stop()
    assert take.recorder._thread is not None
    assert not take.recorder._thread.is_alive()
    assert [_note(take, live.id, transactions.CUT) for live in lives] == [transactions.STOPPED] * 3
    assert take.text(lives[0].id) == WHOLE[:-1]
    with pytest.raises(Busy):
        take.begin()


def test_too_many_recordings_are_refused(take: Taking, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches count too; one that ends makes room."""
    monkeypatch.setattr(recorder, "MOST", 2)
    live = take.begin()
    take.begin(kind="batch")
    with pytest.raises(Busy):
        take.begin()
    take.end(live)
    take.begin()


def test_a_database_that_stays_locked_is_told_to_those_who_begin(
    take: Taking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence and no stack trace; and after a while at once."""
    monkeypatch.setattr(transactions, "begin", _raising(FULL))
    with pytest.raises(Busy, match="more slowly"):
        take.begin()
    monkeypatch.undo()
    take.recorder._trouble = time.monotonic() - recorder.PATIENCE - 1
    with pytest.raises(Busy, match="more slowly"):
        take.begin()


@pytest.fixture
def locked(database: Database) -> Iterator[sqlite3.Connection]:
    """Another program that writes, and never ends."""
    with database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 1")
    other = sqlite3.connect(database.url.removeprefix("sqlite:///"), isolation_level=None)
    yield other
    other.close()


@pytest.mark.databases("sqlite")
def test_a_locked_database_gives_back_pressure_and_loses_nothing(
    take: Taking, locked: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real lock: who waits is told in the end, and what came is there when the lock is gone."""
    monkeypatch.setattr(recorder, "PATIENCE", 0.0)
    monkeypatch.setattr(recorder, "BACK_OFF", (0.0,))
    live = take.begin()
    locked.execute("BEGIN IMMEDIATE")
    take.recorder.start()
    live.write(WHOLE)

    async def wait() -> None:
        with pytest.raises(Busy) as told:
            await live.stored()
        assert told.value.sentence == BEHIND
        with pytest.raises(Busy):
            await take.recorder.begin(name="n", source="s", kind="push")
        locked.execute("ROLLBACK")
        await live.end()

    asyncio.run(wait())
    take.recorder.stop()
    assert take.text(live.id) == WHOLE
    assert (take.trace(live.id).status, take.trace(live.id).verdict) == ("ready", "conformant")


def test_a_recording_that_was_never_there_is_not_found(take: Taking) -> None:
    """Deleted before its first byte came."""
    live = take.begin()
    with take.database.session() as session:
        repository.delete(session, live.pk)
    live.write(WHOLE)
    take.round()
    with pytest.raises(NotFound):
        asyncio.run(live.push(WHOLE))


@pytest.mark.parametrize("whole", [True, False], ids=["in the end", "while it goes on"])
def test_a_recording_that_cannot_be_stored_harms_no_other(
    take: Taking, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, whole: bool
) -> None:
    """It ends with what is stored of it and the reason; who waits for it is told; the others miss nothing."""
    first, bad, last = (take.begin() for _ in range(3))
    for live in (first, bad, last):
        live.write(WHOLE[:100])
    take.round()
    real = captures.append

    def append(session: Any, capture: Any, piece: Any) -> Any:
        if capture.trace == bad.pk:
            raise ValueError("bytes that no table takes")
        return real(session, capture, piece)

    monkeypatch.setattr(captures, "append", append)
    for live in (first, bad, last):
        live.write(WHOLE[100:])
        if whole:
            live.stop()

    async def wait() -> None:
        waiting = [asyncio.create_task(live.stored()) for live in (first, bad, last)]
        await asyncio.sleep(0)
        await asyncio.to_thread(take.round)
        answers = await asyncio.gather(*waiting, return_exceptions=True)
        assert [str(answer) for answer in answers] == ["None", transactions.UNKEPT, "None"]

    asyncio.run(wait())
    assert not bad.write(WHOLE)
    for live in (first, last):
        live.stop()
    take.round()
    assert [take.trace(live.id).status for live in (first, bad, last)] == ["ready"] * 3
    assert [take.text(live.id) for live in (first, last)] == [WHOLE] * 2
    assert WHOLE.startswith(take.text(bad.id))
    assert _note(take, bad.id, transactions.CUT) == transactions.UNKEPT
    assert [record.exc_info is not None for record in caplog.records] == [True]


def test_a_beginning_that_nobody_waits_for_any_more_ends(
    take: Taking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row is there by then, so it is looked after: no trace stays live for ever."""
    real, inside, go_on = transactions.begin, threading.Event(), threading.Event()

    def slow(*about: Any) -> tuple[str, int]:
        inside.set()
        assert go_on.wait(10)
        return real(*about)

    monkeypatch.setattr(transactions, "begin", slow)

    async def main() -> None:
        beginning = asyncio.create_task(take.recorder.begin(name="n", source="s", kind="push"))
        await asyncio.to_thread(inside.wait, 10)
        beginning.cancel()
        with pytest.raises(asyncio.CancelledError):
            await beginning
        go_on.set()
        async with asyncio.timeout(10):
            while not take.recorder._lives:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)  # the loop hears of it

    asyncio.run(main())
    take.round()
    [public] = {signal.trace for signal in take.heard.all}
    assert take.trace(public).status == "ready"
    assert _note(take, public, transactions.CUT) == transactions.STOPPED
