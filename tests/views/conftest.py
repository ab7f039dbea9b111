"""A migrated database, recordings stored in it by the real way in, and any panel built as its page would."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.orm import Session

from tests.streams import sse
from webapp.ingest.upload import ingest
from webapp.settings import load_settings
from webapp.storage import findings, items, traces
from webapp.storage.db import Database
from webapp.storage.models import Trace
from webapp.views.page import PageContext
from webapp.views.panels import panels_of
from webapp.views.selection import Selection
from webapp.web.deps import make_templates
from webapp.web.static import Assets
from webapp.web.who import OPEN

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "webapp" / "samples"
Store = Callable[..., str]
Show = Callable[..., Any]


@pytest.fixture
def keep(database: Database, tmp_path: Path) -> Store:
    """Store bytes, events or a shipped sample (by name); gives the trace's public id."""

    def kept(what: bytes | str | list[Any], **more: Any) -> str:
        if isinstance(what, str):
            more.setdefault("run_input", json.loads((SAMPLES / f"{what}.input.json").read_text()))
            body = (SAMPLES / f"{what}.sse").read_bytes()
        else:
            body = what if isinstance(what, bytes) else sse(*what)
        more.setdefault("name", "a trace")
        return ingest(database, [body], settings=load_settings(data_dir=tmp_path), **more).id

    return kept


def around(session: Session, trace: Trace, event: int | None, shared: bool = False) -> PageContext:
    """The page around a panel, as `views.trace` makes it."""
    chosen = min(trace.headline_event or 0 if event is None else event, max(0, trace.records - 1))
    lanes = {row.ord: row for row in items.lanes(session, trace.pk)}
    runs = items.runs(session, trace.pk)
    return PageContext(trace, chosen, lanes, runs, findings.at_event(session, trace.pk, chosen), shared)


@pytest.fixture
def show(database: Database) -> Show:
    """Build one panel of a stored trace: `show("source", id, event=3)`."""

    def shown(panel: str, id_: str, shared: bool = False, **chosen: Any) -> Any:
        with database.session() as session:
            trace = traces.get(session, id_)
            assert trace is not None
            page = around(session, trace, chosen.get("event"), shared)
            sel = Selection(f"/traces/{id_}", panel, **chosen)
            return panels_of(trace.protocol)[panel].build(session, trace, sel, page)

    return shown


@pytest.fixture
def write(database: Database) -> Callable[..., str]:
    """One panel of a stored trace as HTML."""
    templates = make_templates(ROOT / "templates", Assets(ROOT / "static"))
    templates.globals |= {"who": OPEN, "sharing": True}

    def written(panel: str, id_: str, shared: bool = False, **chosen: Any) -> str:
        with database.session() as session:
            trace = traces.get(session, id_)
            assert trace is not None
            page = around(session, trace, chosen.get("event"), shared)
            sel = Selection(f"/traces/{id_}", panel, **chosen)
            chosen_panel = panels_of(trace.protocol)[panel]
            built = chosen_panel.build(session, trace, sel, page)
            template = templates.get_template(chosen_panel.template)
            return template.render(panel=built, sel=sel, trace=trace, page=page)

    return written
