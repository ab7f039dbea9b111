"""How a fault is told: a page to a person, `{"error": "sentence"}` to a program.

Rules of this file: one shape on every route, never a stack trace. Which status a class of fault has is said
here and nowhere else.
"""

from __future__ import annotations

import logging
import re
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection
from starlette.exceptions import HTTPException

from webapp.accounts.next import HOME, local
from webapp.errors import (
    BadInput,
    Busy,
    NotFound,
    Refused,
    SignInNeeded,
    TooLarge,
    TooMany,
    UserError,
    WrongHost,
)
from webapp.web.access import entry_of
from webapp.web.deps import render

log = logging.getLogger("lanescope")

_REST = re.compile(r"https?://[^/?#]*")  # of an address, what stands before its path
RETRY_SECONDS = "2"  # what a program is told to wait after a 503

_STATUS: dict[type[UserError], int] = {
    BadInput: 400,
    SignInNeeded: 401,
    Refused: 403,
    NotFound: 404,
    TooLarge: 413,
    WrongHost: 421,
    TooMany: 429,
    Busy: 503,
}
_TITLES = {
    401: "Not signed in",
    403: "Not allowed",
    404: "Not found",
    405: "Not possible here",
    413: "Too large",
    421: "Wrong address",
    429: "Too often",
    500: "Something failed",
    503: "Not now",
}


def status_of(error: UserError) -> int:
    """The HTTP status of a fault; 400 for a class that has none of its own."""
    return next((_STATUS[cls] for cls in type(error).__mro__ if cls in _STATUS), 400)


def error_response(request: Request, error: UserError) -> Response:
    if isinstance(error, SignInNeeded) and _opens_page(request):
        return RedirectResponse(sign_in_address(request), 303)
    answer = _told(request, status_of(error), error.sentence)
    if isinstance(error, TooMany):
        answer.headers["Retry-After"] = str(error.seconds)
    return answer


def failure_response(request: Request) -> Response:
    """A fault of ours: what the person did is not lost, and the log has the rest."""
    return _told(request, 500, "Lanescope failed while it answered this; its log says where. Try again.")


def _told(request: Request, status: int, sentence: str) -> Response:
    response = _shaped(request, status, sentence)
    if status == 503:
        response.headers["Retry-After"] = RETRY_SECONDS
    if status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
        if request.headers.get("hx-request") == "true":  # the whole page has to go there, not this part of it
            response.headers["HX-Redirect"] = sign_in_address(request)
    return response


def sign_in_address(request: Request) -> str:
    """The page on which one signs in, and from which one comes back: to the page shown, where htmx asks for a part."""
    shown = request.headers.get("hx-current-url") if request.headers.get("hx-request") == "true" else None
    if shown is None:
        scope = request.scope
        path, query = scope.get("raw_path") or scope["path"].encode(), scope["query_string"]
        asked = (path + (b"?" + query if query else b"")).decode("latin-1")
    else:
        asked = _REST.sub("", shown, count=1).partition("#")[0]
    back = local(asked)
    return "/sign-in" if back == HOME else f"/sign-in?next={quote(back, safe='/')}"


def _opens_page(request: Request) -> bool:
    """Whether a browser opens a page, so that it can be led to another; a program is told, and so is a form whose
    content would be lost."""
    headers = request.headers
    accepts = headers.get("accept", "")
    if request.method not in ("GET", "HEAD") or "hx-request" in headers or "authorization" in headers:
        return False
    if is_for_programs(request) or "text/event-stream" in accepts:
        return False
    entry = entry_of(request.method, request.scope["path"])
    return "text/html" in accepts or entry is None or entry.keys != "read"  # a download is no page


def is_for_programs(request: Request) -> bool:
    """Whether a fault is told in JSON."""
    return request.url.path.startswith(("/api/", "/proxy/")) or "application/json" in request.headers.get(
        "accept", ""
    )


def _shaped(request: Request, status: int, sentence: str) -> Response:
    if is_for_programs(request):
        return JSONResponse({"error": sentence}, status_code=status)
    if request.headers.get("hx-request") == "true":
        return render(request, "fragments/_error.html", status, sentence=sentence)
    title = _TITLES.get(status, "That did not work")
    return render(request, "pages/error.html", status, title=title, sentence=sentence, missing=status == 404)


def _http_sentence(error: HTTPException) -> str:
    if error.status_code == 404:
        return "There is nothing at this address."
    if error.status_code == 405:
        return "That cannot be done at this address."
    return f"{str(error.detail).rstrip('.')}."


def _field_sentence(error: RequestValidationError) -> str:
    """The first member of the address or form that cannot be used, and why."""
    first = error.errors()[0]
    name = str(first["loc"][-1]) if first.get("loc") else "the request"
    reason = str(first.get("msg", "cannot be read"))
    return f"“{name}” cannot be used: {reason[:1].lower()}{reason[1:]}."


def add_error_handlers(app: FastAPI) -> None:
    """One shape for everything the framework or a handler raises; the Guard has the last net."""

    @app.exception_handler(UserError)
    def user_error(request: Request, error: UserError) -> Response:
        return error_response(request, error)

    @app.exception_handler(HTTPException)
    def http_error(request: Request, error: HTTPException) -> Response:
        return _told(request, error.status_code, _http_sentence(error))

    @app.exception_handler(RequestValidationError)
    def field_error(request: Request, error: RequestValidationError) -> Response:
        return _told(request, 422, _field_sentence(error))

    @app.exception_handler(NoConnection)
    @app.exception_handler(OperationalError)
    def database_error(request: Request, error: OperationalError | NoConnection) -> Response:
        told = error.orig if isinstance(error, OperationalError) else "too many wait for it"
        reason = str(told).strip().partition("\n")[0].rstrip(".") or "no reason given"
        log.error("%s %s: %s", request.method, request.url.path, reason)
        return error_response(
            request, Busy(f"The database cannot do this now, nothing was changed: {reason}.")
        )
