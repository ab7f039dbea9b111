"""What the proxy records with the real recorder: every note, gaps that tear no line, long conversations."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.ingest.live.taking import Taking
from tests.ingest.proxy.stand import Tasks
from tests.streams import finished, message, sse, started
from webapp.ingest.live import transactions
from webapp.ingest.live.handle import Live
from webapp.ingest.proxy import recording as module
from webapp.ingest.proxy.recording import Recording
from webapp.ingest.proxy.targets import targets_of
from webapp.ingest.proxy.teams import Conversations
from webapp.settings import load_settings
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.storage.models import FindingRow, Trace

WHOLE = sse(started(), *message("m", *["abcdefgh"] * 60), finished())
TARGET = targets_of({"teams": "https://smba.example/amer"})["teams"]
URL = "https://smba.example/amer/v3/conversations/a%3Aone/activities"
JSON = [(b"Content-Type", b"application/json")]


@pytest.fixture
def take(database: Database, tmp_path: Path) -> Taking:
    return Taking(database, load_settings(data_dir=tmp_path))


def findings(take: Taking) -> list[str]:
    with take.database.session() as session:
        return list(session.scalars(sa.select(FindingRow.rule)))


def test_everything_that_is_told_is_on_the_trace(take: Taking) -> None:
    """Two sentences of one kind are two; the same one, stored again, stays one."""
    live = take.begin(kind="proxy")
    for sentence in ("Answered with 500.", "Packed in a way that cannot be read.", "Answered with 500."):
        live.note("proxy", sentence)
    take.round()
    live.note("proxy", "Recording failed here.")
    take.end(live)
    assert [note["message"] for note in take.trace(live.id).artefacts] == [
        "Answered with 500.",
        "Packed in a way that cannot be read.",
        "Recording failed here.",
    ]


@pytest.mark.parametrize("cut", range(301, 331, 3))
def test_bytes_lost_before_it_began_are_blamed_on_nobody(
    take: Taking, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    """Wherever the stream goes on: the lines around the gap are left out whole, and the trace says how much."""
    monkeypatch.setattr(module, "HELD_BYTES", 300)

    async def main() -> Live:
        tasks, gate = Tasks(), asyncio.Event()
        made: list[Live] = []

        async def begin() -> Live:
            await gate.wait()
            made.append(await take.recorder.begin(name="n", source="s", kind="proxy", form="sse"))
            return made[0]

        recording = Recording(begin, tasks.spawn)
        recording.write(WHOLE[:290], 1.0)
        recording.write(WHOLE[290:cut], 2.0)
        gate.set()
        await tasks.done()
        recording.write(WHOLE[cut:], 3.0)
        made[0].stop()
        await asyncio.to_thread(take.round)
        return made[0]

    live = asyncio.run(main())
    trace = take.trace(live.id)
    [note] = trace.artefacts
    assert (note["kind"], "bytes are missing" in note["message"]) == (transactions.GAP, True)
    assert (trace.status, trace.verdict, findings(take)) == ("ready", "conformant", [])
    kept = take.text(live.id).split(b"\n")
    assert all(line in WHOLE.split(b"\n") for line in kept)


async def settled(take: Taking, tasks: Tasks) -> None:
    """What came is stored, and nothing is left to be done."""
    await asyncio.sleep(0)  # bodies are looked at in the loop's next turn
    waiting = asyncio.create_task(tasks.done())
    while not waiting.done():
        await asyncio.to_thread(take.round)
        await asyncio.sleep(0)
    await waiting
    await asyncio.to_thread(take.round)


async def conversation(take: Taking, deleted_after: int | None = None) -> None:
    """Eight calls, one after the other; the trace is deleted after so many."""
    tasks = Tasks()
    calls = Conversations(tasks.spawn)
    for number in range(8):
        watch = calls.watch(TARGET, "POST", URL, JSON, take.recorder.begin)
        watch.asked(b'{"type":"message","text":"%d %s"}' % (number, b"x" * 200))
        watch.answered(201, JSON, 0.0)
        watch.data(b'{"id":"%d"}' % number, 0.0)
        watch.ended("", 0.0)
        await settled(take, tasks)
        if number == deleted_after:
            with take.database.session() as session:
                [trace] = session.scalars(sa.select(Trace))
                traces.delete(session, trace.pk)
    calls.end("")
    await settled(take, tasks)


def sizes(take: Taking) -> list[tuple[str, int]]:
    with take.database.session() as session:
        rows = session.scalars(sa.select(Trace).order_by(Trace.pk))
        return [(trace.status, trace.records) for trace in rows]


def test_a_conversation_goes_on_in_another_trace_when_one_is_full(database: Database, tmp_path: Path) -> None:
    """No call is lost, and the first of them says why it ends."""
    take = Taking(database, load_settings(data_dir=tmp_path, max_upload_bytes=1500))
    asyncio.run(conversation(take))
    assert [status for status, _ in sizes(take)] == ["ready"] * len(sizes(take))
    assert len(sizes(take)) > 1
    assert sum(records for _, records in sizes(take)) == 8
    with database.session() as session:
        first = session.scalars(sa.select(Trace).order_by(Trace.pk)).first()
        assert first is not None
        assert "the most this server keeps" in first.artefacts[0]["message"]


def test_a_conversation_goes_on_in_another_trace_when_one_is_deleted(take: Taking) -> None:
    """What was deleted stays deleted; of what comes later only the call on the way is lost with it."""
    asyncio.run(conversation(take, deleted_after=2))
    [(status, records)] = sizes(take)
    assert (status, records >= 4) == ("ready", True)
