"""Redacted copies: made when they are needed, seen by nobody but links, gone with what they were made of."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from tests.streams import finished, message, sse, started
from webapp.errors import BadInput, Busy, NotFound
from webapp.ingest import copies as module
from webapp.ingest.copies import copy_for, drop_unused
from webapp.ingest.redacted_file import redacted_file
from webapp.ingest.reread import reread
from webapp.ingest.turns import Turns
from webapp.ingest.upload import ingest
from webapp.settings import load_settings
from webapp.storage import redacted_copies, retention, shares, traces
from webapp.storage.db import Database

pytestmark = pytest.mark.databases("sqlite", "postgresql")
SETTINGS = load_settings()
DATA = sse(started(), *message("m", "Dear Mia, ", "your refund is on its way."), finished())


def stored(database: Database, data: bytes = DATA) -> tuple[str, int]:
    """(id, pk)"""
    public = ingest(database, [data], name="Mia's refund", settings=SETTINGS).id
    with database.session() as session:
        trace = traces.get(session, public)
        assert trace is not None
        return public, trace.pk


def shared(database: Database, pk: int, level: str, days: float = 7) -> str:
    """The id of a new link."""
    with database.session() as session:
        share, _ = shares.create(session, pk, name="link", now=time.time(), days=days, level=level)
        return share.id


def copies(database: Database) -> list[str]:
    """The levels of the copies there are."""
    with database.session() as session:
        return [copy.redaction for copy in redacted_copies.copies(session)]


def test_a_copy_is_made_once(database: Database) -> None:
    """The second link of a level opens the same one; another level has its own."""
    _, pk = stored(database)
    first = copy_for(database, pk, "structure", SETTINGS)
    assert first != pk
    assert copy_for(database, pk, "structure", SETTINGS) == first
    assert copy_for(database, pk, "personal", SETTINGS) != first
    assert copies(database) == ["structure", "personal"]


def test_many_who_open_a_link_at_once_get_one_copy(database: Database) -> None:
    """The first makes it, the others wait for that."""
    _, pk = stored(database)
    with ThreadPoolExecutor(6) as pool:
        made = set(pool.map(lambda _: copy_for(database, pk, "structure", SETTINGS), range(6)))
    assert len(made) == 1
    assert copies(database) == ["structure"]


def test_a_copy_of_an_older_redactor_is_made_anew(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a redactor was mended for must not stay readable through links that were made before."""
    _, pk = stored(database)
    first = copy_for(database, pk, "structure", SETTINGS)
    monkeypatch.setattr(module, "REDACTOR", "another")
    assert copy_for(database, pk, "structure", SETTINGS) != first
    assert copies(database) == ["structure"]


def test_a_copy_names_nothing_of_its_trace(database: Database) -> None:
    """Neither its name, its file nor its note; it belongs to nobody."""
    _, pk = stored(database)
    with database.session() as session:
        traces.set_note(session, pk, "call Mia")
        traces.set_ticket(session, pk, "MIA-1")
    with database.session() as session:
        copy = traces.by_pk(session, copy_for(database, pk, "structure", SETTINGS))
        assert copy is not None
        assert (copy.name, copy.source, copy.note, copy.ticket) == ("Recording without its texts", "", "", "")
        assert copy.owner is None


def test_a_copy_stands_in_no_list_and_no_sum(database: Database) -> None:
    """Not in the list, its counts, the search, what is old or too much; its id opens nothing, and no upload is it."""
    public, pk = stored(database)
    with database.session() as session:
        before = (traces.count(session), traces.facets(session), retention.total(session))
    made = copy_for(database, pk, "structure", SETTINGS)
    with database.session() as session:
        copy = traces.by_pk(session, made)
        assert copy is not None
        assert traces.get(session, copy.id) is None
        assert (traces.count(session), traces.facets(session), retention.total(session)) == before
        assert [row.id for row in traces.list_traces(session)[0]] == [public]
        assert traces.list_traces(session, q="redacted")[1] == 0
        assert traces.find_duplicate(session, copy.sha256) is None
        assert [each.pk for each in retention.candidates(session, time.time())] == [pk]
        assert copy.id not in traces.of_other_engine(session, "")


def test_a_copy_goes_when_its_trace_is_read_anew(database: Database) -> None:
    """The next reader of a link gets one of the new reading."""
    public, pk = stored(database)
    first = copy_for(database, pk, "structure", SETTINGS)
    reread(database, public, settings=SETTINGS)
    assert copies(database) == []
    assert copy_for(database, pk, "structure", SETTINGS) != first


def test_a_copy_of_another_reading_is_made_again(database: Database) -> None:
    """One that was made while the trace was read anew does not stay."""
    _, pk = stored(database)
    first = copy_for(database, pk, "structure", SETTINGS)
    with database.session() as session:
        trace = traces.by_pk(session, pk)
        assert trace is not None
        trace.engine = "another"
    assert copy_for(database, pk, "structure", SETTINGS) != first
    assert copies(database) == ["structure"]


def test_copies_that_no_link_opens_go(database: Database) -> None:
    """Each level's with the last link of that level; a link that shows everything holds none."""
    _, pk = stored(database)
    for level in ("structure", "personal"):
        copy_for(database, pk, level, SETTINGS)
    kept, _ = shared(database, pk, "structure"), shared(database, pk, "everything")
    shared(database, pk, "personal", days=-1)
    with database.session() as session:
        assert drop_unused(session, pk) == 1
    assert copies(database) == ["structure"]
    with database.session() as session:
        shares.revoke(session, pk, kept, time.time())
        assert drop_unused(session) == 1
    assert copies(database) == []


def test_a_copy_goes_with_its_trace(database: Database) -> None:
    _, pk = stored(database)
    made = copy_for(database, pk, "structure", SETTINGS)
    with database.session() as session:
        traces.delete(session, pk)
    with database.session() as session:
        assert traces.by_pk(session, made) is None
    with pytest.raises(NotFound):
        copy_for(database, pk, "structure", SETTINGS)


def test_of_what_nothing_is_understood_there_is_no_copy(database: Database) -> None:
    """A sentence says so; there would be nothing to show but the number of lines."""
    _, pk = stored(database, b"Dear Mia, nothing in here is an event.\n")
    with pytest.raises(BadInput, match="cannot be redacted"):
        copy_for(database, pk, "structure", SETTINGS)


@pytest.mark.databases("sqlite")
def test_deleting_leaves_no_byte_of_a_copy(database: Database) -> None:
    """After a trace with links and copies has gone, its texts and ids are in neither the file nor its log."""
    data = sse(
        started("zz-thread-4711"), *message("zz-message-4711", "Dear Mia Canary"), finished("zz-thread-4711")
    )
    _, pk = stored(database, data)
    for level in ("structure", "personal"):
        shared(database, pk, level)
        copy_for(database, pk, level, SETTINGS)
    path = database.url.removeprefix("sqlite:///")

    def there(word: bytes) -> bool:
        database.settle()
        files = (Path(path), Path(f"{path}-wal"))
        return any(word in file.read_bytes() for file in files if file.is_file())

    assert there(b"Mia Canary")
    assert there(b"zz-message-4711")
    with database.session() as session:
        traces.delete(session, pk)
    for word in (b"Mia Canary", b"zz-message-4711", b"zz-thread-4711", b"Mia's refund"):
        assert not there(word), word


def test_the_verdict_of_an_uploaded_file_stays_the_word_of_that_file(database: Database) -> None:
    """Anybody can write one; a link to it must not say that this installation judged."""
    public, pk = stored(database)
    with database.session() as session:
        trace = traces.get(session, public)
        assert trace is not None
        file = b"".join(redacted_file(session, trace, "structure", 1_000_000))
    _, uploaded = stored(database, file)
    copy = copy_for(database, uploaded, "structure", SETTINGS)
    ours = copy_for(database, pk, "structure", SETTINGS)
    with database.session() as session:
        assert traces.by_pk(session, copy).sealed["by"] == "file"  # type: ignore[union-attr, index]
        assert traces.by_pk(session, ours).sealed["by"] == "link"  # type: ignore[union-attr, index]


def test_copies_of_different_traces_do_not_wait_for_each_other(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each goes on only when the other has begun."""
    both, made = Barrier(2, timeout=60), module.redacted_file

    def together(*rest: Any) -> Iterator[bytes]:
        both.wait()
        return made(*rest)

    monkeypatch.setattr(module, "redacted_file", together)
    pks = [stored(database)[1], stored(database, DATA.replace(b"Mia", b"Zoe"))[1]]
    with ThreadPoolExecutor(2) as pool:
        copied = list(pool.map(lambda pk: copy_for(database, pk, "structure", SETTINGS), pks))
    assert len(set(copied)) == 2
    assert copies(database) == ["structure", "structure"]


@pytest.mark.parametrize("most", [1, 5], ids=["no room", "the same copy"])
def test_whoever_waited_long_enough_is_told_to_try_again(
    database: Database, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """In one sentence, and nothing is made twice."""
    _, pk = stored(database)
    turns = Turns(most)
    monkeypatch.setattr(module, "_TURNS", turns)
    taken = (database.url, pk, "structure") if most > 1 else "another"
    with turns.turn(taken, 0), pytest.raises(Busy, match="try again in a moment"):
        copy_for(database, pk, "structure", SETTINGS, seconds=0)
    assert copies(database) == []
    copy_for(database, pk, "structure", SETTINGS)
    assert copies(database) == ["structure"]


def test_a_trace_that_is_deleted_while_it_is_read_gives_no_copy(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is gone, and nothing of it comes back."""
    _, pk = stored(database)
    made = module.redacted_file

    def disturbed(*rest: Any) -> Iterator[bytes]:
        pieces = list(made(*rest))
        with database.session() as session:
            traces.delete(session, pk)
        yield from pieces

    monkeypatch.setattr(module, "redacted_file", disturbed)
    with pytest.raises(NotFound):
        copy_for(database, pk, "structure", SETTINGS)
    assert copies(database) == []
