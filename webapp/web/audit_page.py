"""The audit for admins: a page of it, and all of it as a file.

Rules of this file: handlers that parse, call and answer. Nothing here changes a line; who takes the file away is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse

from webapp.storage import audit, shares
from webapp.views import audit as views
from webapp.web.audit import note
from webapp.web.deps import Db, DbSession, render

router = APIRouter(include_in_schema=False)

AT_ONCE = 500  # lines sent in one piece


@router.get("/audit")
def page(request: Request, session: DbSession, what: str = "", about: str = "", page: str = "1") -> Response:
    """Newest first, everything or what is asked for."""
    query = views.parse_query(what, about, page)
    acts, total = audit.newest(
        session, what=query.what, about=query.about, offset=query.offset, limit=views.PAGE_SIZE
    )
    known = audit.names_of(session, (act.about for act in acts))
    links = shares.names_of(session, views.links_in(acts))
    answer = render(request, "pages/audit.html", page=views.page(query, acts, total, known, links))
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.get("/audit.jsonl")
def export(request: Request, session: DbSession, database: Db) -> Response:
    """Every line, oldest first, one JSON object a line; that it was taken away is its last one."""
    note(request, session, "exported", kind="audit")

    def lines() -> Iterator[bytes]:
        with database.session() as own:  # the handler's session ends before the body is sent
            acts = audit.all_lines(own)
            while some := list(islice(acts, AT_ONCE)):
                yield b"".join(map(views.export_line, some))

    headers = {
        "Content-Disposition": 'attachment; filename="lanescope-audit.jsonl"',
        "Cache-Control": "private, no-store",
    }
    return StreamingResponse(lines(), media_type="application/x-ndjson", headers=headers)
