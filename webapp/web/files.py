"""Answers that are files: an attachment under the trace's name, and the recording itself.

Rules of this file: names that any system can keep, and bodies as they are. A recording may hold anything and a
drawing or report brings its own style, so no browser opens either inside the site.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from fastapi.responses import Response, StreamingResponse

from webapp.storage import originals
from webapp.storage.db import Database
from webapp.storage.models import Trace

# what no system keeps in a name, and what would turn it around: `cod.exe` read as `exe.doc`
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069"\\/:*?<>|]+')


def attachment(body: str, kind: str, name: str, tail: str) -> Response:
    """An attachment called `NAME-TAIL`; the plain name is for what cannot read the whole one."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "trace"
    whole = quote(f"{_UNSAFE.sub('_', name).strip(' .') or 'trace'}-{tail}", safe="")
    told = f"attachment; filename=\"{plain}-{tail}\"; filename*=UTF-8''{whole}"
    data = body.encode("utf-8", "replace")
    return Response(data, media_type=f"{kind}; charset=utf-8", headers={"Content-Disposition": told})


def original_file(database: Database, trace: Trace, name: str) -> Response:
    """The upload, byte for byte, as a download called `name`."""
    pk = trace.pk

    def parts() -> Iterator[bytes]:
        with database.session() as own:  # the handler's session ends before the body is sent
            yield from originals.whole(own, pk)

    name = _UNSAFE.sub("_", name).strip(" .") or "recording"
    headers = {
        "Content-Disposition": f"attachment; filename=\"{_ascii(name)}\"; filename*=UTF-8''{quote(name)}",
        "Content-Length": str(trace.size),
        "Cache-Control": "private, no-store",
    }
    return StreamingResponse(parts(), media_type="application/octet-stream", headers=headers)


def _ascii(name: str) -> str:
    return name.encode("ascii", "replace").decode().replace("?", "_")
