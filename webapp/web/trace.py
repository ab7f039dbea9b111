"""The trace page, its fragments and the original file.

Rules of this file: parse, call, render. The page and the fragment write the same template, so a link works with
and without a script.
"""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from sqlalchemy.orm import Session

from webapp.storage.models import Trace
from webapp.views import trace as views
from webapp.views.live import LIVE
from webapp.views.selection import PANELS, Selection, parse, whole_number
from webapp.web.audit import note_beside
from webapp.web.deps import Db, DbSession, fragment, render, wants_fragment
from webapp.web.files import exchanges_file, original_file
from webapp.web.once import Once
from webapp.web.traces import find_trace
from webapp.web.who import who_of

router = APIRouter(include_in_schema=False)

ROWS = "Lanescope-Rows"  # header of a page that follows a live trace: how many rows it has room for
FEWEST, MOST = 20, 100  # rows that are made for it


@router.get("/traces/{trace_id}")
def page(request: Request, session: DbSession, trace_id: str) -> Response:
    """The whole page."""
    trace = find_trace(session, trace_id)
    sel = parse(f"/traces/{trace_id}", request.query_params)
    if trace.status == LIVE:
        # a page that follows takes its view out of the answer, so what stands around it is not made again
        template = "fragments/_trace.html" if wants_fragment(request) else "pages/trace.html"
        return _live(request, session, trace, template, sel)
    query = request.query_params
    view = views.build(
        session, trace, sel, already=query.get("already") == "1", anew=query.get("anew") == "1"
    )
    return render(request, "pages/trace.html", view=view)


@router.get("/traces/{trace_id}/original")
def original(request: Request, session: DbSession, database: Db, trace_id: str) -> Response:
    """The upload, byte for byte, as a download: it may hold anything, so no browser opens it."""
    trace = find_trace(session, trace_id)
    note_beside(request, "exported", trace.id, kind="original")
    return original_file(database, trace, trace.source or trace.name)


@router.get("/traces/{trace_id}/exchanges.jsonl")
def exchanges(request: Request, session: DbSession, database: Db, trace_id: str) -> Response:
    """A Teams trace as exchange lines: docs/exchange-lines.md."""
    trace = find_trace(session, trace_id)
    answer = exchanges_file(database, trace)
    note_beside(request, "exported", trace.id, kind="exchanges")
    return answer


def _live(request: Request, session: Session, trace: Trace, template: str, sel: Selection) -> Response:
    """The page of a trace that is being recorded: many watch the same one, so it is made once a position, and once for
    all whom it shows the same: a whole page has the reader's name, a part of it what their role may do."""
    asker = who_of(request)
    reader = asker if template.startswith("pages/") else asker.role
    state = (trace.records, trace.verdict, trace.size, trace.name, trace.note, trace.ticket, trace.lines)
    once: Once = request.app.state.once
    rows = _rows(request)
    html = once.get(
        (template, reader, sel, rows, *state),
        lambda: fragment(request, template, view=views.build(session, trace, sel, rows=rows)),
    )
    return HTMLResponse(html, headers={"Vary": f"HX-Request, {ROWS}"})


def _rows(request: Request) -> int:
    """How many rows the screen of a page that follows has room for, 0 = it does not say. In steps of ten, so that
    screens that differ little are told the same."""
    told = whole_number(request.headers.get(ROWS)) or 0
    return -(-min(max(told, FEWEST), MOST) // 10) * 10 if told else 0


def _fragment(panel: str) -> Callable[..., Response]:
    def answer(request: Request, session: DbSession, trace_id: str) -> Response:
        trace = find_trace(session, trace_id)
        if trace.status == LIVE:
            sel = parse(f"/traces/{trace_id}", request.query_params, panel)
            return _live(request, session, trace, "fragments/_trace.html", sel)
        view = views.build(session, trace, parse(f"/traces/{trace_id}", request.query_params, panel))
        return render(request, "fragments/_trace.html", view=view)

    return answer


# one fixed path a panel: a pattern would swallow what other modules serve under a trace
for _panel in PANELS:
    router.add_api_route(f"/traces/{{trace_id}}/{_panel}", _fragment(_panel), methods=["GET"], name=_panel)
