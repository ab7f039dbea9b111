"""What a share link opens: one trace, read-only, under `/s/TOKEN`.

Rules of this file: every address begins by hashing the token and looking it up, whatever it looks like; one that
opens nothing gets one answer, the same to the byte. Nothing here writes but the count of views. No answer may be
kept, listed or told to another site.
"""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import Response

from webapp.storage import shares
from webapp.storage import traces as repository
from webapp.storage.models import Share, Trace
from webapp.views import report_page, sequence_files
from webapp.views import share as views
from webapp.views import trace as trace_views
from webapp.views.panels import PANELS
from webapp.views.selection import Selection, parse
from webapp.web.deps import Db, DbSession, render, wants_fragment
from webapp.web.documents import report_html
from webapp.web.files import attachment, exchanges_file, original_file

router = APIRouter(include_in_schema=False)


class LinkEnded(Exception):
    """The token opens nothing: expired, revoked, mistyped, or its trace is gone."""


class Opened:
    """A link that works. base: URL path the page's links begin with."""

    def __init__(self, share: Share, trace: Trace, token: str) -> None:
        self.share = share
        self.trace = trace
        self.base = f"/s/{token}"


def opened(session: DbSession, token: str) -> Opened:
    """The trace behind a token; raises LinkEnded."""
    share = shares.get_by_token(session, token, time.time())
    trace = None if share is None else repository.by_pk(session, share.trace)
    if share is None or trace is None:
        raise LinkEnded
    return Opened(share, trace, token)


Link = Annotated[Opened, Depends(opened)]


def add_link_ended_handler(app: FastAPI) -> None:
    """The one answer of a link that opens nothing."""

    @app.exception_handler(LinkEnded)
    def link_ended(request: Request, error: LinkEnded) -> Response:
        answer = render(request, "pages/link_ended.html", 404)
        # a page that is open when its link ends asks for a part of itself; it is loaded anew as this page
        answer.headers["HX-Refresh"] = "true"
        return answer


@router.get("/s/{token}")
def page(request: Request, session: DbSession, link: Link) -> Response:
    """The whole page; at the link's own panel and event unless the address names another view."""
    sel = parse(link.base, request.query_params)
    if not request.query_params:
        sel = Selection(link.base, panel=link.share.panel, event=link.share.event)
    view = trace_views.build(session, link.trace, sel, shared=True)
    answer = render(request, "pages/shared_trace.html", view=view, head=views.head(link.share))
    if not wants_fragment(request):
        shares.viewed(session, link.share, time.time())
    return answer


@router.get("/s/{token}/original")
def original(database: Db, link: Link) -> Response:
    """The recording; named as the trace is, since the file's own name is not shown."""
    return original_file(database, link.trace, link.trace.name)


@router.get("/s/{token}/exchanges.jsonl")
def exchanges(database: Db, link: Link) -> Response:
    """A Teams trace as exchange lines; of any other the link opens no such thing."""
    if link.trace.protocol != "teams":
        raise LinkEnded
    return exchanges_file(database, link.trace)


@router.get("/s/{token}/sequence.svg")
def as_svg(request: Request, session: DbSession, link: Link) -> Response:
    sel = parse(link.base, request.query_params, "sequence")
    picture = sequence_files.picture(session, link.trace, sel)
    return attachment(picture, "image/svg+xml", link.trace.name, "sequence.svg")


@router.get("/s/{token}/sequence.mmd")
def as_mermaid(request: Request, session: DbSession, link: Link) -> Response:
    sel = parse(link.base, request.query_params, "sequence")
    text = sequence_files.text(session, link.trace, sel)
    return attachment(text, "text/plain", link.trace.name, "sequence.mmd")


@router.get("/s/{token}/report.html")
def report(request: Request, session: DbSession, link: Link) -> Response:
    document = report_page.build(session, link.trace, now=time.time())
    return attachment(report_html(request, document), "text/html", link.trace.name, "report.html")


@router.get("/s/{token}/{tail}")
def fragment(request: Request, session: DbSession, link: Link, tail: str) -> Response:
    """The view alone, with one panel."""
    if tail not in PANELS:
        raise LinkEnded
    sel = parse(link.base, request.query_params, tail)
    view = trace_views.build(session, link.trace, sel, shared=True)
    return render(request, "fragments/_trace.html", view=view)
