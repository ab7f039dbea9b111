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
from webapp.ingest.copies import drop_unused
from webapp.settings import Settings
from webapp.storage import shares
from webapp.storage import traces as repository
from webapp.storage.models import Share, Trace
from webapp.views import share as views
from webapp.views import share_lists as lists
from webapp.views.names import page_number
from webapp.views.pages import fitting
from webapp.views.selection import parse
from webapp.web.audit import note
from webapp.web.deps import AppCopies, AppSettings, Db, DbSession, render
from webapp.web.peers import link_base
from webapp.web.traces import find_trace
from webapp.web.who import Asker, Who

router = APIRouter(include_in_schema=False)


def _listing(session: Session, listed: Sequence[Share], settings: Settings, who: Who) -> lists.Listing:
    return lists.Listing(
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
    copies: AppCopies,
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
        raise Refused(lists.OFF)
    given = views.Given(name, days, panel, event, level, sure)
    token, made, ready, status, problem = "", "", True, 200, ""
    # until the link stands, in sessions of its own: this request holds none while a copy is made
    with database.session() as before:
        trace = find_trace(before, trace_id)
    try:
        asked = views.read_form(trace, given, settings.share_days)
        redacted = asked.level != shares.EVERYTHING
        ready = not redacted or copies.at_once(trace.pk, asked.level)
        with database.session() as own:
            share, token = shares.create(
                own,
                trace.pk,
                name=asked.name,
                now=time.time(),
                days=asked.days,
                panel=asked.panel,
                event=asked.event,
                level=asked.level,
                maker=who.user,
            )
            note(request, own, "shared", trace.id, link=share.id, level=share.level, days=asked.days)
        if not ready:
            copies.begin(trace, asked.level)
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
        ready=ready,
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
    request: Request, session: DbSession, trace_id: str, share_id: str, back: str = "", page: str = "1"
) -> Response:
    """End a link; one that was revoked already, or is not this trace's, changes nothing. back: `all` returns to this
    page of all links."""
    trace = find_trace(session, trace_id)
    share = shares.revoke(session, trace.pk, share_id, time.time())
    _ended(request, session, trace, [] if share is None else [share])
    to = "/shares" if back == "all" else f"/traces/{trace_id}/share"
    number = page_number(page)
    tail = f"&page={number}" if back == "all" and number > 1 else ""
    return RedirectResponse(f"{to}?ended={int(share is not None)}{tail}", 303)


@router.get("/shares")
def all_links(
    request: Request,
    session: DbSession,
    settings: AppSettings,
    who: Asker,
    ended: str = "",
    page: str = "1",
) -> Response:
    """Every link that works, of all traces, a page at a time."""
    now, size = time.time(), lists.LINKS_AT_ONCE
    found = shares.count_live(session, now)
    number = fitting(page_number(page), size, found)
    rows = shares.live(session, now, offset=(number - 1) * size, limit=size)
    context = _listing(session, [share for share, _ in rows], settings, who)
    listed = lists.all_links(rows, context, number, found, may_end_all=who.at_least("admin"), ended=ended)
    return render(request, "pages/shares.html", page=listed)


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
        drop_unused(session, trace.pk)
