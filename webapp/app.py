"""Puts the web application together: settings in, FastAPI out.

Rules of this file: composition only. What an address does is in `webapp/web`, one module a subject; a new
subject is one more line below.
"""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI

from webapp import __version__
from webapp.accounts.oidc.config import config_of
from webapp.accounts.oidc.provider import Provider
from webapp.ingest.copy_maker import CopyMaker
from webapp.ingest.live.hub import Hub
from webapp.ingest.live.recorder import Recorder
from webapp.ingest.signals import signals_for
from webapp.settings import Settings, load_settings
from webapp.storage.db import Database, open_database
from webapp.web import (
    account,
    api_page,
    audit_page,
    call,
    capture,
    documents,
    follow,
    keys,
    oidc,
    playback,
    proxy,
    push,
    redacted,
    reread,
    rules,
    sequence,
    share,
    shared,
    shared_later,
    sign_in,
    static,
    texts,
    trace,
    trace_list,
    traces,
    upload,
    users,
)
from webapp.web.beside import Beside
from webapp.web.deps import make_templates
from webapp.web.errors import add_error_handlers
from webapp.web.faults import describe_faults
from webapp.web.limits import Limits
from webapp.web.logs import keep_tokens_out_of_logs
from webapp.web.once import Once
from webapp.web.running import running
from webapp.web.security import Guard

ROOT = Path(__file__).resolve().parent.parent  # holds templates/ and static/


def create_app(settings: Settings, database: Database | None = None) -> FastAPI:
    """The application on a database that has been migrated; opened from the settings when not given."""
    app = FastAPI(
        title="Lanescope",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,  # FastAPI's own pages load files from other hosts
        redoc_url=None,
        redirect_slashes=False,
        lifespan=running,
    )
    assets = static.Assets(ROOT / "static")
    app.state.settings = settings
    app.state.database = database or open_database(settings.database_url)
    config = config_of(settings)
    app.state.provider = Provider(config) if config else None
    app.state.signals = signals_for(settings.database_url)
    app.state.hub = Hub()
    app.state.once = Once()
    app.state.beside = Beside(app.state.database)
    app.state.copies = CopyMaker(app.state.database, settings)
    app.state.limits = Limits(settings)
    app.state.recorder = Recorder(app.state.database, settings, app.state.signals)
    app.state.assets = assets
    app.state.templates = make_templates(ROOT / "templates", assets)
    # the trace page last but one: its patterns would match the fixed paths of those before it
    for module in (
        static, sign_in, oidc, account, keys, users, audit_page, api_page, call, capture, traces, upload, trace_list,
        push, follow, sequence, documents, playback, share, shared, texts, redacted, reread, trace, rules, proxy,
    ):  # fmt: skip
        # include_router would build each route once more, a tenth of a second an application: tests make thousands
        app.router.routes.extend(module.router.routes)
    describe_faults(app)
    add_error_handlers(app)
    shared_later.add_link_handlers(app)
    keep_tokens_out_of_logs()
    app.add_middleware(Guard, settings=settings)
    return app


def app_from_environment() -> FastAPI:
    """For servers that start several processes and import the application in each."""
    return create_app(load_settings())
