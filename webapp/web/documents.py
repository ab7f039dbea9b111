"""What is taken away from a trace: text for a ticket, and the report as one file.

Rules of this file: handlers that parse, call and answer; words are in `views.ticket` and `views.report_page`. The
report carries its own style sheet and its own policy, so it is always an attachment.
"""

from __future__ import annotations

import time

from fastapi import APIRouter, Request
from fastapi.responses import Response
from jinja2 import Environment
from markupsafe import Markup

from webapp.views import report_page, ticket
from webapp.web.audit import note_beside
from webapp.web.deps import AppSettings, DbSession
from webapp.web.files import attachment
from webapp.web.peers import link_base
from webapp.web.static import Assets
from webapp.web.traces import find_trace

router = APIRouter(include_in_schema=False)


@router.get("/traces/{trace_id}/ticket.md")
def ticket_text(request: Request, session: DbSession, settings: AppSettings, trace_id: str) -> Response:
    """Markdown to paste into a ticket."""
    trace = find_trace(session, trace_id)
    link = f"{link_base(request, settings)}/traces/{trace.id}"
    body = ticket.build(session, trace, link).encode("utf-8", "replace")
    note_beside(request, "exported", trace.id, kind="ticket")
    return Response(body, media_type="text/markdown; charset=utf-8")


@router.get("/traces/{trace_id}/report.html")
def report_file(request: Request, session: DbSession, trace_id: str) -> Response:
    """One HTML file without scripts, for those who cannot reach this machine."""
    trace = find_trace(session, trace_id)
    document = report_page.build(session, trace, now=time.time())
    answer = attachment(report_html(request, document), "text/html", trace.name, "report.html")
    note_beside(request, "exported", trace.id, kind="report")
    return answer


def report_html(request: Request, document: report_page.Report) -> str:
    """The report as text; its style sheet is a file beside the site's, written into it."""
    env: Environment = request.app.state.templates
    assets: Assets = request.app.state.assets
    # our own file and not the page's: no name in it ends the element
    style = Markup("<style>\n{}</style>").format(Markup(assets.text("report.css")))
    return env.get_template("pages/report.html").render(report=document, style=style)
