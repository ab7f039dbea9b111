"""Files under `static/`, at addresses that carry their content's hash, and the favicons.

Rules of this file: only names found in the folder are served, so no path can lead out of it. An address
with the right hash may be kept for ever; with an old one it still answers, but is not kept.
"""

from __future__ import annotations

import hashlib
import mimetypes
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from webapp.errors import NotFound

router = APIRouter(include_in_schema=False)

_FOREVER = "public, max-age=31536000, immutable"
_HASH_LENGTH = 12
_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

_FATAL = (
    "#b3231b",
    '<path d="M5 5l6 6M11 5l-6 6" stroke="white" stroke-width="2.4" stroke-linecap="round"/>',
)
_FAVICONS = {
    "rejected": _FATAL,
    "nonconformant": ("#a14407", '<path d="M8 4l4.4 8H3.6z" fill="white"/>'),
    "warnings": ("#775700", '<circle cx="8" cy="8" r="4" fill="white"/>'),
    "conformant": (
        "#1a6a3a",
        '<path d="M4.5 8.5l2.5 2.6 4.6-5.6" fill="none" stroke="white" stroke-width="2"/>',
    ),
    "unsettled": (
        "#5f656b",
        '<circle cx="8" cy="8" r="4" fill="none" stroke="white" stroke-width="2"/>',
    ),
    "unchecked": (
        "#5f656b",
        '<circle cx="8" cy="8" r="4" fill="none" stroke="white" stroke-width="2" stroke-dasharray="2.2"/>',
    ),
    "live": ("#2355b0", '<circle cx="8" cy="8" r="4" fill="white"/>'),
    "none": ("#08646c", '<path d="M4 6h8M4 10h8" stroke="white" stroke-width="1.6"/>'),
}


class Assets:
    """The files of one folder, each with the hash of what it holds now."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._known: dict[str, tuple[int, str, bytes]] = {}  # name -> (mtime in ns, hash, content)

    def _read(self, name: str) -> tuple[str, bytes]:
        path = self.root / name
        if name.startswith("/") or ".." in Path(name).parts or not path.is_file():
            raise NotFound(f"There is no file {name}.")
        changed = path.stat().st_mtime_ns
        known = self._known.get(name)
        if known is None or known[0] != changed:
            content = path.read_bytes()
            known = (changed, hashlib.sha256(content).hexdigest()[:_HASH_LENGTH], content)
            self._known[name] = known
        return known[1], known[2]

    def url(self, name: str) -> str:
        """The address of a file, e.g. `/static/1f0c…/app.css`; raises NotFound when it is not there."""
        return f"/static/{self._read(name)[0]}/{name}"

    def text(self, name: str) -> str:
        """The content of a file, for a document that must stand alone."""
        return self._read(name)[1].decode()

    def response(self, digest: str, name: str) -> Response:
        current, content = self._read(name)
        suffix = Path(name).suffix
        media_type = _TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        kept = _FOREVER if digest == current else "no-cache"
        return Response(content, media_type=media_type, headers={"Cache-Control": kept})


@router.get("/static/{digest}/{name:path}")
def static_file(request: Request, digest: str, name: str) -> Response:
    assets: Assets = request.app.state.assets
    return assets.response(digest, name)


@router.get("/favicon/{verdict}.svg")
def favicon(verdict: str) -> Response:
    """The tab's icon: the verdict's shape on its colour."""
    if verdict not in _FAVICONS:
        raise NotFound("There is no such icon.")
    ground, shape = _FAVICONS[verdict]
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">'
        f'<rect width="16" height="16" rx="3" fill="{ground}"/>{shape}</svg>'
    )
    return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": "public, max-age=86400"})


@router.get("/favicon.ico")
def favicon_ico() -> Response:
    """Browsers ask for this by themselves, e.g. when they show JSON."""
    return RedirectResponse("/favicon/none.svg", status_code=308)
