"""The page of live traces: those that are recorded now, and how to record one here.

Rules of this file: pure; rows and settings to words and lines to copy. A command is written for this server's own
address, so that it works as it is copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.settings import Settings
from webapp.storage.models import Trace
from webapp.views import names
from webapp.views.trace_line import TraceLine, trace_line


@dataclass(frozen=True, slots=True)
class Running:
    """lines: newest first; more: `12 more`, "" when all are listed; push: a command, with the header of a key where one
    is needed; targets: (name, address of the proxy, upstream); example: how to set one, as typed where `make run` set
    Lanescope up."""

    lines: Sequence[TraceLine]
    more: str
    push: str
    targets: Sequence[tuple[str, str, str]]
    example: str


def build(rows: Sequence[Trace], found: int, *, now: float, settings: Settings, key: bool) -> Running:
    """found: how many there are; rows: those that are listed; key: whether a program needs one here."""
    base = settings.base_url
    header = ' -H "Authorization: Bearer $LANESCOPE_KEY"' if key else ""
    behind = found - len(rows)
    return Running(
        lines=[trace_line(row, now) for row in rows],
        more=f"{names.count(behind)} more" if behind > 0 else "",
        push=(
            "curl -N -H 'Content-Type: application/json' -d @input.json AGENT_URL "
            f"| tee >(curl -sT -{header} '{base}/api/live?name=my-run')"
        ),
        targets=[(name, f"{base}/proxy/{name}/", url) for name, url in sorted(settings.targets.items())],
        example="LANESCOPE_TARGETS=shop=http://127.0.0.1:8000 .venv/bin/lanescope serve",
    )
