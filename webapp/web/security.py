"""Who may talk to this server, and what a browser may do with its answers.

Rules of this file: one ASGI middleware around everything else, so that every response, a refusal and a
failure included, carries the same headers. It decides from headers alone and never reads a body; who asks and
whether they may is `admission.py`.
"""

from __future__ import annotations

import logging
import time
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webapp.errors import Busy, Refused, UserError, WrongHost
from webapp.settings import Settings, is_loopback
from webapp.web import proxy_cors
from webapp.web.admission import Admission
from webapp.web.errors import error_response, failure_response

log = logging.getLogger("lanescope")

CONTENT_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    # nothing goes to other hosts; unlike no-referrer it leaves forms their Origin, which is checked below
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
}
# recordings are other people's data: a browser may keep a page but asks before it shows it again
_DEFAULT_CACHE = "private, no-cache"
# the address of a shared page is a secret that opens it: not kept, not listed, not told to anyone
SHARED_HEADERS = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer"}
AGAIN = 15.0  # seconds after which the asker of a stream that goes on is looked up once more
AS_IT_IS = "lanescope.as_it_is"  # in the message that starts a response: nothing is added to its headers
PASSED_ON = "/proxy/"
_SAFE = {"GET", "HEAD", "OPTIONS", "TRACE"}


def check_host(host: str | None, settings: Settings) -> None:
    """Refuse a request made under a name that is not ours (DNS rebinding). Raises WrongHost."""
    name = _host_name(host or "")
    if name and (
        is_loopback(name) or name in (urlsplit(settings.public_url).hostname, _listened_on(settings))
    ):
        return
    raise WrongHost(
        "This server does not answer to that host name; use http://127.0.0.1, or set LANESCOPE_PUBLIC_URL to "
        "the address people use."
    )


def _listened_on(settings: Settings) -> str | None:
    """The address others reach it at; none where it listens on this machine only, or on all there are."""
    host = settings.host.lower()
    return None if host in ("0.0.0.0", "::") else host


def check_origin(method: str, headers: Headers, settings: Settings) -> None:
    """Refuse a write that another site's page makes a browser send. Raises Refused.

    Absent `Origin` and `Sec-Fetch-Site` mean that no browser sent it. `same-site` is foreign too: another
    port of this machine is another program.
    """
    if method in _SAFE:
        return
    site = headers.get("sec-fetch-site")
    origin = headers.get("origin")
    foreign = site is not None and site not in ("same-origin", "none")
    if origin is not None and not foreign and not (origin == "null" and site == "same-origin"):
        own = {f"{scheme}://{headers.get('host', '').lower()}" for scheme in ("http", "https")}
        foreign = origin.lower() not in own and (not origin or origin != settings.public_url)
    if foreign:
        raise Refused("This change was asked for by a page of another site, so it was not made.")


def passed_on(path: str, settings: Settings) -> bool:
    """Whether a request is only passed on to a target, where a front end of any origin may call its agent: the target
    decides, as it would without us, and before it a key where there are accounts. Nothing of ours is read or changed
    there. What such a page hears when it is not let through: `proxy_cors.py`."""
    return bool(settings.targets) and path.startswith(PASSED_ON)


def _host_name(host: str) -> str:
    """`[::1]:8321` -> `::1`, `LOCALHOST:80` -> `localhost`, anything odd -> empty."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


class Guard:
    """The middleware: checks, headers, and the last net under a handler that fails."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self.admission = Admission(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = over = lasts = False
        looked = time.monotonic()

        async def guarded(message: Message) -> None:
            nonlocal started, over, lasts, looked
            if over:
                return
            if lasts and time.monotonic() - looked >= AGAIN:
                looked = time.monotonic()
                if not await self._may_still(request):
                    over = True
                    message = {"type": "http.response.body", "body": b"", "more_body": False}
            if message["type"] == "http.response.start":
                started = True
                if message.pop(AS_IT_IS, False):
                    await send(message)
                    return
                headers = MutableHeaders(scope=message)
                if scope["path"].startswith("/s/"):
                    headers.update(SHARED_HEADERS)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", _DEFAULT_CACHE)
                lasts = headers.get("content-type", "").startswith("text/event-stream")
            await send(message)

        request = Request(scope, receive)
        try:
            check_host(request.headers.get("host"), self.settings)
            if not passed_on(scope["path"], self.settings):
                check_origin(request.method, request.headers, self.settings)
            state = scope["app"].state
            who = await self.admission.admit(request, state.database)
            await state.limits.check(request, who, state.database)
            await self.app(scope, receive, guarded)
        except UserError as error:
            if started:
                raise
            answer = self._told(request, error, error_response(request, error))
            await answer(scope, receive, guarded)
        except ClientDisconnect:
            log.info("%s %s: the browser went away", request.method, request.url.path)
        except Exception as error:
            log.exception("%s %s failed", request.method, request.url.path)
            if started:
                raise
            await self._told(request, error, failure_response(request))(scope, receive, guarded)

    def _told(self, request: Request, error: Exception, answer: Response) -> Response:
        """A refusal, or a failure, as whoever asked may hear it."""
        if not passed_on(request.scope["path"], self.settings):
            return answer
        return proxy_cors.told(request, error, answer)

    async def _may_still(self, request: Request) -> bool:
        """Whether who watches a stream may still: signed out, disabled or revoked since, they see no more of it."""
        try:
            await self.admission.admit(request, request.scope["app"].state.database)
        except Busy:
            return True  # asked again the next time
        except UserError:
            return False
        return True
