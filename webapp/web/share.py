"""Making, listing and ending share links: the side of those who own the trace.

Rules of this file: handlers that parse, call and render. The token is in one answer, that of the form, which no
cache may keep. What a link opens is `web/shared.py`.
"""

from __future__ import annotations

import time
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from webapp.errors import BadInput
from webapp.settings import Settings
from webapp.storage import shares
from webapp.views import share as views
from webapp.views.selection import parse
from webapp.web.deps import AppSettings, DbSession, render
from webapp.web.traces import find_trace

router = APIRouter(include_in_schema=False)


def link_base(request: Request, settings: Settings) -> str:
    """What links to this server begin with: PUBLIC_URL, or the address this request came to (it is checked)."""
    return settings.public_url or str(request.base_url).rstrip("/")


@router.get("/traces/{trace_id}/share")
def share_page(request: Request, session: DbSession, settings: AppSettings, trace_id: str) -> Response:
    trace = find_trace(session, trace_id)
    sel = parse(f"/traces/{trace_id}", request.query_params)
    event = "" if sel.event is None else str(sel.event)
    asked = views.form(trace, trace.name[: views.MAX_NAME], "", sel.panel, event, settings.share_days)
    base = link_base(request, settings)
    page = views.page(
        trace,
        shares.list_of(session, trace.pk),
        asked,
        now=time.time(),
        base=base,
        host=urlsplit(base).hostname or "",
        back=sel,
    )
    return render(request, "pages/share.html", page=page)


@router.post("/traces/{trace_id}/share")
def create_link(
    request: Request,
    session: DbSession,
    settings: AppSettings,
    trace_id: str,
    name: Annotated[str, Form()] = "",
    days: Annotated[str, Form()] = "",
    panel: Annotated[str, Form()] = "events",
    event: Annotated[str, Form()] = "",
) -> Response:
    """Make the link and show its address, this once; or the form again with what is wrong."""
    trace = find_trace(session, trace_id)
    now = time.time()
    token, made, status, problem = "", None, 200, ""
    try:
        asked = views.read_form(trace, name, days, panel, event, settings.share_days)
        made, token = shares.create(
            session,
            trace.pk,
            name=asked.name,
            now=now,
            days=asked.days,
            panel=asked.panel,
            event=asked.event,
        )
    except BadInput as error:
        status, problem = 400, error.sentence
    base = link_base(request, settings)
    page = views.page(
        trace,
        shares.list_of(session, trace.pk),
        views.form(trace, name, days, panel, event, settings.share_days, problem),
        now=now,
        base=base,
        host=urlsplit(base).hostname or "",
        back=parse(f"/traces/{trace_id}", {"panel": panel, "event": event}),
        token=token,
        made=made,
    )
    answer = render(request, "pages/share.html", status, page=page)
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.post("/traces/{trace_id}/share/{share_id}/revoke")
def revoke_link(session: DbSession, trace_id: str, share_id: str, back: str = "") -> Response:
    """End a link; one that has ended already, or is not this trace's, changes nothing."""
    trace = find_trace(session, trace_id)
    shares.revoke(session, trace.pk, share_id, time.time())
    return RedirectResponse("/shares" if back == "all" else f"/traces/{trace_id}/share", 303)


@router.get("/shares")
def all_links(request: Request, session: DbSession) -> Response:
    """Every link that works, of all traces."""
    now = time.time()
    lines = [views.line(share, trace, now, back="all") for share, trace in shares.live(session, now)]
    return render(request, "pages/shares.html", lines=lines)
