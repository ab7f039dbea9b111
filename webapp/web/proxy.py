"""`/proxy/{target}/…`: passes everything on to a configured upstream, and records runs and connector calls.

Rules of this file: ASGI on one side, `webapp/ingest/proxy` on the other. What the upstream answers goes out as it is,
without a header of ours. A page of the upstream must not run under our own address, where it could read every trace,
so what a browser would show or run is refused; what programs and scripts fetch is not.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.datastructures import Headers as Names
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from webapp.accounts import cookies
from webapp.errors import BadInput, NotFound, Refused, UserError
from webapp.ingest.live.transactions import STOPPED
from webapp.ingest.proxy.forward import Asked
from webapp.ingest.proxy.headers import Headers, has_body
from webapp.ingest.proxy.recording import LEFT
from webapp.ingest.proxy.service import Proxy
from webapp.ingest.proxy.targets import Target
from webapp.ingest.proxy.upstream import ClientGone, Cut, Failed
from webapp.settings import Settings, is_loopback
from webapp.storage import keys
from webapp.web.admission import KEY_HEADER
from webapp.web.audit import by
from webapp.web.errors import status_of
from webapp.web.proxy_cors import READABLE, asks_for_key, is_preflight, key_allowed, without_key
from webapp.web.security import AS_IT_IS, PASSED_ON
from webapp.web.who import who_of

SHOWN = (
    "The recording proxy passes on what programs ask for, not pages: a page of the target would have the rights of "
    "Lanescope’s own. Open it at its own address."
)
# what a script's fetch is for, and things that cannot hold a script
FETCHED = frozenset({"empty", "audio", "font", "image", "track", "video"})


def proxy_of(app: FastAPI) -> Proxy:
    """The process's proxy, made when it is first asked for."""
    if not hasattr(app.state, "proxy"):
        app.state.proxy = Proxy(app.state.settings.targets, lambda: app.state.recorder)
    proxy: Proxy = app.state.proxy
    return proxy


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    proxy = proxy_of(app)
    try:
        yield
    finally:
        await proxy.stop()


class Endpoint:
    """Any method below `/proxy/`."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        proxy = proxy_of(scope["app"])
        try:
            check_shown(Names(scope=scope))
            target, path, address = proxy.place(scope["raw_path"], scope["query_string"])
            check_ring(target, path, scope)
        except UserError as error:
            # that there is no such target is told with the names of those there are: not to any page that asks
            unknown = isinstance(error, NotFound) and who_of(Request(scope)).kind == "open"
            await refuse(send, status_of(error), error.sentence, readable=not unknown)
            return
        headers = theirs(list(scope["headers"]), scope["app"].state.settings)
        with_key = is_preflight(scope["method"], Names(scope=scope)) and asks_for_key(headers)
        if with_key:
            headers = without_key(headers)
        client = Client(receive, has_body(headers))
        asked = Asked(scope["method"], path, headers, client.body(), by(Request(scope)))
        answer = Answered(send, with_key)
        work = asyncio.create_task(proxy.forward(target, address, asked, answer))
        left = asyncio.create_task(client.left())
        try:
            await asyncio.wait({work, left}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                asked.left = LEFT
        except asyncio.CancelledError:
            asked.left = STOPPED
            raise
        finally:
            left.cancel()
            if not work.done():
                work.cancel()
                await asyncio.wait({work})
        if work.cancelled():
            return
        fault = work.exception()
        if isinstance(fault, Failed):
            await refuse(send, 502, f"{fault.sentence}.")
        elif fault is not None and not isinstance(fault, Cut):
            raise fault
        # after a Cut the answer is left unfinished, so that the client sees a cut too


def theirs(headers: Headers, settings: Settings) -> Headers:
    """A request's headers without what is meant for us: a key wherever it stands, our cookie, and the name a proxy in
    front wrote."""
    ours = {KEY_HEADER.encode(), settings.trusted_header.encode()}
    kept = [(name, value) for name, value in headers if name.lower() not in ours and not is_key(name, value)]
    return [
        (name, rest)
        for name, value in kept
        if (rest := without_cookie(value) if name.lower() == b"cookie" else value) or not value
    ]


def is_key(name: bytes, value: bytes) -> bool:
    """Whether a header gives one of our keys away."""
    given = value.partition(b" ")[2].strip()
    return name.lower() == b"authorization" and given.startswith(keys.PREFIX.encode())


def not_ours(headers: Headers) -> Headers:
    """An answer's headers without a cookie that would take the place of ours: a target is no part of this site."""
    return [
        (name, value)
        for name, value in headers
        if name.lower() != b"set-cookie" or not is_ours(value.partition(b"=")[0].strip())
    ]


def is_ours(cookie: bytes) -> bool:
    """Whether a cookie of this name is read here."""
    return cookie.lower().removeprefix(b"__host-").startswith(cookies.COOKIE.partition("_")[0].encode())


def without_cookie(value: bytes) -> bytes:
    """A `Cookie` header's value without our sign-in; empty when nothing else is in it."""
    parts = value.split(b";")
    rest = [part for part in parts if not is_ours(part.partition(b"=")[0].strip())]
    return value if len(rest) == len(parts) else b";".join(rest).strip()


def check_shown(headers: Names) -> None:
    """Refuse what a browser would show as a page or run as a script. Raises Refused."""
    purpose = headers.get("sec-fetch-dest", "empty").lower()
    if purpose not in FETCHED or "upgrade-insecure-requests" in headers or "service-worker" in headers:
        raise Refused(SHOWN)


def check_ring(target: Target, path: bytes, scope: Scope) -> None:
    """Refuse to ask ourselves to ask ourselves. Raises BadInput."""
    port = (scope.get("server") or ("", None))[1]
    if path.startswith(PASSED_ON.encode()) and target.port == port and is_loopback(target.host):
        raise BadInput(f"The target {target.name} is this proxy itself, so nothing was passed on.")


async def refuse(send: Send, status: int, sentence: str, readable: bool = True) -> None:
    """An answer of our own. readable: to a page of another origin too."""
    body = json.dumps({"error": sentence}).encode()
    headers = {
        "content-type": "application/json",
        "content-length": str(len(body)),
        "x-content-type-options": "nosniff",
        **(READABLE if readable else {}),
    }
    await _start(send, status, [(name.encode(), value.encode()) for name, value in headers.items()])
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def _start(send: Send, status: int, headers: Headers) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers, AS_IT_IS: True})


class Client:
    """What comes from the client: a body, and the news that it has gone."""

    def __init__(self, receive: Receive, has_body: bool) -> None:
        self._receive = receive
        self._whole = asyncio.Event()  # nothing of the request is to come
        if not has_body:
            self._whole.set()
        self._gone = False

    async def body(self) -> AsyncIterator[bytes]:
        """The request's body as it comes. Raises ClientGone."""
        while not self._whole.is_set():
            message: Any = await self._receive()
            if message["type"] == "http.disconnect":
                self._gone = True
                self._whole.set()
                raise ClientGone
            if not message.get("more_body"):
                self._whole.set()
            if chunk := message.get("body"):
                yield chunk

    async def left(self) -> None:
        """Returns when the client has gone."""
        await self._whole.wait()
        while not self._gone:
            self._gone = (await self._receive())["type"] == "http.disconnect"


class Answered:
    """The answer on its way to the client. with_key: to a pre-flight that asks whether our key may be sent."""

    def __init__(self, send: Send, with_key: bool = False) -> None:
        self._send = send
        self._with_key = with_key

    async def start(self, status: int, headers: Headers) -> None:
        headers = not_ours(headers)
        await _start(self._send, status, key_allowed(headers) if self._with_key else headers)

    async def data(self, chunk: bytes) -> None:
        await self._send({"type": "http.response.body", "body": chunk, "more_body": True})

    async def end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


router = APIRouter(lifespan=_lifespan)
router.routes.append(Route("/proxy/{rest:path}", Endpoint(), include_in_schema=False))
