"""Receiving recordings: the form of the front page, and the JSON interface.

Rules of this file: take bytes off the wire within the limits and hand them to `ingest.upload`; what they
mean is decided there. A body is never held in memory whole: files and raw bodies are spooled to disk and
read in pieces.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.types import Message

from webapp.errors import BadInput, NotFound, TooLarge
from webapp.ingest.upload import Ingested, ingest
from webapp.settings import Settings
from webapp.storage import traces as repository
from webapp.storage.db import Database
from webapp.views.report import report as report_of
from webapp.views.traces import size_limit
from webapp.web.deps import AppSettings, Db, DbSession
from webapp.web.shapes import Created, Fault, ReportShape

router = APIRouter()

CHUNK = 256 * 1024  # bytes handed to ingest at once
SPOOL = 1024 * 1024  # bytes of a raw body kept in memory before it goes to disk
MAX_FILES = 100  # in one form
MAX_PASTE = 32 * 1024 * 1024  # bytes of a form's text field, which is held in memory
FORM_ROOM = 64 * 1024  # bytes of multipart framing allowed on top of the upload itself
INPUT_SUFFIX = ".input.json"
PASTE_NAME = "pasted text"


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
    413: {"model": Fault, "description": "Larger than the limit"},
}


@router.post("/traces", include_in_schema=False)
async def upload(request: Request, database: Db, settings: AppSettings) -> Response:
    """Files, or the text field; then the trace's page, or the list when there are several."""
    form = await _read_form(request, settings)
    try:
        stored = await run_in_threadpool(_store_form, form, database, settings)
    finally:
        await form.close()
    url = "/" if len(stored) > 1 else f"/traces/{stored[0].id}{'?already=1' if stored[0].duplicate else ''}"
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"url": url})
    return RedirectResponse(url, 303)


@router.post("/api/traces", status_code=201, responses=_ANSWERS, openapi_extra=_BODY)
async def create_trace(
    request: Request,
    response: Response,
    database: Db,
    settings: AppSettings,
    name: Annotated[str, Query(max_length=200, description="name of a raw body")] = "",
) -> Created:
    """Store and judge one recording: as the raw body, or as a multipart form with a file."""
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        form = await _read_form(request, settings)
        try:
            stored = await run_in_threadpool(_store_form, form, database, settings, only_one=True)
        finally:
            await form.close()
        result = stored[0]
    else:
        with SpooledTemporaryFile(SPOOL) as spool:
            async for piece in _limited(request, settings.max_upload_bytes).stream():
                spool.write(piece)
            spool.seek(0)
            title = name.strip() or "upload"
            result = await run_in_threadpool(_store, spool, title, None, database, settings)
    if result.duplicate:
        response.status_code = 200
    return await run_in_threadpool(_created, database, settings, result)


@router.get("/api/traces/{trace_id}", response_model=ReportShape, responses={404: {"model": Fault}})
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
    return await _limited(request, room).form(max_files=MAX_FILES, max_fields=20, max_part_size=MAX_PASTE)


def _store_form(
    form: FormData, database: Database, settings: Settings, only_one: bool = False
) -> Sequence[Ingested]:
    """Store each recording of a form; a run input goes with the recording it is named after."""
    files = [part for part in form.getlist("files") if isinstance(part, UploadFile) and part.filename]
    inputs = {_file_name(part): part for part in files if _file_name(part).endswith(INPUT_SUFFIX)}
    recordings = [part for part in files if _file_name(part) not in inputs]
    owners = _owners(inputs, [_file_name(part) for part in recordings])
    text = form.get("text")
    if isinstance(text, str) and text.strip():
        title = str(form.get("name") or "").strip()[:200] or PASTE_NAME
        body = text.encode("utf-8", "surrogatepass")
        return [ingest(database, [body], name=title, source="paste", settings=settings)]
    if not recordings:
        raise BadInput("Nothing was sent: choose a file, or paste a recording.")
    if only_one and len(recordings) > 1:
        raise BadInput("Send one recording at a time; each becomes a trace of its own.")
    run_inputs = {name: _run_input(owner, inputs[owner].file) for name, owner in owners.items()}
    return [
        _store(part.file, _file_name(part), run_inputs.get(_file_name(part)), database, settings)
        for part in recordings
    ]


def _owners(inputs: dict[str, UploadFile], recordings: Sequence[str]) -> dict[str, str]:
    """Name of a recording -> name of its run input; a run input without its recording is refused."""
    owners: dict[str, str] = {}
    for owner in inputs:
        stem = owner.removesuffix(INPUT_SUFFIX)
        matching = [name for name in recordings if name == stem or name.rpartition(".")[0] == stem]
        if not matching:
            raise BadInput(f"{owner} is the run input of a recording called {stem}; send the two together.")
        owners.update(dict.fromkeys(matching, owner))
    return owners


def _file_name(part: UploadFile) -> str:
    """The file's own name: some clients send a whole path."""
    return (part.filename or "").replace("\\", "/").rpartition("/")[2][-200:] or "upload"


def _run_input(name: str, file: IO[bytes]) -> dict[str, Any]:
    try:
        value = json.loads(file.read(MAX_PASTE))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise BadInput(f"{name} is not a JSON object, so nothing was stored; a run input is one.")
    return value


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(CHUNK):
        yield piece


def _store(
    file: IO[bytes], name: str, run_input: dict[str, Any] | None, database: Database, settings: Settings
) -> Ingested:
    return ingest(database, _pieces(file), name=name, settings=settings, run_input=run_input)


def _created(database: Database, settings: Settings, result: Ingested) -> Created:
    with database.session() as session:
        trace = repository.get(session, result.id)
        verdict = trace.verdict if trace else "unchecked"
    url = f"{settings.base_url}/traces/{result.id}"
    return Created(id=result.id, url=url, verdict=verdict, duplicate=result.duplicate)
