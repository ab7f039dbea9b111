"""The front page, and what a person may change about a trace: name, ticket, note, and deleting it.

Rules of this file: handlers that parse, call and render. Queries are in `storage.traces`, words in
`views.traces`.
"""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session
from starlette.background import BackgroundTasks

from webapp.errors import BadInput, NotFound, Refused
from webapp.ingest.reread import forms
from webapp.ingest.samples import load_samples
from webapp.ingest.signals import Signal
from webapp.storage import streams
from webapp.storage import traces as repository
from webapp.storage.models import Trace
from webapp.views import sent
from webapp.views import traces as views
from webapp.views.live import LIVE
from webapp.views.unsettled import stopped
from webapp.web import audit
from webapp.web.deps import AppSettings, AppSignals, Db, DbSession, render, wants_fragment
from webapp.web.who import who_of

router = APIRouter(include_in_schema=False)

NOT_THEIRS = "Somebody else brought this trace here, so only they or an admin can delete it; ask one of them."
MAX_NAME, MAX_TICKET, MAX_NOTE = 200, 100, 20_000  # characters


@router.get("/")
def front_page(
    request: Request,
    session: DbSession,
    settings: AppSettings,
    q: str = "",
    verdict: str = "",
    protocol: str = "",
    page: str = "1",
    notice: str = "",
    unread: str = "",
    stored: str = "",
    known: str = "",
    at: Annotated[list[str] | None, Query()] = None,
) -> Response:
    named = [repository.get(session, id_) for id_ in (at or [])[: sent.KNOWN]]
    query = views.parse_query(q, verdict, protocol, page)
    rows, found = repository.list_traces(
        session,
        q=query.q,
        verdict=query.verdict,
        protocol=query.protocol,
        offset=query.offset,
        limit=views.PAGE_SIZE,
    )
    context = views.trace_list(
        query,
        rows,
        found,
        repository.facets(session),
        now=time.time(),
        max_upload_bytes=settings.max_upload_bytes,
        notice=notice,
        outcomes=streams.outcomes(
            session, [row.pk for row in rows if row.protocol == "teams" or stopped(row)]
        ),
        sent=sent.told(stored, known, [row for row in named if row is not None]),
    )
    template = "fragments/_traces.html" if wants_fragment(request) else "pages/traces.html"
    # the form is found by looking; it can be named by those who come from something that was not recognised
    return render(request, template, traces=context, forms=forms() if unread == "1" else ())


@router.get("/traces/{trace_id}/edit")
def edit_page(request: Request, session: DbSession, trace_id: str, back: str = "") -> Response:
    trace = find_trace(session, trace_id)
    form = views.trace_form(trace, back)
    may_delete = who_of(request).may_delete(trace.owner)
    return render(request, "pages/trace_edit.html", form=form, may_delete=may_delete)


@router.post("/traces/{trace_id}/edit")
def edit(
    request: Request,
    session: DbSession,
    trace_id: str,
    name: Annotated[str, Form()] = "",
    ticket: Annotated[str, Form()] = "",
    note: Annotated[str, Form()] = "",
    pinned: Annotated[str, Form()] = "",
    back: Annotated[str, Form()] = "",
) -> Response:
    trace = find_trace(session, trace_id)
    name, ticket = " ".join(name.split()), " ".join(ticket.split())
    if not name:
        raise BadInput("A trace needs a name; go back and give it one.")
    for label, text, limit in (
        ("name", name, MAX_NAME),
        ("ticket", ticket, MAX_TICKET),
        ("note", note, MAX_NOTE),
    ):
        if len(text) > limit:
            raise BadInput(
                f"The {label} has {len(text):,} characters; {limit:,} are the most. Go back and shorten it."
            )
    repository.rename(session, trace.pk, name)
    repository.set_ticket(session, trace.pk, ticket)
    repository.set_note(session, trace.pk, note.strip())
    repository.pin(session, trace.pk, pinned == "1")
    audit.note(request, session, "edited", trace.id)
    return RedirectResponse(f"/traces/{trace_id}" if back == "trace" else "/?notice=saved", 303)


@router.get("/traces/{trace_id}/delete")
def delete_page(request: Request, session: DbSession, trace_id: str, back: str = "") -> Response:
    form = views.trace_form(_theirs(request, session, trace_id), back)
    return render(request, "pages/trace_delete.html", form=form)


@router.post("/traces/{trace_id}/delete")
def delete(
    request: Request, session: DbSession, database: Db, signals: AppSignals, trace_id: str
) -> Response:
    trace = _theirs(request, session, trace_id)
    repository.delete(session, trace.pk)
    audit.note(request, session, "deleted", trace_id)
    # the session ends before an answer's tasks begin: whoever records it is to notice at once, and no byte stays
    after = BackgroundTasks()
    if trace.status == LIVE:
        after.add_task(signals.publish, Signal(trace_id, 0, "raw"))
    after.add_task(database.settle)
    return RedirectResponse("/?notice=deleted", 303, background=after)


@router.post("/samples")
def samples(request: Request, database: Db, settings: AppSettings) -> Response:
    load_samples(database, settings, audit.by(request))
    return RedirectResponse("/?notice=samples", 303)


def _theirs(request: Request, session: Session, trace_id: str) -> Trace:
    """A trace that the asker may delete; raises NotFound and Refused."""
    trace = find_trace(session, trace_id)
    if not who_of(request).may_delete(trace.owner):
        raise Refused(NOT_THEIRS)
    return trace


def find_trace(session: Session, trace_id: str) -> Trace:
    """The trace with this public id; raises NotFound."""
    trace = repository.get(session, trace_id)
    if trace is None:
        raise NotFound("There is no such trace: it was deleted, or the link is not complete.")
    return trace
