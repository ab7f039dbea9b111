"""A trace read anew: the choice of forms, the new reading, and judging again by the engine of today.

Rules of this file: parse, call, render. What cannot be read so is told on the page of the choice, and the trace stays
as it was.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session

from webapp.errors import NotFound, UserError
from webapp.ingest import reread as ingest
from webapp.views import reading
from webapp.views import traces as views
from webapp.views.selection import Selection
from webapp.web.audit import by
from webapp.web.deps import AppSettings, Db, DbSession, render
from webapp.web.errors import status_of
from webapp.web.traces import find_trace

router = APIRouter(include_in_schema=False)


@router.get("/traces/{trace_id}/reread")
def choice(request: Request, session: DbSession, trace_id: str) -> Response:
    """Every form this recording could be read as."""
    return _page(request, session, trace_id)


@router.post("/traces/{trace_id}/reread")
def reread(
    request: Request,
    database: Db,
    settings: AppSettings,
    trace_id: str,
    form: Annotated[str, Form(alias="as")] = "",
    protocol: Annotated[str, Form()] = "",
) -> Response:
    """Read the original anew; an empty form or protocol means: find out."""
    chosen = protocol if protocol in reading.PROTOCOLS else None
    try:
        ingest.reread(
            database, trace_id, form=form or None, protocol=chosen, settings=settings, by=by(request)
        )
    except NotFound:
        raise
    except UserError as error:
        if "application/json" in request.headers.get("accept", ""):
            raise
        with database.session() as session:
            return _page(request, session, trace_id, form, protocol, error)
    return RedirectResponse(f"/traces/{trace_id}?anew=1", 303)


@router.post("/traces/{trace_id}/rejudge")
def rejudge(request: Request, database: Db, settings: AppSettings, trace_id: str) -> Response:
    """Judge by the engine of today, read as before."""
    ingest.rejudge(database, trace_id, settings, by=by(request))
    return RedirectResponse(f"/traces/{trace_id}", 303)


def _page(
    request: Request,
    session: Session,
    trace_id: str,
    form: str | None = None,
    protocol: str = "",
    error: UserError | None = None,
) -> Response:
    """form: chosen when the page opens, "" = find out; None: the present one, so that a look changes nothing."""
    trace = find_trace(session, trace_id)
    offers = ingest.offers(session, trace)
    if form is None:
        form = next((offer.name for offer in offers if offer.current), "")
    return render(
        request,
        "pages/reread.html",
        200 if error is None else status_of(error),
        form=views.trace_form(trace, "trace"),
        sel=Selection(f"/traces/{trace_id}"),
        now=reading.now(trace),
        fitting=[offer for offer in offers if offer.score is not None],
        others=[offer for offer in offers if offer.score is None],
        chosen=form,
        protocols=reading.PROTOCOLS,
        protocol=protocol,
        fault="" if error is None else error.sentence,
    )
