"""Downloads of the sequence diagram: `/traces/ID/sequence.svg` and `.mmd`.

Rules of this file: handlers that parse, call and answer with a file. The picture carries its own style sheet,
so it is always an attachment: shown inside the site, the content policy would take its style away.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from fastapi import APIRouter
from fastapi.responses import Response

from webapp.views import sequence_files
from webapp.views.selection import Selection
from webapp.web.deps import DbSession
from webapp.web.traces import find_trace

router = APIRouter(include_in_schema=False)


@router.get("/traces/{trace_id}/sequence.svg")
def as_svg(session: DbSession, trace_id: str, event: str = "", start: str = "", fold: str = "1") -> Response:
    trace = find_trace(session, trace_id)
    sel = _selection(trace_id, event, start, fold)
    return _file(sequence_files.picture(session, trace, sel), "image/svg+xml", trace.name, "sequence.svg")


@router.get("/traces/{trace_id}/sequence.mmd")
def as_mermaid(
    session: DbSession, trace_id: str, event: str = "", start: str = "", fold: str = "1"
) -> Response:
    trace = find_trace(session, trace_id)
    sel = _selection(trace_id, event, start, fold)
    return _file(sequence_files.text(session, trace, sel), "text/plain", trace.name, "sequence.mmd")


def _selection(trace_id: str, event: str, start: str, fold: str) -> Selection:
    return Selection(
        f"/traces/{trace_id}", "sequence", event=_number(event), start=_number(start), fold=fold != "0"
    )


def _number(text: str) -> int | None:
    """A record number; anything else is as if it were not there."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def _file(body: str, kind: str, name: str, tail: str) -> Response:
    """An attachment called `NAME-TAIL`; the plain name is for what cannot read the whole one."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "trace"
    whole = quote(f"{name}-{tail}", safe="")
    told = f"attachment; filename=\"{plain}-{tail}\"; filename*=UTF-8''{whole}"
    data = body.encode("utf-8", "replace")
    return Response(data, media_type=f"{kind}; charset=utf-8", headers={"Content-Disposition": told})
