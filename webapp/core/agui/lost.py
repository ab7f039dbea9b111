"""What a client did not get: events it dropped or could not use, with the findings about them.

Rules of this file: memory and look-up. `faults.py` fills it; explanations ask it, so that what follows from a lost
event is folded under what was wrong with that event.
"""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from webapp.core.findings import Finding

MAX_COMPARED = 2_000  # lost events a look-up goes through: bounds the work of a trace full of them


class Lost(NamedTuple):
    """One such event. role: opener | closer | piece; id: None when it named none; seq: its record number."""

    role: str
    kind: str
    id: str | None
    seq: int
    finding: Finding

    @property
    def what(self) -> str:
        """What is wrong with it, as a clause."""
        return f"a client cannot use that event: {self.finding.title}"


class LostEvents:
    """The lost events of the run at hand."""

    def __init__(self) -> None:
        self._all: list[Lost] = []

    def add(self, lost: Lost) -> None:
        self._all.append(lost)

    def clear(self) -> None:
        self._all.clear()

    def find(self, role: str, kind: str, id_: str | None, since: int = -1) -> Lost | None:
        """The newest one after record `since` that may have been about this item; `id_` None matches any."""
        for lost in islice(reversed(self._all), MAX_COMPARED):
            if lost.seq <= since:
                return None
            if lost.role == role and lost.kind == kind and (id_ is None or lost.id in (id_, None)):
                return lost
        return None
