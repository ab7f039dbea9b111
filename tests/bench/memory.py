"""Peak resident memory of a process that uploads a million events."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

COUNT = 1_000_000
_PROGRAM = """
import resource, sys
from tests.bench import streams
from webapp.ingest.upload import ingest
from webapp.storage.db import open_database
from webapp.storage.migrate import migrate
form, url = sys.argv[1:]
migrate(url)
database = open_database(url)
ingest(database, getattr(streams, form)(%d), name="million")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def measure(folder: Path) -> Iterator[tuple[str, float]]:
    """(form, megabytes) for an SSE body and for a JSON array."""
    for form in ("sse", "array"):
        url = f"sqlite:///{folder}/million-{form}.db"
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM % COUNT, form, url], capture_output=True, text=True, check=True
        )
        yield form, float(done.stdout.split()[-1])
