"""Watching live traces: the page of those that run, and server-sent events that tell positions and nothing else.

Rules of this file: no session outlives the reading of one position. What lies there, the page fetches.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from fastapi.responses import Response
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from webapp.errors import Busy, NotFound
from webapp.ingest.live import transactions
from webapp.ingest.live.hub import EVERY, LIVE, Hub
from webapp.ingest.signals import Signal
from webapp.storage import traces as repository
from webapp.storage.db import Database
from webapp.views import live_list
from webapp.web.deps import AppHub, AppSettings, Db, DbSession, render, wants_fragment
from webapp.web.who import Asker

router = APIRouter(include_in_schema=False)

BEAT = 15.0  # seconds without news after which the position is looked up: a signal may have been lost
MOST = 500  # pages that watch at once
MOST_LISTED = 100  # running traces that are listed


@router.get("/live")
def page(request: Request, session: DbSession, settings: AppSettings, asker: Asker) -> Response:
    """What is being recorded now, and the ways to record."""
    rows, found = repository.list_traces(session, status=LIVE, limit=MOST_LISTED)
    key = asker.kind != "open"
    running = live_list.build(rows, found, now=time.time(), settings=settings, key=key)
    template = "fragments/_running.html" if wants_fragment(request) else "pages/live.html"
    return render(request, template, running=running)


@router.get("/traces/{trace_id}/live")
async def follow_trace(database: Db, hub: AppHub, trace_id: str) -> Response:
    """`position` events of one trace: {"seq": records judged, "status": live | ready | failed | gone}."""
    if await run_in_threadpool(_position, database, trace_id) is None:
        raise NotFound("There is no such trace: it was deleted, or the link is not complete.")
    _room(hub)
    return _answer(_one(database, hub, trace_id))


@router.get("/live/moves")
async def follow_all(request: Request, hub: AppHub) -> Response:
    """`moved` events: a trace of the list has changed. The list itself is fetched."""
    _room(hub)
    return _answer(_all(hub))


def _answer(events: AsyncIterator[ServerSentEvent]) -> Response:
    # no proxy on the way may hold events back
    return EventSourceResponse(
        events, ping=BEAT, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    )


def _room(hub: Hub) -> None:
    if hub.watching >= MOST:
        raise Busy(f"{MOST} pages are watching live traces, as many as this server serves; reload later.")


async def _one(database: Database, hub: Hub, public: str) -> AsyncIterator[ServerSentEvent]:
    following = hub.follow(public, BEAT)
    told: Signal | None = None
    try:
        position = await run_in_threadpool(_position, database, public)
        while True:
            if position is None:
                yield _event("position", public, -1, "gone")
                return
            if position != told:
                told = position
                yield _event("position", public, position.seq, position.status)
            if position.status != LIVE:
                return
            news = await anext(following, None)
            if news is None:
                return
            known = [signal for signal in news if signal.trace == public]
            if not known or known[-1].status != LIVE:
                position = await run_in_threadpool(_position, database, public)
            elif known[-1].seq > position.seq:
                position = known[-1]  # an older one was on its way while the database was asked
    finally:
        await following.aclose()


async def _all(hub: Hub) -> AsyncIterator[ServerSentEvent]:
    following = hub.follow(EVERY, BEAT)
    try:
        yield _event("moved", EVERY, -1, LIVE)  # what happened before it was connected is not known here
        async for news in following:
            if news:
                yield _event("moved", news[-1].trace, news[-1].seq, news[-1].status)
    finally:
        await following.aclose()


def _event(kind: str, public: str, seq: int, status: str) -> ServerSentEvent:
    data = json.dumps({"trace": public, "seq": seq, "status": status})
    return ServerSentEvent(data, event=kind, id=str(seq), retry=1000)


def _position(database: Database, public: str) -> Signal | None:
    """Where a trace stands. One whose server was just started again passes for live until its sender is back, since a
    page that is told the end asks no more."""
    with database.session() as session:
        trace = repository.get(session, public)
        if trace is None:
            return None
        awaited = trace.status != LIVE and transactions.awaited(session, trace.pk)
        return Signal(public, trace.records, LIVE if awaited else trace.status)
