"""Calling an agent: the form, sending it, and stopping a call that runs.

Rules of this file: parse, call, render. What was typed comes back when a call came to nothing, all but the
Authorization value, which is in no page.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Query, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException

from webapp.errors import BadInput, UserError
from webapp.ingest.call.asked import MAX_INPUT
from webapp.ingest.call.caller import CALL, Calls
from webapp.ingest.call.faults import CallFailed
from webapp.ingest.call.url import without_user
from webapp.ingest.signals import Signal
from webapp.storage import captures
from webapp.storage.db import Database
from webapp.storage.ids import public_id
from webapp.views import call as views
from webapp.web.audit import by
from webapp.web.deps import AppHub, Db, DbSession, render
from webapp.web.errors import status_of
from webapp.web.traces import find_trace

MAX_FIELDS = 10
FAILED = 502  # the agent did not answer, or not as one
LIVE, STOP = "live", "stop"  # statuses in signals
STOP_SECONDS = 5.0  # that the end of a call is waited for, so that the page shows it


@asynccontextmanager
async def _end_calls(app: FastAPI) -> AsyncIterator[None]:
    """Calls end with the server, while the recorder still takes their end."""
    yield
    calls: Calls | None = getattr(app.state, "calls", None)
    if calls is not None:
        await calls.close()


router = APIRouter(include_in_schema=False, lifespan=_end_calls)


async def get_calls(request: Request) -> Calls:
    """The calls of this process; made when first asked for. Runs on the event loop, so it is made once."""
    state = request.app.state
    calls: Calls | None = getattr(state, "calls", None)
    if calls is None:
        calls = state.calls = Calls(state.settings, state.recorder)
    return calls


Running = Annotated[Calls, Depends(get_calls)]
As = Annotated[str, Query(alias="as")]


@router.get("/call")
def form(
    request: Request,
    session: DbSession,
    calls: Running,
    start: As = "",
    url: str = "",
    trace: str = "",
    event: str = "",
) -> Response:
    """The form: with an example, or with what a trace’s run was asked."""
    if trace:
        number = int(event) if event.isascii() and event.isdigit() and len(event) < 10 else None
        filled = views.repeated(session, find_trace(session, trace), public_id(), number)
    else:
        filled = views.begun(start, public_id(), url[:2_000])
    return _page(request, calls, filled)


@router.get("/call/input")
def field(request: Request, start: As = "") -> Response:
    """The field of the run input alone, filled with one of the examples."""
    filled = views.begun(start, public_id())
    return render(request, "fragments/_call_input.html", page=views.page(filled, hosts=""))


@router.post("/call")
async def call(request: Request, calls: Running) -> Response:
    """Call the agent; then the trace’s page, while the answer is still coming."""
    try:
        fields = await request.form(max_files=0, max_fields=MAX_FIELDS, max_part_size=MAX_INPUT + 1024)
    except HTTPException as error:
        raise BadInput(
            f"The form cannot be read: {str(error.detail).rstrip('.')}. A run input may have "
            f"{MAX_INPUT // 1024**2} MB; go back, what you typed is still there."
        ) from None
    url, secret, name = _text(fields, "url"), _text(fields, "authorization"), _text(fields, "name")
    asked = _text(fields, "run_input").replace("\r\n", "\n")
    try:
        trace_id = await calls.start(url, asked, secret, name, by(request))
    except UserError as error:
        filled = views.Filled(url=without_user(url), run_input=asked, name=name[:200])
        return _page(request, calls, filled, error, again=bool(secret.strip()))
    return RedirectResponse(f"/traces/{trace_id}", 303)


@router.post("/traces/{trace_id}/stop")
async def stop(request: Request, database: Db, hub: AppHub, calls: Running, trace_id: str) -> Response:
    """End a call; one that has ended already stays as it is."""
    runs = calls.stop(trace_id)
    if not runs and (runs := await run_in_threadpool(_may_stop, database, trace_id)):
        request.app.state.signals.publish(Signal(trace_id, 0, STOP))  # another worker makes it
    if runs:
        await hub.ended(trace_id, STOP_SECONDS)
    return RedirectResponse(f"/traces/{trace_id}", 303)


def _may_stop(database: Database, trace_id: str) -> bool:
    """Whether it is a call that still runs. Raises NotFound, or BadInput for a stream that nobody here can stop."""
    with database.session() as session:
        trace = find_trace(session, trace_id)
        capture = captures.get(session, trace.pk)
        if trace.status == LIVE and (capture is None or capture.kind != CALL):
            raise BadInput(
                "Lanescope did not begin this stream, so it cannot stop it: stop whoever sends it."
            )
        return trace.status == LIVE


def stop_told(app: FastAPI, trace_id: str) -> None:
    """Another worker was asked to end a call, which may be one of ours."""
    calls: Calls | None = getattr(app.state, "calls", None)
    if calls is not None:
        calls.stop(trace_id)


def _text(fields: FormData, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _page(
    request: Request,
    calls: Calls,
    filled: views.Filled,
    error: UserError | None = None,
    again: bool = False,
) -> Response:
    status = 200 if error is None else FAILED if isinstance(error, CallFailed) else status_of(error)
    context: dict[str, Any] = {
        "hosts": calls.allowed.told,
        "running": [(each.id, each.shown, each.since) for each in calls.running()],
        "now": time.time(),
        "problem": "" if error is None else error.sentence,
        "again": again,
    }
    return render(request, "pages/call.html", status, page=views.page(filled, **context))
