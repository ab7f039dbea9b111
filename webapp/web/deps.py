"""What handlers share: the database, the settings and the rendering of templates.

Rules of this file: the one place where a handler’s session is opened, and where templates get their
environment. Handlers parse, call and render; they never commit and never query.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from sqlalchemy.orm import Session

from webapp.accounts.oidc.provider import Provider
from webapp.ingest.copy_maker import CopyMaker
from webapp.ingest.live.hub import Hub
from webapp.ingest.live.recorder import Recorder
from webapp.ingest.signals import Signals
from webapp.settings import Settings
from webapp.storage.db import Database
from webapp.views.content import harmless
from webapp.views.marks import marks
from webapp.web.static import Assets
from webapp.web.who import who_of


def make_templates(folder: Path, assets: Assets) -> Environment:
    """The template environment: everything escaped, a misspelt name is an error, `static(name)` known."""
    env = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_written,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.globals["static"] = assets.url
    env.filters["count"] = lambda number: f"{number:,}"
    env.filters["marks"] = marks
    env.filters["exact"] = _exact
    return env


def _written(value: object) -> object:
    """What a template writes of a value. Text of a trace may hold what a page would obey (a character that turns
    the line around, an escape sequence); markup was made by us, of text that was looked at when it was made."""
    return harmless(value) if type(value) is str else value


def _exact(text: str) -> Markup:
    """A value that comes back from the browser, in a form or on the clipboard, and must be the same then."""
    return escape(text.encode("utf-8", "replace").decode())


def render(request: Request, template: str, /, status: int = 200, **context: Any) -> HTMLResponse:
    """One page or fragment; `template` is a path below `templates/`. Each knows who asks (`who`), so that it shows
    what they may do and no more, whether there are accounts here (`accounts`), and whether links can be made
    (`sharing`)."""
    html = fragment(request, template, **context)
    return HTMLResponse(html, status_code=status, headers={"Vary": "HX-Request"})


def fragment(request: Request, template: str, /, **context: Any) -> str:
    """A fragment as text, for an answer that is no page."""
    env: Environment = request.app.state.templates
    asker = who_of(request)
    sharing = get_settings(request).sharing
    context = {"who": asker, "accounts": asker.kind != "open", "sharing": sharing, **context}
    return env.get_template(template).render(request=request, **context)


def wants_fragment(request: Request) -> bool:
    """Whether htmx asks for a part of the page; Back and Forward want the whole page again."""
    return request.headers.get("hx-request") == "true" and "hx-history-restore-request" not in request.headers


def get_settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


def get_database(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


def get_recorder(request: Request) -> Recorder:
    recorder: Recorder = request.app.state.recorder
    return recorder


def get_copies(request: Request) -> CopyMaker:
    copies: CopyMaker = request.app.state.copies
    return copies


def get_hub(request: Request) -> Hub:
    hub: Hub = request.app.state.hub
    return hub


def get_signals(request: Request) -> Signals:
    signals: Signals = request.app.state.signals
    return signals


def provider_of(request: Request) -> Provider | None:
    """The OpenID Connect provider people sign in at; None where there is none."""
    provider: Provider | None = request.app.state.provider
    return provider


def get_session(database: Annotated[Database, Depends(get_database)]) -> Iterator[Session]:
    """A session; `Database.session` commits it when the handler returned and rolls back when it raised."""
    with database.session() as session:
        yield session


AppSettings = Annotated[Settings, Depends(get_settings)]
AppRecorder = Annotated[Recorder, Depends(get_recorder)]
AppCopies = Annotated[CopyMaker, Depends(get_copies)]
AppHub = Annotated[Hub, Depends(get_hub)]
AppSignals = Annotated[Signals, Depends(get_signals)]
Db = Annotated[Database, Depends(get_database)]
# scope: the session ends with the handler, before the response is sent: a slow reader holds no connection
DbSession = Annotated[Session, Depends(get_session, scope="function")]
