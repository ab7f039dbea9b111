"""Making, listing and ending share links: the side of those who own the trace.

Rules of this file: handlers that parse, call and render. The token is in one answer, that of the form, which no
cache may keep. What a link opens is `web/shared.py`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session

from webapp.errors import BadInput, Refused
from webapp.ingest import copies
from webapp.settings import Settings
from webapp.storage import shares
from webapp.storage import traces as repository
from webapp.storage.models import Share, Trace
from webapp.views import share as views
from webapp.views.selection import parse
from webapp.web.audit import note
from webapp.web.deps import AppSettings, Db, DbSession, render
from webapp.web.peers import link_base
from webapp.web.traces import find_trace
from webapp.web.who import Asker, Who

router = APIRouter(include_in_schema=False)


def _listing(session: Session, listed: Sequence[Share], settings: Settings, who: Who) -> views.Listing:
    return views.Listing(
        time.time(), shares.makers(session, listed), who.at_least("editor"), settings.sharing
    )


@router.get("/traces/{trace_id}/share")
def share_page(
    request: Request,
    session: DbSession,
    settings: AppSettings,
    who: Asker,
    trace_id: str,
    ended: str = "",
) -> Response:
    trace = find_trace(session, trace_id)
    sel = parse(f"/traces/{trace_id}", request.query_params)
    event = "" if sel.event is None else str(sel.event)
    given = views.Given(shares.name_for(session, trace.pk, trace.name), "", sel.panel, event)
    listed = shares.list_of(session, trace.pk)
    base = link_base(request, settings)
    page = views.page(
        trace,
        listed,
        views.form(trace, given, settings.share_days),
        _listing(session, listed, settings, who),
        base=base,
        host=urlsplit(base).hostname or "",
        back=sel,
        ended=ended,
    )
    return render(request, "pages/share.html", page=page)


@router.post("/traces/{trace_id}/share")
def create_link(
    request: Request,
    database: Db,
    session: DbSession,
    settings: AppSettings,
    who: Asker,
    trace_id: str,
    name: Annotated[str, Form()] = "",
    days: Annotated[str, Form()] = "",
    panel: Annotated[str, Form()] = "events",
    event: Annotated[str, Form()] = "",
    level: Annotated[str, Form()] = shares.STRUCTURE,
    sure: Annotated[str, Form()] = "",
) -> Response:
    """Make the link and show its address, this once; or the form again with what is wrong."""
    if not settings.sharing:
        raise Refused(views.OFF)
    given = views.Given(name, days, panel, event, level, sure)
    token, made, status, problem = "", "", 200, ""
    with database.session() as before:
        trace = find_trace(before, trace_id)
    try:
        asked = views.read_form(trace, given, settings.share_days)
        if (
            asked.level != shares.EVERYTHING
        ):  # made in sessions of its own: until then this request holds none
            copies.copy_for(database, trace.pk, asked.level, settings)
        share, token = shares.create(
            session,
            trace.pk,
            name=asked.name,
            now=time.time(),
            days=asked.days,
            panel=asked.panel,
            event=asked.event,
            level=asked.level,
            maker=who.user,
        )
        note(request, session, "shared", trace.id, link=share.id, level=share.level, days=asked.days)
        made = share.name
        given = replace(given, name=shares.name_for(session, trace.pk, trace.name), sure="")
    except BadInput as error:
        status, problem = 400, error.sentence
    listed = shares.list_of(session, trace.pk)
    base = link_base(request, settings)
    page = views.page(
        trace,
        listed,
        views.form(trace, given, settings.share_days, problem),
        _listing(session, listed, settings, who),
        base=base,
        host=urlsplit(base).hostname or "",
        back=parse(f"/traces/{trace_id}", {"panel": panel, "event": event}),
        token=token,
        made=made,
    )
    answer = render(request, "pages/share.html", status, page=page)
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.post("/traces/{trace_id}/share/revoke-all")
def revoke_all_of_trace(request: Request, session: DbSession, trace_id: str) -> Response:
    """End every link to this trace that works."""
    trace = find_trace(session, trace_id)
    gone = shares.revoke_all(session, time.time(), trace.pk)
    _ended(request, session, trace, gone)
    return RedirectResponse(f"/traces/{trace_id}/share?ended={len(gone)}", 303)


@router.post("/traces/{trace_id}/share/{share_id}/revoke")
def revoke_link(
    request: Request, session: DbSession, trace_id: str, share_id: str, back: str = ""
) -> Response:
    """End a link; one that was revoked already, or is not this trace's, changes nothing."""
    trace = find_trace(session, trace_id)
    share = shares.revoke(session, trace.pk, share_id, time.time())
    _ended(request, session, trace, [] if share is None else [share])
    to = "/shares" if back == "all" else f"/traces/{trace_id}/share"
    return RedirectResponse(f"{to}?ended={int(share is not None)}", 303)


@router.get("/shares")
def all_links(
    request: Request, session: DbSession, settings: AppSettings, who: Asker, ended: str = ""
) -> Response:
    """Every link that works, of all traces."""
    found = shares.live(session, time.time())
    context = _listing(session, [share for share, _ in found], settings, who)
    page = views.all_links(found, context, may_end_all=who.at_least("admin"), ended=ended)
    return render(request, "pages/shares.html", page=page)


@router.post("/shares/revoke-all")
def revoke_all(request: Request, session: DbSession) -> Response:
    """End every link that works, of every trace."""
    ended: dict[int, list[Share]] = {}
    gone = shares.revoke_all(session, time.time())
    for share in gone:
        ended.setdefault(share.trace, []).append(share)
    for pk, of_trace in ended.items():
        trace = repository.by_pk(session, pk)
        if trace is not None:
            _ended(request, session, trace, of_trace)
    return RedirectResponse(f"/shares?ended={len(gone)}", 303)


def _ended(request: Request, session: Session, trace: Trace, ended: Sequence[Share]) -> None:
    """Say who ended these links, and drop the redacted copies that no link opens any more."""
    for share in ended:
        note(request, session, "revoked", trace.id, link=share.id, level=share.level)
    if ended:
        session.flush()
        copies.drop_unused(session, trace.pk)
