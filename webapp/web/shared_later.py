"""The answers of share links that open nothing: for good, not yet, or because what they show could not be prepared.

Rules of this file: faults and their pages. None tells anything of the trace, and one that opens nothing for good is the
same to the byte whatever the reason. A page that asks for a part of itself is told to load itself anew.
"""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.responses import Response

from webapp.web.deps import render

RETRY_SECONDS = "2"  # what a program is told to wait; the page asks as often


class LinkEnded(Exception):
    """The token opens nothing: expired, revoked, mistyped, its trace is gone, or sharing is turned off."""


class LinkWaits(Exception):
    """The link shows a redacted copy, and of a trace that is still recorded there is none yet."""


class LinkPrepares(Exception):
    """The redacted copy that the link shows is being made."""

    def __init__(self, token: str) -> None:
        super().__init__()
        self.token = token


class LinkFailed(Exception):
    """That copy could not be made. again: opening the link once more has it tried again, and may help."""

    def __init__(self, token: str, again: bool) -> None:
        super().__init__()
        self.token = token
        self.again = again


def add_link_handlers(app: FastAPI) -> None:
    """The one answer of a link that opens nothing, and those of one which cannot open yet."""

    @app.exception_handler(LinkEnded)
    def link_ended(request: Request, error: LinkEnded) -> Response:
        request.app.state.limits.wrong_link(request)
        return _anew(render(request, "pages/link_ended.html", 404))

    @app.exception_handler(LinkWaits)
    def link_waits(request: Request, error: LinkWaits) -> Response:
        return render(request, "pages/link_waits.html", 409)

    @app.exception_handler(LinkPrepares)
    def link_prepares(request: Request, error: LinkPrepares) -> Response:
        # accepted; of a part or a file, which is not there yet, a program must not take the page for it
        page = not _below(request)
        answer = render(request, "pages/link_prepares.html", 202 if page else 503, token=error.token)
        answer.headers["Retry-After"] = RETRY_SECONDS
        return _anew(answer)

    @app.exception_handler(LinkFailed)
    def link_failed(request: Request, error: LinkFailed) -> Response:
        told = {"token": error.token, "again": error.again}
        if _below(request) == ["ready"]:  # put in the place of what the page said until now
            return render(request, "fragments/_link_failed.html", 503, **told)
        return _anew(render(request, "pages/link_failed.html", 503, **told))


def _below(request: Request) -> list[str]:
    """What of a link's page is asked for: the parts of the address behind `/s/TOKEN`."""
    return [part for part in request.url.path.split("/")[3:] if part]


def _anew(answer: Response) -> Response:
    """A page that is open meanwhile asks for a part of itself; it is loaded anew as this page."""
    answer.headers["HX-Refresh"] = "true"
    return answer
