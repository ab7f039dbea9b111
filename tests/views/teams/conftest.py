"""Teams recordings in the shorthand of `tests/core/teams/script.py`, stored, and their pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest

from tests.core.teams.script import lines
from tests.views.conftest import ROOT, Store
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.views import trace as views
from webapp.views.selection import parse
from webapp.web.deps import make_templates
from webapp.web.static import Assets
from webapp.web.who import OPEN

Tell = Callable[..., str]
Open = Callable[..., views.TraceView]


def words(html: Any) -> str:
    """The text of markup, white space folded."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", str(html))).split())


@pytest.fixture
def tell(keep: Store) -> Tell:
    """Store a script (or raw lines); gives the trace's public id."""

    def told(script: str | bytes, **more: Any) -> str:
        body = script if isinstance(script, bytes) else b"\n".join(lines(script)) + b"\n"
        return keep(body, **more)

    return told


@pytest.fixture
def look(database: Database) -> Open:
    """The whole view of a stored trace: `look(id, panel="conversation", event="3")`."""

    def looked(id_: str, **query: str) -> views.TraceView:
        with database.session() as session:
            trace = traces.get(session, id_)
            assert trace is not None
            return views.build(session, trace, parse(f"/traces/{id_}", query))

    return looked


@pytest.fixture
def page(database: Database) -> Callable[..., str]:
    """The same as HTML."""
    templates = make_templates(ROOT / "templates", Assets(ROOT / "static"))
    templates.globals |= {"who": OPEN, "sharing": True}

    def written(id_: str, **query: str) -> str:
        with database.session() as session:
            trace = traces.get(session, id_)
            assert trace is not None
            view = views.build(session, trace, parse(f"/traces/{id_}", query))
            return templates.get_template("fragments/_trace.html").render(view=view)

    return written
