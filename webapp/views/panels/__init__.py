"""The panels of the trace page: name, label, template and the function that builds each one's window.

Rules of this file: the registry only. A panel module exports `build(session, trace, sel, page)`, which gives
a frozen dataclass; its template `fragments/_NAME.html` finds that as `panel`, beside `sel`, `trace`, `page`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sqlalchemy.orm import Session

from webapp.storage.models import Trace
from webapp.views.page import PageContext
from webapp.views.selection import Selection

Build = Callable[[Session, Trace, Selection, PageContext], Any]


@dataclass(frozen=True, slots=True)
class Panel:
    """name: last part of the fragment's URL; label: on the tab; template: under `templates/`."""

    name: str
    label: str
    template: str
    build: Build


def _panel(name: str) -> Panel | None:
    try:
        module = import_module(f"webapp.views.panels.{name}")
    except Exception:  # TODO(build): plain imports as soon as every panel exists
        return None
    return Panel(name, name.capitalize(), f"fragments/_{name}.html", module.build)


_ORDER = ("events", "sequence", "timeline", "conversation", "findings", "source")
PANELS: dict[str, Panel] = {name: panel for name in _ORDER if (panel := _panel(name)) is not None}
