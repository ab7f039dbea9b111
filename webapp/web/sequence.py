"""Downloads of the sequence diagram: `/traces/ID/sequence.svg` and `.mmd`.

Rules of this file: handlers that parse, call and answer with a file. The picture carries its own style sheet,
so it is always an attachment: shown inside the site, the content policy would take its style away.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from webapp.views import sequence_files
from webapp.views.selection import parse
from webapp.web.audit import note_beside
from webapp.web.deps import DbSession
from webapp.web.files import attachment
from webapp.web.traces import find_trace

router = APIRouter(include_in_schema=False)


@router.get("/traces/{trace_id}/sequence.svg")
def as_svg(request: Request, session: DbSession, trace_id: str) -> Response:
    trace = find_trace(session, trace_id)
    sel = parse(f"/traces/{trace_id}", request.query_params, "sequence")
    picture = sequence_files.picture(session, trace, sel)
    note_beside(request, "exported", trace.id, kind="svg")
    return attachment(picture, "image/svg+xml", trace.name, "sequence.svg")


@router.get("/traces/{trace_id}/sequence.mmd")
def as_mermaid(request: Request, session: DbSession, trace_id: str) -> Response:
    trace = find_trace(session, trace_id)
    sel = parse(f"/traces/{trace_id}", request.query_params, "sequence")
    text = sequence_files.text(session, trace, sel)
    note_beside(request, "exported", trace.id, kind="mermaid")
    return attachment(text, "text/plain", trace.name, "sequence.mmd")
