"""Findings come back as the engine gave them."""

from __future__ import annotations

import json
from collections.abc import Callable

from sqlalchemy.orm import Session

from tests.storage.conftest import SAMPLES
from tests.storage.streams import finished, started
from webapp.core import Replay
from webapp.readers import detect
from webapp.storage import findings
from webapp.storage.models import Trace


def test_a_finding_survives_the_database(session: Session, store: Callable[..., Trace]) -> None:
    """Stored and read back, each finding equals the one the engine reports for the same bytes."""
    trace = store("pydantic-parallel")
    body = (SAMPLES / "pydantic-parallel.sse").read_bytes()
    replay = Replay("ag-ui", json.loads((SAMPLES / "pydantic-parallel.input.json").read_text()))
    for record in detect.read([body])[1]:
        replay.feed(record.payload, record.at, record.framing)
    expected = replay.finish().findings
    assert expected
    assert [findings.to_finding(row) for row in findings.all_of(session, trace.pk)] == expected


def test_causes_come_first_and_know_their_followers(session: Session, store: Callable[..., Trace]) -> None:
    """Worst first; every finding is a cause or follows from one that is counted."""
    trace = store("pydantic-parallel")
    rows = findings.all_of(session, trace.pk)
    causes = findings.causes(session, trace.pk)
    assert [row.severity for row, _ in causes] == sorted(row.severity for row, _ in causes)
    assert len(causes) + sum(count for _, count in causes) == len(rows)
    first, count = causes[0]
    assert (first.event, first.title) == (trace.headline_event, trace.headline)
    assert len(findings.followers(session, trace.pk, first.key)) == count


def test_a_merged_finding_is_at_each_of_its_places(session: Session, store: Callable[..., Trace]) -> None:
    """An unknown member on three events is one finding, found at all three and nowhere else."""
    odd = {"type": "CUSTOM", "name": "n", "value": 1, "colour": "red"}
    trace = store([started(), odd, odd, {"type": "CUSTOM", "name": "n", "value": 1}, odd, finished()])
    merged = findings.all_of(session, trace.pk)[0]
    assert merged.count == 3
    at = [[row.key for row in findings.at_event(session, trace.pk, seq)] for seq in range(6)]
    assert at == [[], [merged.key], [merged.key], [], [merged.key], []]


def test_a_finding_has_an_address(session: Session, store: Callable[..., Trace]) -> None:
    """By key, by rule; an unknown key is nothing."""
    trace = store("pydantic-parallel")
    row = findings.causes(session, trace.pk)[0][0]
    by_key = findings.by_key(session, trace.pk, row.key)
    assert by_key is not None
    assert by_key.ord == row.ord
    assert row in findings.of_rule(session, trace.pk, row.rule)
    assert findings.by_key(session, trace.pk, "AGUI-XXX-99@1") is None
