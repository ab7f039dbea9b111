"""Redaction of records: what a trace says is taken out, how it went stays.

Rules of this file: the door to the package; pure, like the engine. How a redacted file is made of this is not its
matter.

| level | what stays |
|---|---|
| `structure` | ids, types, names of tools and steps, roles, numbers of usage, order, sizes and times |
| `personal` | all but what looks like personal data or a secret, which is overwritten character by character |
"""

from __future__ import annotations

from webapp.redact.agui import AguiStructure
from webapp.redact.base import Redactor
from webapp.redact.markers import joined, marked, marker
from webapp.redact.parts import media_type
from webapp.redact.personal import AguiPersonal, TeamsPersonal
from webapp.redact.teams import TeamsStructure

__all__ = ["LEVELS", "Redactor", "joined", "marked", "marker", "media_type", "redactor"]

LEVELS = ("structure", "personal")


def redactor(protocol: str, level: str) -> Redactor:
    """The redactor of one trace. protocol: `ag-ui` or `teams`; level: one of LEVELS.

    Raises ValueError for another protocol or level.
    """
    if level not in LEVELS or protocol not in ("ag-ui", "teams"):
        raise ValueError(f"no redaction of {protocol!r} at level {level!r}")
    if level == "personal":
        return TeamsPersonal() if protocol == "teams" else AguiPersonal()
    return TeamsStructure() if protocol == "teams" else AguiStructure()
