"""Whole texts that a page cuts: `/traces/ID/text/ITEM` and `/traces/ID/record/N`, as plain text.

Rules of this file: parse, call, answer. Never anything but plain text: it may hold any bytes at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import APIRouter
from fastapi.responses import Response, StreamingResponse

from webapp.errors import NotFound
from webapp.storage import events, items, texts
from webapp.views.selection import whole_number
from webapp.web.deps import Db, DbSession
from webapp.web.traces import find_trace

router = APIRouter(include_in_schema=False)

_HEADERS = {"Cache-Control": "private, no-store"}
_TYPE = "text/plain; charset=utf-8"


@router.get("/traces/{trace_id}/text/{item}")
def text(session: DbSession, database: Db, trace_id: str, item: str, upto: str = "") -> Response:
    """All that was sent of one item's text up to a record, delivered or not."""
    trace = find_trace(session, trace_id)
    ord_, last = whole_number(item), whole_number(upto)
    if ord_ is None or items.by_ord(session, trace.pk, ord_) is None:
        raise NotFound("There is nothing at this address.")
    pk, end = trace.pk, trace.records if last is None else last

    def pieces() -> Iterator[bytes]:
        with database.session() as own:  # the handler's session ends before the body is sent
            for piece in texts.stream(own, pk, ord_, end):
                yield piece.encode("utf-8", "replace")

    return StreamingResponse(pieces(), media_type=_TYPE, headers=_HEADERS)


@router.get("/traces/{trace_id}/record/{seq}")
def record(session: DbSession, trace_id: str, seq: str) -> Response:
    """The payload of one record, whole."""
    trace = find_trace(session, trace_id)
    number = whole_number(seq)
    row = events.one(session, trace.pk, number) if number is not None else None
    if row is None:
        raise NotFound("There is nothing at this address.")
    return Response(row.raw.encode("utf-8", "replace"), media_type=_TYPE, headers=_HEADERS)
