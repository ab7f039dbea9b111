"""The recordings shown on first start.

Rules of this file: which ones, under what name. They take the same way in as any upload.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources

from webapp.ingest.upload import ingest
from webapp.settings import Settings
from webapp.storage import traces
from webapp.storage.db import Database


@dataclass(frozen=True, slots=True)
class Sample:
    file: str
    name: str
    note: str


SAMPLES = (  # the last one is the newest, so it stands first in the list
    Sample(
        "proto-subagents",
        "Sample: two subagents in parallel",
        "Written by hand for AG-UI 1.0: two subagents work at once, one fails, one starts another. Conformant.",
    ),
    Sample(
        "msaf-old-tool",
        "Sample: a snapshot drops an open message",
        "Recorded from agent-framework-ag-ui 1.0.0b251120: the answer after the tool call never reaches the screen.",
    ),
    Sample(
        "pydantic-parallel",
        "Sample: parallel tool calls, rejected",
        "Recorded from pydantic-ai 2.68.0: a call is ended when the next one starts, then its arguments go on.",
    ),
)


def load_samples(database: Database, settings: Settings | None = None) -> int:
    """Store the samples that are not there yet; how many were stored."""
    folder = resources.files("webapp.samples")
    stored = 0
    for sample in SAMPLES:
        body = (folder / f"{sample.file}.sse").read_bytes()
        run_input = json.loads((folder / f"{sample.file}.input.json").read_text(encoding="utf-8"))
        done = ingest(
            database,
            [body],
            name=sample.name,
            source=f"{sample.file}.sse",
            settings=settings,
            run_input=run_input,
        )
        if done.duplicate:
            continue
        stored += 1
        with database.session() as session:
            trace = traces.get(session, done.id)
            if trace is not None:
                traces.set_note(session, trace.pk, sample.note)
    return stored
