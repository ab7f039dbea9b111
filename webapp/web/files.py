"""Answers that are files: an attachment under the trace's name, the recording itself, and its exchange lines.

Rules of this file: names that any system can keep, and bodies as they are. A recording may hold anything and a
drawing or report brings its own style, so no browser opens either inside the site.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from fastapi.responses import Response, StreamingResponse

from webapp.errors import NotFound
from webapp.storage import originals
from webapp.storage.db import Database
from webapp.storage.exchange_lines import exchange_lines
from webapp.storage.models import Trace

# what no system keeps in a name, and what would turn it around: `cod.exe` read as `exe.doc`
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069"\\/:*?<>|]+')


def attachment(body: str, kind: str, name: str, tail: str) -> Response:
    """An attachment called `NAME-TAIL`; the plain name is for what cannot read the whole one."""
    data = body.encode("utf-8", "replace")
    told = {"Content-Disposition": _told(name, tail)}
    return Response(data, media_type=f"{kind}; charset=utf-8", headers=told)


def _told(name: str, tail: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "trace"
    whole = quote(f"{_UNSAFE.sub('_', name).strip(' .') or 'trace'}-{tail}", safe="")
    return f"attachment; filename=\"{plain}-{tail}\"; filename*=UTF-8''{whole}"


def exchanges_file(database: Database, trace: Trace) -> Response:
    """A Teams trace as exchange lines, the form in which recordings are passed on; raises NotFound for any other."""
    if trace.protocol != "teams":
        raise NotFound("Only a Microsoft Teams trace can be exported as exchange lines.")
    pk = trace.pk

    def lines() -> Iterator[bytes]:
        with database.session() as own:  # the handler's session ends before the body is sent
            yield from exchange_lines(own, pk)

    headers = {
        "Content-Disposition": _told(trace.name, "exchanges.jsonl"),
        "Cache-Control": "private, no-store",
    }
    return StreamingResponse(lines(), media_type="application/x-ndjson", headers=headers)


def original_file(database: Database, trace: Trace, name: str) -> Response:
    """The upload, byte for byte, as a download called `name`; of a running recording what is stored by now."""
    pk = trace.pk

    def parts() -> Iterator[bytes]:
        with database.session() as own:  # the handler's session ends before the body is sent
            yield from originals.whole(own, pk)

    name = _UNSAFE.sub("_", name).strip(" .") or "recording"
    headers = {
        "Content-Disposition": f"attachment; filename=\"{_ascii(name)}\"; filename*=UTF-8''{quote(name)}",
        "Cache-Control": "private, no-store",
    }
    if trace.status != "live":  # that of a running one is known when it has been read
        headers["Content-Length"] = str(trace.size)
    return StreamingResponse(parts(), media_type="application/octet-stream", headers=headers)


def _ascii(name: str) -> str:
    # some browsers read %2F in this plain name as the sign it stands for
    return re.sub(r"[?%]", "_", name.encode("ascii", "replace").decode())
