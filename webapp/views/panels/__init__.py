"""The panels of the trace page: name, label, template and the function that builds each one's window.

Rules of this file: the registry only. A panel module exports `build(session, trace, sel, page)`, which gives
a frozen dataclass; its template finds that as `panel`, beside `sel`, `trace`, `page`. A protocol may have a panel
built and written otherwise, or have none of a name: `panels`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from webapp.storage.models import Trace
from webapp.views.page import PageContext
from webapp.views.panels import (
    chat,
    conversation,
    events,
    exchanges,
    findings,
    ladder,
    pace,
    sequence,
    source,
    state,
    timeline,
)
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
_TEAMS: dict[str, Panel] = {
    "events": Panel("events", "Exchanges", "fragments/_exchanges.html", exchanges.build),
    "sequence": Panel("sequence", "Sequence", "fragments/_ladder.html", ladder.build),
    "timeline": Panel("timeline", "Timeline", "fragments/_timeline.html", pace.build),
    "conversation": Panel("conversation", "Conversation", "fragments/_chat.html", chat.build),
}
_OF = {"teams": {name: panel for name, panel in (PANELS | _TEAMS).items() if name != "state"}}


def panels_of(protocol: str) -> dict[str, Panel]:
    """The panels of a trace, in the order of their tabs."""
    return _OF.get(protocol, PANELS)
