"""A stored trace played back: as a real event stream for a front end, and as stops for the page that shows it.

Rules of this file: parse, find the trace, answer. How a stream is sent is `web/replays.py`, its bytes are
`ingest.playback`'s, its times `views.playback`'s. Nothing here depends on a yielded session: a replay may last hours.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from webapp.errors import BadInput, TooLarge
from webapp.ingest.playback import Frame, Tape
from webapp.storage.models import Trace
from webapp.views import playback as views
from webapp.views.page import Clock
from webapp.views.selection import parse
from webapp.web.audit import note_beside
from webapp.web.deps import AppSettings, Db, DbSession
from webapp.web.replays import MAX_REPLAYS, Replay, Slots, played
from webapp.web.shapes import Fault
from webapp.web.shared import Link
from webapp.web.traces import find_trace

router = APIRouter()

RETRY_SECONDS = 10
MAX_BODY = 1_000_000  # bytes of a posted run input, which is thrown away
SLOWEST, FASTEST = 0.01, 1000.0
MAX_GAP = 3600.0
GAP = 10.0
MAX_NUMBER = 999_999_999
TEAMS = "This is a Microsoft Teams recording: calls to a service with their answers, so there is no stream to replay."
FULL = f"{MAX_REPLAYS} replays are running, the most this server does at once; try again when one has ended."


# ── the stream ───────────────────────────────────────────────


Speed = Annotated[
    str,
    Query(
        max_length=12,
        description=f"how many times the recorded pace, {SLOWEST:g} to {FASTEST:g}; `max` waits for nothing",
        examples=["1", "16", "0.25", "max"],
    ),
]
From = Annotated[int, Query(alias="from", ge=0, le=MAX_NUMBER, description="number of the first record sent")]
Gap = Annotated[
    float,
    Query(ge=0, le=MAX_GAP, allow_inf_nan=False, description="the longest wait between two records, seconds"),
]
LastEventId = Annotated[
    str | None,
    Header(description="number of the last record received: goes on behind it, whatever `from` says"),
]

_ABOUT = (
    "Sends the payload of every record as `data:`, exactly as recorded, with the record's number as `id:` and the "
    "recorded waits between them, so that a front end can be tested against the very stream that failed. Records that "
    "are no JSON are sent too, and a recording that was cut ends where it was cut. JSON only: a binary recording is "
    "sent as the JSON it was read as. The header `Lanescope-Clock` says which times set the pace."
)
_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "the recorded stream",
        "content": {"text/event-stream": {}},
        "headers": {
            "Lanescope-Clock": {
                "description": "arrival, prefix, event; or none: a fixed step for each record",
                "schema": {"type": "string", "enum": ["arrival", "prefix", "event", "none"]},
            }
        },
    },
    204: {"description": "`Last-Event-ID` was the last record: nothing is left, do not connect again"},
    400: {"model": Fault, "description": "the speed cannot be used"},
    403: {"model": Fault, "description": "asked for by a page of another site"},
    404: {"model": Fault, "description": "no such trace"},
    409: {"model": Fault, "description": "a Microsoft Teams recording: there is no stream"},
    413: {"model": Fault, "description": f"more than {MAX_BODY:,} bytes were posted"},
    422: {"model": Fault, "description": "a parameter cannot be used"},
    503: {
        "model": Fault,
        "description": f"{MAX_REPLAYS} replays are running already",
        "headers": {"Retry-After": {"description": "seconds", "schema": {"type": "integer"}}},
    },
}


@router.get(
    "/api/traces/{trace_id}/stream",
    summary="Replay a trace as an event stream",
    operation_id="get_stream",
    tags=["Replay"],
    description=_ABOUT,
    response_class=Response,
    responses={status: told for status, told in _ANSWERS.items() if status != 413 and status != 403},
)
async def stream(
    request: Request,
    database: Db,
    settings: AppSettings,
    trace_id: str,
    speed: Speed = "1",
    start: From = 0,
    gap: Gap = GAP,
    last_event_id: LastEventId = None,
) -> Response:
    factor = _speed(speed)

    def found() -> Trace:
        with database.session() as session:
            return find_trace(session, trace_id)

    trace = await run_in_threadpool(found)
    if trace.protocol == "teams":
        return JSONResponse({"error": TEAMS}, 409)
    resumed = last_event_id is not None and last_event_id.isascii() and last_event_id.isdigit()
    if resumed:
        start = int((last_event_id or "")[:9]) + 1
        if start >= trace.records and trace.status != "live":
            return Response(status_code=204)
    slots = _slots(request)
    if not slots.take():
        return JSONResponse({"error": FULL}, 503, headers={"Retry-After": str(RETRY_SECONDS)})

    def noted() -> None:
        note_beside(request, "exported", trace.id, kind="stream")

    try:
        await run_in_threadpool(noted)
    except BaseException:
        slots.taken -= 1
        raise
    clock = views.clock_of(trace)
    tape = Tape(database, trace, settings)
    loop = asyncio.get_running_loop()

    async def content() -> AsyncIterator[bytes]:
        yield f": replay of a recording; clock: {views.clock_words(clock)}\n\n".encode()

        async def pages(start: int) -> list[Frame]:
            return await run_in_threadpool(tape.page, start)

        blocks = played(pages, start, views.Pace(clock), factor, gap, loop.time, asyncio.sleep)
        async for part in blocks:
            yield part

    headers = {"Lanescope-Clock": _clock(clock), "Cache-Control": "no-store"}
    return Replay(content(), slots, headers)


@router.post(
    "/api/traces/{trace_id}/stream",
    summary="Replay a trace to a front end that posts a run input",
    operation_id="post_stream",
    tags=["Replay"],
    description=f"{_ABOUT} The body, a `RunAgentInput` in general, is thrown away.",
    response_class=Response,
    responses=_ANSWERS,
    openapi_extra={
        "requestBody": {
            "required": False,
            "content": {"application/json": {"schema": {}}},
            "description": "thrown away",
        }
    },
)
async def posted(
    request: Request,
    database: Db,
    settings: AppSettings,
    trace_id: str,
    speed: Speed = "1",
    start: From = 0,
    gap: Gap = GAP,
    last_event_id: LastEventId = None,
) -> Response:
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > MAX_BODY:
            raise TooLarge(
                f"More than {MAX_BODY:,} bytes were posted, the most that a replay takes as run input."
            )
    return await stream(request, database, settings, trace_id, speed, start, gap, last_event_id)


def _speed(text: str) -> float:
    """The factor; inf for `max`. Raises BadInput."""
    if text == "max":
        return math.inf
    try:
        factor = float(text)
    except ValueError:
        factor = math.nan
    if not SLOWEST <= factor <= FASTEST:
        raise BadInput(f"“speed” must be a number from {SLOWEST:g} to {FASTEST:g}, or the word max.")
    return factor


def _clock(clock: Clock) -> str:
    return clock.source if clock.known and clock.source else "none"


def _slots(request: Request) -> Slots:
    """The places of this application, made when the first is asked for."""
    state = request.app.state
    if not hasattr(state, "replays"):
        state.replays = Slots()
    slots: Slots = state.replays
    return slots


# ── the page ─────────────────────────────────────────────────


class StopsShape(BaseModel):
    """stops: [record number, milliseconds since the stop before]; next: number to go on from, null at the end."""

    stops: list[tuple[int, int]]
    next: int | None
    end: str = Field(description="how the recording ends, when these are the last")
    note: str = Field(description="what sets the pace where no time was recorded")


After = Annotated[int, Query(alias="from", ge=0, le=MAX_NUMBER)]
Count = Annotated[int, Query(ge=1, le=views.MAX_STOPS)]


@router.get("/traces/{trace_id}/play", include_in_schema=False)
def stops(
    request: Request, session: DbSession, trace_id: str, after: After = 0, count: Count = 200
) -> StopsShape:
    """The stops behind a record, for the page's play-back."""
    return _stops(request, session, find_trace(session, trace_id), f"/traces/{trace_id}", after, count)


@router.get("/s/{token}/play", include_in_schema=False)
def shared_stops(
    request: Request, session: DbSession, link: Link, after: After = 0, count: Count = 200
) -> StopsShape:
    """The same on a shared page."""
    return _stops(request, session, link.trace, link.base, after, count)


def _stops(
    request: Request, session: DbSession, trace: Trace, base: str, after: int, count: int
) -> StopsShape:
    found = views.stops(session, trace, parse(base, request.query_params), after, count)
    return StopsShape(stops=list(found.stops), next=found.next, end=found.end, note=found.note)
