"""The shipped recordings are there, are real, and come in once."""

from __future__ import annotations

from webapp.ingest.samples import SAMPLES, load_samples
from webapp.storage import traces
from webapp.storage.db import Database


def test_samples_come_in_once_with_their_notes(database: Database) -> None:
    """The most telling one is the newest; a second call stores nothing."""
    assert load_samples(database) == len(SAMPLES) == 3
    assert load_samples(database) == 0
    with database.session() as session:
        rows, total = traces.list_traces(session)
    assert total == 3
    assert [row.verdict for row in rows] == ["rejected", "nonconformant", "conformant"]
    assert all(row.note and row.input for row in rows)
