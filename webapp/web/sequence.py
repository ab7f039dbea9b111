"""Downloads of the sequence diagram: `/traces/ID/sequence.svg` and `.mmd`.

Rules of this file: handlers that parse, call and answer with a file. The picture carries its own style sheet,
so it is always an attachment: shown inside the site, the content policy would take its style away.
"""

from __future__ import annotations

import re

from fastapi import APIRouter
from fastapi.responses import Response

from webapp.views import sequence_files
from webapp.views.selection import Selection
from webapp.web.deps import DbSession
from webapp.web.files import attachment
from webapp.web.traces import find_trace

router = APIRouter(include_in_schema=False)


@router.get("/traces/{trace_id}/sequence.svg")
def as_svg(session: DbSession, trace_id: str, event: str = "", start: str = "", fold: str = "1") -> Response:
    trace = find_trace(session, trace_id)
    sel = _selection(trace_id, event, start, fold)
    return attachment(
        sequence_files.picture(session, trace, sel), "image/svg+xml", trace.name, "sequence.svg"
    )


@router.get("/traces/{trace_id}/sequence.mmd")
def as_mermaid(
    session: DbSession, trace_id: str, event: str = "", start: str = "", fold: str = "1"
) -> Response:
    trace = find_trace(session, trace_id)
    sel = _selection(trace_id, event, start, fold)
    return attachment(sequence_files.text(session, trace, sel), "text/plain", trace.name, "sequence.mmd")


def _selection(trace_id: str, event: str, start: str, fold: str) -> Selection:
    return Selection(
        f"/traces/{trace_id}", "sequence", event=_number(event), start=_number(start), fold=fold != "0"
    )


def _number(text: str) -> int | None:
    """A record number; anything else is as if it were not there."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None
