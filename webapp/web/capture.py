"""What to do without a recording: `/capture` tells how to make one, `/errors` what an error sentence means.

Rules of this file: handlers that parse, call and render. Nothing is stored.
"""

from __future__ import annotations

from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import Response

from webapp.errors import TooLarge
from webapp.views import error_sentences, recipes
from webapp.web.deps import render

router = APIRouter(include_in_schema=False)

MAX_BODY = 256 * 1024  # bytes of the form with a message


@router.get("/capture")
def capture(request: Request) -> Response:
    return render(request, "pages/capture.html", groups=recipes.page())


@router.get("/errors")
def errors(request: Request, about: str = "") -> Response:
    """The field, or an explanation that was shared. A text is only taken by POST: it may hold secrets, and an address
    is kept in histories and logs."""
    return render(request, "pages/errors.html", page=error_sentences.shared(about))


@router.post("/errors")
async def look_up(request: Request) -> Response:
    """What is known of the text that was sent. Nothing is stored, so there is nothing to be sent on to."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BODY:
            raise TooLarge("The message is too long to be looked up; leave out what is not about the error.")
    text = parse_qs(body.decode("utf-8", "replace"), max_num_fields=10).get("text", [""])[0]
    return render(request, "pages/errors.html", page=error_sentences.page(text))
