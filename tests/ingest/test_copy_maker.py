"""Copies of long traces, made beside the requests: once, in the background, and for links that still want them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from threading import Barrier, Event
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from tests.streams import finished, message, sse, started
from webapp.errors import BadInput, Busy, NotFound
from webapp.ingest import copies, copy_maker
from webapp.ingest.copy_maker import BeingMade, CopyMaker, NotMade
from webapp.ingest.reread import reread
from webapp.ingest.upload import ingest
from webapp.settings import load_settings
from webapp.storage import db, redacted_copies, shares, traces
from webapp.storage.db import Database, open_database

pytestmark = pytest.mark.databases("sqlite", "postgresql")
SETTINGS = load_settings()
PATIENCE = 60.0  # seconds until a test gives up; none waits so long

Make = Callable[..., int]


@pytest.fixture(autouse=True)
def everything_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace of a few records is made beside, as one of a million is."""
    monkeypatch.setattr(copy_maker, "LONG", 1)


@pytest.fixture
def maker(database: Database) -> Iterator[CopyMaker]:
    made = CopyMaker(database, SETTINGS)
    yield made
    made.stop()


def stored(database: Database, said: str = "Dear Mia", level: str = "structure") -> tuple[int, str]:
    """`traces.pk` of a trace and the id of a link to it."""
    data = sse(started(), *message("m", said), finished())
    public = ingest(database, [data], name="a customer", settings=SETTINGS).id
    with database.session() as session:
        trace = traces.get(session, public)
        assert trace is not None
        share, _ = shares.create(session, trace.pk, name="link", now=time.time(), days=7, level=level)
        return trace.pk, share.id


def there(database: Database) -> list[tuple[int | None, str]]:
    """(trace, level) of every copy."""
    with database.session() as session:
        return [(copy.copy_of, copy.redaction) for copy in redacted_copies.copies(session)]


def settled(maker: CopyMaker, pk: int, level: str = "structure") -> int:
    """Ask until it is made; gives its `pk`."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            return maker.ask(pk, level)
        except BeingMade:
            time.sleep(0.01)
    raise AssertionError("nothing came of it")


def idle(maker: CopyMaker) -> None:
    """Wait until nothing is being made any more."""
    until = time.monotonic() + PATIENCE
    while maker._threads and time.monotonic() < until:
        time.sleep(0.01)
    assert not maker._threads


class Gate:
    """Stands in for the making: says when one has begun, and lets it go on when told."""

    def __init__(self) -> None:
        self.begun, self.open = Event(), Event()
        self.asked: list[int] = []
        self._make = copies.copy_for

    def __call__(self, database: Database, pk: int, *rest: Any, **how: Any) -> int:
        self.asked.append(pk)
        self.begun.set()
        assert self.open.wait(PATIENCE)
        return self._make(database, pk, *rest, **how)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    made = Gate()
    monkeypatch.setattr(copies, "copy_for", made)
    yield made
    made.open.set()


def test_a_short_trace_is_ready_at_once(
    database: Database, maker: CopyMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its copy is made while the request waits, and no thread is begun for it."""
    monkeypatch.setattr(copy_maker, "LONG", 20_000)
    pk, _ = stored(database)
    made = maker.ask(pk, "structure")
    assert there(database) == [(pk, "structure")]
    assert maker.ask(pk, "structure") == made
    assert not maker._threads


def test_a_large_trace_of_few_records_is_made_beside(
    database: Database, maker: CopyMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes take as long as records do."""
    monkeypatch.setattr(copy_maker, "LONG", 20_000)
    monkeypatch.setattr(copy_maker, "LARGE", 10)
    pk, _ = stored(database)
    with pytest.raises(BeingMade):
        maker.ask(pk, "structure")
    settled(maker, pk)


def test_a_long_trace_is_made_beside(database: Database, maker: CopyMaker) -> None:
    """Whoever asks is told so; later the copy is there, and its thread is gone."""
    pk, _ = stored(database)
    assert not maker.at_once(pk, "structure")
    with pytest.raises(BeingMade):
        maker.ask(pk, "structure")
    made = settled(maker, pk)
    assert maker.at_once(pk, "structure")
    assert there(database) == [(pk, "structure")]
    idle(maker)
    assert maker.ask(pk, "structure") == made


def test_a_copy_that_is_asked_for_again_is_made_once(
    database: Database, maker: CopyMaker, gate: Gate
) -> None:
    """By those who open the link while it is made, and by whoever makes another link."""
    pk, _ = stored(database)
    for _ in range(3):
        with pytest.raises(BeingMade):
            maker.ask(pk, "structure")
    with database.session() as session:
        trace = traces.by_pk(session, pk)
        assert trace is not None
        maker.begin(trace, "structure")
    gate.open.set()
    settled(maker, pk)
    idle(maker)
    assert gate.asked == [pk]


def test_two_traces_are_made_side_by_side_and_a_third_after_them(
    database: Database, maker: CopyMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many threads as there is room for: the two wait for one another, which they could not in turns."""
    made, both, most = copies.copy_for, Barrier(2, timeout=PATIENCE), []

    def together(database: Database, pk: int, *rest: Any, **how: Any) -> int:
        most.append(len(maker._threads))
        if pk in pks[:2]:
            both.wait()
        return made(database, pk, *rest, **how)

    monkeypatch.setattr(copies, "copy_for", together)
    pks = [stored(database, said)[0] for said in ("one", "two", "three")]
    for pk in pks:
        with pytest.raises(BeingMade):
            maker.ask(pk, "structure")
    for pk in pks:
        settled(maker, pk)
    assert sorted(there(database)) == [(pk, "structure") for pk in pks]
    assert max(most) == copy_maker.AT_ONCE


@pytest.mark.parametrize(
    ("fault", "again"),
    [
        (Busy("locked"), True),
        (OperationalError("x", {}, Exception("the disk is full")), True),
        (RuntimeError("a fault of ours"), True),
        (BadInput("too many findings"), False),
    ],
    ids=["busy", "database", "ours", "impossible"],
)
def test_a_failure_is_told_once_and_then_it_is_tried_again(
    database: Database,
    maker: CopyMaker,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: Exception,
    again: bool,
) -> None:
    """And the log has a line of it, without a text of the recording."""
    pk, _ = stored(database)

    def fails(*rest: Any, **how: Any) -> int:
        raise fault

    with monkeypatch.context() as patched, caplog.at_level(logging.WARNING, "lanescope"):
        patched.setattr(copies, "copy_for", fails)
        with pytest.raises(BeingMade):
            maker.ask(pk, "structure")
        idle(maker)
        with pytest.raises(NotMade) as told:
            maker.ask(pk, "structure")
    assert told.value.again == again
    assert "redacted copy" in caplog.text
    assert "Mia" not in caplog.text
    with pytest.raises(BeingMade):
        maker.ask(pk, "structure")
    settled(maker, pk)


def test_a_new_link_begins_anew_whatever_came_before(
    database: Database, maker: CopyMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its reader is not told of a failure that was another's."""
    pk, _ = stored(database)
    with monkeypatch.context() as patched:
        patched.setattr(copies, "copy_for", lambda *_, **__: 1 / 0)
        with pytest.raises(BeingMade):
            maker.ask(pk, "structure")
        idle(maker)
    with database.session() as session:
        trace = traces.by_pk(session, pk)
        assert trace is not None
    maker.begin(trace, "structure")
    settled(maker, pk)


def test_nothing_stays_of_a_link_that_is_revoked_meanwhile(
    database: Database, maker: CopyMaker, gate: Gate
) -> None:
    """The copy is made and dropped; another level's link keeps its own."""
    pk, share = stored(database)
    with pytest.raises(BeingMade):
        maker.ask(pk, "structure")
    assert gate.begun.wait(PATIENCE)
    with database.session() as session:
        shares.create(session, pk, name="other", now=time.time(), days=7, level="personal")
        shares.revoke(session, pk, share, time.time())
    gate.open.set()
    idle(maker)
    assert there(database) == []
    with pytest.raises(BeingMade):
        maker.ask(pk, "personal")
    settled(maker, pk, "personal")
    idle(maker)
    assert there(database) == [(pk, "personal")]


def test_what_no_link_opens_is_not_begun(database: Database, maker: CopyMaker, gate: Gate) -> None:
    """Its link was ended while it waited for its turn."""
    pk, share = stored(database)
    with database.session() as session:
        shares.revoke(session, pk, share, time.time())
    with pytest.raises(BeingMade):
        maker.ask(pk, "structure")
    idle(maker)
    assert gate.asked == []


def test_a_trace_that_is_deleted_meanwhile_leaves_nothing(
    database: Database, maker: CopyMaker, gate: Gate
) -> None:
    """No copy, no fault that somebody would be told."""
    pk, _ = stored(database)
    with pytest.raises(BeingMade):
        maker.ask(pk, "structure")
    assert gate.begun.wait(PATIENCE)
    with database.session() as session:
        traces.delete(session, pk)
    gate.open.set()
    idle(maker)
    assert there(database) == []
    with pytest.raises(NotFound):
        maker.ask(pk, "structure")


def test_the_end_of_the_server_gives_up_what_is_half_made(
    database: Database, maker: CopyMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it stays; the server that starts next makes it when it is asked for."""
    begun, made = Event(), copies.redacted_file

    def slow(*rest: Any) -> Iterator[bytes]:
        for piece in made(*rest):
            yield piece
            begun.set()
            while True:  # as one of a million records does, until it is told to end
                rest[-1]()
                time.sleep(0.01)

    pk, _ = stored(database)
    with monkeypatch.context() as patched:
        patched.setattr(copies, "redacted_file", slow)
        with pytest.raises(BeingMade):
            maker.ask(pk, "structure")
        assert begun.wait(PATIENCE)
        maker.stop()
    assert not maker._threads
    assert there(database) == []
    with pytest.raises(Busy, match="stopping"):
        maker.ask(pk, "structure")
    after = CopyMaker(database, SETTINGS)
    settled(after, pk)
    after.stop()


def test_a_trace_that_is_read_anew_meanwhile_gives_a_copy_of_the_new_reading(
    database: Database, maker: CopyMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was half made of the old one is thrown away."""
    made, times = copies.redacted_file, []

    def disturbed(*rest: Any) -> Iterator[bytes]:
        pieces = list(made(*rest))
        if not times:
            reread(database, public, protocol="ag-ui", settings=SETTINGS)
            with database.session() as session:
                other = traces.by_pk(session, pk)
                assert other is not None
                other.engine = "another"
        times.append(1)
        yield from pieces

    pk, _ = stored(database)
    with database.session() as session:
        trace = traces.by_pk(session, pk)
        assert trace is not None
        public = trace.id
    monkeypatch.setattr(copies, "redacted_file", disturbed)
    with pytest.raises(BeingMade):
        maker.ask(pk, "structure")
    copy = settled(maker, pk)
    assert len(times) == 2
    with database.session() as session:
        shown = traces.by_pk(session, copy)
        assert shown is not None
        assert shown.sealed is not None
        assert shown.sealed["engine"] == "another"
    assert there(database) == [(pk, "structure")]


@pytest.mark.databases("sqlite")
def test_whoever_writes_for_long_is_waited_for(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """An upload may hold the file for longer than it lets others wait; what was redacted meanwhile is kept."""
    pk, _ = stored(database)
    tries, go = [], Event()
    hold, made = copies.write_first, copies.redacted_file
    read: list[int] = []

    def held(session: Session) -> None:
        tries.append(1)
        if len(tries) == 3:
            go.set()
            assert free.wait(PATIENCE)
        hold(session)

    def counted(*rest: Any) -> Iterator[bytes]:
        read.append(1)
        return made(*rest)

    free = Event()
    monkeypatch.setattr(db, "PRAGMAS", (*db.PRAGMAS, "PRAGMA busy_timeout = 5"))
    monkeypatch.setattr(copies, "write_first", held)
    monkeypatch.setattr(copies, "redacted_file", counted)
    impatient = open_database(database.url)
    maker = CopyMaker(impatient, SETTINGS)
    with database.session() as other:
        hold(other)
        with pytest.raises(Busy, match="could not be written"):
            copies.copy_for(impatient, pk, "structure", SETTINGS)
        with pytest.raises(BeingMade):
            maker.ask(pk, "structure")
        assert go.wait(PATIENCE)
    free.set()
    settled(maker, pk)
    assert len(read) == 2
    assert there(database) == [(pk, "structure")]
    maker.stop()
    impatient.close()


@pytest.mark.databases("postgresql")
def test_two_servers_make_one_copy(
    database: Database, maker: CopyMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second waits for the first, and has nothing left to do; when the first one fails, it makes it."""
    for fails in (False, True):
        pk, _ = stored(database, f"fails: {fails}")
        with database.session() as other:
            assert redacted_copies.claimed(other, pk, "structure")
            with pytest.raises(BeingMade):
                maker.ask(pk, "structure")
            with pytest.raises(Busy, match="being made"):
                copies.copy_for(database, pk, "structure", SETTINGS, seconds=0)
            assert (pk, "structure") not in there(database)
            if not fails:
                made = copies._made(other, pk, "structure", SETTINGS, lambda: None)
        assert settled(maker, pk) == (made if not fails else there_of(database, pk))
        assert there(database).count((pk, "structure")) == 1


def there_of(database: Database, pk: int) -> int:
    with database.session() as session:
        copy = redacted_copies.copy_of(session, pk, "structure")
        assert copy is not None
        return copy.pk
