"""A running recording under pressure: it never waits in `write`, bounds memory, and tells what is missing."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from tests.ingest.live.taking import Taking
from webapp.errors import Busy, NotFound, TooLarge
from webapp.ingest.live import handle
from webapp.ingest.live.handle import MOST_PENDING, Live
from webapp.ingest.live.pending import Pending
from webapp.settings import load_settings
from webapp.storage import traces
from webapp.storage.db import Database

EVENT = b'{"type":"CUSTOM","name":"n","value":1}\n'


def live(limit: int = 10**9, pending: Pending | None = None) -> Live:
    return Live("t", 1, True, limit, lambda: None, pending)


def test_a_full_recording_drops_and_says_how_much() -> None:
    """What fits stays; the rest is counted; once there is room it goes on with a whole line."""
    one = live()
    block = EVENT * 10_000
    sizes = [one.write(block) for _ in range(60)]
    assert 0 < sizes.count(True) * len(block) <= MOST_PENDING
    assert sizes == sorted(sizes, reverse=True)
    taken = one.take()
    assert taken is not None
    assert taken.missing >= sizes.count(False) * len(block)
    one.done(taken)
    assert one.write(b"torn line\n" + EVENT)
    again = one.take()
    assert again is not None
    assert b"torn" not in again.pieces[0].data
    assert again.pieces[0].data.endswith(EVENT)


def test_all_recordings_together_are_bounded_too() -> None:
    """One that fills the room leaves none to the others, and gives it back when it is stored or over."""
    pending = Pending(most=1000)
    one, other = live(pending=pending), live(pending=pending)
    assert one.write(b"{" + b" " * 998 + b"\n")
    assert not other.write(b"{}\n")
    taken = one.take()
    assert taken is not None
    one.done(taken)
    assert (pending.size, other.write(b"{}\n")) == (0, True)
    other.drop()
    assert pending.size == 0


def test_a_recording_ends_at_its_limit_with_the_reason() -> None:
    """What came before stays; what comes later is no gap, since the reason tells it."""
    one = live(limit=100)
    assert one.write(EVENT)
    assert not one.write(EVENT + b"x" * 100)
    assert not one.write(EVENT)
    taken = one.take()
    assert taken is not None
    assert (taken.reason or "").startswith("The recording reached 100 bytes")
    assert (taken.missing, taken.pieces[0].data) == (0, EVENT * 2)
    with pytest.raises(TooLarge):
        asyncio.run(one.push(EVENT))


def test_pushing_waits_for_room_and_gives_up_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Back-pressure, then a sentence: it never grows beyond its bound."""
    monkeypatch.setattr(handle, "SLOW", 0.01)
    one = live()

    async def push() -> int:
        count = 0
        while count < 100:
            try:
                await one.push(b"x" * 1_000_000)
            except Busy:
                break
            count += 1
        return count

    assert asyncio.run(push()) == MOST_PENDING // 1_000_000


def test_a_push_larger_than_the_room_goes_through_in_pieces() -> None:
    """While the thread stores what came."""
    one, over, size = live(), threading.Event(), 0

    def store() -> None:
        nonlocal size
        while not over.is_set():
            if (taken := one.take()) is not None:
                size += sum(len(piece.data) for piece in taken.pieces)
                one.done(taken)

    thread = threading.Thread(target=store)
    thread.start()
    try:
        asyncio.run(one.push(EVENT * (3 * MOST_PENDING // len(EVENT))))
        asyncio.run(one.end())
    finally:
        over.set()
        thread.join()
    assert size == len(EVENT) * (3 * MOST_PENDING // len(EVENT))


def test_looking_for_credentials_holds_up_nobody() -> None:
    """The thread goes through megabytes without the lock that `write` needs."""
    one = live()
    one.write(EVENT * 50_000)
    inside = threading.Event()
    go_on = threading.Event()

    class Slow:
        missing = count = waiting = 0

        def feed(self, *_: object) -> None:
            inside.set()
            go_on.wait(10)

        def take(self, last: bool) -> None: ...

    one._lines = Slow()  # type: ignore[assignment]
    thread = threading.Thread(target=one.take)
    thread.start()
    assert inside.wait(10)
    assert one.write(EVENT)  # would hang here
    go_on.set()
    thread.join()


def test_those_who_wait_for_a_deleted_recording_are_told(database: Database, tmp_path: Path) -> None:
    """Waiting or asking later: there is no such recording any more."""
    taking = Taking(database, load_settings(data_dir=tmp_path))
    one = taking.begin()
    with database.session() as session:
        traces.delete(session, one.pk)
    one.write(EVENT)

    async def wait() -> None:
        waiting = asyncio.create_task(one.stored())
        await asyncio.sleep(0)
        await asyncio.to_thread(taking.round)
        with pytest.raises(NotFound):
            await waiting
        with pytest.raises(NotFound):
            await one.push(EVENT)
        with pytest.raises(NotFound):
            await one.end()

    asyncio.run(wait())
    assert not one.write(EVENT)
    assert [(signal.status, signal.trace) for signal in taking.heard.all][-1] == ("gone", one.id)


@pytest.mark.parametrize("reason", ["", "It was stopped."])
def test_a_recording_that_is_over_holds_up_nobody_who_ends_it(
    database: Database, tmp_path: Path, reason: str
) -> None:
    """Full, stored and let go of: ending it, or asking whether all is stored, is answered at once."""
    taking = Taking(database, load_settings(data_dir=tmp_path, max_upload_bytes=100))
    one = taking.begin()
    assert one.over == ""
    assert one.write(EVENT)
    assert not one.write(EVENT * 3)
    assert one.over.startswith("The recording reached 100 bytes")
    taking.round()

    async def end() -> None:
        async with asyncio.timeout(1):
            await one.end(reason)
            await one.stored()

    asyncio.run(end())
    assert taking.trace(one.id).status == "ready"


def test_who_asks_while_it_is_let_go_of_is_answered() -> None:
    """Between the last round's taking and its end."""
    one = live()
    one.stop()
    taken = one.take()
    assert taken is not None

    async def ask() -> None:
        waiting = asyncio.create_task(one.stored())
        await asyncio.sleep(0)
        one.done(taken)
        one.drop()
        await asyncio.wait_for(waiting, 1)

    asyncio.run(ask())


def test_bytes_that_are_known_to_be_lost_count_as_a_gap() -> None:
    """As if they had found no room; after the end there is nothing to miss."""
    one = live()
    assert one.write(EVENT + EVENT[:9])
    one.lose(20, 2.0)
    one.lose(30, 3.0)
    assert one.write(EVENT[5:] + EVENT)
    one.stop()
    one.lose(40, 4.0)
    taken = one.take()
    assert taken is not None
    assert b"".join(piece.data for piece in taken.pieces).replace(b"\n\n", b"\n") == EVENT * 2
    assert taken.missing == 9 + 50 + len(EVENT) - 5
