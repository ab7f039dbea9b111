"""The panels of the trace page: name, label, template and the function that builds each one's window.

Rules of this file: the registry only. A panel module exports `build(session, trace, sel, page)`, which gives
a frozen dataclass; its template `fragments/_NAME.html` finds that as `panel`, beside `sel`, `trace`, `page`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from webapp.storage.models import Trace
from webapp.views.page import PageContext
from webapp.views.panels import conversation, events, findings, sequence, source, state, timeline
from webapp.views.selection import Selection

Build = Callable[[Session, Trace, Selection, PageContext], Any]


@dataclass(frozen=True, slots=True)
class Panel:
    """name: last part of the fragment's URL; label: on the tab; template: under `templates/`."""

    name: str
    label: str
    template: str
    build: Build


_BUILDERS: dict[str, Build] = {
    "events": events.build,
    "sequence": sequence.build,
    "timeline": timeline.build,
    "conversation": conversation.build,
    "state": state.build,
    "findings": findings.build,
    "source": source.build,
}
PANELS: dict[str, Panel] = {
    name: Panel(name, name.capitalize(), f"fragments/_{name}.html", build)
    for name, build in _BUILDERS.items()
}
