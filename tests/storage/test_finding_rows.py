"""Findings come back as the engine gave them."""

from __future__ import annotations

import json
from collections.abc import Callable

from sqlalchemy.orm import Session

from tests.storage.conftest import SAMPLES
from tests.streams import finished, started
from webapp.core import Replay
from webapp.readers.read import read
from webapp.storage import causes, findings
from webapp.storage.models import Trace


def test_a_finding_survives_the_database(session: Session, store: Callable[..., Trace]) -> None:
    """Stored and read back, each finding equals the one the engine reports for the same bytes."""
    trace = store("pydantic-parallel")
    body = (SAMPLES / "pydantic-parallel.sse").read_bytes()
    replay = Replay("ag-ui", json.loads((SAMPLES / "pydantic-parallel.input.json").read_text()))
    for record in read([body])[1]:
        replay.feed(record.payload, record.at, record.framing)
    expected = replay.finish().findings
    assert expected
    assert [findings.to_finding(row) for row in findings.all_of(session, trace.pk)] == expected


def test_causes_come_first_and_know_their_followers(session: Session, store: Callable[..., Trace]) -> None:
    """Worst first; every finding is a cause or follows from one that is counted."""
    trace = store("pydantic-parallel")
    rows = findings.all_of(session, trace.pk)
    found = causes.window(session, trace.pk, None, 0, 100)
    keys = [row.key for row in found]
    assert [row.severity for row in found] == sorted(row.severity for row in found)
    numbers = causes.follower_counts(session, trace.pk, keys)
    assert len(found) == sum(causes.counts(session, trace.pk).values()) == len(rows) - sum(numbers.values())
    assert (found[0].event, found[0].title) == (trace.headline_event, trace.headline)
    behind = causes.followers(session, trace.pk, keys, 100)
    assert {key: len(rows) for key, rows in behind.items()} == numbers


def test_a_merged_finding_is_at_each_of_its_places(session: Session, store: Callable[..., Trace]) -> None:
    """An unknown member on three events is one finding, found at all three and nowhere else."""
    odd = {"type": "CUSTOM", "name": "com.example.n", "value": 1, "colour": "red"}
    trace = store(
        [started(), odd, odd, {"type": "CUSTOM", "name": "com.example.n", "value": 1}, odd, finished()]
    )
    merged = findings.all_of(session, trace.pk)[0]
    assert merged.count == 3
    at = [[row.key for row in findings.at_event(session, trace.pk, seq)] for seq in range(6)]
    assert at == [[], [merged.key], [merged.key], [], [merged.key], []]


def test_a_finding_has_an_address(session: Session, store: Callable[..., Trace]) -> None:
    """By key; an unknown key is nothing."""
    trace = store("pydantic-parallel")
    row = findings.all_of(session, trace.pk)[-1]
    by_key = findings.by_key(session, trace.pk, row.key)
    assert by_key is not None
    assert by_key.ord == row.ord
    assert findings.by_key(session, trace.pk, "AGUI-XXX-99@1") is None
