"""The recordings shown on first start.

Rules of this file: which ones, under what name. They take the same way in as any upload.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources

from webapp.ingest.upload import ingest
from webapp.settings import Settings
from webapp.storage import audit, traces
from webapp.storage.db import Database


@dataclass(frozen=True, slots=True)
class Sample:
    """file: under `webapp/samples`; name, note: as the list calls it. A `.sse` file has its run input beside it."""

    file: str
    name: str
    note: str


SAMPLES = (  # the last one is the newest, so it stands first in the list
    Sample(
        "tpy21-stop.exchanges.jsonl",
        "Sample: Teams, the user presses Stop",
        "Recorded from microsoft-teams-apps 2.1.1 against a stand-in service: the user stops the reply and the agent "
        "ends its turn, so nothing is wrong.",
    ),
    Sample(
        "agpy19-citation-bracket.exchanges.jsonl",
        "Sample: Teams refuses a chunk",
        "Recorded from microsoft-agents-hosting-core 1.9.0 against a stand-in service: a citation mark is rewritten "
        "after half of it was on screen.",
    ),
    Sample(
        "proto-subagents.sse",
        "Sample: two subagents in parallel",
        "Written by hand for AG-UI 1.0: two subagents work at once, one fails, one starts another. Conformant.",
    ),
    Sample(
        "msaf-old-tool.sse",
        "Sample: wrong ids, and a text gone for a while",
        "Recorded from agent-framework-ag-ui 1.0.0b251120, two faults: the run answers under ids of its own, which no "
        "client notices; and a snapshot drops the open message, so the answer is off the screen until the next "
        "snapshot brings it back.",
    ),
    Sample(
        "pydantic-parallel.sse",
        "Sample: parallel tool calls, rejected",
        "Recorded from pydantic-ai 2.68.0: a call is ended when the next one starts, then its arguments go on.",
    ),
)


def load_samples(database: Database, settings: Settings | None = None, by: audit.By | None = None) -> int:
    """Store the samples that are not there yet; how many were stored. by: who asked for them, None on first start."""
    folder = resources.files("webapp.samples")
    stored = 0
    for sample in SAMPLES:
        body = (folder / sample.file).read_bytes()
        run_input = None
        if sample.file.endswith(".sse"):
            asked = folder / f"{sample.file.removesuffix('.sse')}.input.json"
            run_input = json.loads(asked.read_text(encoding="utf-8"))
        done = ingest(
            database,
            [body],
            name=sample.name,
            source=sample.file,
            settings=settings,
            run_input=run_input,
            by=by,
        )
        if done.duplicate:
            continue
        stored += 1
        with database.session() as session:
            trace = traces.get(session, done.id)
            if trace is not None:
                traces.set_note(session, trace.pk, sample.note)
    return stored
