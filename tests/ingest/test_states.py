"""When the shared state is written down: bounded distance, bounded size, and always what the engine holds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import select

from tests.bench.streams import state_heavy
from webapp.core import Replay
from webapp.ingest.states import MAX_STATE, PATCH_BYTES, PATCHES, SPARE, States, encoded
from webapp.ingest.upload import ingest
from webapp.storage.db import Database
from webapp.storage.models import Checkpoint


def patches(states: States, count: int, size: int) -> list[int]:
    """Numbers of the patches after which a checkpoint was due."""
    return [n for n in range(count) if states.add("STATE_DELTA", size) is not None]


def test_many_small_patches_make_a_checkpoint_each_thousand() -> None:
    """Counted from the last checkpoint."""
    assert patches(States(dict), 3_500, 10) == [PATCHES - 1, 2 * PATCHES - 1, 3 * PATCHES - 1]


def test_large_patches_make_one_each_64_kb() -> None:
    """Sixty-four of a kilobyte."""
    assert patches(States(dict), 200, 1024) == [PATCH_BYTES // 1024 * n - 1 for n in (1, 2, 3)]


def test_a_snapshot_starts_the_count_again() -> None:
    """It is stored anyway, so it serves as one."""
    states = States(dict)
    assert patches(states, PATCHES - 1, 10) == []
    assert states.add("STATE_SNAPSHOT", 100) is None
    assert patches(states, PATCHES - 1, 10) == []


def test_checkpoints_cost_no_more_than_patches_and_the_spare_sum() -> None:
    """A state of two megabytes under a hundred thousand small patches."""
    whole = {"text": "x" * 2_000_000}
    states, written = States(lambda: whole), 0
    states.add("STATE_SNAPSHOT", 2_000_000)
    for _ in range(100_000):
        text = states.add("STATE_DELTA", 60)
        written += 0 if text is None else len(text)
    assert 0 < written <= SPARE + 2_100_000 + 100_000 * 60


def test_a_state_too_large_is_left_to_its_snapshots() -> None:
    """Nothing is encoded again and again for nothing."""
    asked: list[int] = []

    def now() -> Any:
        asked.append(1)
        return "x" * (MAX_STATE + 1)

    assert patches(States(now), 5 * PATCHES, 10) == []
    assert len(asked) == 1


@pytest.mark.parametrize(
    "value", [{"a": "half \ud83d"}, {"nul": "\x00"}, {"big": 10**30}, None, 0, "", [1.5]]
)
def test_what_is_written_is_storable_and_reads_back(value: Any) -> None:
    """Lone surrogates and NUL stay escapes."""
    text = encoded(value)
    assert text is not None
    text.encode()
    assert "\0" not in text
    assert json.loads(text) == value


def test_a_state_nested_too_deeply_is_not_written() -> None:
    """No error either."""
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    assert encoded(deep) is None


def test_a_stored_checkpoint_is_the_state_the_engine_holds(database: Database) -> None:
    """At its record, after an upload."""
    body = list(state_heavy(1_500, 20))
    ingest(database, body, name="heavy")
    with database.session() as session:
        query = select(Checkpoint.seq, Checkpoint.state).where(Checkpoint.state.is_not(None))
        rows = list(session.execute(query))
    assert len(rows) >= 2
    replay = Replay("ag-ui")
    held = {}
    for seq, block in enumerate(body):
        replay.feed(block.removeprefix(b"data: ").strip())
        if seq in {row.seq for row in rows}:
            held[seq] = json.loads(json.dumps(replay.state_now()))
    assert {row.seq: json.loads(row.state) for row in rows} == held
