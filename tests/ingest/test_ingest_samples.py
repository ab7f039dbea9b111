"""The shipped recordings are there, are real, and come in once."""

from __future__ import annotations

from webapp.ingest.samples import SAMPLES, load_samples
from webapp.storage import traces
from webapp.storage.db import Database


def test_samples_come_in_once_with_their_notes(database: Database) -> None:
    """The most telling one is the newest; a second call stores nothing."""
    assert load_samples(database) == len(SAMPLES) == 5
    assert load_samples(database) == 0
    with database.session() as session:
        rows, total = traces.list_traces(session)
    assert total == 5
    assert [(row.protocol, row.verdict) for row in rows] == [
        ("ag-ui", "rejected"),
        ("ag-ui", "nonconformant"),
        ("ag-ui", "conformant"),
        ("teams", "rejected"),
        ("teams", "conformant"),
    ]
    assert all(row.note and (row.input or row.protocol == "teams") for row in rows)
