"""The interface for programs as a page: `/docs`, from files of ours.

Rules of this file: one handler. FastAPI's own page loads a script and a style from another host.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from webapp.web.deps import render
from webapp.web.security import CONTENT_POLICY

router = APIRouter(include_in_schema=False)

# its stylesheet draws two arrows from `data:`; everything else is as on every page
POLICY = CONTENT_POLICY.replace("img-src 'self'", "img-src 'self' data:")


@router.get("/docs")
def page(request: Request) -> Response:
    answer = render(request, "pages/api.html")
    answer.headers["Content-Security-Policy"] = POLICY
    return answer
