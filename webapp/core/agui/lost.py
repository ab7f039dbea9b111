"""What a client did not get: events it dropped or could not use, with the findings about them.

Rules of this file: memory and look-up. `faults.py` fills it; explanations ask it, so that what follows from a lost
event is folded under what was wrong with that event.
"""

from __future__ import annotations

from typing import NamedTuple

from webapp.core.findings import Finding


class Lost(NamedTuple):
    """One such event. role: opener | closer | piece | result | state; id: None when it named none; seq: its record."""

    role: str
    kind: str
    id: str | None
    seq: int
    finding: Finding

    @property
    def what(self) -> str:
        """What is wrong with it, as a clause."""
        ours = self.finding.rule == "AGUI-ENV-04" and self.finding.severity == "warning"
        reader = "this tool leaves that event out" if ours else "a client cannot use that event"
        return f"{reader}: {self.finding.title}"


class LostEvents:
    """The lost events of the run at hand; a look-up costs the same however many there are."""

    def __init__(self) -> None:
        self._added = 0
        # by role, kind and id (None: it named none), and by role and kind alone: the newest, and its running number
        self._newest: dict[tuple[str, str, str | None], tuple[int, Lost]] = {}
        self._of_kind: dict[tuple[str, str], Lost] = {}

    def add(self, lost: Lost) -> None:
        """They come in the order of their records."""
        self._added += 1
        self._newest[lost.role, lost.kind, lost.id] = (self._added, lost)
        self._of_kind[lost.role, lost.kind] = lost

    def clear(self) -> None:
        self._newest.clear()
        self._of_kind.clear()

    def find(self, role: str, kind: str, id_: str | None, since: int = -1) -> Lost | None:
        """The newest one after record `since` that may have been about this item; `id_` None matches any."""
        lost = self._of_kind.get((role, kind))
        if lost is not None and id_ is not None:
            named = [
                found for key in (id_, None) if (found := self._newest.get((role, kind, key))) is not None
            ]
            lost = max(named)[1] if named else None
        return None if lost is None or lost.seq <= since else lost
