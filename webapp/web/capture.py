"""What to do without a recording: `/capture` tells how to make one, `/errors` what an error sentence means.

Rules of this file: handlers that parse, call and render. Nothing is stored.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from webapp.views import error_sentences, recipes
from webapp.web.deps import render

router = APIRouter(include_in_schema=False)


@router.get("/capture")
def capture(request: Request) -> Response:
    return render(request, "pages/capture.html", groups=recipes.page())


@router.get("/errors")
def errors(request: Request, text: str = "") -> Response:
    return render(request, "pages/errors.html", page=error_sentences.page(text))
