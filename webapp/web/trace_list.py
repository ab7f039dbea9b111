"""The list of traces for programs.

Rules of this file: one handler, which parses, asks and answers. The page of the list is in `web.traces`; what a
parameter finds is decided in `storage.traces`, for both.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from webapp.core.kinds import ProtocolName, Verdict
from webapp.settings import Settings
from webapp.storage import traces as repository
from webapp.storage.models import Trace
from webapp.web.deps import AppSettings, DbSession
from webapp.web.shapes import Fault, Listed, TraceList

router = APIRouter()


@router.get(
    "/api/traces",
    summary="The list of traces",
    operation_id="list_traces",
    tags=["Traces"],
    responses={422: {"model": Fault, "description": "A parameter that cannot be used"}},
)
def listing(
    session: DbSession,
    settings: AppSettings,
    q: Annotated[
        str,
        Query(
            max_length=200,
            description="words that must all be found: in name, ticket, note, headline, thread or run id, rule, tool, "
            "message text; or the day it was stored, as `2026-11-29`",
        ),
    ] = "",
    verdict: Annotated[Verdict | None, Query()] = None,
    protocol: Annotated[ProtocolName | None, Query()] = None,
    status: Annotated[
        Literal["live", "ready", "failed"] | None, Query(description="`live`: those that are recorded now")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000_000, description="how many are passed over")] = 0,
) -> TraceList:
    """The traces that match, newest first: `limit` of them, and how many there are in all."""
    rows, total = repository.list_traces(
        session,
        q=q,
        verdict=verdict or "",
        protocol=protocol or "",
        status=status or "",
        offset=offset,
        limit=limit,
    )
    return TraceList(total=total, traces=[_listed(row, settings) for row in rows])


def _listed(row: Trace, settings: Settings) -> Listed:
    return Listed(
        id=row.id,
        url=f"{settings.base_url}/traces/{row.id}",
        name=row.name,
        protocol=row.protocol,
        verdict=row.verdict,
        status=row.status,
        events=row.events,
        rejected_at=row.rejected_at,
        created=datetime.fromtimestamp(row.created, UTC),
        headline=row.headline,
    )
