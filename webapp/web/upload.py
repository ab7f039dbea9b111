"""Receiving recordings: the form of the front page, and the JSON interface.

Rules of this file: take bytes off the wire within the limits and hand them to `ingest.upload`; what they
mean is decided there. A body is never held in memory whole: files and raw bodies are spooled to disk and
read in pieces.
"""

from __future__ import annotations

from tempfile import SpooledTemporaryFile
from typing import Annotated, Any, TypedDict

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.types import Message

from webapp.core.kinds import ProtocolName
from webapp.errors import BadInput, ErrorSentence, NotFound, TooLarge
from webapp.ingest.choose import ManyStreams
from webapp.ingest.live.reading import FORMS
from webapp.ingest.reread import forms
from webapp.ingest.upload import Ingested
from webapp.settings import Settings
from webapp.storage import traces as repository
from webapp.storage.audit import By
from webapp.storage.db import Database
from webapp.views import error_sentences
from webapp.views.report import report as report_of
from webapp.views.sent import address as sent_address
from webapp.views.traces import size_limit
from webapp.web import intake
from webapp.web.audit import by
from webapp.web.deps import AppRecorder, AppSettings, Db, DbSession, fragment, render
from webapp.web.intake import MAX_PASTE, Questions, Recording
from webapp.web.push import begin_batches
from webapp.web.shapes import Begun, Created, CreatedMany, Fault, ManyFault, ReportShape

router = APIRouter()

SPOOL = 1024 * 1024  # bytes of a raw body kept in memory before it goes to disk
MAX_FILES = 100  # in one form
MAX_FIELDS = 1000  # in one form: a box for each stream of a file, and some
FORM_ROOM = 64 * 1024  # bytes of multipart framing allowed on top of the upload itself


class _How(TypedDict):
    """How a recording is to be read; None: find out. by: whose it is."""

    form: str | None
    protocol: str | None
    by: By


_BINARY = {"type": "string", "format": "binary"}
_FORM = {
    "type": "object",
    "required": ["files"],
    "properties": {
        "files": {
            "type": "array",
            "items": _BINARY,
            "description": "one recording, and NAME.input.json beside NAME if there is one",
        }
    },
}
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/octet-stream": {"schema": _BINARY},
            "multipart/form-data": {"schema": _FORM},
        },
    }
}
_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"model": Created, "description": "The same bytes are here already"},
    400: {"model": Fault, "description": "Nothing that can be stored"},
    409: {"model": ManyFault, "description": "The file holds several streams, and none was named"},
    413: {"model": Fault, "description": "Larger than the limit"},
}


@router.post("/traces", include_in_schema=False)
async def upload(request: Request, database: Db, settings: AppSettings) -> Response:
    """Files, or the text field; then the trace's page, the list when there are several, or the question which streams
    of a file are meant."""
    form = await _read_form(request, settings)
    asks_json = "application/json" in request.headers.get("accept", "")
    try:
        done = await run_in_threadpool(intake.receive, form, database, settings, by(request))
    except ErrorSentence as error:
        if asks_json:
            return JSONResponse({"look_up": error.said})
        return render(request, "pages/errors.html", page=error_sentences.page(error.said))
    finally:
        await form.close()
    if isinstance(done, Questions):
        if asks_json:
            return JSONResponse({"choose": fragment(request, "fragments/_parts.html", asked=done, held=True)})
        return render(request, "pages/parts.html", asked=done, held=False)
    if len(done) == 1:
        return _to(f"/traces/{done[0].id}{'?already=1' if done[0].duplicate else ''}", asks_json)
    known = list(dict.fromkeys(each.id for each in done if each.duplicate))
    if not known:
        return _to("/", asks_json)
    return _to(sent_address(sum(not each.duplicate for each in done), known), asks_json)


def _to(url: str, asks_json: bool) -> Response:
    """Send the browser on: by itself, or through the script that sent the form."""
    return JSONResponse({"url": url}) if asks_json else RedirectResponse(url, 303)


@router.post(
    "/api/traces",
    summary="Store and judge a recording, or begin a live trace",
    operation_id="create_trace",
    tags=["Traces"],
    status_code=201,
    responses=_ANSWERS,
    openapi_extra=_BODY,
    response_model=Created | CreatedMany | Begun,
)
async def create_trace(
    request: Request,
    response: Response,
    database: Db,
    settings: AppSettings,
    recorder: AppRecorder,
    name: Annotated[str, Query(max_length=200, description="name of a raw body")] = "",
    part: Annotated[
        list[str] | None,
        Query(
            description="the stream to take out of a file that holds several, again for each; `all`: every one"
        ),
    ] = None,
    form: Annotated[
        str,
        Query(
            alias="as",
            description="the form to read it as; left out, it is found by looking",
            json_schema_extra={"enum": [each.name for each in forms()]},
        ),
    ] = "",
    protocol: Annotated[
        ProtocolName | None,
        Query(description="the protocol to judge it by; left out, its content says"),
    ] = None,
    live: Annotated[
        bool, Query(description="begin a live trace, whose events come in batches; the body is its run input")
    ] = False,
) -> Created | CreatedMany | Begun | JSONResponse:
    """Store and judge one recording: as the raw body, or as a multipart form with a file.

    Bytes that are here already give that trace, whatever form it was read as.

    Of a file that holds several streams each one named becomes a trace; with more than one named, or `all`, the answer
    has `traces`.
    """
    if live:
        if form not in ("", *FORMS) or part:
            raise BadInput("A live trace is read as sse or ndjson, and its events come in batches.")
        return await begin_batches(request, recorder, name, protocol, form)
    how: _How = {"form": intake.chosen_form(form), "protocol": protocol, "by": by(request)}
    try:
        if request.headers.get("content-type", "").startswith("multipart/form-data"):
            fields = await _read_form(request, settings)
            try:
                stored = await run_in_threadpool(_store_form, fields, database, settings, part or [], how)
            finally:
                await fields.close()
        else:
            with SpooledTemporaryFile(SPOOL) as spool:
                async for piece in _limited(request, settings.max_upload_bytes).stream():
                    spool.write(piece)
                recording = Recording(name.strip() or "upload", spool)
                stored = await run_in_threadpool(
                    intake.store_parts, recording, database, settings, part or [], **how
                )
    except ManyStreams as many:
        told = {"error": many.sentence, "parts": many.listed(), "notes": list(many.notes)}
        return JSONResponse(told, status_code=409)
    if all(each.duplicate for each in stored):
        response.status_code = 200
    made = [await run_in_threadpool(_created, database, settings, each) for each in stored]
    return made[0] if len(made) == 1 and "all" not in (part or []) else CreatedMany(traces=made)


@router.get(
    "/api/traces/{trace_id}",
    summary="The report of a trace",
    operation_id="get_report",
    tags=["Traces"],
    response_model=ReportShape,
    responses={404: {"model": Fault, "description": "No such trace"}},
)
def report(session: DbSession, trace_id: str) -> JSONResponse:
    """The report of one trace, as `lanescope check --format json` prints it."""
    trace = repository.get(session, trace_id)
    if trace is None:
        raise NotFound("There is no trace with this id.")
    return JSONResponse(report_of(session, trace))


def _limited(request: Request, limit: int) -> Request:
    """The same request, whose body raises TooLarge once it is longer than `limit` bytes."""
    told = TooLarge(
        f"The upload is larger than {size_limit(limit)}, the limit set by LANESCOPE_MAX_UPLOAD_BYTES. "
        "Nothing was stored."
    )
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > limit:
        raise told
    seen = 0

    async def receive() -> Message:
        nonlocal seen
        message = await request.receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            raise told
        return message

    return Request(request.scope, receive)


async def _read_form(request: Request, settings: Settings) -> FormData:
    room = settings.max_upload_bytes + FORM_ROOM
    return await _limited(request, room).form(
        max_files=MAX_FILES, max_fields=MAX_FIELDS, max_part_size=MAX_PASTE
    )


def _store_form(
    form: FormData, database: Database, settings: Settings, wanted: list[str], how: _How
) -> list[Ingested]:
    recordings = intake.recordings_of(form)
    if len(recordings) > 1:
        raise BadInput("Send one recording at a time; each becomes a trace of its own.")
    return intake.store_parts(recordings[0], database, settings, wanted, **how)


def _created(database: Database, settings: Settings, result: Ingested) -> Created:
    with database.session() as session:
        trace = repository.get(session, result.id)
        verdict = trace.verdict if trace else "unchecked"
        masked = trace.masked if trace else None
    url = f"{settings.base_url}/traces/{result.id}"
    return Created(id=result.id, url=url, verdict=verdict, duplicate=result.duplicate, masked=masked)
