"""Recording what agents send: one streamed body, or numbered batches.

Rules of this file: take bytes off the wire and hand them to the recorder; an answer is given after what it tells is
stored. A body is never held in memory whole.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from webapp.core.kinds import ProtocolName
from webapp.errors import BadInput, Busy, OutOfOrder, TooLarge
from webapp.ingest.live import batches
from webapp.ingest.live.handle import Live
from webapp.ingest.live.hub import Hub
from webapp.ingest.live.recorder import Recorder
from webapp.ingest.live.transactions import STOPPED
from webapp.ingest.signals import Signal
from webapp.storage import traces as repository
from webapp.storage.db import Database
from webapp.views.traces import size_limit
from webapp.web.audit import by
from webapp.web.deps import AppHub, AppRecorder, AppSettings, AppSignals, Db
from webapp.web.shapes import Begun, Fault, OrderFault, Recorded, Stored

router = APIRouter()

MAX_BATCH = 16 * 1024 * 1024  # bytes
MAX_BEGIN = 4 * 1024 * 1024
JUDGED_WITHIN = 5.0  # seconds the answer waits for the verdict; it comes without one after that
BROKEN = "The connection broke off while this was recorded: what came later is not here."
BEHIND = "It could not be stored as fast as it came, so the sender was told to try again: what came later is not here."
FAILED = "Lanescope failed while it took this: what came later is not here."
STOPPING = "Lanescope is being stopped; send again when it is back. What came before is stored."
UNNAMED = "live recording"

_STREAM = {
    "requestBody": {
        "required": True,
        "content": {
            kind: {"schema": {"type": "string"}}
            for kind in ("text/event-stream", "application/x-ndjson", "application/octet-stream")
        },
    }
}
_BATCH = {
    "requestBody": {
        "required": True,
        "content": {
            "text/event-stream": {"schema": {"type": "string"}},
            "application/x-ndjson": {"schema": {"type": "string"}},
            "application/json": {"schema": {"oneOf": [{"type": "object"}, {"type": "array", "items": {}}]}},
        },
    }
}
_FAULTS: dict[int | str, dict[str, Any]] = {
    400: {"model": Fault, "description": "Nothing that can be stored"},
    403: {"model": Fault, "description": "Asked for by a page of another site"},
    413: {"model": Fault, "description": "Larger than the limit"},
    422: {"model": Fault, "description": "A parameter that cannot be used"},
    503: {"model": Fault, "description": "Not now; `Retry-After` says when"},
}
_MISSING: dict[str, Any] = {"model": Fault, "description": "No such recording"}
Name = Annotated[str, Query(max_length=200, description="what the trace is called")]
Protocol = Annotated[
    ProtocolName | None,
    Query(description="the protocol to judge it by; left out, its first records say"),
]
Form = Annotated[
    Literal["sse", "ndjson"] | None,
    Query(alias="as", description="how events are told apart; left out, the first line says"),
]


@router.put(
    "/api/live", status_code=201, response_model=Recorded, responses=_FAULTS, openapi_extra=_STREAM,
    operation_id="put_live", summary="Record a stream while it comes", tags=["Live"],
)  # fmt: skip
@router.post(
    "/api/live", status_code=201, response_model=Recorded, responses=_FAULTS, openapi_extra=_STREAM,
    operation_id="post_live", summary="Record a stream while it comes", tags=["Live"],
)  # fmt: skip
async def push(
    request: Request,
    recorder: AppRecorder,
    hub: AppHub,
    database: Db,
    name: Name = "",
    protocol: Protocol = None,
    form: Form = None,
) -> Recorded | Response:
    """Record a body while it comes: server-sent events, one JSON event a line, or Teams exchange lines.

    The trace can be watched from its first byte on. The answer comes when the body has ended and everything is stored.
    """
    live: Live | None = None
    size = 0
    if hub.closed:
        raise Busy(STOPPING)
    try:
        with hub.let_go():
            async for chunk in request.stream():
                if not chunk:
                    continue
                size += len(chunk)
                if live is None:
                    live = await recorder.begin(
                        name=name.strip() or UNNAMED, source="live push", kind="push", form=form or "",
                        protocol=protocol or "", by=by(request),
                    )  # fmt: skip
                await live.push(chunk)
    except ClientDisconnect:
        if live is not None:
            live.stop(BROKEN)
        return Response(status_code=400)  # nobody is there to read it
    except BaseException as error:
        if live is not None:
            live.stop(_why(error))
        raise _told(error, hub) from None
    if live is None:
        raise BadInput("Nothing was sent: the body is empty, so nothing was stored.")
    await live.end()
    await hub.ended(live.id, JUDGED_WITHIN)
    verdict, events = await run_in_threadpool(_judged, database, live.id)
    return Recorded(id=live.id, url=f"/traces/{live.id}", bytes=size, events=events, verdict=verdict)


def _told(error: BaseException, hub: Hub) -> BaseException:
    """What the sender hears."""
    task = asyncio.current_task()
    if isinstance(error, asyncio.CancelledError) and hub.closed and task is not None:
        task.uncancel()
        return Busy(STOPPING)
    return error


def _why(error: BaseException) -> str:
    """Why a recording ended that we did not take to its end."""
    if isinstance(error, asyncio.CancelledError):  # the server lets nobody go on when it stops
        return STOPPED
    return BEHIND if isinstance(error, Busy) else FAILED


def _judged(database: Database, public: str) -> tuple[str | None, int]:
    with database.session() as session:
        trace = repository.get(session, public)
        if trace is None:
            return None, 0
        return (trace.verdict if trace.status == "ready" else None), trace.events


async def begin_batches(
    request: Request, recorder: Recorder, name: str, protocol: str | None, form: str | None
) -> Begun:
    """A recording whose events come in batches; the body may hold the run input."""
    body = await _body(request, MAX_BEGIN)
    run_input: dict[str, Any] | None = None
    if body.strip():
        try:
            run_input = msgspec.json.decode(body, type=dict[str, Any])
        except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
            raise BadInput(
                "The body of a live trace’s beginning is its run input, a JSON object, or nothing; events "
                "go to /api/traces/ID/events."
            ) from None
    if run_input is not None and protocol == "teams":
        raise BadInput("A run input belongs to AG-UI only; begin a Teams recording without a body.")
    live = await recorder.begin(
        name=name.strip() or UNNAMED, source="live batches", kind=batches.KIND, form=form or "",
        protocol=protocol or "", run_input=run_input, by=by(request),
    )  # fmt: skip
    return Begun(
        id=live.id, url=f"/traces/{live.id}", events=f"/api/traces/{live.id}/events",
        end=f"/api/traces/{live.id}/end", last=0,
    )  # fmt: skip


@router.post(
    "/api/traces/{trace_id}/events",
    summary="Add a numbered batch of events to a live trace",
    operation_id="add_batch",
    tags=["Live"],
    response_model=Stored,
    responses={
        **_FAULTS,
        404: _MISSING,
        409: {
            "model": OrderFault,
            "description": "Batches before this one are missing; `last` is the newest",
        },
    },
    openapi_extra=_BATCH,
)
async def add_batch(
    request: Request,
    recorder: AppRecorder,
    signals: AppSignals,
    database: Db,
    settings: AppSettings,
    trace_id: str,
    seq: Annotated[int, Query(ge=1, le=2**31 - 1, description="number of this batch, from 1, by one each")],
) -> Stored | JSONResponse:
    """Add a batch to a live trace; the answer comes when it is stored. Sending a number again changes nothing."""
    data, events = await _body(request, MAX_BATCH), None
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json":
        events = as_events(data)
    try:
        added = await run_in_threadpool(
            batches.add, database, trace_id, seq, data, settings, recorder.owner, events
        )
    except OutOfOrder as error:
        return JSONResponse({"error": error.sentence, "last": error.last}, status_code=409)
    _wake(recorder, signals, added, trace_id)
    return Stored(last=added.last, stored=added.new)


@router.post(
    "/api/traces/{trace_id}/end",
    summary="End a live trace",
    operation_id="end_batches",
    tags=["Live"],
    response_model=Stored,
    responses={**{status: _FAULTS[status] for status in (400, 403, 422, 503)}, 404: _MISSING},
)
async def end_batches(recorder: AppRecorder, signals: AppSignals, database: Db, trace_id: str) -> Stored:
    """A live trace is over. Ending it again changes nothing."""
    added = await run_in_threadpool(batches.end, database, trace_id, recorder.owner)
    _wake(recorder, signals, added, trace_id)
    return Stored(last=added.last, stored=added.new)


def _wake(recorder: Recorder, signals: AppSignals, added: batches.Added, public: str) -> None:
    if added.owner == recorder.owner:
        recorder.wake(added.pk, public)
    elif added.new:  # another worker judges it
        signals.publish(Signal(public, added.last, "raw"))


async def _body(request: Request, limit: int) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise TooLarge(f"The body is larger than {size_limit(limit)}; send smaller batches.")
    return bytes(body)


def as_events(body: bytes) -> list[bytes]:
    """A JSON event, or an array of them: each its own text, without line ends. Raises BadInput."""
    if not body.strip():
        return []
    try:
        if body.lstrip()[:1] == b"[":
            events = msgspec.json.decode(body, type=list[msgspec.Raw])
        else:
            events = [msgspec.json.decode(body, type=msgspec.Raw)]
    except (msgspec.DecodeError, RecursionError):
        raise BadInput(
            "The batch is not JSON, as its content type says; send an event, an array of events, or lines as "
            "application/x-ndjson."
        ) from None
    # a line end outside a string is white space, and inside one it cannot stand
    return [bytes(event).translate(_ON_ONE_LINE) for event in events]


_ON_ONE_LINE = bytes.maketrans(b"\r\n", b"  ")
