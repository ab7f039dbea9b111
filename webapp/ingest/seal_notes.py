"""What a trace keeps of a seal: that it is redacted, whose the verdict is, and what had been done to the recording.

Rules of this file: from the seal to columns of `traces`. The engine of such a trace, which needs no database, is
`ingest/sealed_engine.py`.
"""

from __future__ import annotations

from webapp.core.seal import Seal
from webapp.readers.base import Artefact
from webapp.storage.captures import CUT
from webapp.storage.models import Trace

FROM_LINK, FROM_FILE = "link", "file"


def notes_of(seal: Seal | None) -> list[Artefact]:
    """What the seal says of the upload it was made of: that it had been stopped (see `traces.stopped`)."""
    found = () if seal is None else seal.artefacts
    return [Artefact(note.kind, note.message) for note in found if note.kind == CUT]


def mark(trace: Trace, seal: Seal, source: str) -> None:
    """Say on the trace that it is redacted. source: FROM_LINK, or FROM_FILE for one that somebody uploaded."""
    trace.redaction = seal.level
    trace.sealed = {"level": seal.level, "engine": seal.engine, "by": source, "removed": seal.removed}
    if seal.input is not None:
        trace.input = seal.input
