"""The redacted download of a trace: one file that holds its structure and its verdict, and not its texts.

Rules of this file: parse, call, answer. How the file is made is `ingest/redacted_file.py`. Its name has the trace's id
and not its name, which may be a customer's.
"""

from __future__ import annotations

from itertools import chain

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse

from webapp.ingest.redacted_file import redacted_file
from webapp.web.audit import note_beside
from webapp.web.deps import AppSettings, Db
from webapp.web.traces import find_trace

router = APIRouter(include_in_schema=False)


@router.get("/traces/{trace_id}/redacted.jsonl")
def download(
    request: Request,
    database: Db,
    settings: AppSettings,
    trace_id: str,
    level: str = "structure",
) -> Response:
    """The file, as an attachment. level: structure (all texts are out) or personal."""
    with database.session() as session:  # all is read here: who takes the body slowly holds no connection
        trace = find_trace(session, trace_id)
        body = redacted_file(session, trace, level, settings.max_record_bytes)
        first = next(body)
    note_beside(request, "exported", trace.id, kind="redacted", level=level)
    headers = {
        "Content-Disposition": f'attachment; filename="{trace.id}-{level}.redacted.jsonl"',
        "Cache-Control": "private, no-store",
    }
    return StreamingResponse(chain((first,), body), media_type="application/x-ndjson", headers=headers)
